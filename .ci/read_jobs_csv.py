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
assert len(done) == metrics["jobs.completed"]["value"], (len(done), metrics["jobs.completed"])
mean = done.waiting_time.mean()
assert abs(mean - metrics["wait-time.mean"]["value"]) <= 1e-6 * max(1.0, mean), (mean, metrics["wait-time.mean"])

jobs.plot(with_details=True)
plt.savefig(run / "evalys-plot.png")
jobs.gantt()
plt.savefig(run / "evalys-gantt.png")
print(f"evalys: {len(jobs.df)} rows, mean wait {mean:.3f} s, plot and Gantt chart drawn")
