//! The tables of a scenario of agents on a platform, as written.

use crate::platform::described::PLATFORM;
use crate::registry::{Key, Kind};
use crate::scenario::RUNS;
use crate::scenario::schema::{ALL, PARQUET, RECORD, REPORT, RUN, TRACE};
use crate::system::deploy::AGENT;
use crate::system::deployment::DEPLOYMENT;
use crate::system::flows::FLOWS;

/// The keys at the root that only these scenarios have, and `run` and `record`.
pub(super) const KEYS: &[Key] = &[
    RUN,
    Key { kind: Kind::Table(&[ALL, TASKS, OPERATIONS, REPORT, TRACE, PARQUET, RUNS]), ..RECORD },
    PLATFORM,
    DEPLOYMENT,
    AGENT,
    FLOWS,
];

const TASKS: Key = Key::new("tasks", Kind::Flag).or_flag(true).about(
    "write tasks.csv, one row a task that agents computed, and hosts.csv, one \
                row a host",
);

const OPERATIONS: Key = Key::new("operations", Kind::Flag).or_flag(false).about(
    "write operations.csv, one row for everything that an agent put, got, \
                computed or sent",
);
