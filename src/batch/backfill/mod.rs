//! Backfilling: which jobs may overtake others, and what is promised to those that wait.
//!
//! A rule looks at the queue, the running jobs and what it keeps itself, and names the jobs to be started now. Most rules
//! are asked only about a head that does not fit. A rule that *leads* decides about every start, because starting
//! the head too may break a promise it gave. A rule that *follows* what happens is told of it ([`Change`]), so that it need
//! not look at everything again each time.

mod candidates;
mod conservative;
mod easy;
mod none;
#[cfg(test)]
mod tests;
mod view;

use std::fmt;

use crate::batch::Bar;
use crate::batch::queue::{Queue, Waiting};
use crate::batch::record::Reason;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Entry, Preset, Table};

pub use view::View;

/// A job to be started now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Picked {
    /// The job.
    pub waiting: Waiting,
    /// Why it may start, unless it is the head of the queue.
    pub reason: Reason,
}

/// What happens to the jobs that a rule follows.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// A job waits from now on, and would run for `run_time`.
    Waits(Waiting, SimDuration),
    /// A job waits no longer, and was not started: a limit holds it back, or its user cancelled it.
    Withdrawn(Waiting),
    /// A job was started, by the rule or as the head.
    Started(Waiting),
    /// The queue has a new order.
    Sorted(&'a Queue),
    /// A running job has ended.
    Ended {
        /// When.
        now: SimTime,
        /// Processors it held.
        procs: u32,
        /// When it was estimated to end.
        estimated_end: SimTime,
    },
    /// Processors have gone out of service or come back, or reservations have become known that nobody knew of: of those that
    /// there are, running jobs and the view tell.
    Processors,
    /// A running job is estimated to end later than it was.
    Extended {
        /// Processors it holds.
        procs: u32,
        /// When it was estimated to end.
        from: SimTime,
        /// When it is now.
        to: SimTime,
    },
}

/// What a rule does on nodes that have more than processors, where counting them does not do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnNodes {
    /// Nobody overtakes.
    InOrder,
    /// Who does not delay the head of the queue by the estimates overtakes: the published rule of EASY.
    BehindShadow,
}

/// A rule by which jobs overtake.
pub trait Backfill: fmt::Debug {
    /// Puts the jobs to be started now into `picked`, which is empty, in the order of their starts.
    ///
    /// Together they need at most the free processors.
    fn pick(&mut self, view: &View<'_>, picked: &mut Vec<Picked>);

    /// Whether [`Backfill::pick`] is ever needed; if not, nobody need keep the running jobs in order for it.
    fn overtakes(&self) -> bool {
        true
    }

    /// Whether the rule decides about the head of the queue, too: then nobody else starts a job.
    fn leads(&self) -> bool {
        false
    }

    /// Whether the rule wants to be told of changes.
    fn follows(&self) -> bool {
        false
    }

    /// Tells of a change, after which [`Backfill::pick`] will be asked.
    fn note(&mut self, _: Change<'_>) {}

    /// When the rule is to be asked next even if nothing happens until then; later than the instant of the last pick.
    fn wakes(&self) -> Option<SimTime> {
        None
    }

    /// Whether it is to be asked again at the same instant when jobs have been started.
    fn asks_again(&self) -> bool {
        false
    }

    /// Why a job still waits once everybody has been started who may be: asked only about the job that a user asks about.
    fn bar(&self, _view: &View<'_>, _job: &Waiting) -> Bar {
        if self.overtakes() { Bar::Untold } else { Bar::Order }
    }

    /// What it does on nodes that have more than processors; `None`: it can only count.
    fn on_nodes(&self) -> Option<OnNodes> {
        None
    }

    /// Whether it looks at the reservations of processors in its view: then nobody that it picks is in their way by the estimates.
    fn plans_around(&self) -> bool {
        false
    }

    /// How many reservations came due that could not be kept, if it makes such for all jobs.
    fn moved(&self) -> Option<u64> {
        None
    }
}

/// The rules by name.
pub fn table() -> Table<dyn Backfill> {
    const ENTRIES: &[Entry<dyn Backfill>] = &[conservative::ENTRY, easy::ENTRY, none::ENTRY];
    const PRESETS: &[Preset] = &[Preset {
        name: "easy-sjbf",
        about: "EASY in which of the jobs that may overtake the shortest does so first",
        kind: "easy",
        set: &[("order", "sjbf")],
    }];
    let about = "which jobs may overtake others that wait, and what these are promised";
    Table::new("backfill", about, ENTRIES).presets(PRESETS)
}
