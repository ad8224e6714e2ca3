//! The wait queue, in the order of its discipline.
//!
//! A discipline gives each job a key when it is submitted; the queue is sorted by it, and at equal keys by
//! submission.
//!
//! A discipline also says who is next. In one family (`fcfs`, `sjf`, `smallest`) that is the head, and a head that does
//! not fit keeps all others waiting, those apart that backfilling lets pass. In the other (`first-fit`, `best-fit`,
//! `worst-fit`) it is the best placed of the jobs that fit, so that no job that fits is left waiting. Whether a job fits
//! depends on its need alone: `free` is the largest need that can be met now, be it in free processors, in nodes with
//! room for a task, or in cells of a row.

mod best_fit;
mod fcfs;
mod first_fit;
mod sjf;
mod smallest;
#[cfg(test)]
mod tests;
mod waiting;
mod worst_fit;

use std::fmt;

use crate::registry::{Entry, Table};
use crate::workload::Job;

pub use waiting::{Gap, Queue, Waiting};

/// The order of the queue, and who is next in it.
pub trait Discipline: fmt::Debug {
    /// The key of a job: jobs of lesser keys stand before it, jobs of equal keys in order of submission.
    fn key(&self, job: &Job) -> u64;

    /// The job to be started now if needs up to `free` can be met; `None`: no job is to be, until something changes.
    ///
    /// The queue has the order of this discipline. Once the job is started and taken out, the same is asked again.
    fn next(&self, queue: &Queue, free: u64) -> Option<Waiting> {
        queue.head().filter(|head| u64::from(head.procs) <= free)
    }

    /// Whether [`Discipline::next`] passes over jobs that do not fit, leaving none that does: then there is nothing
    /// for backfilling to start, and no reservation that it could keep.
    fn overtakes(&self) -> bool {
        false
    }
}

/// The disciplines by name.
pub fn table() -> Table<dyn Discipline> {
    const ENTRIES: &[Entry<dyn Discipline>] =
        &[best_fit::ENTRY, fcfs::ENTRY, first_fit::ENTRY, sjf::ENTRY, smallest::ENTRY, worst_fit::ENTRY];
    Table::new("queue", "the order in which waiting jobs are considered", ENTRIES)
}
