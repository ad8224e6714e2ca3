"""Exceptions and warnings of the package, and the mistakes of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

if TYPE_CHECKING:
    from ._study import Study


class Error(Exception):
    """Any failure of the package."""


class ArgumentError(Error, TypeError):
    """An argument is of a type, or has a value, that a function does not take."""


class SimulationError(Error, RuntimeError):
    """A simulation that cannot go on: a deadlock, or a decision that its model refuses."""


class InternalError(Error, RuntimeError):
    """A mistake of the simulator. Please report it, with the scenario."""


class MissingPackageError(Error, ImportError):
    """A function needs another package."""


class StudyInterrupted(KeyboardInterrupt):
    """A study was interrupted. The runs that are over are kept."""

    #: The study with these runs, which ``study(…, resume=…)`` continues.
    study: Study

    def __init__(self, study: Study) -> None:
        super().__init__(f"{study.missing:,} runs or more are missing of {study!r}")
        self.study = study


class InputWarning(UserWarning):
    """An input that may not be as its author meant it."""


class ResultWarning(UserWarning):
    """A reason to doubt figures of a run."""


class Diagnostic:
    """One mistake of a scenario or of a file that it names.

    ``str`` gives it with the line at fault, as the program prints it.
    """

    __slots__ = ("code", "column", "file", "help", "label", "line", "message", "notes", "text")

    #: Code of the kind of mistake, which ``clustersim explain`` explains.
    code: str
    #: The mistake in one line.
    message: str
    #: The file, or what a text or an argument is called; ``None`` where no text is at fault.
    file: str | None
    #: Line, from 1.
    line: int | None
    #: Column in letters, from 1.
    column: int | None
    #: A few words at the place.
    label: str
    #: The way to mend it.
    help: str | None
    #: Further remarks.
    notes: list[str]
    #: All of it, with the line at fault.
    text: str

    @classmethod
    def _of(cls, text: str, document: str) -> Diagnostic:
        import json

        stated: dict[str, Any] = json.loads(document)
        place = stated["at"] or {}
        one = cls.__new__(cls)
        one.code = stated["code"]
        one.message = stated["message"]
        one.file = place.get("file")
        one.line = place.get("line")
        one.column = place.get("column")
        one.label = stated["label"]
        one.help = stated["help"]
        one.notes = [note["message"] for note in stated["notes"]]
        one.text = text
        return one

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return f"<Diagnostic {self.code} {place}: {self.message}>"


class ScenarioError(Error, ValueError):
    """A scenario that is not valid, with everything that is wrong with it."""

    #: The mistakes, in the order of the texts.
    diagnostics: Sequence[Diagnostic]

    #: Mistakes that stand in the text of the exception.
    _SHOWN = 20

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        shown = [one.text for one in self.diagnostics[: self._SHOWN]]
        more = len(self.diagnostics) - len(shown)
        if more > 0:
            shown.append(f"and {more} more")
        return "\n" + "\n".join(shown)


for _class in (
    ArgumentError,
    Diagnostic,
    Error,
    InputWarning,
    InternalError,
    MissingPackageError,
    ResultWarning,
    ScenarioError,
    SimulationError,
    StudyInterrupted,
):
    # a traceback shows the name by which users know it
    _class.__module__ = "clustersim"
