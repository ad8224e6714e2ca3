"""Tables: rows of a run or a study, which other libraries take as Arrow without a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple

from ._errors import MissingPackageError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow  # type: ignore[import-untyped,unused-ignore]

    from ._clustersim import RawTable


class Column(NamedTuple):
    """A column of a table."""

    #: Name, that of the column of the file.
    name: str
    #: ``count``, ``integer``, ``time``, ``real``, ``text`` or ``category``.
    type: str
    #: Unit of the column of the file; empty for texts, counts and ratios.
    unit: str
    #: Meaning.
    about: str


class Table:
    """Rows of a run or a study.

    Any library that knows the PyCapsule interface of Arrow takes it as it is: ``pyarrow.table(t)``,
    ``polars.DataFrame(t)``, ``pandas.DataFrame.from_arrow(t)``, and DuckDB by its name in a query. The
    types of columns in Arrow: counts are ``uint64``, integers ``int64``, times ``duration[ns]`` from
    the start of simulated time, reals and decimals ``double``, texts ``large_string``, categories
    dictionaries of these. An empty cell is null.
    """

    __slots__ = ("_raw",)

    def __init__(self, raw: RawTable) -> None:
        self._raw = raw

    @property
    def name(self) -> str:
        """Name, that of its file without an ending."""
        return self._raw.name

    @property
    def about(self) -> str:
        """Meaning of a row."""
        return self._raw.about

    @property
    def columns(self) -> list[Column]:
        """The columns, in order."""
        return [Column(*column) for column in self._raw.columns]

    def __len__(self) -> int:
        return len(self._raw)

    def __repr__(self) -> str:
        return f"<Table {self.name}: {len(self):,} rows, {len(self._raw.columns)} columns>"

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._raw.__arrow_c_stream__(requested_schema)

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self._raw.__arrow_c_array__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._raw.__arrow_c_schema__()

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a table of pyarrow, without a copy."""
        return package("pyarrow").table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a DataFrame of pandas; times are ``timedelta64[ns]``. Needs pyarrow, too."""
        package("pandas")
        frame: pandas.DataFrame = self.to_arrow().to_pandas()
        return frame

    def to_polars(self) -> polars.DataFrame:
        """The rows as a DataFrame of polars."""
        frame: polars.DataFrame = package("polars").DataFrame(self)
        return frame


class Tables(Mapping[str, Table]):
    """Tables by name, in order."""

    __slots__ = ("_tables",)

    def __init__(self, tables: list[Table]) -> None:
        self._tables = {table.name: table for table in tables}

    def __getitem__(self, name: str) -> Table:
        try:
            return self._tables[name]
        except KeyError:
            known = ", ".join(self._tables) or "none"
            raise KeyError(f"no table {name!r} was recorded; there are: {known}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        return f"<Tables {', '.join(self._tables)}>"


def package(name: str) -> Any:
    """A package that is needed for one function alone."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingPackageError(f"this needs the package {name}: pip install {name}", name=name) from error


for _class in (Column, Table, Tables):
    _class.__module__ = "clustersim"
