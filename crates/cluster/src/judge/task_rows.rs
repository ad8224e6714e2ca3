//! The rows of `executions.csv` and `profile.csv`.

use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};
use crate::output::RowFile;
use crate::rows::{ExecutionRow, ProfileRow};

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

impl ExecutionRow<'_> {
    /// Time of processors by activity \[ns\].
    pub(super) fn spent(&self) -> [u64; ACTIVITIES.len()] {
        [
            self.compute,
            self.message_overhead,
            self.spin,
            self.switch,
            self.interrupt,
            self.scheduler,
            self.daemon,
            self.paging,
            self.io_wait,
            self.idle,
        ]
    }

    /// The counts of [`COUNTS`].
    pub(super) fn counts(&self) -> [u64; COUNTS.len()] {
        [
            self.messages,
            self.dispatches,
            self.switches,
            self.interrupts,
            self.boosts,
            self.blocks,
            self.yields,
        ]
    }
}

impl ProfileRow {
    /// Time of the processor by activity \[ns\].
    pub(super) fn spent(&self) -> [u64; ACTIVITIES.len()] {
        [
            self.compute,
            self.message_overhead,
            self.spin,
            self.switch,
            self.interrupt,
            self.scheduler,
            self.daemon,
            self.paging,
            self.io_wait,
            self.idle,
        ]
    }
}

/// Dedicated times of jobs, by number and submission.
///
/// # Errors
/// The first cell that cannot be read.
pub(super) fn dedicated(text: &str) -> Result<OrderedMap<(u64, SimTime), SimDuration>, String> {
    let mut found = OrderedMap::new();
    RowFile::<ExecutionRow<'_>>::new(text)?.each(|row, _| {
        found.insert((row.job, row.submitted), row.dedicated);
        Ok(())
    })?;
    Ok(found)
}

/// Time of computing and message overheads of jobs \[ns\], by number and submission.
///
/// # Errors
/// The first cell that cannot be read.
pub(super) fn computed(text: &str) -> Result<OrderedMap<(u64, SimTime), f64>, String> {
    let mut found = OrderedMap::new();
    RowFile::<ExecutionRow<'_>>::new(text)?.each(|row, _| {
        found.insert((row.job, row.submitted), (row.compute + row.message_overhead) as f64);
        Ok(())
    })?;
    Ok(found)
}
