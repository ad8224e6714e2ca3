"""Jobs of DataFrames as workloads."""

import datetime
import pickle
import unittest

import pandas
import polars
import pyarrow

import clustersim as cs

JOBS = {"submit": [0, 60.5, 120], "run_time": [3600, 600, 60], "procs": [4, 2, 8], "requested_time": [7200, None, 60]}
EASY = {"policy": "easy"}


class Workloads(unittest.TestCase):
    def test_every_kind_of_frame_is_the_same_workload(self):
        expected = cs.run(EASY, workload=cs.Workload(JOBS, procs=8))
        self.assertEqual(len(expected.jobs), 3)
        spans = pandas.DataFrame(JOBS)
        for name in ("submit", "run_time", "requested_time"):
            spans[name] = pandas.to_timedelta(spans[name], unit="s")
        deltas = {name: [None if cell is None else datetime.timedelta(seconds=cell) for cell in JOBS[name]] for name in JOBS}
        frames = (
            pandas.DataFrame(JOBS),
            spans,
            polars.DataFrame(JOBS, strict=False),
            polars.DataFrame(spans),
            pyarrow.table(spans),
            {**deltas, "procs": JOBS["procs"]},
            {name: pandas.Series(JOBS[name]).to_numpy() for name in JOBS},
        )
        for frame in frames:
            work = cs.Workload(frame, procs=8)
            self.assertEqual(cs.run(EASY, workload=work).digest, expected.digest, type(frame))

    def test_dates_are_submissions(self):
        begun = pandas.Timestamp("2026-03-01 08:00", tz="UTC")
        dated = pandas.DataFrame({**JOBS, "submit": [begun + pandas.Timedelta(seconds=at) for at in JOBS["submit"]]})
        plain = cs.run(EASY, workload=cs.Workload(JOBS, procs=8))
        found = cs.run(EASY, workload=cs.Workload(dated, procs=8))
        self.assertEqual(found.metrics["wait-time.mean"], plain.metrics["wait-time.mean"])

    def test_rows_are_checked_as_a_table_of_jobs_is(self):
        for name, cell in (("submit", "soon"), ("procs", 1.5), ("run_time", float("inf"))):
            wrong = {**JOBS, name: [JOBS[name][0], cell, JOBS[name][2]]}
            with self.assertRaises(cs.ScenarioError) as raised:
                cs.Workload(wrong, procs=8)
            (mistake,) = raised.exception.diagnostics
            # the names are the first line
            self.assertEqual((mistake.file[-12:], mistake.line), ("workload.csv", 3))
            self.assertIsNotNone(mistake.column)
            self.assertIn(str(cell), mistake.text)

    def test_rows_of_a_frame_are_checked_with_row_and_column(self):
        for name, cells in (("procs", [4, 1.5, 8]), ("run_time", [3600, float("inf"), 60]), ("submit", ["2026-03-01 08:00", "soon", "2026-03-01 09:00"])):
            jobs = pyarrow.table({**JOBS, name: cells})
            for frame in (jobs, jobs.to_pandas(), polars.from_arrow(jobs)):
                with self.subTest(name=name, kind=type(frame)), self.assertRaises(cs.ScenarioError) as raised:
                    cs.Workload(frame, procs=8)
                (mistake,) = raised.exception.diagnostics
                self.assertIn("workload.parquet", mistake.message)
                self.assertIn("row 2, column", mistake.message)
                self.assertIn(name, mistake.message)

    def test_frames_that_pyarrow_or_a_workload_cannot_take_are_exceptions_of_the_package(self):
        twice = pandas.DataFrame([[0, 1, 1, 2]], columns=["submit", "run_time", "procs", "procs"])
        mixed = pandas.DataFrame({**JOBS, "submit": [0, "soon", datetime.date(2026, 3, 1)]})
        lists = pandas.DataFrame({**JOBS, "procs": [[1], [2], [3]]})
        truths = pandas.DataFrame({**JOBS, "procs": [True, False, True]})
        no_time = pandas.DataFrame({**JOBS, "procs": pandas.to_timedelta([1, 2, 3], unit="s")})
        for frame in (twice, mixed, lists, truths, no_time, pandas.DataFrame(), pandas.DataFrame(JOBS)[:0], polars.DataFrame()):
            self.assertRaises(cs.Error, cs.Workload, frame, procs=8)

    def test_columns_of_few_words_are_taken_as_any_others(self):
        frame = pandas.DataFrame({**JOBS, "user": ["ada", "bob", None], "queue": ["a", "b", "a"]})
        plain = cs.run(EASY, workload=cs.Workload(frame, procs=8))
        for columns in (["user"], ["user", "queue"]):
            again = frame.astype(dict.fromkeys(columns, "category"))
            self.assertEqual(cs.run(EASY, workload=cs.Workload(again, procs=8)).digest, plain.digest)

    def test_a_notebook_shows_the_first_rows(self):
        many = {name: cells * 4 for name, cells in JOBS.items()}
        for frame in (many, pandas.DataFrame(many)):
            shown = cs.Workload(frame, procs=8)._repr_html_()
            self.assertIn("and 7 more", shown)
            self.assertIn("3600", shown)

    def test_wrong_frames_are_exceptions_of_the_package(self):
        for frame in (None, 3, [], "jobs.csv", {}, {"submit": [1]}, {**JOBS, "procs": [1]}, {**JOBS, "procs": 3}, {1: []}):
            with self.subTest(frame=frame):
                self.assertRaises(cs.Error, cs.Workload, frame)
        for cell in (True, object(), [], b"1"):
            self.assertRaises(cs.Error, cs.Workload, {**JOBS, "procs": [1, cell, 2]})
        for procs in (0, -1, "8", 1.5, True):
            self.assertRaises(cs.ArgumentError, cs.Workload, JOBS, procs=procs)
        for columns in ({"procs": "cores"}, {"cores": "procs"}):
            self.assertRaises(cs.ArgumentError, cs.Workload, JOBS, columns=columns)
        self.assertRaises(cs.ArgumentError, cs.run, EASY, workload=JOBS)

    def test_columns_may_have_other_names(self):
        other = {("cores" if name == "procs" else name): cells for name, cells in JOBS.items()}
        one = cs.run(EASY, workload=cs.Workload(other, procs=8, columns={"procs": "cores"}))
        self.assertEqual(one.digest, cs.run(EASY, workload=cs.Workload(JOBS, procs=8)).digest)

    def test_keys_of_the_workload_are_set_as_well_and_studies_take_it(self):
        work = cs.Workload(JOBS, procs=8)
        loaded = cs.run(EASY, workload=work, set={"workload.load": 0.5})
        self.assertNotEqual(loaded.digest, cs.run(EASY, workload=work).digest)
        study = cs.study({"policy": {"kind": "space-sharing"}, "vary": [{"policy.backfill": ["none", "easy"]}]}, workload=work)
        self.assertEqual(len(study), 2)
        self.assertEqual(cs.validate(EASY, workload=work), [])

    def test_a_run_is_explained_after_its_workload_is_gone(self):
        run = cs.run(EASY, workload=cs.Workload(JOBS, procs=8))
        self.assertIn("3", str(run.explain(3)))

    def test_a_workload_is_pickled(self):
        work = cs.Workload(JOBS, procs=8)
        again = pickle.loads(pickle.dumps(work))
        self.assertEqual(repr(again), repr(work))
        self.assertEqual(cs.run(EASY, workload=again).digest, cs.run(EASY, workload=work).digest)


if __name__ == "__main__":
    unittest.main()
