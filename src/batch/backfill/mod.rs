//! Backfilling: which jobs may overtake others, and what is promised to those that wait.
//!
//! A rule looks at the queue, the running jobs and what it keeps itself, and names the jobs to be started now. Most rules
//! are asked only about a head that does not fit. A rule may decide about every start, because starting
//! the head too may break a promise it gave. Changes are reported ([`Change`]) to a rule that *follows* them, so that it need
//! not look at everything again each time. What a rule is it says once ([`Capabilities`]).

mod candidates;
mod capabilities;
mod conservative;
mod easy;
mod none;
#[cfg(test)]
mod tests;
mod view;

use std::fmt;

use crate::batch::Obstacle;
use crate::batch::queue::{Queue, Waiting};
use crate::batch::record::Reason;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Entry, Preset, Table};

pub use capabilities::{Capabilities, Decides, OnNodes};
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
    /// Processors have gone out of service or come back, or reservations have become known that were unknown: those that
    /// there are follow from running jobs and the view.
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

/// What a rule decides at an instant.
#[derive(Clone, Debug, Default)]
pub struct Picks {
    /// The jobs to be started now, in the order of their starts; together they need at most the free processors.
    pub jobs: Vec<Picked>,
    /// Whether the rule is to be asked again at this instant once they have been started.
    pub again: bool,
    /// How many reservations came due that could not be kept.
    pub moved: u64,
}

impl Picks {
    /// Starts a job of the queue, for this reason unless it is the head.
    pub fn start(&mut self, waiting: Waiting, reason: Reason) {
        self.jobs.push(Picked { waiting, reason });
    }
}

/// A rule by which jobs overtake.
pub trait Backfill: fmt::Debug {
    /// What it is; it does not change.
    fn capabilities(&self) -> Capabilities {
        Capabilities::PLAIN
    }

    /// Decides which jobs start now; `picks` is empty.
    fn pick(&mut self, view: &View<'_>, picks: &mut Picks);

    /// A change has happened, after which [`Backfill::pick`] will be asked.
    fn note(&mut self, _: Change<'_>) {}

    /// When the rule is to be asked next even if nothing happens until then; later than the instant of the last pick.
    fn wakes(&self) -> Option<SimTime> {
        None
    }

    /// Why a job still waits once all picked jobs have been started: asked only about the job that a user asks about.
    fn obstacle(&self, _view: &View<'_>, _job: &Waiting) -> Obstacle {
        Obstacle::Unknown
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
