//! The tables and keys of a scenario file, as written.
//!
//! What a component's own table holds (a workload's, a policy's, a distribution's) is declared where the component
//! lives; here are the tables that every scenario of the cluster system shares.

use crate::registry::{Absent, Bounds, Key, Kind};
use crate::scenario::agents_side::AGENT;
use crate::scenario::cluster;
use crate::scenario::deployment::DEPLOYMENT;
use crate::scenario::failures;
use crate::scenario::flows::FLOWS;
use crate::scenario::platform::PLATFORM;
use crate::scenario::reservations;
use crate::scenario::site;

/// The warm-up that is found after the run.
pub const MSER_5: &str = "mser-5";

/// The whole file, whatever its system: every key that some scenario may have.
pub const ROOT: &[Key] = &[
    INCLUDE,
    TITLE,
    SEED,
    RUN,
    Key { kind: Kind::Table(RECORD_OF_ALL), ..RECORD },
    CLUSTER,
    Key { default: Absent::Means("must be written in a scenario of a cluster"), ..WORKLOAD },
    POLICY,
    PLATFORM,
    DEPLOYMENT,
    AGENT,
    FLOWS,
    EXPECT,
    VARY,
    REPEATED,
];

/// A scenario of agents, once everything that it includes has been taken in.
pub(super) const OF_AGENTS: &[Key] = &[
    TITLE,
    SEED,
    Key { kind: Kind::Table(RUN_OF_AGENTS), ..RUN },
    Key { kind: Kind::Table(RECORD_OF_AGENTS), ..RECORD },
    Key { default: Absent::Error, ..PLATFORM },
    DEPLOYMENT,
    AGENT,
    FLOWS,
    EXPECT,
    VARY,
    REPEATED,
];

/// A scenario of a cluster, once everything that it includes has been taken in.
pub(super) const OF_CLUSTER: &[Key] =
    &[TITLE, SEED, RUN, RECORD, CLUSTER, WORKLOAD, POLICY, EXPECT, VARY, REPEATED];

const INCLUDE: Key = Key {
    name: "include",
    kind: Kind::List(&Kind::Path),
    default: Absent::Means("nothing is taken in"),
    about: "scenario files whose tables are taken in, relative to this file; what this file says wins, and of \
            several the later one; each file is read once",
    source: "",
};

const TITLE: Key = Key {
    name: "title",
    kind: Kind::Text,
    default: Absent::Error,
    about: "what the scenario is about; names its results",
    source: "",
};

const SEED: Key = Key {
    name: "seed",
    kind: Kind::count_from(0),
    default: Absent::Count(1),
    about: "the root of every random stream",
    source: "",
};

const RUN: Key = Key {
    name: "run",
    kind: Kind::Table(RUN_KEYS),
    default: Absent::Table,
    about: "when the run ends and what is left out of the statistics",
    source: "",
};

const RECORD: Key = Key {
    name: "record",
    kind: Kind::Table(RECORD_KEYS),
    default: Absent::Table,
    about: "which files are written beside the summary",
    source: "",
};

const CLUSTER: Key = Key {
    name: "cluster",
    kind: Kind::Table(CLUSTER_KEYS),
    default: Absent::Table,
    about: "the machine",
    source: "",
};

const WORKLOAD: Key = Key {
    name: "workload",
    kind: Kind::Component("workload"),
    default: Absent::Error,
    about: "the jobs and when they are submitted",
    source: "",
};

const POLICY: Key = Key {
    name: "policy",
    kind: Kind::Component("policy"),
    default: Absent::Text("easy"),
    about: "who runs when, and where",
    source: "",
};

const EXPECT: Key = Key {
    name: "expect",
    kind: Kind::Map(&Kind::Text),
    default: Absent::Table,
    about: "bounds on metrics, for example \"bounded-slowdown.mean\" = \"< 60\", \"wait-time.mean\" = \"< 2h\", utilization = \"> 60 %\": times take \
            units of time, shares percent, others the unit of the metric; a broken one is exit status 3",
    source: "",
};

const VARY: Key = Key {
    name: "vary",
    kind: Kind::List(&Kind::Map(&Kind::List(&Kind::Any))),
    default: Absent::Means("no axes: a single point"),
    about: "the axes of a study: a table each, with the path of a key and its values, \
            \"policy.backfill\" = [\"none\", \"easy\"]; the keys of one table move together; the points are the \
            product of the axes, the last moving fastest",
    source: "",
};

const REPEATED: Key = Key {
    name: "repeat",
    kind: Kind::Table(REPEAT),
    default: Absent::Means("every point is run once"),
    about: "how many replications of every point are run; each draws other random numbers, the same at all points",
    source: "A. M. Law, W. D. Kelton, Simulation Modeling and Analysis, 3rd ed., 2000, chapters 9 and 11",
};

/// Replications of every point of a study.
pub(super) const REPEAT: &[Key] = &[
    Key {
        name: "replications",
        kind: Kind::Count { least: 1, most: MOST_REPLICATIONS },
        default: Absent::Means("1, or as many as `until` takes"),
        about: "replications of every point; write this or `until`",
        source: "",
    },
    Key {
        name: "until",
        kind: Kind::Table(REPEAT_UNTIL),
        default: Absent::Means("a fixed number of replications"),
        about: "replications of a point, 10 at least, until the 95 % interval of a metric is narrow enough",
        source: "",
    },
];

const REPEAT_UNTIL: &[Key] = &[
    Key {
        name: "metric",
        kind: Kind::Text,
        default: Absent::Error,
        about: "the metric whose interval is looked at, for example \"wait-time.mean\"",
        source: "",
    },
    Key {
        name: "half-width",
        kind: Kind::Share(Bounds::Positive),
        default: Absent::Error,
        about: "half of the interval's width, as a share of the mean, that is narrow enough",
        source: "",
    },
    Key {
        name: "at-most",
        kind: Kind::Count { least: 10, most: MOST_REPLICATIONS },
        default: Absent::Count(100),
        about: "replications after which a point is left as it is",
        source: "",
    },
];

/// Most replications of a point.
const MOST_REPLICATIONS: u64 = 10_000;

const RUN_KEYS: &[Key] = &[UNTIL, WARM_UP, REPLICATION];

const RUN_OF_AGENTS: &[Key] = &[UNTIL, REPLICATION];

const UNTIL: Key = Key {
    name: "until",
    kind: Kind::Duration(Bounds::Positive),
    default: Absent::Means("until every job, or every agent, has ended"),
    about: "when the run ends at the latest",
    source: "",
};

const WARM_UP: Key = Key {
    name: "warm-up",
    kind: Kind::DurationOrCount(&[(
        MSER_5,
        "found after the run: the first jobs whose waits make the mean wait less certain",
    )]),
    default: Absent::Text("0s"),
    about: "how long, or for how many jobs, nothing is observed at the start",
    source: "MSER-5: K. P. White, M. J. Cobb and S. C. Spratt, Winter Simulation Conference 2000",
};

const REPLICATION: Key = Key {
    name: "replication",
    kind: Kind::count_from(0),
    default: Absent::Means("0, the first; a study numbers its runs itself"),
    about: "which replication this run is: each draws other random numbers from the seed",
    source: "",
};

/// What is written of a run of a cluster.
pub(super) const RECORD_KEYS: &[Key] =
    &[JOBS, CLASSES, SWF, REPORT, TRACE, PARQUET, cluster::PROFILE, cluster::PACE];

/// What is written of a run of agents.
const RECORD_OF_AGENTS: &[Key] = &[TASKS, OPERATIONS, REPORT, TRACE, PARQUET];

/// All of that.
const RECORD_OF_ALL: &[Key] =
    &[JOBS, CLASSES, SWF, REPORT, TRACE, PARQUET, cluster::PROFILE, cluster::PACE, TASKS, OPERATIONS];

const JOBS: Key = Key {
    name: "jobs",
    kind: Kind::Flag,
    default: Absent::Flag(true),
    about: "write jobs.csv, one row a job",
    source: "",
};

const CLASSES: Key = Key {
    name: "classes",
    kind: Kind::Choice(&[
        ("none", "they are not"),
        ("queue", "by their queues"),
        ("partition", "by their partitions"),
        ("user", "by their users"),
        ("group", "by the groups of their users"),
    ]),
    default: Absent::Text("none"),
    about: "by what jobs are told apart in summary.json, and whose mean response times the metric `fairness` compares (detail \
            `job`; at detail `task` the workload names the classes)",
    source: "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 6 (fairness)",
};

const SWF: Key = Key {
    name: "swf",
    kind: Kind::Flag,
    default: Absent::Flag(false),
    about: "write jobs.swf, the jobs with their simulated waits as a log that can be replayed",
    source: "",
};

const REPORT: Key = Key {
    name: "report",
    kind: Kind::Flag,
    default: Absent::Flag(true),
    about: "write report.html, the run in pictures",
    source: "",
};

const TRACE: Key = Key {
    name: "trace",
    kind: Kind::Flag,
    default: Absent::Flag(false),
    about: "write trace.pftrace, a timeline of every processor that ui.perfetto.dev opens",
    source: "",
};

const PARQUET: Key = Key {
    name: "parquet",
    kind: Kind::Flag,
    default: Absent::Flag(false),
    about: "write jobs.parquet, the rows of jobs.csv in typed columns; of a study, results.parquet; for a program built \
            with the feature `parquet`",
    source: "github.com/apache/parquet-format",
};

const TASKS: Key = Key {
    name: "tasks",
    kind: Kind::Flag,
    default: Absent::Flag(true),
    about: "write tasks.csv, one row a task that agents computed, and hosts.csv, one row a host",
    source: "",
};

const OPERATIONS: Key = Key {
    name: "operations",
    kind: Kind::Flag,
    default: Absent::Flag(false),
    about: "write operations.csv, one row for everything that an agent put, got, computed or sent",
    source: "",
};

pub(super) const CLUSTER_KEYS: &[Key] = &[
    Key {
        name: "nodes",
        kind: Kind::Count { least: 1, most: u32::MAX as u64 },
        default: Absent::Means("as the log's header says"),
        about: "nodes of one processor each; write this or `procs`",
        source: "",
    },
    Key {
        name: "procs",
        kind: Kind::Count { least: 1, most: u32::MAX as u64 },
        default: Absent::Means("as the log's header says"),
        about: "processors that can be given to jobs",
        source: "SWF header, MaxProcs",
    },
    Key {
        name: "detail",
        kind: Kind::Choice(&[
            ("job", "a job occupies its processors for its run time"),
            ("task", "every task's computing, I/O and messages on nodes with an operating system"),
        ]),
        default: Absent::Text("job"),
        about: "how much is simulated",
        source: "",
    },
    cluster::MPL,
    site::KILL,
    site::GRACE,
    site::POWER,
    failures::FAILURES,
    reservations::RESERVATION,
    cluster::DEDICATED,
    cluster::FRONT_END,
    cluster::INTERCONNECT,
    cluster::NODE_TABLE,
    cluster::GROUPS,
];

/// Tables of the language that this version cannot run, and what they are for.
pub const NOT_YET: &[(&str, &str)] = &[
    ("application", "task graphs and parameter sweeps"),
    ("scheduler", "schedulers of task graphs and of global computing"),
    ("prediction", "errors of predicted times"),
    ("client", "clients of a global computing system"),
    ("monitor", "monitors of a global computing system"),
    ("predictor", "forecasters of a global computing system"),
];
