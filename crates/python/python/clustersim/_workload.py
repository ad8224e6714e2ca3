"""Jobs of a DataFrame as a workload."""

from __future__ import annotations

import os
from typing import Any, Mapping

from . import _clustersim
from ._errors import ArgumentError, ScenarioError
from ._table import package

#: Keys of ``[workload.columns]``, and the names of columns that are taken for them, the first that is
#: there. The first three are needed.
_KEYS: dict[str, tuple[str, ...]] = {
    "submit": ("submit", "submit_time", "submission_time"),
    "run-time": ("run_time", "run-time", "execution_time"),
    "procs": ("procs", "requested_procs", "requested_number_of_resources"),
    "limit": ("requested_time", "limit"),
    "user": ("user",),
    "group": ("group",),
    "account": ("account",),
    "qos": ("qos",),
    "class": ("class",),
    "queue": ("queue",),
    "partition": ("partition",),
    "executable": ("executable",),
}

#: Keys without which rows are no jobs.
_NEEDED = ("submit", "run-time", "procs")

#: Rows that a notebook shows.
_SHOWN = 5

#: Keys whose columns are times.
_TIMES = ("submit", "run-time", "limit")


class Workload:
    """Jobs, a row each, which ``run(…, workload=…)`` takes in place of a log.

    ``frame`` is a DataFrame of pandas or polars, a table of pyarrow, or a dictionary of columns.
    Times are seconds, or differences of times; submissions may be dates as well. An empty cell, NaN or
    None, is unknown. Columns are known by their names (``submit``, ``run_time``, ``procs``,
    ``requested_time``, ``user``, ``queue`` and others); ``columns`` names others, as in ``{"procs":
    "cores"}``. ``procs`` is the size of the machine.

    The rows are read and checked as a table of jobs is (docs/tables.md): ScenarioError names the line
    of a row, counted from the line of names, and the column.

    >>> work = Workload({"submit": [0, 60], "run_time": [3600, 600], "procs": [4, 2]}, procs=4)
    >>> len(work)
    2
    """

    def __init__(
        self, frame: Any, *, procs: int | None = None, columns: Mapping[str, str] | None = None
    ) -> None:
        if procs is not None and (isinstance(procs, bool) or not isinstance(procs, int) or procs < 1):
            raise ArgumentError(f"`procs` is a whole number from 1, and not {procs!r}")
        data = _columns_of(frame)
        keys = _named(data, columns or {})
        units: dict[str, str] = {}
        table = {key: _cells(key, data[name], units) for key, name in keys.items()}
        rows = {len(cells) for cells in table.values()}
        if len(rows) != 1:
            raise ArgumentError("the columns of a workload have different numbers of rows")
        import csv
        import io

        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(keys[key] for key in table)
        writer.writerows(zip(*table.values()))
        self._rows, self._procs, self._named, self._units = rows.pop(), procs, keys, units
        self._write(out.getvalue())
        # what is quoted of a file lies in the folder of the scenario
        alone = _clustersim.toml({"title": "workload", "cluster": {"procs": procs or 1}, "policy": "easy"})
        mistakes = _clustersim.validate((None, alone, "workload", self._folder), self.keys())
        if mistakes:
            raise ScenarioError(mistakes)

    def _write(self, text: str) -> None:
        import shutil
        import tempfile
        import weakref

        self._folder = tempfile.mkdtemp(prefix="clustersim-")
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        with open(self._file, "w", newline="", encoding="utf-8") as file:
            file.write(text)

    @property
    def _file(self) -> str:
        return os.path.join(self._folder, "workload.csv")

    def keys(self) -> dict[str, Any]:
        """The keys of a scenario that has these jobs, as ``set`` takes them."""
        keys, units = self._named, self._units
        columns: dict[str, Any] = dict(keys)
        for key in ("run-time", "limit"):
            if key in keys and key in units:
                columns[key] = {"column": keys[key], "unit": units[key]}
        if "submit" in units:
            columns["times"] = {"unit": units["submit"], "origin": "trace"}
        stated: dict[str, Any] = {"workload": {"kind": "table", "file": self._file, "columns": columns}}
        if self._procs is not None:
            stated["cluster.procs"] = self._procs
        return stated

    def __len__(self) -> int:
        return self._rows

    def __getstate__(self) -> tuple[Any, ...]:
        with open(self._file, newline="", encoding="utf-8") as file:
            return file.read(), self._rows, self._procs, self._named, self._units

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        text, self._rows, self._procs, self._named, self._units = state
        self._write(text)

    def _repr_html_(self) -> str:
        import csv

        from . import _html

        with open(self._file, newline="", encoding="utf-8") as file:
            head, *rows = [row for _, row in zip(range(_SHOWN + 1), csv.reader(file))]
        more = [f"and {self._rows - len(rows):,} more"] if self._rows > len(rows) else []
        return _html.table(head, rows, repr(self)) + _html.paragraphs(more)

    def __repr__(self) -> str:
        machine = "" if self._procs is None else f" on {self._procs:,} processors"
        return f"<Workload: {self._rows:,} jobs{machine}, with {', '.join(self._named)}>"


class _Nanoseconds(list[Any]):
    """Whole numbers of nanoseconds."""


def _columns_of(frame: Any) -> dict[str, list[Any]]:
    """The columns of whatever has some, by name."""
    columns: dict[str, list[Any]]
    if isinstance(frame, Mapping):
        columns = {name: _listed(column) for name, column in frame.items()}
    elif hasattr(frame, "__arrow_c_stream__"):
        table = package("pyarrow").table(frame)
        columns = {name: _of_arrow(table[name]) for name in table.column_names}
    else:
        kind = type(frame).__name__
        raise ArgumentError(f"a workload is a DataFrame or a dictionary of columns, and not {kind}")
    for name in columns:
        if not isinstance(name, str):
            raise ArgumentError(f"names of columns are texts, and {name!r} is none")
    return columns


def _of_arrow(column: Any) -> list[Any]:
    pyarrow = package("pyarrow")
    if pyarrow.types.is_duration(column.type):
        return _Nanoseconds(column.cast(pyarrow.duration("ns")).cast(pyarrow.int64()).to_pylist())
    if pyarrow.types.is_timestamp(column.type):
        column = column.cast(pyarrow.string())
    values: list[Any] = column.to_pylist()
    return values


def _listed(column: Any) -> list[Any]:
    """A column of a dictionary: a list, or an array of NumPy."""
    if hasattr(column, "__arrow_c_stream__") or isinstance(column, (str, bytes, Mapping)):
        raise ArgumentError(f"a column of a dictionary is a list, and not {type(column).__name__}")
    try:
        values: list[Any] = column.tolist() if hasattr(column, "tolist") else list(column)
    except TypeError:
        raise ArgumentError(f"a column of a dictionary is a list, and not {type(column).__name__}") from None
    if str(getattr(column, "dtype", "")).startswith(("timedelta", "datetime")):
        raise ArgumentError("arrays of dates and times of NumPy are taken as columns of a DataFrame")
    import datetime

    if any(isinstance(value, datetime.timedelta) for value in values):
        return _Nanoseconds(None if value is None else _span(value) for value in values)
    return values


def _span(value: Any) -> int:
    import datetime

    if not isinstance(value, datetime.timedelta):
        raise ArgumentError(f"a column has differences of times, and {value!r} is none")
    return (value.days * 86_400 + value.seconds) * 1_000_000_000 + value.microseconds * 1_000


def _named(data: Mapping[str, list[Any]], columns: Mapping[str, str]) -> dict[str, str]:
    """The name of the column of each key."""
    named: dict[str, str] = {}
    for key, name in columns.items():
        known = key.replace("_", "-") if isinstance(key, str) else key
        if known not in _KEYS:
            raise ArgumentError(f"`columns` has the key {key!r}; there are: {', '.join(_KEYS)}")
        if name not in data:
            raise ArgumentError(f"there is no column {name!r}; there are: {', '.join(data)}")
        named[known] = name
    for key, names in _KEYS.items():
        found = [name for name in names if name in data]
        if found and key not in named:
            named[key] = found[0]
    for key in _NEEDED:
        if key not in named:
            either = " or ".join(_KEYS[key])
            raise ArgumentError(f"a workload needs a column {either}, or one that `columns` names for {key!r}")
    return named


def _cells(key: str, values: list[Any], units: dict[str, str]) -> list[Any]:
    """The cells of a column as they are written; ``units`` notes the unit of times that are numbers."""
    if isinstance(values, _Nanoseconds):
        if key not in _TIMES:
            raise ArgumentError(f"the column for {key!r} has differences of times, and it is no time")
        units[key] = "ns"
        return values
    import datetime

    kinds = set(map(type, values))
    if key in _TIMES and kinds & {int, float} and datetime.datetime not in kinds:
        units[key] = "s"
    return values if kinds <= {int} or kinds <= {str} else [_written(key, value) for value in values]


def _written(key: str, value: Any) -> Any:
    """A cell; nothing where the value is unknown."""
    import datetime

    if value is None or isinstance(value, float) and value != value:
        return ""
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    if isinstance(value, (int, float, str)) and not isinstance(value, bool):
        return value
    raise ArgumentError(f"the column for {key!r} has {value!r}, which is no number, text or time")
