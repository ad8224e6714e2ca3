"""Directories and files of the program: judged, described, drawn again."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import clustersim as cs
from scenarios import ROOT

LOG = ROOT / "scenarios" / "data" / "KTH-SP2-1996-2.1-cln-4-weeks.swf.gz"


class Finished(unittest.TestCase):
    @unittest.skipUnless("CLUSTERSIM" in os.environ, "SKIPPED: CLUSTERSIM names no program")
    def test_a_run_of_the_program_is_judged_and_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "out")
            command = [os.environ["CLUSTERSIM"], "run", ROOT / "scenarios" / "quickstart.toml", "-q", "-o", out]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            checked = cs.check(out)
            self.assertTrue(checked, str(checked))
            self.assertIn("kept", {one.state for one in checked.judgements})
            page = (out / "report.html").read_bytes()
            (out / "report.html").unlink()
            self.assertEqual(cs.report(out), out / "report.html")
            self.assertEqual((out / "report.html").read_bytes(), page)
            jobs = out / "jobs.csv"
            jobs.write_bytes(jobs.read_bytes().replace(b"head", b"tail", 1))
            self.assertFalse(cs.check(out))
            self.assertTrue(cs.check(out).broken[0].violations)

    @unittest.skipUnless("CLUSTERSIM" in os.environ, "SKIPPED: CLUSTERSIM names no program")
    def test_each_kept_run_of_a_study_is_judged(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "out")
            keys = ["--set", 'record.runs="first"', "--set", "repeat.replications=1"]
            command = [os.environ["CLUSTERSIM"], "run", ROOT / "scenarios" / "study.toml", "-q", *keys, "-o", out]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            checked = cs.check(out)
            self.assertTrue(checked, str(checked))
            self.assertGreater(len(checked.runs), 1)
            name = next(iter(checked.runs))
            jobs = out / name / "jobs.csv"
            jobs.write_bytes(jobs.read_bytes().replace(b"head", b"tail", 1))
            self.assertFalse(cs.check(out))

    def test_a_log_is_described(self):
        described = cs.describe(LOG)
        self.assertIn("Standard Workload Format", str(described))
        self.assertIsInstance(described.document, dict)
        self.assertIn("Description", repr(described))
        self.assertIsNone(described._repr_svg_())

    def test_a_platform_and_a_task_graph_are_drawn(self):
        for name in ("scenarios/data/two-sites.xml", "fuzz/corpus/dot/dag.dot"):
            described = cs.describe(ROOT / name)
            self.assertTrue(described._repr_svg_().startswith("<svg"), name)

    def test_whatever_is_no_directory_of_a_run_is_an_exception_of_the_package(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in (folder, pathlib.Path(folder, "none"), __file__, "", "a\ud800", None, 3, b"out"):
                for function in (cs.check, cs.report):
                    self.assertRaises(cs.Error, function, path)
            for path in (folder, pathlib.Path(folder, "none"), "", "a\ud800", None, 3, b"out"):
                self.assertRaises(cs.Error, cs.describe, path)


if __name__ == "__main__":
    unittest.main()
