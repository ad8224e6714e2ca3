"""Files and directories that the program reads or wrote."""

from __future__ import annotations

import os
import pathlib
from typing import Any, NamedTuple

from . import _clustersim
from ._errors import ArgumentError


class Judgement(NamedTuple):
    """A promise that a run makes, and what came of it."""

    #: The promise.
    promise: str
    #: ``kept``, ``broken`` or ``not-checked``.
    state: str
    #: The reason that it was not checked; empty otherwise.
    why: str
    #: Each violation: ``job``, ``at`` in seconds, and ``what``.
    violations: list[dict[str, Any]]


class Check:
    """The judgement of a finished run, or of a study with kept runs. ``str`` gives it as the program
    prints it; it is true if no promise is broken.
    """

    def __init__(self, text: str, document: str) -> None:
        import json

        whole = json.loads(document)
        #: The promises, that of the files first; of a study the one of its own files.
        self.judgements: list[Judgement] = _judgements(whole)
        #: Of a study the promises of each kept run, by its directory.
        self.runs: dict[str, list[Judgement]] = {
            one["directory"]: _judgements(one) for one in whole.get("runs", [])
        }
        self._text = text

    @property
    def broken(self) -> list[Judgement]:
        """The promises that are broken, those of kept runs behind the study's own."""
        every = [self.judgements, *self.runs.values()]
        return [one for judgements in every for one in judgements if one.state == "broken"]

    def __bool__(self) -> bool:
        return not self.broken

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        runs = f" and {len(self.runs)} runs" if self.runs else ""
        return f"<Check: {len(self.judgements)} promises{runs}, {len(self.broken)} broken>"


def _judgements(document: dict[str, Any]) -> list[Judgement]:
    return [
        Judgement(one["promise"], one["state"], one.get("why", ""), one.get("violations", []))
        for one in document["promises"]
    ]


class Description:
    """What a file is, and what a run would make of it. ``str`` gives it as the program prints it; a
    notebook shows the picture of a platform or a task graph.
    """

    def __init__(self, text: str, document: str, picture: str | None) -> None:
        import json

        #: All of it, as ``clustersim describe --json`` prints it.
        self.document: dict[str, Any] = json.loads(document)
        #: The picture that ``clustersim show`` makes, as SVG; None of what is not drawn.
        self.picture: str | None = picture
        self._text = text

    def _repr_svg_(self) -> str | None:
        return self.picture

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<Description: {self.document.get('about') or self._text.strip().splitlines()[0]}>"


def check(directory: str | os.PathLike[str]) -> Check:
    """Judges a finished run, or each kept run of a study, in its directory by its files."""
    text, document, remarks = _clustersim.check(_path(directory))
    _log(remarks)
    return Check(text, document)


def describe(file: str | os.PathLike[str]) -> Description:
    """Says what a file is: a log, a table of jobs, a platform, a task graph or a scenario."""
    return Description(*_clustersim.describe(_path(file)))


def report(directory: str | os.PathLike[str], *, open: bool = False) -> pathlib.Path:
    """Draws the page of a finished run or study in its directory once more, and returns its place."""
    place, _, remarks = _clustersim.report(_path(directory))
    _log(remarks)
    if open:
        import webbrowser

        webbrowser.open(pathlib.Path(place).resolve().as_uri())
    return pathlib.Path(place)


def _path(path: str | os.PathLike[str]) -> str:
    if isinstance(path, (str, os.PathLike)):
        name = os.fspath(path)
        if isinstance(name, str):
            try:
                name.encode()
            except UnicodeEncodeError:
                raise ArgumentError("a path has half of a character, which UTF-8 cannot say") from None
            return name
    raise ArgumentError(f"a path is a text or a Path, and not {type(path).__name__}")


def _log(remarks: list[str]) -> None:
    if remarks:
        import logging

        for remark in remarks:
            logging.getLogger("clustersim").info("%s", remark)


for _class in (Check, Description, Judgement):
    _class.__module__ = "clustersim"
check.__module__ = describe.__module__ = report.__module__ = "clustersim"
