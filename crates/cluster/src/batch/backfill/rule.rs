//! Backfilling rules: their view of an instant, their capabilities, and their decisions.

use std::fmt;

use crate::batch::Obstacle;
use crate::batch::limits::JointQueues;
use crate::batch::node_resources::{FreeResources, Reservation};
use crate::batch::planned::{Outlook, Planned, begun};
use crate::batch::pools::FreePools;
use crate::batch::profile::Profile;
use crate::batch::queue::{Queue, Waiting};
use crate::batch::record::Reason;
use crate::batch::running::Running;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::NodesNow;

/// A rule by which jobs overtake.
pub trait Backfill: fmt::Debug {
    /// Capabilities of the rule, the same at all times.
    fn capabilities(&self) -> Capabilities {
        Capabilities::PLAIN
    }

    /// Decides which jobs start now; `picks` is empty.
    fn pick(&mut self, view: &View<'_>, picks: &mut Picks);

    /// A change has happened, after which [`Backfill::pick`] will be asked.
    fn note(&mut self, _: Change<'_>) {}

    /// Instant at which the rule is to be asked next even if nothing happens until then; later than
    /// the instant of the last pick.
    fn wakes(&self) -> Option<SimTime> {
        None
    }

    /// Obstacle of a job that still waits once all picked jobs have been started: asked only about
    /// the job that a user asks about.
    fn obstacle(&self, _view: &View<'_>, _job: &Waiting) -> Obstacle {
        Obstacle::Unknown
    }
}

/// View of a backfilling rule at an instant.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The instant.
    pub now: SimTime,
    /// Processors free now.
    pub free: u64,
    /// The jobs that wait. The head needs more than `free`, unless the rule decides about
    /// everything.
    pub queue: &'a Queue,
    /// The jobs that run.
    pub running: &'a Running,
    /// The reservations of processors that are known and not over. Where there are some the head
    /// may need no more than `free`.
    pub planned: &'a [Planned],
    /// The nodes, where they have more than processors and the rule knows them.
    pub nodes: Option<NodesNow<'a>>,
    /// The queues of the jobs that wait, where they are of several that share nodes: each has a
    /// head.
    pub queues: Option<JointQueues<'a>>,
    /// The pools beside the machine, if there are any: the head may need no more than `free` then,
    /// and lack some of a pool.
    pub pools: Option<&'a FreePools>,
    /// True if it is asked again at this instant, after the jobs were started that it picked.
    pub again: bool,
}

impl<'a> View<'a> {
    /// Processors that are all alike, at an instant at which so many are free.
    pub fn new(now: SimTime, free: u64, queue: &'a Queue, running: &'a Running) -> Self {
        View { now, free, queue, running, planned: &[], nodes: None, queues: None, pools: None, again: false }
    }

    /// The processors that there are: free, those of running jobs, and those that reservations
    /// have.
    pub(super) fn there(&self) -> u64 {
        self.free
            + self.running.held()
            + begun(self.planned, self.now).iter().map(|one| one.taken).sum::<u64>()
    }

    /// The free processors from now on, where jobs past their estimates go on for `late`.
    pub(super) fn profile(&self, late: SimDuration) -> Profile {
        Outlook::new((self.now, self.free), self.running, self.planned).profile(late)
    }
}

/// A job to be started now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Picked {
    /// The job.
    pub waiting: Waiting,
    /// Reason that it may start, unless it is the head of the queue.
    pub reason: Reason,
}

/// Change of a job that a rule follows.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// A job waits from now on, and would run for `run_time`.
    Waits(Waiting, SimDuration),
    /// A job waits no longer, and was not started: a limit holds it back, or its user cancelled it.
    Withdrawn(Waiting),
    /// A job was started, by the rule or as the head.
    Started(Waiting),
    /// A started job has its place on nodes.
    Placed {
        /// The job.
        job: Waiting,
        /// Instant of the start.
        now: SimTime,
        /// The nodes, with the job on them.
        nodes: &'a FreeResources,
    },
    /// The queue has a new order.
    Sorted(&'a Queue),
    /// A running job has ended.
    Ended {
        /// The job.
        job: JobId,
        /// Instant.
        now: SimTime,
        /// Processors it held.
        procs: u32,
        /// Instant at which it was estimated to end.
        estimated_end: SimTime,
    },
    /// Processors have gone out of service or come back, or reservations have become known that
    /// were unknown: those that there are follow from running jobs and the view.
    Processors,
    /// A running job is estimated to end later than it was.
    Extended {
        /// The job.
        job: JobId,
        /// Processors it holds.
        procs: u32,
        /// Instant at which it was estimated to end.
        from: SimTime,
        /// Instant at which it is now.
        to: SimTime,
    },
}

/// Decision of a rule at an instant.
#[derive(Clone, Debug, Default)]
pub struct Picks {
    /// The jobs to be started now, in the order of their starts; together they need at most the
    /// free processors.
    pub jobs: Vec<Picked>,
    /// True if the rule is to be asked again at this instant once they have been started.
    pub again: bool,
    /// Number of reservations that came due and could not be kept.
    pub moved: u64,
    /// On nodes, which of their parts the one job may have that is picked; `None`: all that are
    /// free.
    pub alongside: Option<Reservation>,
}

impl Picks {
    /// Starts a job of the queue, for this reason unless it is the head.
    pub fn start(&mut self, waiting: Waiting, reason: Reason) {
        self.jobs.push(Picked { waiting, reason });
    }
}

/// Starts that a rule decides about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decides {
    /// None: no job overtakes.
    Nothing,
    /// Starts of jobs behind a head that does not fit.
    Overtaking,
    /// All, that of the head included: no job starts unless the rule picks it.
    Everything,
}

/// Capabilities of a rule, stated once before a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
pub struct Capabilities {
    /// Starts that it decides about.
    pub decides: Decides,
    /// True if changes are reported to it ([`Backfill::note`]).
    pub follows: bool,
    /// True if it looks at the reservations of processors in its view: then no job that it picks
    /// delays one by the estimates.
    pub plans_around: bool,
    /// True if every waiting job holds a reservation; how many could not be kept is then a metric
    /// ([`Picks::moved`]).
    pub reserves_for_all: bool,
    /// True if it knows nodes that have more than processors ([`View::nodes`]); else it can only
    /// count.
    pub on_nodes: bool,
    /// True if the head of each of several queues that share nodes has what the rule promises to
    /// one ([`View::queues`]).
    pub joins_queues: bool,
}

impl Capabilities {
    /// A rule that is asked which jobs may overtake a head that does not fit, and keeps nothing.
    pub const PLAIN: Capabilities = Capabilities {
        decides: Decides::Overtaking,
        follows: false,
        plans_around: false,
        reserves_for_all: false,
        on_nodes: false,
        joins_queues: false,
    };
}
