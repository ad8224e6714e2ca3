"""Whatever is asked wrongly is an exception of the package, and nothing else."""

import gzip
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

import clustersim as cs
from scenarios import LONG, SMALL, STUDY


class Errors(unittest.TestCase):
    def test_a_mistake_has_its_place_and_the_line_at_fault(self):
        with self.assertRaises(cs.ScenarioError) as raised:
            cs.run({**SMALL, "policy": {"kind": "space-sharing", "backfill": "eazy"}})
        (mistake,) = raised.exception.diagnostics
        self.assertEqual((mistake.code, mistake.file), ("CS0007", "scenario"))
        self.assertIn("easy", mistake.help)
        self.assertIn('backfill = "eazy"', str(raised.exception))
        self.assertIsInstance(raised.exception, (cs.Error, ValueError))

    def test_a_mistake_in_an_argument_points_into_it(self):
        with self.assertRaises(cs.ScenarioError) as raised:
            cs.run(SMALL, set={"policy.backfill": "eazy"})
        (mistake,) = raised.exception.diagnostics
        self.assertEqual((mistake.file, mistake.line), ("set", 1))
        self.assertIn('policy.backfill="eazy"', mistake.text)

    def test_validate_finds_every_mistake_and_simulates_nothing(self):
        self.assertEqual(cs.validate(SMALL), [])
        self.assertEqual(cs.validate(STUDY), [])
        wrong = {**SMALL, "polices": {}, "cluster": {"procs": -1}}
        self.assertEqual(len(cs.validate(wrong)), 2)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "scenario.toml")
            file.write_text('title = "t"\nseed = "one"\n[workload]\nkind = "swf"\nfile = "none.swf"\n')
            mistakes = cs.validate(file)
            self.assertTrue(mistakes)
            self.assertEqual({mistake.file for mistake in mistakes}, {str(file)})

    def test_wrong_types_are_exceptions_of_the_package(self):
        itself = {}
        itself["itself"] = itself
        for scenario in (None, 3, 1.5, b"title", [], object(), "", "a\ud800", "a=\ud800", itself, {1: 2}, {"title": object()}):
            with self.subTest(scenario=repr(scenario)[:40]):
                for function in (cs.run, cs.study, cs.validate):
                    self.assertRaises(cs.Error, function, scenario)
        for keys in ({"seed": None}, {"seed": 2**70}, {"seed": float("nan")}, {1: 2}, {"": 1}, {"a..b": 1}, 3, "a=1"):
            with self.subTest(set=keys):
                for function in (cs.run, cs.study, cs.validate):
                    try:
                        self.assertTrue(function(SMALL, set=keys))
                    except cs.Error:
                        pass
        for seed in (-1, "one", 1.5, 2**63):
            self.assertRaises(cs.Error, cs.run, SMALL, seed=seed)
        for threads in (0, -1, "two", 1.5):
            self.assertRaises(cs.Error, cs.study, STUDY, threads=threads)
        for progress in (3, "yes"):
            self.assertRaises(cs.Error, cs.run, SMALL, progress=progress)
        for named in ({"point": -1}, {"point": "one"}, {"replication": -1}, {"replication": "one"}):
            self.assertRaises(cs.ArgumentError, cs.run, STUDY, **named)

    def test_files_that_cannot_be_read_are_mistakes_of_the_scenario(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in (folder, os.path.join(folder, "none.toml"), "/dev/null", folder + "/a\0b"):
                with self.subTest(path):
                    self.assertRaises(cs.Error, cs.run, path)
                    self.assertRaises(cs.Error, cs.study, path)

    def test_a_file_that_vanishes_is_a_mistake_of_the_scenario(self):
        work = cs.Workload({"submit": [0], "run_time": [1], "procs": [1]}, procs=1)
        run = cs.run({"policy": "easy"}, workload=work)
        os.unlink(work.keys()["workload"]["file"])
        self.assertRaises(cs.ScenarioError, cs.run, {"policy": "easy"}, workload=work)
        self.assertRaises(cs.Error, run.explain, 1)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "gone.toml")
            path.write_text("title = 'gone'")
        for function in (cs.run, cs.study, cs.check, cs.describe, cs.report):
            self.assertRaises(cs.Error, function, path)

    def test_a_simulation_that_cannot_go_on_is_an_exception(self):
        # three jobs of 285 years, one behind the other
        late = cs.Workload({"submit": [0] * 3, "run_time": [9e9] * 3, "procs": [1] * 3}, procs=1)
        with self.assertRaisesRegex(cs.SimulationError, "past the end of virtual time"):
            cs.run({"policy": "easy"}, workload=late)

    def test_what_progress_raises_comes_back(self):
        def refuse(*_):
            raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            cs.run(LONG, progress=refuse, tables=False)

    def interrupted(self, body, after=1.0):
        """Output of a program that is interrupted."""
        head = "import sys; sys.path.insert(0, %r)\nimport clustersim as cs\nfrom scenarios import *\nprint('begun', flush=True)\n"
        text = head % str(pathlib.Path(__file__).parent) + textwrap.dedent(body)
        process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "begun\n")
        try:
            process.wait(after)
            self.fail("it was over before it was interrupted")
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def test_an_interrupt_breaks_a_run_off(self):
        body = """
        try:
            cs.run(LONG, tables=False)
        except KeyboardInterrupt:
            print("interrupted")
        print(cs.run(SMALL).digest)
        """
        status, out, err = self.interrupted(body)
        self.assertEqual((status, out), (0, f"interrupted\n{cs.run(SMALL).digest}\n"), err)

    def test_an_interrupt_ends_the_reading_of_a_long_table(self):
        with tempfile.TemporaryDirectory() as folder:
            with gzip.open(pathlib.Path(folder, "jobs.csv.gz"), "wb", compresslevel=1) as table:
                table.write(b"submit,run,procs\n" + b"0,1,1\n" * 10_000_000)
            body = f"""
            import time
            columns = {{"submit": "submit", "run-time": {{"column": "run", "unit": "s"}}, "procs": "procs", "times": {{"unit": "s", "origin": "trace"}}}}
            workload = {{"kind": "table", "file": {folder + "/jobs.csv.gz"!r}, "columns": columns}}
            try:
                cs.run({{"cluster": {{"procs": 8}}, "workload": workload, "policy": "easy"}})
            except KeyboardInterrupt:
                print("interrupted")
            print(time.process_time() < 3)
            """
            status, out, err = self.interrupted(body)
            self.assertEqual((status, out), (0, "interrupted\nTrue\n"), err)

    def test_an_interrupt_of_a_study_keeps_the_runs_that_are_over(self):
        body = """
        big = {**STUDY, "workload": {**STUDY["workload"], "jobs": 2_000}, "repeat": {"replications": 2_000}}
        try:
            cs.study(big, threads=2)
        except cs.StudyInterrupted as interrupt:
            done = interrupt.study
            print(0 < len(done) <= 4_000, done.missing > 0)
            done.matrix("wait-time.mean")
        """
        status, out, err = self.interrupted(body, after=2.0)
        self.assertEqual((status, out), (0, "True True\n"), err)


if __name__ == "__main__":
    unittest.main()
