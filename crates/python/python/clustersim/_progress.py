"""Progress of runs and studies, shown by whatever the caller has for it."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Union

from ._errors import ArgumentError

#: True, a class with the protocol of tqdm, or a function of what is over and how much there is.
Progress = Union[bool, Callable[..., Any], None]


@contextmanager
def shown(progress: Progress, unit: str) -> Iterator[Callable[..., Any] | None]:
    """A function that shows the progress, as long as the context lasts."""
    if progress is None or progress is False:
        yield None
        return
    if progress is True:
        progress = _usual()
    if hasattr(progress, "update") and hasattr(progress, "close"):
        bar = progress(total=None, unit=f" {unit}")
        try:
            yield lambda done, total, *_: _move(bar, done, total)
        finally:
            bar.close()
        return
    if not callable(progress):
        raise ArgumentError(f"`progress` is True, a function or tqdm, and not {type(progress).__name__}")
    yield progress


def _move(bar: Any, done: int, total: int) -> None:
    bar.total = total or None
    bar.update(done - bar.n)


def _usual() -> Callable[..., Any]:
    """tqdm, where it is there, else lines that replace each other."""
    import importlib

    try:
        usual: Callable[..., Any] = importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        return _Line
    return usual


class _Line:
    """A line of standard error, with the protocol of tqdm."""

    def __init__(self, total: int | None, unit: str) -> None:
        self.total = total
        self.n = 0
        self._unit = unit

    def update(self, more: int) -> None:
        """Shows that more are over."""
        self.n += more
        of = f" of {self.total:,}" if self.total else ""
        sys.stderr.write(f"\r{self.n:,}{of}{self._unit} ")
        sys.stderr.flush()

    def close(self) -> None:
        """Ends the line."""
        sys.stderr.write("\n")
