"""Tables of runs in other libraries, against the files of the program."""

import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import duckdb
import pandas
import polars
import pyarrow

import clustersim as cs
from scenarios import ROOT, SMALL, TOO_LARGE

#: Types of columns in Arrow.
TYPES = {
    "count": pyarrow.uint64(),
    "integer": pyarrow.int64(),
    "time": pyarrow.duration("ns"),
    "real": pyarrow.float64(),
    "text": pyarrow.large_string(),
    "category": pyarrow.dictionary(pyarrow.int32(), pyarrow.large_string()),
}


def nanoseconds(text):
    """Seconds in decimals as nanoseconds, exactly."""
    whole, _, part = text.partition(".")
    return int(whole) * 10**9 + int(part.ljust(9, "0"))


class Tables(unittest.TestCase):
    def setUp(self):
        self.run_of_jobs = cs.run(SMALL)
        self.jobs = self.run_of_jobs.jobs

    def test_arrow_takes_a_table_with_its_types_units_and_meanings(self):
        table = pyarrow.table(self.jobs)
        table.validate(full=True)
        self.assertEqual(table.num_rows, len(self.jobs))
        self.assertEqual(table.column_names, [column.name for column in self.jobs.columns])
        for field, column in zip(table.schema, self.jobs.columns):
            self.assertEqual(field.type, TYPES[column.type], column.name)
            self.assertEqual(field.metadata[b"unit"].decode(), column.unit)
            self.assertEqual(field.metadata[b"about"].decode(), column.about)
        self.assertEqual(table.schema.field("final_state").type, TYPES["category"])

    def test_a_table_outlives_its_run_and_is_taken_any_number_of_times(self):
        table = pyarrow.table(cs.run(SMALL).jobs)
        self.assertEqual(table, pyarrow.table(self.jobs))
        self.assertEqual(pyarrow.table(self.jobs), pyarrow.table(self.jobs))
        # structures that nobody takes are released with their capsules
        self.jobs.__arrow_c_stream__()
        self.jobs.__arrow_c_array__()
        self.jobs.__arrow_c_schema__()

    def test_a_table_is_one_batch_and_has_a_schema_by_itself(self):
        batch, table = pyarrow.record_batch(self.jobs), pyarrow.table(self.jobs)
        batch.validate(full=True)
        self.assertEqual(pyarrow.Table.from_batches([batch]), table)
        self.assertEqual(pyarrow.schema(self.jobs), table.schema)

    def test_pandas_has_times_as_differences_and_categories(self):
        frame = self.jobs.to_pandas()
        self.assertEqual(str(frame["submission_time"].dtype), "timedelta64[ns]")
        self.assertIsInstance(frame["final_state"].dtype, pandas.CategoricalDtype)
        self.assertEqual(len(frame), 50)
        waited = frame["starting_time"] - frame["submission_time"]
        self.assertTrue((waited == frame["waiting_time"]).all())
        mean = frame["waiting_time"].dt.total_seconds().mean()
        self.assertAlmostEqual(mean, self.run_of_jobs.metrics["wait-time.mean"], places=6)

    def test_polars_and_duckdb_read_it_as_it_is(self):
        frame = self.jobs.to_polars()
        self.assertEqual(frame.height, 50)
        self.assertEqual(frame["submission_time"].dtype, polars.Duration("ns"))
        jobs = self.jobs.to_arrow()
        counted = duckdb.sql("select count(*), sum(requested_number_of_resources) from jobs").fetchall()
        self.assertEqual(counted[0], (50, frame["requested_number_of_resources"].sum()))

    def test_empty_cells_are_null(self):
        run = cs.run({"policy": "easy"}, workload=cs.Workload(TOO_LARGE, procs=8))
        rejected = [row for row in run.jobs.to_arrow().to_pylist() if row["final_state"] == "REJECTED"]
        self.assertTrue(rejected)
        self.assertTrue(all(row["starting_time"] is None for row in rejected))
        self.assertEqual(run.jobs.to_arrow()["starting_time"].null_count, len(rejected))

    def test_a_table_without_rows_has_its_columns(self):
        run = cs.run(SMALL, set={"run.until": "1ns"})
        table = pyarrow.table(run.jobs)
        table.validate(full=True)
        self.assertEqual(table.num_rows, 0)
        self.assertEqual(len(run.jobs.to_pandas()), 0)
        self.assertEqual(run.jobs.to_polars().height, 0)

    @unittest.skipUnless("CLUSTERSIM" in os.environ, "SKIPPED: CLUSTERSIM names no program")
    def test_every_table_of_every_quick_scenario_holds_what_the_program_writes(self):
        program = os.environ["CLUSTERSIM"]
        looked_at = 0
        for scenario in sorted((ROOT / "scenarios").glob("*.toml")):
            with self.subTest(scenario.name), tempfile.TemporaryDirectory() as folder:
                out = pathlib.Path(folder, "out")
                subprocess.run([program, "run", scenario, "-o", out, "-q", "--no-progress"], check=True, stdout=subprocess.DEVNULL)
                if (out / "study.json").exists():
                    study = cs.study(scenario)
                    self.same(study.results, out / "results.csv")
                    self.assertEqual(study.summary, loaded(out / "study.json"))
                    continue
                run = cs.run(scenario)
                self.assertEqual(run.summary, loaded(out / "summary.json"))
                for table in run.tables.values():
                    self.same(table, out / f"{table.name}.csv")
                    looked_at += 1
        self.assertGreater(looked_at, 10)

    def same(self, table, file):
        """Each cell is that of the file."""
        with open(file, newline="") as text:
            lines = list(csv.reader(text))
        columns = table.columns
        self.assertEqual(lines[0], [column.name for column in columns], file)
        arrow = table.to_arrow()
        self.assertEqual(len(lines) - 1, arrow.num_rows, file)
        for place, column in enumerate(columns):
            cells = arrow.column(place)
            if column.type == "time":
                cells = cells.cast(pyarrow.int64())
            for line, cell in zip(lines[1:], cells.to_pylist()):
                # an empty text and no text are one in the file
                found = cell or None if column.type in ("text", "category") else cell
                self.assertEqual(read(line[place], column.type), found, (file, column.name))


def read(text, kind):
    """The value that a cell of a file stands for."""
    if text == "":
        return None
    if kind in ("count", "integer"):
        return int(text)
    if kind == "time":
        return nanoseconds(text)
    return float(text) if kind == "real" else text


def loaded(file):
    return json.loads(file.read_text())


if __name__ == "__main__":
    unittest.main()
