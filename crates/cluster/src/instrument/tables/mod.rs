//! Tables of a run of jobs: each declared once, with its columns, and its rows made
//! from the record.

mod features;
pub mod jobs;
mod matrix;
mod outages;
mod profile;
mod reservations;
mod usage;

use crate::kernel::SimTime;
use crate::output::{Row as _, RowSource, Table};
use crate::rows::{
    AttemptRow, ExecutionRow, FeatureRow, MatrixSpanRow, OutageRow, ProfileRow, ReservationRow, UsageRow,
};

use super::metrics::FinishedRun;
use super::task_metrics::TaskRun;

pub use features::FeatureRows;
pub use jobs::{JobRows, header as jobs_header};
pub use matrix::MatrixSpanRows;
pub use outages::{AttemptRows, OutageRows};
pub use profile::{ExecutionRows, ProfileRows};
pub use reservations::ReservationRows;
pub use usage::UsageRows;

/// The tables of every run: the jobs; where nodes fail or processors are reserved, what was
/// interrupted and when processors were taken; where there are features of another crate, what they
/// did; where these do not say it, the processors in use;
/// where there is a matrix, the rows in which jobs stood.
pub fn of_run<'a>(run: FinishedRun<'a>, workload: &'a str) -> Vec<Box<dyn RowSource + 'a>> {
    let (fails, reserves) = (run.record.site().failures.is_some(), run.record.site().reserves);
    let mut tables: Vec<Box<dyn RowSource + 'a>> = vec![Box::new(JobRows { run, workload })];
    if fails || reserves {
        tables.push(Box::new(AttemptRows(run)));
    }
    if fails {
        tables.push(Box::new(OutageRows(run)));
    }
    if reserves {
        tables.push(Box::new(ReservationRows(run)));
    }
    if run.record.steps().is_some() {
        tables.push(Box::new(FeatureRows(run)));
    }
    if !run.record.usage().is_empty() || run.until.is_some() {
        tables.push(Box::new(UsageRows(run)));
    }
    if run.record.matrix().is_some() {
        tables.push(Box::new(MatrixSpanRows(run)));
    }
    tables
}

/// The tables of a run at detail `task` besides those.
pub fn of_task_run(run: TaskRun<'_>) -> [Box<dyn RowSource + '_>; 2] {
    [Box::new(ProfileRows(run)), Box::new(ExecutionRows(run))]
}

/// Every table that a run may have, with every column that one may have.
pub fn declared() -> Vec<Table> {
    vec![
        jobs::declared(),
        AttemptRow::declared(),
        OutageRow::declared(),
        ReservationRow::declared(),
        FeatureRow::declared(),
        UsageRow::declared(),
        MatrixSpanRow::declared(),
        ProfileRow::declared(),
        ExecutionRow::declared(),
    ]
}

/// The end of a span; `None` if it was not over when the run was ([`SimTime::MAX`]).
fn ended(end: SimTime) -> Option<SimTime> {
    Some(end).filter(|end| *end < SimTime::MAX)
}
