//! The wait queue, in the order of its discipline.
//!
//! A discipline gives each job a key when it is submitted; the queue is sorted by it, and at equal
//! keys by submission.
//!
//! A discipline also says which job is next. In one family (`fcfs`, `sjf`, `smallest`, `largest`)
//! that is the head, and a head that does not fit keeps all others waiting, those apart that
//! backfilling lets pass. In the other (`first-fit`, `best-fit`, `worst-fit`) it is the best placed
//! of the jobs that fit, so that no job that fits is left waiting. Whether a job fits depends on
//! its need alone: `free` is the largest need that can be met now, be it in free processors, in
//! nodes with free slots, or in cells of a row.

mod best_fit;
mod first_fit;
mod largest;
mod priority;
mod sjf;
mod smallest;
#[cfg(test)]
mod tests;
mod waiting;
mod worst_fit;

use std::fmt;

use crate::batch::holding::RunHolding;
use crate::batch::limits::QueuePriorities;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Entry, Table, entry};
use crate::workload::Job;

pub use waiting::{BackfillWindow, Queue, Waiting};

/// The order of the queue, and which job is next in it.
pub trait Discipline: fmt::Debug {
    /// The key of a job: jobs of lesser keys stand before it, jobs of equal keys in order of
    /// submission.
    fn key(&self, job: &Job) -> u64;

    /// The job to be started now if needs up to `free` can be met; `None`: no job is to be, until
    /// something changes.
    ///
    /// The queue has the order of this discipline. Once the job is started and taken out, the same
    /// is asked again.
    fn next(&self, queue: &Queue, free: u64) -> Option<Waiting> {
        queue.head().filter(|head| u64::from(head.procs) <= free)
    }

    /// Returns true if [`Discipline::next`] passes over jobs that do not fit, leaving none that
    /// does: then there is nothing for backfilling to start, and no reservation that it could keep.
    fn overtakes(&self) -> bool {
        false
    }

    /// Returns true if keys move with time and with what is used: then [`Discipline::ranking`]
    /// gives them, and [`Discipline::key`] is only what a job has at its submission.
    fn moves(&self) -> bool {
        false
    }

    /// The keys as of an instant, if they move.
    fn ranking(&mut self) -> Option<&mut dyn Ranking> {
        None
    }
}

/// A discipline that is no more than a key: the head is next.
#[derive(Clone, Copy, Debug)]
struct Keyed {
    key: fn(&Job) -> u64,
    overtakes: bool,
}

impl Discipline for Keyed {
    fn key(&self, job: &Job) -> u64 {
        (self.key)(job)
    }

    fn overtakes(&self) -> bool {
        self.overtakes
    }
}

/// First come, first served.
const FIRST_COME: Entry<dyn Discipline> = entry! {
    "fcfs" => "first come, first served: jobs are considered in order of submission", builds FCFS
};

/// The key is the submission, which may be another one in a run than in the log.
const FCFS: Keyed = Keyed { key: |job| job.submit_time.as_nanos(), overtakes: false };

/// The machine, as far as an order may depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Processors.
    pub procs: u32,
}

/// An order that moves while jobs wait.
pub trait Ranking {
    /// Receives the jobs of the run, of which only accounts may be looked at, and the machine,
    /// before anything else.
    fn begin(&mut self, jobs: &[Job], machine: Machine);

    /// The key of a job that waits, as of `now`; `estimate` is how long it is taken to run,
    /// `queues` the priorities of its queues as shares of the highest ones.
    fn key(&mut self, now: SimTime, job: &Job, estimate: SimDuration, queues: QueuePriorities) -> u64;

    /// Returns true if it is about more than processors that runs hold: then
    /// [`Ranking::started`] is told what.
    fn looks_at_holdings(&self) -> bool {
        false
    }

    /// A run of a job has begun, which holds this.
    fn started(&mut self, now: SimTime, id: JobId, job: &Job, holding: &RunHolding<'_>);

    /// A run of a job is over, at its end or because it was interrupted.
    fn ended(&mut self, now: SimTime, id: JobId, job: &Job);

    /// Returns true if the queue is to be put into order again at this decision.
    fn due(&mut self, now: SimTime) -> bool;
}

/// The disciplines by name.
pub fn table() -> Table<dyn Discipline> {
    const ENTRIES: &[Entry<dyn Discipline>] = &[
        best_fit::ENTRY,
        FIRST_COME,
        first_fit::ENTRY,
        largest::ENTRY,
        priority::ENTRY,
        sjf::ENTRY,
        smallest::ENTRY,
        worst_fit::ENTRY,
    ];
    Table::new("queue", "the order in which waiting jobs are considered", ENTRIES)
}
