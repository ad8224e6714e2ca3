"""The start times of AccaSim 1.1.3 (C. Galleguillos, Z. Kiziltan, A. Netti, R. Soto, Cluster Computing 2020), job by job, on the log
of the quickstart scenario, under FIFO, SJF and EASY as it has it.

usage: against_accasim.py CLUSTERSIM LOG.swf.gz FOLDER
"""

import collections
import collections.abc
import contextlib
import csv
import datetime
import gzip
import io
import json
import pathlib
import subprocess
import sys
import time

# AccaSim is of the time before these moved
collections.Mapping = collections.abc.Mapping

from accasim.base.allocator_class import FirstFit
from accasim.base.scheduler_class import EASYBackfilling, FirstInFirstOut, ShortestJobFirst
from accasim.base.simulator_class import Simulator

PROCS = 100
KEPT = '{ kind = "easy", head-reservation = "kept", extra = "all" }'
# AccaSim's policy, and ours
RULES = [
    (FirstInFirstOut, 'kind = "fcfs"'),
    (ShortestJobFirst, 'kind = "sjf"'),
    (EASYBackfilling, f'kind = "space-sharing"\nbackfill = {KEPT}'),
]


def write_log(log, to):
    """The jobs whose fields both programs read alike: they ran, and not longer than they had asked for."""
    with gzip.open(log, "rt") as lines, open(to, "w") as kept:
        kept.write(f"; MaxProcs: {PROCS}\n")
        for line in lines:
            field = line.split()
            if line.startswith(";") or int(field[3]) <= 0 or int(field[8]) < int(field[3]):
                continue
            field[4] = field[7] = str(max(int(field[4]), int(field[7])))
            field[6] = field[9] = "-1"
            kept.write(" ".join(field) + "\n")


def seconds(told):
    at = datetime.datetime.strptime(told, "%Y-%m-%d %H:%M:%S")
    return int(at.replace(tzinfo=datetime.timezone.utc).timestamp())


def theirs(scheduler, folder):
    """Submission and start of each job, and the seconds that the run took."""
    began = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        simulator = Simulator(
            str(folder / "log.swf"), str(folder / "nodes.json"), scheduler(FirstFit()), RESULTS_FOLDER_PATH=str(folder)
        )
        simulator.start_simulation()
    took = time.perf_counter() - began
    told = {}
    for line in (folder / "sched-log.swf").read_text().splitlines():
        parts = line.split("__")
        job, _, submitted = parts[0].split(";")
        told[int(job)] = (seconds(submitted), seconds(parts[2].split(";")[0]))
    return told, took


def ours(clustersim, policy, folder):
    scenario = folder / "scenario.toml"
    scenario.write_text(
        f'title = "as AccaSim"\n[workload]\nkind = "swf"\nfile = "log.swf"\n[cluster]\nprocs = {PROCS}\n[policy]\n{policy}\n'
    )
    out = folder / "out"
    began = time.perf_counter()
    subprocess.run([clustersim, "run", scenario, "-o", out, "--force", "--no-progress"], check=True, capture_output=True)
    took = time.perf_counter() - began
    with open(out / "jobs.csv") as rows:
        row = lambda one: (float(one["submission_time"]), float(one["starting_time"]))
        return {int(one["job_id"]): row(one) for one in csv.DictReader(rows)}, took


def main():
    clustersim, log, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    write_log(log, folder / "log.swf")
    nodes = {"groups": {"node": {"core": 1}}, "resources": {"node": PROCS}}
    (folder / "nodes.json").write_text(json.dumps(nodes | {"equivalence": {"processor": {"core": 1}}, "start_time": 0}))
    failed = False
    for scheduler, policy in RULES:
        there, slow = theirs(scheduler, folder)
        here, quick = ours(clustersim, policy, folder)
        assert there.keys() == here.keys(), "not the same jobs"
        # a run begins with the first submission, to the day
        origin = {round(there[job][0] - here[job][0]) for job in here}
        assert len(origin) == 1, "not the same submissions"
        offset = origin.pop()
        other = [job for job in sorted(here) if there[job][1] - offset != here[job][1]]
        wait = lambda told: sum(start - submitted for submitted, start in told.values()) / len(told)
        print(f"{scheduler.__name__}: {len(here)} jobs, {len(other)} start at another time, mean waits "
              f"{wait(there):.2f} and {wait(here):.2f} s; {slow:.2f} and {quick:.2f} s of this machine")
        failed |= bool(other)
    sys.exit(1 if failed else 0)


main()
