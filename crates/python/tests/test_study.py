"""Studies: results, matrices, progress."""

import unittest

import clustersim as cs
from scenarios import STUDY


class Studies(unittest.TestCase):
    def test_results_do_not_depend_on_the_number_of_threads(self):
        one, two = cs.study(STUDY, threads=1), cs.study(STUDY, threads=2)
        self.assertEqual(one.results.to_arrow(), two.results.to_arrow())
        self.assertEqual(one.summary, two.summary)
        self.assertEqual((len(one), one.missing, one.failures), (8, 0, []))
        self.assertIn("policy.backfill", [column.name for column in one.results.columns])

    def test_a_matrix_compares_settings_with_a_baseline(self):
        study = cs.study(STUDY)
        matrix = study.matrix("wait-time.mean", baseline="easy")
        self.assertEqual(matrix.document["matrices"][0]["metric"], "wait-time.mean")
        self.assertEqual(len(matrix.cells), 2)
        self.assertIn("easy", str(matrix))
        self.assertIn("|", matrix.to_markdown())
        self.assertIn("\\toprule", matrix.to_latex())
        for wrong in ({"baseline": "eazy"}, {"axis": "polices"}):
            self.assertRaises(cs.ScenarioError, study.matrix, "wait-time.mean", **wrong)
        with self.assertRaisesRegex(cs.ScenarioError, "wait-time.mean"):
            study.matrix("wait-time.maen")

    def test_runs_that_are_over_are_not_made_again(self):
        study = cs.study(STUDY)
        calls = []
        again = cs.study(STUDY, resume=study, progress=lambda *seen: calls.append(seen))
        self.assertEqual(again.summary, study.summary)
        with self.assertRaisesRegex(cs.ArgumentError, "another study"):
            cs.study(STUDY, seed=7, resume=study)

    def test_progress_is_shown_by_a_function_or_a_bar(self):
        seen = []

        class Bar:
            def __init__(self, total, unit):
                self.n, self.total = 0, total

            def update(self, more):
                self.n += more
                seen.append((self.n, self.total))

            def close(self):
                seen.append("closed")

        big = {**STUDY, "workload": {**STUDY["workload"], "jobs": 4_000}, "repeat": {"replications": 6}}
        calls = []
        cs.study(big, progress=lambda done, total: calls.append((done, total)), threads=1)
        cs.study(big, progress=Bar, threads=1)
        self.assertEqual(seen[-1], "closed")
        self.assertTrue(calls and all(total in (0, 12) for _, total in calls), calls)

    def test_a_study_is_shown_in_words(self):
        study = cs.study(STUDY)
        self.assertIn("policy.backfill", str(study))
        self.assertIn("8 runs", repr(study))


if __name__ == "__main__":
    unittest.main()
