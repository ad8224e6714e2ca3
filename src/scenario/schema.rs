//! The tables and keys that every scenario may have, as written.
//!
//! What a system's own tables hold is declared where the system is ([`System::keys`](crate::scenario::System::keys)), what a component's
//! own table holds where the component is.

use crate::registry::{Absent, Bounds, Key, Kind};

/// The keys at the root of every scenario that come before those of its system.
pub const FIRST: &[Key] = &[TITLE, SEED];

/// The keys at the root of every scenario that come after those of its system.
pub const LAST: &[Key] = &[EXPECT, VARY, REPEATED];

/// Files that are taken in; gone once they are.
pub(super) const INCLUDE: Key = Key {
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

/// When a run ends; a system whose runs have more to say puts other keys in the place of these.
pub const RUN: Key = Key {
    name: "run",
    kind: Kind::Table(&[UNTIL, REPLICATION]),
    default: Absent::Table,
    about: "when the run ends and what is left out of the statistics",
    source: "",
};

/// What is written of a run; a system puts its own keys in the place of these.
pub const RECORD: Key = Key {
    name: "record",
    kind: Kind::Table(&[REPORT, TRACE, PARQUET]),
    default: Absent::Table,
    about: "which files are written beside the summary",
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

/// When a run ends at the latest.
pub const UNTIL: Key = Key {
    name: "until",
    kind: Kind::Duration(Bounds::Positive),
    default: Absent::Means("until every job, or every agent, has ended"),
    about: "when the run ends at the latest",
    source: "",
};

/// Which replication a run is.
pub const REPLICATION: Key = Key {
    name: "replication",
    kind: Kind::count_from(0),
    default: Absent::Means("0, the first; a study numbers its runs itself"),
    about: "which replication this run is: each draws other random numbers from the seed",
    source: "",
};

/// Whether `report.html` is written.
pub const REPORT: Key = Key {
    name: "report",
    kind: Kind::Flag,
    default: Absent::Flag(true),
    about: "write report.html, the run in pictures",
    source: "",
};

/// Whether `trace.pftrace` is written.
pub const TRACE: Key = Key {
    name: "trace",
    kind: Kind::Flag,
    default: Absent::Flag(false),
    about: "write trace.pftrace, a timeline of every processor that ui.perfetto.dev opens",
    source: "",
};

/// Whether rows are written in Parquet too.
pub const PARQUET: Key = Key {
    name: "parquet",
    kind: Kind::Flag,
    default: Absent::Flag(false),
    about: "write jobs.parquet, the rows of jobs.csv in typed columns; of a study, results.parquet; for a program built \
            with the feature `parquet`",
    source: "github.com/apache/parquet-format",
};

/// Tables of the language that this version cannot run, and what they are for.
pub const NOT_YET: &[(&str, &str)] = &[
    ("application", "task graphs and parameter sweeps"),
    ("scheduler", "schedulers of task graphs and of global computing"),
    ("prediction", "errors of predicted times"),
    ("client", "clients of a global computing system"),
    ("monitor", "monitors of a global computing system"),
    ("predictor", "forecasters of a global computing system"),
];
