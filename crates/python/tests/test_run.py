"""Runs: figures, tables, keys, warnings."""

import json
import os
import pathlib
import tempfile
import threading
import unittest

import clustersim as cs
from scenarios import ROOT, SMALL, STUDY


class Runs(unittest.TestCase):
    def test_the_same_scenario_and_seed_are_the_same_run(self):
        one, two = cs.run(SMALL, seed=3), cs.run(SMALL, seed=3)
        self.assertEqual((one.digest, one.metrics), (two.digest, two.metrics))
        self.assertNotEqual(one.digest, cs.run(SMALL, seed=4).digest)

    def test_a_path_a_text_and_a_dictionary_are_one_scenario(self):
        plain = cs.run(SMALL)
        text = plain.scenario
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "scenario.toml")
            file.write_text(text)
            for scenario in (text, file, str(file)):
                self.assertEqual(cs.run(scenario).digest, plain.digest)

    def test_keys_are_set_by_their_paths(self):
        easy = cs.run(SMALL, set={"policy.backfill": "easy"})
        other = {**SMALL, "policy": {"kind": "space-sharing", "backfill": "easy"}}
        self.assertEqual(easy.digest, cs.run(other).digest)
        self.assertEqual(len(cs.run(SMALL, set={"workload.jobs": 7}).jobs), 7)
        # a seed of its own wins
        self.assertEqual(cs.run(SMALL, set={"seed": 1}, seed=3).digest, cs.run(SMALL, seed=3).digest)

    def test_metrics_have_units_and_a_misspelt_one_its_nearest_name(self):
        run = cs.run(SMALL)
        self.assertEqual(run.metrics.unit("wait-time.mean"), "s")
        self.assertEqual(list(run.metrics), list(run.summary["metrics"]))
        for name, value in run.metrics.items():
            self.assertEqual(value, run.summary["metrics"][name]["value"])
        with self.assertRaisesRegex(KeyError, "wait-time.mean"):
            run.metrics["wait-time.maen"]
        with self.assertRaisesRegex(KeyError, "wait-time.mean"):
            run.metrics.unit("wait-time.maen")

    def test_figures_alone_are_those_of_the_whole_run(self):
        whole, alone = cs.run(SMALL), cs.run(SMALL, tables=False)
        self.assertEqual((whole.metrics, whole.digest), (alone.metrics, alone.digest))
        self.assertEqual(len(alone.tables), 0)
        with self.assertRaisesRegex(KeyError, "no table 'jobs'"):
            alone.jobs

    def test_a_point_and_a_replication_of_a_study_is_a_run(self):
        study = cs.study(STUDY, threads=2)
        run = cs.run(STUDY, point=1, replication=2)
        digests = {(row["point"], row["replication"]): row["digest"] for row in rows(study.results)}
        self.assertEqual(run.digest, digests[1, 2])
        with self.assertRaisesRegex(cs.ArgumentError, "`point`"):
            cs.run(STUDY)
        with self.assertRaisesRegex(cs.ArgumentError, "no point 7"):
            cs.run(STUDY, point=7)

    def test_an_explanation_is_in_words_and_a_document(self):
        run = cs.run(SMALL)
        for subject in (7, "7"):
            explanation = run.explain(subject)
            self.assertIn("7", str(explanation))
            self.assertIsInstance(explanation.spans, list)
        with self.assertRaises(cs.ScenarioError):
            run.explain("no such job")

    def test_bounds_that_are_broken_are_told_in_words(self):
        run = cs.run(SMALL, set={"expect.\"wait-time.mean\"": "< 1e-9"})
        self.assertEqual(len(run.broken), 1)
        self.assertIn("expected wait-time.mean", run.broken[0])

    def test_reasons_to_doubt_figures_are_warnings(self):
        crowded = {"workload.arrivals.mean": "1s", "workload.jobs": 400}
        with self.assertWarns(cs.ResultWarning):
            run = cs.run(SMALL, set=crowded)
        self.assertIn("saturated", [remark.code for remark in run.warnings])

    def test_paths_begin_at_the_folder_of_the_scenario_or_of_the_process(self):
        run = cs.run(ROOT / "scenarios" / "quickstart.toml")
        self.assertEqual(run.digest, "a0ec366909a9f2f7")
        here = os.getcwd()
        try:
            os.chdir(ROOT / "scenarios")
            text = pathlib.Path("quickstart.toml").read_text()
            again = cs.run(text)
            os.chdir("/")
            self.assertIn("9943", str(again.explain(9943)))
        finally:
            os.chdir(here)
        self.assertEqual(again.digest, run.digest)

    def test_runs_in_several_threads_do_not_disturb_each_other(self):
        expected = [cs.run(SMALL, seed=seed).digest for seed in range(8)]
        found = [None] * 8

        def one(seed):
            found[seed] = cs.run(SMALL, seed=seed).digest

        threads = [threading.Thread(target=one, args=(seed,)) for seed in range(8)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        self.assertEqual(found, expected)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_a_fork_makes_runs_of_its_own(self):
        expected = cs.run(SMALL).digest
        child = os.fork()
        if child == 0:
            # nothing of the test's own runs in the child
            os._exit(0 if cs.run(SMALL).digest == expected else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_a_run_is_shown_in_words(self):
        run = cs.run(SMALL)
        self.assertIn("wait time", str(run))
        self.assertIn(run.digest, repr(run))
        self.assertEqual(run.title, "small")
        self.assertEqual(json.loads(json.dumps(run.summary))["digest"], run.digest)


def rows(table):
    """The rows of a table as dictionaries."""
    return table.to_arrow().to_pylist()


if __name__ == "__main__":
    unittest.main()
