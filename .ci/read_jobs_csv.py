"""Usage: read_jobs_csv.py RUN_DIR: evalys, a Batsim user's tool, loads the run's jobs.csv and agrees with its summary."""

import csv
import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from evalys.jobset import JobSet

run = pathlib.Path(sys.argv[1])
jobs = JobSet.from_csv(run / "jobs.csv")
with open(run / "jobs.csv", newline="") as file:
    rows = list(csv.DictReader(file))
with open(run / "summary.json") as file:
    metrics = json.load(file)["metrics"]

assert len(jobs.df) == len(rows), f"evalys kept {len(jobs.df)} of {len(rows)} rows"
done = jobs.df[jobs.df.success == 1] if (jobs.df.success == 1).any() else jobs.df
completed = metrics.get("jobs.completed", metrics.get("tasks.completed"))
assert len(done) == completed["value"], (len(done), completed)
mean, last = done.waiting_time.mean(), done.finish_time.max()
# a task graph has no mean wait, and its makespan is the last end
name, found = ("wait-time.mean", mean) if "wait-time.mean" in metrics else ("makespan", last)
value = metrics[name]["value"]
assert abs(found - value) <= 1e-6 * max(1.0, value), (name, found, value)

jobs.plot(with_details=True)
plt.savefig(run / "evalys-plot.png")
jobs.gantt()
plt.savefig(run / "evalys-gantt.png")
print(f"evalys: {len(jobs.df)} rows, mean wait {mean:.3f} s, plot and Gantt chart drawn")
