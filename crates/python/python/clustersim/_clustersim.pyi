from typing import Any, Callable

VERSION: str

# a file or None; a text, its name in messages, and the folder where its paths begin
_Source = tuple[str | None, str, str, str]

class RawTable:
    name: str
    about: str
    columns: list[tuple[str, str, str, str]]
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

def table_of_parts(
    name: str, about: str, rows: int, columns: list[tuple[str, str, str, str, int, bytes, list[bytes]]]
) -> RawTable: ...
def toml(scenario: dict[str, Any]) -> str: ...
def check(directory: str) -> tuple[str, str, list[str]]: ...
def describe(file: str) -> tuple[str, str, list[str]]: ...
def report(directory: str) -> tuple[str, str, list[str]]: ...
def run(
    source: _Source,
    set: dict[str, Any],
    point: int | None,
    replication: int | None,
    tables: bool,
    explained: str | None,
    progress: Callable[[int, int, int], object] | None,
) -> dict[str, Any]: ...
def study(
    source: _Source,
    set: dict[str, Any],
    threads: int | None,
    earlier: tuple[str, str] | None,
    progress: Callable[[int, int], object] | None,
) -> dict[str, Any]: ...
def study_matrix(
    source: _Source, rows: str, metrics: list[str], axis: str | None, baseline: str | None
) -> dict[str, Any]: ...
def validate(source: _Source, set: dict[str, Any]) -> list[Any]: ...
