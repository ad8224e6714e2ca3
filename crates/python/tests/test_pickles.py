"""Runs, studies and their tables go to other processes and come back."""

import pickle
import unittest

import clustersim as cs
from clustersim import _clustersim
from scenarios import SMALL, STUDY, TOO_LARGE


def again(thing):
    """The same thing after a journey."""
    return pickle.loads(pickle.dumps(thing))


class Pickles(unittest.TestCase):
    def test_a_run_comes_back_with_its_tables(self):
        run = cs.run({"policy": "easy"}, workload=cs.Workload(TOO_LARGE, procs=8))
        back = again(run)
        self.assertEqual((back.digest, back.metrics, back.summary), (run.digest, run.metrics, run.summary))
        self.assertEqual(back.metrics.unit("wait-time.mean"), "s")
        self.assertEqual(list(back.tables), list(run.tables))
        for name, table in run.tables.items():
            back.tables[name].to_arrow().validate(full=True)
            self.assertTrue(back.tables[name].to_arrow().equals(table.to_arrow(), check_metadata=True))
        self.assertEqual(str(back.explain(3)), str(run.explain(3)))

    def test_a_study_comes_back_and_is_asked_again(self):
        study = cs.study(STUDY)
        back = again(study)
        self.assertEqual(back.results.to_arrow(), study.results.to_arrow())
        self.assertEqual(str(back.matrix("wait-time.mean")), str(again(study.matrix("wait-time.mean"))))
        self.assertEqual(cs.study(STUDY, resume=back).summary, study.summary)

    def test_exceptions_come_back(self):
        for wrong in ({"policy.backfill": "eazy"}, {"seed": None}):
            with self.assertRaises(cs.Error) as raised:
                cs.run(SMALL, set=wrong)
            self.assertEqual(str(again(raised.exception)), str(raised.exception))

    def test_damaged_tables_are_refused(self):
        work = cs.Workload(TOO_LARGE, procs=8)
        _, (name, about, rows, columns) = cs.run({"policy": "easy"}, workload=work).jobs._raw.__reduce__()
        self.assertEqual(len(_clustersim.table_of_parts(name, about, rows, columns)), rows)
        for place, (head, unit, meaning, kind, empty, present, buffers) in enumerate(columns):
            damaged = [
                (head, unit, meaning, "other", empty, present, buffers),
                (head, unit, meaning, kind, empty + 1, present, buffers),
                (head, unit, meaning, kind, empty, present + b"\0", buffers),
                (head, unit, meaning, kind, empty, present, []),
                (head, unit, meaning, kind, empty, present, [buffers[0][:-1], *buffers[1:]]),
                (head, unit, meaning, kind, empty, present, [buffers[0][:-8], *buffers[1:]]),
            ]
            if kind == "text":
                damaged.append((head, unit, meaning, kind, empty, present, [b"\xff" * len(buffers[0]), buffers[1]]))
                damaged.append((head, unit, meaning, kind, empty, present, [buffers[0], buffers[1] + b"a"]))
            if kind == "category":
                damaged.append((head, unit, meaning, kind, empty, present, [b"\x7f" * len(buffers[0]), *buffers[1:]]))
            for column in damaged:
                wrong = [*columns[:place], column, *columns[place + 1 :]]
                self.assertRaises(cs.ArgumentError, _clustersim.table_of_parts, name, about, rows, wrong)


if __name__ == "__main__":
    unittest.main()
