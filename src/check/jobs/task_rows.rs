//! The rows of `executions.csv` and `profile.csv`.

use crate::check::plan::rows::each_row;
use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};
use crate::units::seconds;

/// The activities of a processor, as columns without `_ns`.
pub(super) const ACTIVITIES: [&str; 10] = [
    "compute",
    "message_overhead",
    "spin",
    "switch",
    "interrupt",
    "scheduler",
    "daemon",
    "paging",
    "io_wait",
    "idle",
];
/// Activities that a job can be charged with; of the first three all that processors do is some
/// job's.
pub(super) const OF_JOBS: [usize; 5] = [0, 1, 2, 4, 5];
pub(super) const OF_JOBS_ALONE: usize = 3;
/// Counts of the tasks of a job, in the order of its columns.
pub(super) const COUNTS: [&str; 7] =
    ["messages", "dispatches", "switches", "interrupts", "boosts", "blocks", "yields"];

/// A row of `executions.csv`.
pub(super) struct Execution {
    pub(super) number: u64,
    pub(super) class: String,
    pub(super) tasks: u64,
    pub(super) submitted: SimTime,
    pub(super) start: Option<SimTime>,
    pub(super) first: Option<SimTime>,
    pub(super) end: Option<SimTime>,
    pub(super) alone: SimDuration,
    pub(super) slowdown: Option<f64>,
    pub(super) spent: [u64; ACTIVITIES.len()],
    pub(super) counts: [u64; COUNTS.len()],
    pub(super) skewed: u64,
    pub(super) skew: Option<u64>,
    pub(super) due: u64,
    pub(super) missed: u64,
    pub(super) jitter: Option<u64>,
    /// Number, mean, and coefficient of variation of the windows of its pace.
    pub(super) pace: (u64, Option<f64>, Option<f64>),
}

/// A row of `profile.csv`.
pub(super) struct Processor {
    pub(super) number: u64,
    pub(super) node: u64,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) spent: [u64; ACTIVITIES.len()],
}

/// Dedicated times of jobs, by number and submission.
///
/// # Errors
/// The first cell that cannot be read.
pub(super) fn dedicated(text: &str) -> Result<OrderedMap<(u64, SimTime), SimDuration>, String> {
    let mut found = OrderedMap::new();
    each_row("executions.csv", text, ["job_id", "submission_time", "dedicated_time"], |row| {
        let span = row.read(2, "time", |text| seconds(text).map(SimDuration::from_nanos))?;
        found.insert((row.count(0)?, row.time(1)?.unwrap_or_default()), span);
        Ok(())
    })?;
    Ok(found)
}

/// Time of computing and message overheads of jobs \[ns\], by number and submission.
///
/// # Errors
/// The first cell that cannot be read.
pub(super) fn computed(text: &str) -> Result<OrderedMap<(u64, SimTime), f64>, String> {
    let rows = executions(text)?;
    Ok(rows.iter().map(|row| ((row.number, row.submitted), (row.spent[0] + row.spent[1]) as f64)).collect())
}

/// Rows of `executions.csv`.
///
/// # Errors
/// The first cell that cannot be read.
pub(super) fn executions(text: &str) -> Result<Vec<Execution>, String> {
    const NAMES: [&str; 34] = [
        "job_id",
        "class",
        "tasks",
        "submission_time",
        "starting_time",
        "first_dispatch_time",
        "finish_time",
        "dedicated_time",
        "slowdown",
        "compute_ns",
        "message_overhead_ns",
        "spin_ns",
        "switch_ns",
        "interrupt_ns",
        "scheduler_ns",
        "daemon_ns",
        "paging_ns",
        "io_wait_ns",
        "idle_ns",
        "messages",
        "dispatches",
        "switches",
        "interrupts",
        "boosts",
        "blocks",
        "yields",
        "skewed_waits",
        "skew_ns",
        "frames_due",
        "frames_missed",
        "jitter_ns",
        "pace_windows",
        "pace_mean",
        "pace_cv",
    ];
    let mut rows = Vec::new();
    each_row("executions.csv", text, NAMES, |row| {
        let any = |column: usize| row.any(column, "count", |text| text.parse().ok());
        let mut spent = [0; ACTIVITIES.len()];
        for (place, span) in spent.iter_mut().enumerate() {
            *span = row.count(9 + place)?;
        }
        let mut counts = [0; COUNTS.len()];
        for (place, count) in counts.iter_mut().enumerate() {
            *count = row.count(19 + place)?;
        }
        rows.push(Execution {
            number: row.count(0)?,
            class: row.cells[1].text().into_owned(),
            tasks: row.count(2)?,
            submitted: row.time(3)?.unwrap_or_default(),
            start: row.time(4)?,
            first: row.time(5)?,
            end: row.time(6)?,
            alone: row.read(7, "time", |text| seconds(text).map(SimDuration::from_nanos))?,
            slowdown: row.any_number(8)?,
            spent,
            counts,
            skewed: row.count(26)?,
            skew: any(27)?,
            due: row.count(28)?,
            missed: row.count(29)?,
            jitter: any(30)?,
            pace: (row.count(31)?, row.any_number(32)?, row.any_number(33)?),
        });
        Ok(())
    })?;
    Ok(rows)
}

/// Rows of `profile.csv`.
///
/// # Errors
/// The first cell that cannot be read.
pub(super) fn processors(text: &str) -> Result<Vec<Processor>, String> {
    const NAMES: [&str; 14] = [
        "processor",
        "node",
        "from_ns",
        "to_ns",
        "compute_ns",
        "message_overhead_ns",
        "spin_ns",
        "switch_ns",
        "interrupt_ns",
        "scheduler_ns",
        "daemon_ns",
        "paging_ns",
        "io_wait_ns",
        "idle_ns",
    ];
    let mut rows = Vec::new();
    each_row("profile.csv", text, NAMES, |row| {
        let mut spent = [0; ACTIVITIES.len()];
        for (place, span) in spent.iter_mut().enumerate() {
            *span = row.count(4 + place)?;
        }
        let [number, node, from, to] = [row.count(0)?, row.count(1)?, row.count(2)?, row.count(3)?];
        rows.push(Processor { number, node, from, to, spent });
        Ok(())
    })?;
    Ok(rows)
}
