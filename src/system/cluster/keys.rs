//! The tables of a scenario of jobs on a cluster, as written.

use crate::registry::{Key, Kind, keys};
use crate::scenario::schema::{PARQUET, RECORD, REPLICATION, REPORT, RUN, TRACE, UNTIL};
use crate::system::cluster::{failures, reservations, site, task_detail};

/// The warm-up that is found after the run.
pub(super) const MSER_5: &str = "mser-5";

/// The keys at the root that only these scenarios have, and `run` and `record`.
pub(super) const KEYS: &[Key] = &[
    Key { kind: Kind::Table(&[UNTIL, WARM_UP, REPLICATION]), ..RUN },
    Key { kind: Kind::Table(RECORD_KEYS), ..RECORD },
    CLUSTER,
    WORKLOAD,
    POLICY,
];

const CLUSTER: Key = Key::new("cluster", Kind::Table(CLUSTER_KEYS)).or_table().about("the machine");

const WORKLOAD: Key = Key::new("workload", Kind::Component("workload"))
    .absent("must be written in a scenario of a cluster")
    .about("the jobs and when they are submitted");

const POLICY: Key =
    Key::new("policy", Kind::Component("policy")).or("easy").about("which job runs when, and where");

const WARM_UP: Key = Key::new(
    "warm-up",
    Kind::DurationOrCount(&[(
        MSER_5,
        "found after the run: the first jobs whose waits make the mean wait less certain",
    )]),
)
.or("0s")
.about("how long, or for how many jobs, nothing is observed at the start")
.source(
    "MSER-5: K. P. White, M. J. Cobb and S. C. Spratt, Winter Simulation \
                Conference 2000",
);

/// What is written of a run.
pub(super) const RECORD_KEYS: &[Key] =
    &[JOBS, CLASSES, SWF, REPORT, TRACE, PARQUET, task_detail::PROFILE, task_detail::PACE];

const JOBS: Key = Key::new("jobs", Kind::Flag).or_flag(true).about("write jobs.csv, one row a job");

const CLASSES: Key = Key::new(
    "classes",
    Kind::Choice(&[
        ("none", "they are not"),
        ("queue", "by their queues"),
        ("partition", "by their partitions"),
        ("user", "by their users"),
        ("group", "by the groups of their users"),
    ]),
)
.or("none")
.about(
    "by what jobs are separated in summary.json, and whose mean response times \
                the metric `fairness` compares (detail `job`; at detail `task` the workload \
                names the classes)",
)
.source("\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 6 (fairness)");

const SWF: Key = Key::new("swf", Kind::Flag).or_flag(false).about(
    "write jobs.swf, the jobs with their simulated waits as a log that can be \
                replayed",
);

/// The machine.
pub(super) const CLUSTER_KEYS: &[Key] = &keys! {
    "nodes" Kind::Count { least: 1, most: u32::MAX as u64 }, absent "as the log's header says" =>
        "nodes of one processor each; write this or `procs`";
    "procs" Kind::Count { least: 1, most: u32::MAX as u64 }, absent "as the log's header says" =>
        "processors that can be given to jobs", source "SWF header, MaxProcs";
    "detail" Kind::Choice(&[
        ("job", "a job occupies its processors for its run time"),
        ("task", "every task's computing, I/O and messages on nodes with an operating system"),
    ]), or "job" =>
        "how much is simulated";
    ..task_detail::MPL;
    ..site::KILL;
    ..site::GRACE;
    ..site::POWER;
    ..failures::FAILURES;
    ..reservations::RESERVATION;
    ..task_detail::DEDICATED;
    ..task_detail::FRONT_END;
    ..task_detail::INTERCONNECT;
    ..task_detail::NODE_TABLE;
    ..task_detail::GROUPS;
};
