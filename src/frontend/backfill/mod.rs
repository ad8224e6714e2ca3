//! Backfilling: which jobs may overtake a head of the queue that does not fit.

mod easy;
mod none;

use std::fmt;

use crate::frontend::queue::{Queue, Waiting};
use crate::frontend::running::Running;
use crate::kernel::SimTime;
use crate::registry::{Entry, Table};

/// What a backfilling rule sees: an instant at which the head of the queue does not fit.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The instant.
    pub now: SimTime,
    /// Processors free now.
    pub free: u64,
    /// The jobs that wait; the head needs more than `free`.
    pub queue: &'a Queue,
    /// The jobs that run.
    pub running: &'a Running,
}

/// A rule by which jobs overtake.
pub trait Backfill: fmt::Debug {
    /// Puts the jobs to be started now into `picked`, which is empty, in the order of their starts.
    ///
    /// Together they need at most the free processors.
    fn pick(&self, view: &View<'_>, picked: &mut Vec<Waiting>);

    /// Whether [`Backfill::pick`] is ever needed; if not, nobody need keep the running jobs in order for it.
    fn overtakes(&self) -> bool {
        true
    }
}

/// The rules by name.
pub fn table() -> Table<dyn Backfill> {
    const ENTRIES: &[Entry<dyn Backfill>] = &[easy::ENTRY, none::ENTRY];
    Table::new("backfill", "which jobs may overtake a head of the queue that does not fit", ENTRIES)
}
