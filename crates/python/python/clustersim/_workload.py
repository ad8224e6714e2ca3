"""Jobs of a DataFrame as a workload."""

from __future__ import annotations

import os
from typing import Any, Mapping, NamedTuple

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

    ``frame`` is a DataFrame of pandas or polars, a table of pyarrow (for each of these pyarrow is
    needed), or a dictionary of columns. Times are seconds, or differences of times; submissions may be
    dates as well. An empty cell, NaN or None, is unknown. Columns are known by their names
    (``submit``, ``run_time``, ``procs``, ``requested_time``, ``user``, ``queue`` and others);
    ``columns`` names others, as in ``{"procs": "cores"}``. ``procs`` is the size of the machine.

    The rows are read and checked as a table of jobs is (docs/tables.md): ScenarioError names the row
    and the column; in a dictionary the line, counted from the line of names.

    >>> work = Workload({"submit": [0, 60], "run_time": [3600, 600], "procs": [4, 2]}, procs=4)
    >>> len(work)
    2
    """

    def __init__(
        self, frame: Any, *, procs: int | None = None, columns: Mapping[str, str] | None = None
    ) -> None:
        if procs is not None and (isinstance(procs, bool) or not isinstance(procs, int) or procs < 1):
            raise ArgumentError(f"`procs` is a whole number from 1, and not {procs!r}")
        if isinstance(frame, Mapping):
            stored = _of_lists(frame, columns or {})
        elif hasattr(frame, "__arrow_c_stream__"):
            stored = _of_frame(frame, columns or {})
        else:
            kind = type(frame).__name__
            raise ArgumentError(f"a workload is a DataFrame or a dictionary of columns, and not {kind}")
        self._procs, self._stored = procs, stored
        self._write()
        # what is quoted of a file lies in the folder of the scenario
        alone = _clustersim.toml({"title": "workload", "cluster": {"procs": procs or 1}, "policy": "easy"})
        mistakes = _clustersim.validate((None, alone, "workload", self._folder), self.keys())
        if mistakes:
            raise ScenarioError(mistakes)

    def _write(self) -> None:
        import shutil
        import tempfile
        import weakref

        self._folder = tempfile.mkdtemp(prefix="clustersim-")
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        with open(self._file, "wb") as file:
            file.write(self._stored.content)

    @property
    def _file(self) -> str:
        return os.path.join(self._folder, self._stored.name)

    def keys(self) -> dict[str, Any]:
        """The keys of a scenario that has these jobs, as ``set`` takes them."""
        keys, units = self._stored.keys, self._stored.units
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
        return self._stored.rows

    def __getstate__(self) -> tuple[Any, ...]:
        return self._procs, self._stored

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._procs, self._stored = state
        self._write()

    def _repr_html_(self) -> str:
        from . import _html

        more = len(self) - len(self._stored.first)
        rest = [f"and {more:,} more"] if more else []
        names = list(self._stored.keys.values())
        return _html.table(names, self._stored.first, repr(self)) + _html.paragraphs(rest)

    def __repr__(self) -> str:
        machine = "" if self._procs is None else f" on {self._procs:,} processors"
        return f"<Workload: {len(self):,} jobs{machine}, with {', '.join(self._stored.keys)}>"


class _Stored(NamedTuple):
    """A table of jobs as the simulator reads it."""

    #: Name of the file.
    name: str
    content: bytes
    rows: int
    #: The column of each key, in their order.
    keys: dict[str, str]
    #: Units of times that are numbers.
    units: dict[str, str]
    #: The first rows, for a notebook.
    first: list[list[str]]


class _Nanoseconds(list[Any]):
    """Whole numbers of nanoseconds."""


def _of_lists(frame: Mapping[Any, Any], columns: Mapping[str, str]) -> _Stored:
    """A dictionary of columns, as a text."""
    import csv
    import io

    data = {name: _listed(column) for name, column in frame.items()}
    keys = _named(list(data), columns)
    units: dict[str, str] = {}
    table = {key: _cells(key, data[name], units) for key, name in keys.items()}
    counts = {len(cells) for cells in table.values()}
    if len(counts) != 1:
        raise ArgumentError("the columns of a workload have different numbers of rows")
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(keys.values())
    writer.writerows(zip(*table.values()))
    first = [list(map(str, row)) for _, row in zip(range(_SHOWN), zip(*table.values()))]
    return _Stored("workload.csv", out.getvalue().encode(), counts.pop(), keys, units, first)


def _of_frame(frame: Any, columns: Mapping[str, str]) -> _Stored:
    """A DataFrame, as columns with their types: no value becomes a text."""
    import io

    pyarrow = package("pyarrow")
    parquet = package("pyarrow.parquet")
    try:
        table = pyarrow.table(frame)
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        raise ArgumentError(f"pyarrow cannot take this frame: {error}") from error
    keys = _named(table.column_names, columns)
    units: dict[str, str] = {}
    table = pyarrow.table({name: _typed(key, table[name], units) for key, name in keys.items()})
    first = [["" if cell is None else str(cell) for cell in row.values()] for row in table[:_SHOWN].to_pylist()]
    texts = [field.name for field in table.schema if pyarrow.types.is_large_string(field.type)]
    out = io.BytesIO()
    parquet.write_table(table, out, compression="none", use_dictionary=texts, write_statistics=False)
    return _Stored("workload.parquet", out.getvalue(), table.num_rows, keys, units, first)


def _typed(key: str, column: Any, units: dict[str, str]) -> Any:
    """A column of a frame as it is written; ``units`` notes the unit of times that are numbers."""
    pyarrow = package("pyarrow")
    types, kind = pyarrow.types, column.type
    if types.is_dictionary(kind):
        kind = kind.value_type
    try:
        if types.is_duration(kind):
            _is_time(key)
            units[key] = "ns"
            return column.cast(pyarrow.duration("ns")).cast(pyarrow.int64())
        if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
            if key in _TIMES:
                units[key] = "s"
            return column.cast(pyarrow.float32() if types.is_float16(kind) else kind)
        if types.is_timestamp(kind) or types.is_null(kind):
            return column
        if not types.is_boolean(kind) and not types.is_binary(kind) and not types.is_large_binary(kind):
            return column.cast(pyarrow.large_string())
    except pyarrow.ArrowException as error:
        raise ArgumentError(f"the column for {key!r} cannot be read: {error}") from error
    raise ArgumentError(f"the column for {key!r} is of the type {kind}, which is no number, text or time")


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


def _named(data: list[str], columns: Mapping[str, str]) -> dict[str, str]:
    """The name of the column of each key."""
    for name in data:
        if not isinstance(name, str):
            raise ArgumentError(f"names of columns are texts, and {name!r} is none")
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
    for name in named.values():
        if data.count(name) > 1:
            raise ArgumentError(f"there are {data.count(name)} columns {name!r}")
    for key in _NEEDED:
        if key not in named:
            either = " or ".join(_KEYS[key])
            raise ArgumentError(f"a workload needs a column {either}, or one that `columns` names for {key!r}")
    # in the order of the keys, whoever named them
    return {key: named[key] for key in _KEYS if key in named}


def _cells(key: str, values: list[Any], units: dict[str, str]) -> list[Any]:
    """The cells of a column as they are written; ``units`` notes the unit of times that are numbers."""
    if isinstance(values, _Nanoseconds):
        _is_time(key)
        units[key] = "ns"
        return values
    import datetime

    kinds = set(map(type, values))
    if key in _TIMES and kinds & {int, float} and datetime.datetime not in kinds:
        units[key] = "s"
    return values if kinds <= {int} or kinds <= {str} else [_written(key, value) for value in values]


def _is_time(key: str) -> None:
    if key not in _TIMES:
        raise ArgumentError(f"the column for {key!r} has differences of times, and it is no time")


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
