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
    """The judgement of a finished run. ``str`` gives it as the program prints it; it is true if no
    promise is broken.
    """

    def __init__(self, text: str, document: str) -> None:
        import json

        #: The promises, that of the files first.
        self.judgements: list[Judgement] = [
            Judgement(one["promise"], one["state"], one.get("why", ""), one.get("violations", []))
            for one in json.loads(document)["promises"]
        ]
        self._text = text

    @property
    def broken(self) -> list[Judgement]:
        """The promises that are broken."""
        return [one for one in self.judgements if one.state == "broken"]

    def __bool__(self) -> bool:
        return not self.broken

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<Check: {len(self.judgements)} promises, {len(self.broken)} broken>"


class Description:
    """What a file is, and what a run would make of it. ``str`` gives it as the program prints it."""

    def __init__(self, text: str, document: str) -> None:
        import json

        #: All of it, as ``clustersim describe --json`` prints it.
        self.document: dict[str, Any] = json.loads(document)
        self._text = text

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<Description: {self.document.get('about') or self._text.strip().splitlines()[0]}>"


def check(directory: str | os.PathLike[str]) -> Check:
    """Judges a finished run in its directory by its files: whether it keeps what was promised."""
    text, document, remarks = _clustersim.check(_path(directory))
    _log(remarks)
    return Check(text, document)


def describe(file: str | os.PathLike[str]) -> Description:
    """Says what a file is: a log, a table of jobs, a platform, a task graph or a scenario."""
    text, document, _ = _clustersim.describe(_path(file))
    return Description(text, document)


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
