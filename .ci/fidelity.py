"""The figures of `clustersim fidelity` once more: from a log in SWF and from jobs.csv of a run on the machine of the recorded peak,
by their definitions alone (docs/fidelity.md).

usage: fidelity.py CLUSTERSIM LOG.swf[.gz] FOLDER [OPTION OF BOTH COMMANDS]...
"""

import csv
import gzip
import json
import math
import pathlib
import subprocess
import sys

WEEK = 7 * 86_400
program, log, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
options = sys.argv[4:]


def call(*words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


found = json.loads(call("fidelity", log, *options, "--json", "--no-progress", "-q"))
procs = found["machine"]["processors"]
call("run", log, *options, "--procs", str(procs), "-o", str(folder / "fidelity"), "--force", "--no-progress", "-q")

waits = {}
with (gzip.open if log.endswith(".gz") else open)(log, "rt") as lines:
    for line in lines:
        field = line.split()
        if field and not line.startswith(";"):
            waits.setdefault((field[0], float(field[1])), float(field[2]))

rows, submissions, offset = [], [], None
with open(folder / "fidelity" / "jobs.csv") as table:
    for row in csv.DictReader(table):
        submitted = float(row["submission_time"])
        submissions.append(submitted)
        if offset is None:
            offset = min(at for number, at in waits if number == row["job_id"]) - submitted
        recorded = waits.get((row["job_id"], submitted + offset), -1.0)
        if recorded >= 0 and row["starting_time"] and row["final_state"] != "REJECTED":
            rows.append((submitted, recorded, float(row["starting_time"]) - submitted, int(row["requested_number_of_resources"])))

# the peak, an instant at a time: what ends makes room
changes = []
with open(folder / "fidelity" / "jobs.csv") as table:
    for row in csv.DictReader(table):
        recorded = waits.get((row["job_id"], float(row["submission_time"]) + offset), -1.0)
        if recorded >= 0:
            start = float(row["submission_time"]) + recorded
            size = int(row["requested_number_of_resources"])
            changes += [(start, 1, size), (start + float(row["execution_time"] or 0), 0, -size)]
used = peak = 0
for _, _, change in sorted(changes):
    used += change
    peak = max(peak, used)

last, edge = max(submissions), found["rules"]["edge"]
rows = [row for row in rows if edge <= row[0] <= last - edge]
count = len(rows)


def quantile(values, share):
    return sorted(values)[max(1, math.ceil(len(values) * share / 100)) - 1]


def sign(value):
    return (value > 0) - (value < 0)


weeks = {}
for submitted, recorded, simulated, _ in rows:
    weeks.setdefault(int(submitted // WEEK), []).append((submitted + recorded, submitted + simulated))
balance = first = second = 0
for starts in weeks.values():
    for place, one in enumerate(starts):
        for other in starts[:place]:
            a, b = sign(one[0] - other[0]), sign(one[1] - other[1])
            balance, first, second = balance + a * b, first + a * a, second + b * b
recorded, simulated = [row[1] for row in rows], [row[2] for row in rows]
expected = {
    "recorded.mean": sum(recorded) / count,
    "simulated.mean": sum(simulated) / count,
    "error.mean": sum(abs(one - other) for one, other in zip(recorded, simulated)) / count,
    "ratio-of-means": sum(simulated) / sum(recorded),
    "within-time": sum(abs(one - other) <= 600 for one, other in zip(recorded, simulated)) / count,
    "within-factor": sum(max(one, other) <= 2 * min(one, other) for one, other in zip(recorded, simulated)) / count,
    "kendall-tau": balance / math.sqrt(first * second),
}
for share in (50, 90, 99):
    expected[f"recorded.p{share}"] = quantile(recorded, share)
    expected[f"simulated.p{share}"] = quantile(simulated, share)
wrong = [f"jobs: {found['jobs']['jobs']}, not {count}"] if found["jobs"]["jobs"] != count else []
if found["machine"]["recorded-peak"] != peak:
    wrong.append(f"recorded peak: {found['machine']['recorded-peak']}, not {peak}")
for name, value in expected.items():
    said = found["jobs"]["figures"][name]["value"]
    if abs(said - value) > 1e-9 * max(1.0, abs(value)):
        wrong.append(f"{name}: {said}, not {value}")
print("\n".join(wrong) or f"{log}: {len(expected)} figures of {count} jobs of {len(weeks)} weeks agree")
sys.exit(bool(wrong))
