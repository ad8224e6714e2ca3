//! Timeline of a run of jobs, at detail `job` or `task`.

mod changes;
mod jobs;
mod tasks;

use crate::output::{Counter, Lanes};

pub use jobs::JobLanes;
pub use tasks::TaskLanes;

/// The queue length over time.
const QUEUE_LENGTH: Counter = Counter { number: 1, name: "queue length", unit: "jobs" };
/// Lanes that are processors.
const PROCESSORS: Lanes = Lanes { title: "processors", number: 3, counters: &[], causes: &[] };
