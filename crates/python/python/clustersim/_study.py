"""Studies: many runs, and what they say together."""

from __future__ import annotations

import os
from typing import Any, Mapping

from . import _clustersim
from ._errors import ArgumentError, StudyInterrupted
from ._progress import Progress, shown
from ._source import ScenarioLike, Source, keys_of, source_of
from ._table import Table
from ._workload import Workload


class Matrix:
    """The answer of a study in some metrics: settings that are compared against a baseline, down,
    and the values of another axis, across.

    ``str`` gives it as the program prints it.
    """

    def __init__(self, made: dict[str, Any]) -> None:
        #: The answer in a sentence; empty if nothing was observed.
        self.answer: str = made["answer"]
        #: The cells, a row each: setting, figure, difference, p-value, verdict.
        self.cells: Table = Table(made["cells"])
        self._made = made

    @property
    def document(self) -> dict[str, Any]:
        """All of it as ``study.json`` has it under ``findings``."""
        import json

        document: dict[str, Any] = json.loads(self._made["document"])
        return document

    def to_markdown(self) -> str:
        """The tables in Markdown."""
        return str(self._made["markdown"])

    def to_latex(self) -> str:
        """The tables in LaTeX, which need the package ``booktabs``."""
        return str(self._made["latex"])

    def _repr_html_(self) -> str:
        from . import _html

        return _html.matrices(self.document)

    def __str__(self) -> str:
        return str(self._made["text"]).rstrip("\n")

    def __repr__(self) -> str:
        return f"<Matrix: {self.answer or 'nothing was observed'}>"


class Study:
    """A study with the runs that are over.

    ``str`` gives it as the program prints it.
    """

    def __init__(self, made: dict[str, Any], workload: Workload | None) -> None:
        #: A row a run, with the varied keys and the metrics as columns.
        self.results: Table = Table(made["results"])
        #: The scenario in TOML, with every default filled in.
        self.scenario: str = made["resolved"]
        #: Bounds of ``[expect]`` that do not hold, in words.
        self.broken: list[str] = made["broken"]
        #: Runs that are missing, at the least; 0 of a study that was not interrupted.
        self.missing: int = made["missing"]
        self._rows: str = made["rows"]
        self._base = os.path.abspath(made["base"])
        self._summary: str = made["summary"]
        self._text: str = made["text"]
        # its file is read again when the study is asked
        self._workload = workload

    @property
    def summary(self) -> dict[str, Any]:
        """The document ``study.json``, as the program writes it."""
        import json

        summary: dict[str, Any] = json.loads(self._summary)
        return summary

    @property
    def title(self) -> str:
        """Title of the scenario."""
        return str(self.summary["title"])

    @property
    def failures(self) -> list[dict[str, Any]]:
        """Runs that failed, each with its point, its replication and its error."""
        failures: list[dict[str, Any]] = self.summary["failures"]
        return failures

    def matrix(
        self, *metrics: str, baseline: str | int | None = None, axis: str | None = None
    ) -> Matrix:
        """Settings compared in metrics, the first of which is primary.

        ``baseline`` is a value of the compared axis, the number of a point, or ``"all"``: each is
        compared with each. ``axis`` is a key of the axis that is compared. What is not named is as the
        study asks for it itself.
        """
        asked = None if baseline is None else str(baseline)
        return Matrix(_clustersim.study_matrix(self._source(), self._rows, list(metrics), axis, asked))

    def _source(self) -> Source:
        return None, self.scenario, "scenario.resolved.toml", self._base

    def __len__(self) -> int:
        return len(self.results)

    def _repr_html_(self) -> str:
        from . import _html

        findings = self.summary["findings"]
        lacking = [f"{self.missing:,} runs or more are missing"] if self.missing else []
        answer = _html.matrices(findings) if findings else _html.paragraphs(["nothing is compared"])
        return _html.heading(self.title) + answer + _html.paragraphs(lacking + self.broken)

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        lacking = f", {self.missing:,} missing" if self.missing else ""
        return f"<Study {self.title!r}: {len(self):,} runs{lacking}>"


def study(
    scenario: ScenarioLike,
    *,
    set: Mapping[str, Any] | None = None,
    seed: int | None = None,
    workload: Workload | None = None,
    threads: int | None = None,
    progress: Progress = None,
    resume: Study | None = None,
) -> Study:
    """Makes all runs of a study, on as many threads as there are processors unless ``threads`` says
    otherwise. Results do not depend on their number.

    ``progress`` is True, a class with the protocol of ``tqdm``, or a function that is called some
    twenty times a second with the runs that are over and their number.

    Ctrl-C raises StudyInterrupted, whose ``study`` has the runs that are over; ``resume`` continues
    such a study.
    """
    if threads is not None and (not isinstance(threads, int) or threads < 1):
        raise ArgumentError(f"`threads` is a whole number from 1, and not {threads!r}")
    if resume is not None and not isinstance(resume, Study):
        raise ArgumentError(f"`resume` is a study, and not {type(resume).__name__}")
    source, keys = source_of(scenario), keys_of(set, seed, workload)
    earlier = None if resume is None else (resume.scenario, resume._rows)
    with shown(progress, "runs") as look:
        made = _clustersim.study(source, keys, threads, earlier, look)
    done = Study(made, workload)
    raised = made["raised"]
    if isinstance(raised, KeyboardInterrupt):
        raise StudyInterrupted(done) from raised
    if raised is not None:
        raise raised
    return done


for _class in (Matrix, Study):
    _class.__module__ = "clustersim"
study.__module__ = "clustersim"
