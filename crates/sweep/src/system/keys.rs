//! The tables of a scenario of a parameter sweep, as written.

use crate::estimate::known::EstimateBasis;
use crate::estimate::{OutputSizes, ProgressEstimate};
use crate::platform::described::PLATFORM;
use crate::registry::{Bounds, Key, Kind};
use crate::scenario::RUNS;
use crate::scenario::schema::{ALL, GIVE_UP_AFTER, PARQUET, RECORD, REPLICATION, REPORT, RUN, TRACE, UNTIL};

/// The keys at the root that only these scenarios have, and `run` and `record`.
pub(super) const KEYS: &[Key] = &[
    Key { kind: Kind::Table(&[UNTIL, GIVE_UP_AFTER, REPLICATION, DEADLINE, BUDGET]), ..RUN },
    Key {
        kind: Kind::Table(&[ALL, TASKS, TRANSFERS, LOADS, DIALOGUE, GAP, REPORT, TRACE, PARQUET, RUNS]),
        ..RECORD
    },
    PLATFORM,
    APPLICATION,
    SCHEDULER,
    PREDICTION,
];

const DEADLINE: Key = Key::new("deadline", Kind::Duration(Bounds::Positive))
    .absent("there is none")
    .about("when all tasks are to be completed: `deadline-missed` counts those that are not; plans do not look at it");

const BUDGET: Key = Key::new("budget", Kind::Number(Bounds::NotNegative))
    .absent("there is none")
    .about("what the run may cost by the prices of clusters: `budget-left` is what is left of it; plans do not look at it");

const TEMPLATE: &str = "F. Berman, H. Casanova, A. Legrand, D. Zagorodnov, LIP RR1999-46, 1999";

pub(super) const APPLICATION: Key = Key::new("application", Kind::Component("sweep"))
    .absent("must be written in a scenario of a parameter sweep")
    .about("independent tasks and the files that they share: read from a file, or drawn")
    .source(TEMPLATE);

const SCHEDULER: Key = Key::new("scheduler", Kind::Component("sweep-scheduler"))
    .or("plan")
    .about("how tasks get hosts")
    .source(TEMPLATE);

const PREDICTION: Key = Key::new("prediction", Kind::Component("performance-estimate"))
    .or("perfect")
    .about("what the scheduler predicts of links and hosts")
    .source(TEMPLATE);

/// Estimates of tasks, files and runs: of every estimator.
pub(super) const OF_ESTIMATES: &[Key] = &[
    Key::new("estimates", EstimateBasis::CHOICES)
        .or("file")
        .about("which sizes and times of the application the scheduler knows"),
    Key::new("output-size", OutputSizes::CHOICES)
        .or("given")
        .about("how large outputs are expected to be that are not written yet")
        .source(TEMPLATE),
    Key::new("progress", ProgressEstimate::CHOICES)
        .absent("`measured` where resources are measured, else `simple`")
        .about("how sub-tasks that run are estimated")
        .source(TEMPLATE),
    Key::new("overdue", Kind::Duration(Bounds::Positive))
        .or("10s")
        .about("after which time a sub-task is estimated to end that should have ended by now")
        .source(TEMPLATE),
];

const TASKS: Key = Key::new("tasks", Kind::Flag).or_flag(true).about(
    "write tasks.csv and jobs.csv, one row a task, plans.csv, one row a plan, hosts.csv and files.csv",
);

const GAP: Key = Key::new("gap", Kind::Table(OF_GAP))
    .absent("the makespan is compared with its lower bound alone")
    .about("search for the optimum of small applications whose tasks have no files: `gap.optimal` is how far the run is above it");

const OF_GAP: &[Key] = &[
    Key::new("most-tasks", Kind::Count { least: 0, most: 64 })
        .or_count(12)
        .about("tasks up to which the optimum is searched for; 0: of no application"),
    Key::new("nodes", Kind::Count { least: 1, most: 1 << 40 })
        .or_count(1_000_000)
        .about("steps after which that search ends; then the best assignment found and a bound are given"),
];

const TRANSFERS: Key = Key::new("transfers", Kind::Flag)
    .or_flag(false)
    .about("write transfers.csv, one row for everything that was sent");

const DIALOGUE: Key = Key::new("dialogue", Kind::Flag)
    .or_flag(false)
    .about("write dialogue.jsonl, one line for each entry of the grid and each action of the scheduler: the scheduler `recorded` repeats it")
    .source(TEMPLATE);

const LOADS: Key = Key::new("loads", Kind::Flag).or_flag(false).about(
    "write loads.csv, the values that were drawn: without it `check` does not judge how long tasks and transfers take under them",
);
