"""Usage: read_parquet.py FILE.parquet FILE.csv: DuckDB reads both, and they agree in names, rows and every cell.

The text is read without guessing: each cell of the Parquet file is compared with the text beside it, turned into the type
that the Parquet file declares, and sums over whole columns are compared as DuckDB makes them.
"""

import csv
import pathlib
import sys

import duckdb

# a text may tell neither more nor less than the type can hold
TYPES = {"BIGINT": int, "UBIGINT": int, "DOUBLE": float, "VARCHAR": str}

parquet, text = (str(pathlib.Path(name)) for name in sys.argv[1:3])
with open(text, newline="") as file:
    names, *expected = csv.reader(file)

table = duckdb.read_parquet(parquet)
assert table.columns == names, (table.columns, names)
types = [str(kind) for kind in table.types]
assert set(types) <= TYPES.keys(), types
rows = table.fetchall()
assert len(rows) == len(expected), f"{len(rows)} rows, {len(expected)} in the text"

cells = nulls = 0
for number, (row, texts) in enumerate(zip(rows, expected, strict=True)):
    for name, kind, cell, told in zip(names, types, row, texts, strict=True):
        wanted = None if told == "" else TYPES[kind](told)
        assert cell == wanted and type(cell) is type(wanted), (number, name, kind, cell, told)
        cells += 1
        nulls += cell is None

numbers = [name for name, kind in zip(names, types) if kind != "VARCHAR"]
for name in numbers:
    query = f'SELECT count("{name}"), sum("{name}"::DOUBLE) FROM read_parquet(?)'
    count, total = duckdb.execute(query, [parquet]).fetchone()
    values = [float(texts[names.index(name)]) for texts in expected if texts[names.index(name)] != ""]
    assert count == len(values), (name, count, len(values))
    wanted = sum(values) if values else None
    assert total == wanted or abs(total - wanted) <= 1e-12 * sum(map(abs, values)), (name, total, wanted)

query = "SELECT DISTINCT compression FROM parquet_metadata(?)"
codecs = [codec for (codec,) in duckdb.execute(query, [parquet]).fetchall()]
(maker,) = duckdb.execute("SELECT created_by FROM parquet_file_metadata(?)", [parquet]).fetchone()
assert maker.startswith("clustersim version "), maker
print(
    f"DuckDB {duckdb.__version__}: {len(rows)} rows of {len(names)} columns by {maker} ({', '.join(codecs)}); "
    f"{cells} cells equal, {nulls} of them null; sums of {len(numbers)} columns equal"
)
print("  " + ", ".join(f"{name} {kind}" for name, kind in zip(names, types)))
