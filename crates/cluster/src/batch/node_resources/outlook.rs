//! Nodes as they are now and are reserved, for jobs that start where nothing is promised to jobs:
//! one that starts is over before a reservation begins, or leaves it its nodes.

use std::sync::Arc;

use crate::batch::planned::{Planned, before};
use crate::batch::queue::Waiting;
use crate::batch::running::{NEXT_NANO, Running};
use crate::batch::timetable::Timetable as _;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::Job;

use super::{Asking, FreeResources, Instant, NodeTimetable, Reservation};

/// Nodes at an instant, the jobs that run on them, and the reservations that are known.
///
/// # Complexity
/// Where no reservation begins before a job would be over, what is free now decides, and where
/// reservations have nodes by name, what is free on others. Where jobs have nodes whole a timetable
/// of the running jobs and such reservations is made for the first other job that is asked for and
/// fits now, and serves all that are over soon enough.
#[derive(Debug)]
pub struct NodesOutlook<'a> {
    instant: Instant<'a>,
    jobs: &'a Arc<Vec<Job>>,
    /// The timetable, once it is needed, with the reservations that begin before an instant.
    table: Option<(SimTime, NodeTimetable)>,
}

impl<'a> NodesOutlook<'a> {
    /// The nodes at an instant.
    pub fn new(
        now: SimTime,
        running: &'a Running,
        planned: &'a [Planned],
        (resources, jobs): (&'a FreeResources, &'a Arc<Vec<Job>>),
    ) -> Self {
        NodesOutlook { instant: Instant { now, running, resources, planned }, jobs, table: None }
    }

    fn span(job: &Waiting) -> SimDuration {
        job.estimate.max(NEXT_NANO)
    }

    /// Returns true if a reservation is met by a job that starts now.
    fn meets(&self, job: &Waiting) -> bool {
        let Instant { now, planned, .. } = self.instant;
        let over = now.saturating_add(Self::span(job));
        before(planned, over).iter().any(|one| now < one.to)
    }

    /// The timetable with all reservations that a job meets that starts now.
    fn table(&mut self, job: &Waiting) -> &mut NodeTimetable {
        let span = Self::span(job);
        let over = self.instant.now.saturating_add(span);
        let made = self.table.take().filter(|&(upto, _)| over <= upto);
        let (_, table) = self.table.insert(made.unwrap_or_else(|| {
            // other jobs ask for longer spans, but not for much longer ones each
            let upto = over.saturating_add(span);
            let near = Instant { planned: before(self.instant.planned, upto), ..self.instant };
            (upto, NodeTimetable::new(near, Arc::clone(self.jobs), Some(NEXT_NANO)))
        }));
        table
    }

    /// Returns true if a job may start now.
    pub fn takes(&mut self, job: &Waiting) -> bool {
        let (asking, now) = (self.asking(job), self.instant.now);
        if !self.instant.resources.fits(asking, None) {
            return false;
        }
        match self.around(job) {
            Some(around) => self.instant.resources.fits(asking, Some(&around)),
            None => !self.meets(job) || self.table(job).holds(job, Self::span(job), now),
        }
    }

    /// The parts of nodes on which a job may start now that takes them; `None`: any that are free.
    pub fn alongside(&mut self, job: &Waiting) -> Option<Reservation> {
        let resources = self.instant.resources;
        let counted = |outlook: &mut Self| {
            outlook.meets(job).then(|| outlook.table(job).alongside(resources, job, Self::span(job)))
        };
        self.around(job).or_else(|| counted(self))
    }

    fn asking(&self, job: &Waiting) -> Asking {
        Asking { procs: job.procs, demand: self.jobs[job.job.index()].demand }
    }

    /// The parts of nodes that a job leaves to reservations which it meets, where these have nodes
    /// by name: what is free now on others stays so.
    fn around(&self, job: &Waiting) -> Option<Reservation> {
        let Instant { now, planned, resources, .. } = self.instant;
        let by_name = resources.classes_of_nodes().is_none() && self.meets(job);
        by_name.then(|| resources.around(planned, now, now.saturating_add(Self::span(job))))
    }
}
