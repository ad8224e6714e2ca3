"""One run of a scenario."""

from __future__ import annotations

import os
import sys
from typing import Any, Mapping, NamedTuple

from . import _clustersim
from ._errors import Diagnostic, Error, InputWarning, ResultWarning
from ._progress import Progress, shown
from ._source import ScenarioLike, keys_of, source_of, whole
from ._table import Table, Tables
from ._workload import Workload


class Metrics(dict[str, "float | int | None"]):
    """Metrics by name, in the order in which the program shows them; ``None`` where nothing was
    observed. Times are in seconds.

    >>> metrics = Metrics([("wait-time.mean", 12.5, "s"), ("makespan", None, "s")])
    >>> metrics["wait-time.mean"], metrics.unit("makespan")
    (12.5, 's')
    >>> metrics["wait-time.maen"]
    Traceback (most recent call last):
        ...
    KeyError: "there is no metric 'wait-time.maen': did you mean 'wait-time.mean'?"
    """

    def __init__(self, metrics: list[tuple[str, float | int | None, str]]) -> None:
        super().__init__((name, value) for name, value, _ in metrics)
        self._units = {name: unit for name, _, unit in metrics}

    def unit(self, name: str) -> str:
        """The unit of a metric; empty for ratios and counts."""
        return self._units[name] if name in self._units else self.__missing__(name)

    def __missing__(self, name: str) -> Any:
        import difflib

        near = difflib.get_close_matches(str(name), self, 1)
        help = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(self)}"
        raise KeyError(f"there is no metric {name!r}: {help}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Metrics, ([(name, value, self._units[name]) for name, value in self.items()],)


class Remark(NamedTuple):
    """A reason to doubt figures, or a note on them."""

    #: Name, for programs.
    code: str
    #: Text, a sentence without a full stop.
    text: str

    def __str__(self) -> str:
        return f"{self.code}: {self.text}"


class Explanation:
    """Reasons of what a job, a task, a processor or another part of a run did.

    ``str`` gives it in words.
    """

    __slots__ = ("document", "text")

    def __init__(self, text: str, document: dict[str, Any]) -> None:
        #: In words.
        self.text = text
        #: As a document, with the spans of time under ``spans``.
        self.document = document

    @property
    def spans(self) -> list[dict[str, Any]]:
        """The spans of time, each with its beginning, end and reason."""
        spans: list[dict[str, Any]] = self.document["spans"]
        return spans

    def __str__(self) -> str:
        return self.text.strip("\n")

    def __repr__(self) -> str:
        return f"<Explanation: {self.text.strip().splitlines()[0]}>"


class Run:
    """A run that is over.

    ``str`` gives it as the program prints it.
    """

    def __init__(self, made: dict[str, Any], workload: Workload | None) -> None:
        #: Metrics by name.
        self.metrics: Metrics = Metrics(made["metrics"])
        #: Hash over everything that happened: equal digests are equal runs.
        self.digest: str = made["digest"]
        #: Tables that the scenario records, by name.
        self.tables: Tables = Tables([Table(raw) for raw in made["tables"]])
        #: Reasons to doubt the figures, the gravest first.
        self.warnings: list[Remark] = [Remark(*remark) for remark in made["warnings"]]
        #: Notes on the figures that are no reason to doubt them.
        self.notes: list[Remark] = [Remark(*remark) for remark in made["notes"]]
        #: Bounds of ``[expect]`` that the metrics break, in words.
        self.broken: list[str] = made["broken"]
        #: The scenario in TOML, with every default filled in.
        self.scenario: str = made["resolved"]
        self._base = os.path.abspath(made["base"])
        self._summary: str = made["summary"]
        self._text: str = made["text"]
        # its file is read again when something is explained
        self._workload = workload

    @property
    def summary(self) -> dict[str, Any]:
        """The document ``summary.json``, as the program writes it."""
        import json

        summary: dict[str, Any] = json.loads(self._summary)
        return summary

    @property
    def title(self) -> str:
        """Title of the scenario."""
        return str(self.summary["title"])

    @property
    def jobs(self) -> Table:
        """The table of jobs, where the scenario has jobs and records them."""
        return self.tables["jobs"]

    def explain(self, subject: int | str) -> Explanation:
        """Reasons of what a job, a task, a processor, a host, a link, a server or a queue did.

        The run is made once more for it, as ``clustersim run --explain`` does.
        """
        source = None, self.scenario, "scenario.resolved.toml", self._base
        again = _clustersim.run(source, {}, None, None, False, str(subject), None)
        if again["digest"] != self.digest:
            raise Error("the run cannot be explained: its inputs are no longer what they were")
        text, document = again["explanation"]
        import json

        return Explanation(text, json.loads(document))

    def _repr_html_(self) -> str:
        from . import _html

        units = ((name, _html.number(value), self.metrics.unit(name)) for name, value in self.metrics.items())
        remarks = [f"warning: {remark.text}" for remark in self.warnings]
        remarks += [f"note: {remark.text}" for remark in self.notes] + self.broken
        figures = _html.table(["metric", "value", "unit"], units)
        return _html.heading(self.title) + figures + _html.paragraphs([*remarks, f"digest {self.digest}"])

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<Run {self.title!r}: digest {self.digest}, {len(self.metrics)} metrics, {self.tables!r}>"


def run(
    scenario: ScenarioLike,
    *,
    set: Mapping[str, Any] | None = None,
    seed: int | None = None,
    point: int | None = None,
    replication: int | None = None,
    workload: Workload | None = None,
    tables: bool = True,
    progress: Progress = None,
) -> Run:
    """Makes one run of a scenario, and returns its figures and tables.

    ``scenario`` is a path (of a scenario, of a log, or of the manifest of a finished run), a text in
    TOML, or a dictionary. ``set`` sets keys by their paths, as ``--set`` does; ``seed`` is the root
    of the random streams. Of a study, ``point`` and ``replication`` name the run. ``workload`` takes
    the place of the scenario's own. Without ``tables``
    only figures are kept. ``progress`` is True, a class with the protocol of ``tqdm``, or a function
    that is called some twenty times a second with the subjects (jobs, tasks, calls) that are over,
    their number (0 if it is not known) and the events so far.

    Raises ScenarioError if the scenario is not valid, and SimulationError if it cannot be
    simulated to its end. Ctrl-C breaks the run off.
    """
    source, keys = source_of(scenario), keys_of(set, seed, workload)
    with shown(progress, "subjects") as look:
        numbers = whole("point", point), whole("replication", replication)
        made = _clustersim.run(source, keys, *numbers, bool(tables), None, look)
    done = Run(made, workload)
    _report(made, done)
    return done


def validate(
    scenario: ScenarioLike,
    *,
    set: Mapping[str, Any] | None = None,
    seed: int | None = None,
    workload: Workload | None = None,
) -> list[Diagnostic]:
    """Returns every mistake of a scenario; an empty list if it is valid. Nothing is simulated."""
    mistakes: list[Diagnostic] = _clustersim.validate(source_of(scenario), keys_of(set, seed, workload))
    return mistakes


def _report(made: dict[str, Any], done: Run) -> None:
    """Hands warnings to ``warnings``, and notes on inputs to ``logging``."""
    if made["input_notes"] and "logging" in sys.modules:
        import logging

        for note in made["input_notes"]:
            logging.getLogger("clustersim").info("%s", note)
    if not made["input_warnings"] and not done.warnings:
        return
    import warnings

    for text in made["input_warnings"]:
        warnings.warn(text, InputWarning, stacklevel=3)
    for remark in done.warnings:
        warnings.warn(str(remark), ResultWarning, stacklevel=3)


for _class in (Explanation, Metrics, Remark, Run):
    _class.__module__ = "clustersim"
run.__module__ = validate.__module__ = "clustersim"
