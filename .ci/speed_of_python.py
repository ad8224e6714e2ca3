"""Speed and memory of the package for Python: import, short runs, tables of a million rows; each against its bound."""

import gc
import resource
import subprocess
import sys
import time

import clustersim as cs
from clustersim import _clustersim

SCENARIO = {
    "title": "speed",
    "cluster": {"procs": 64},
    "workload": {
        "kind": "synthetic",
        "jobs": 1_000_000,
        "arrivals": {"kind": "exponential", "mean": "4min"},
        "sizes": {"kind": "log-uniform", "low": 1, "high": 32},
        "run-times": {"kind": "exponential", "mean": "10min"},
    },
    "policy": {"kind": "space-sharing", "backfill": "easy"},
}
SHORT = {**SCENARIO, "workload": {**SCENARIO["workload"], "jobs": 5}}

failed = 0


def judged(what, value, bound, unit):
    """Prints a figure and its bound."""
    global failed
    failed += value > bound
    print(f"{what}: {value:.3g} {unit}, at most {bound} {unit}{'' if value <= bound else ': TOO MUCH'}")


def least(times, work):
    """The least of several times, in seconds."""
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        found.append(time.perf_counter() - begun)
    return min(found)


def imported():
    """Seconds that the import takes in a process of its own."""
    program = "import time; begun = time.perf_counter(); import clustersim; print(time.perf_counter() - begun)"
    return min(float(subprocess.check_output([sys.executable, "-c", program])) for _ in range(5))


def memory():
    """Memory of the process now [MB]."""
    gc.collect()
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / 1e6


judged("import", imported() * 1e3, 50, "ms")

# the same text in both, so that the package's share is what Python does around it
text = _clustersim.toml(SHORT)
within = least(9, lambda: _clustersim.repeated((None, text, "scenario", "."), 200)) / 200
few = least(9, lambda: [cs.run(text) for _ in range(200)]) / 200
print(f"a run of five jobs: {few * 1e3:.3g} ms, of these {within * 1e3:.3g} ms within the library")
judged("overhead of a run", (few - within) * 1e3, 0.2, "ms")
for _ in range(1_000):
    cs.run(SHORT)
before = memory()
begun = time.perf_counter()
for _ in range(10_000):
    cs.run(SHORT)
print(f"ten thousand runs of five jobs with their tables: {time.perf_counter() - begun:.3g} s")
judged("growth of memory in these", memory() - before, 5, "MB")

begun = time.perf_counter()
alone = cs.run(SCENARIO, tables=False)
figures = time.perf_counter() - begun
begun = time.perf_counter()
whole = cs.run(SCENARIO)
print(f"a run of a million jobs: {figures:.3g} s for figures alone, {time.perf_counter() - begun:.3g} s with its tables")
assert alone.digest == whole.digest
jobs = whole.jobs
judged("a million jobs to Arrow", least(3, jobs.to_arrow) * 1e3, 50, "ms")
judged("a million jobs to pandas", least(3, jobs.to_pandas), 1, "s")
judged("a million jobs to polars", least(3, jobs.to_polars), 1, "s")

spans = jobs.to_pandas()
frame = spans[["submission_time", "execution_time"]].rename(columns={"submission_time": "submit", "execution_time": "run_time"})
frame["procs"] = spans["requested_number_of_resources"]
frame["requested_time"] = frame["run_time"]
judged("a million jobs from pandas, checked", least(3, lambda: cs.Workload(frame, procs=64)), 1, "s")
sys.exit(failed > 0)
