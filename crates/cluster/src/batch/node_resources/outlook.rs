//! Nodes as they are now and are reserved, for jobs that start where nothing is promised to jobs:
//! one that starts is over before a reservation begins, or leaves it its nodes.

use std::sync::Arc;

use crate::batch::planned::Planned;
use crate::batch::queue::Waiting;
use crate::batch::running::{NEXT_NANO, Running};
use crate::batch::timetable::Timetable as _;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::Job;

use super::{Asking, FreeResources, Instant, NodeTimetable, Reservation};

/// Nodes at an instant, the jobs that run on them, and the reservations that are known.
#[derive(Debug)]
pub struct NodesOutlook<'a> {
    resources: &'a FreeResources,
    jobs: &'a Arc<Vec<Job>>,
    now: SimTime,
    table: NodeTimetable,
}

impl<'a> NodesOutlook<'a> {
    /// The nodes at an instant.
    pub fn new(
        now: SimTime,
        running: &Running,
        planned: &[Planned],
        (resources, jobs): (&'a FreeResources, &'a Arc<Vec<Job>>),
    ) -> Self {
        let instant = Instant { now, running, resources, planned };
        let table = NodeTimetable::new(instant, Arc::clone(jobs), Some(NEXT_NANO));
        NodesOutlook { resources, jobs, now, table }
    }

    fn span(job: &Waiting) -> SimDuration {
        job.estimate.max(NEXT_NANO)
    }

    /// Returns true if a job may start now.
    pub fn takes(&mut self, job: &Waiting) -> bool {
        let asking = Asking { procs: job.procs, demand: self.jobs[job.job.index()].demand };
        self.resources.fits(asking, None) && self.table.holds(job, Self::span(job), self.now)
    }

    /// The parts of nodes on which a job may start now.
    pub fn alongside(&mut self, job: &Waiting) -> Reservation {
        self.table.alongside(job, Self::span(job))
    }
}
