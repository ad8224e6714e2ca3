"""Scenarios that the tests share."""

import pathlib

#: The root of the repository.
ROOT = pathlib.Path(__file__).resolve().parents[3]

#: A cluster of eight processors with fifty drawn jobs.
SMALL = {
    "title": "small",
    "cluster": {"procs": 8},
    "workload": {
        "kind": "synthetic",
        "jobs": 50,
        "arrivals": {"kind": "exponential", "mean": "2min"},
        "sizes": {"kind": "uniform", "low": 1, "high": 4},
        "run-times": {"kind": "exponential", "mean": "10min"},
    },
    "policy": {"kind": "space-sharing", "backfill": "none"},
}

#: The same as a study of two policies.
STUDY = {
    **SMALL,
    "vary": [{"policy.backfill": ["none", "easy"]}],
    "repeat": {"replications": 4},
}

#: Jobs of which the second is larger than the machine of eight processors, and is rejected.
TOO_LARGE = {"submit": [0, 1, 2], "run_time": [10, 10, 10], "procs": [2, 9, 8]}

#: The small one with so many jobs that a run takes seconds.
LONG = {**SMALL, "workload": {**SMALL["workload"], "jobs": 2_000_000}}
