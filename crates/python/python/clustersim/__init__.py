"""Runs of the simulator clustersim as objects, and their tables as data.

A scenario is a file, a text in TOML or a dictionary. ``run`` makes one run of it:

>>> import clustersim as cs
>>> scenario = {
...     "cluster": {"procs": 8},
...     "workload": {
...         "kind": "synthetic",
...         "jobs": 50,
...         "arrivals": {"kind": "exponential", "mean": "2min"},
...         "sizes": {"kind": "uniform", "low": 1, "high": 4},
...         "run-times": {"kind": "exponential", "mean": "10min"},
...     },
...     "policy": {"kind": "space-sharing", "backfill": "none"},
... }
>>> plain = cs.run(scenario, seed=1)
>>> easy = cs.run(scenario, seed=1, set={"policy.backfill": "easy"})
>>> easy.metrics["wait-time.mean"] <= plain.metrics["wait-time.mean"]
True
>>> len(easy.jobs)
50

What is wrong with a scenario is an exception, with every mistake at its place:

>>> cs.run(scenario, set={"policy.backfill": "eazy"})
Traceback (most recent call last):
    ...
clustersim.ScenarioError: ...

The same scenario, seed and version give the same figures and tables as the program ``clustersim``,
on any machine.
"""

from ._clustersim import VERSION as __version__
from ._errors import (
    ArgumentError,
    Diagnostic,
    Error,
    InputWarning,
    InternalError,
    MissingPackageError,
    ResultWarning,
    ScenarioError,
    SimulationError,
    StudyInterrupted,
)
from ._finished import Check, Description, Judgement, check, describe, report
from ._run import Explanation, Metrics, Remark, Run, run, validate
from ._study import Matrix, Study, study
from ._table import Column, Table, Tables
from ._workload import Workload

__all__ = [
    "ArgumentError",
    "Check",
    "Column",
    "Description",
    "Diagnostic",
    "Error",
    "Explanation",
    "InputWarning",
    "InternalError",
    "Judgement",
    "Matrix",
    "Metrics",
    "MissingPackageError",
    "Remark",
    "ResultWarning",
    "Run",
    "ScenarioError",
    "SimulationError",
    "Study",
    "StudyInterrupted",
    "Table",
    "Tables",
    "Workload",
    "__version__",
    "check",
    "describe",
    "report",
    "run",
    "study",
    "validate",
]
