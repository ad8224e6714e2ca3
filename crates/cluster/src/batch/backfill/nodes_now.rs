//! Nodes at the instant of a decision.

use std::sync::Arc;

use crate::batch::node_resources::{Asking, FreeResources, Reservation};
use crate::batch::queue::Waiting;
use crate::workload::Job;

/// Nodes at an instant, and the jobs of a run with their demands.
#[derive(Clone, Copy, Debug)]
pub struct NodesNow<'a> {
    /// Free parts of the nodes.
    pub resources: &'a FreeResources,
    /// The jobs.
    pub jobs: &'a Arc<Vec<Job>>,
}

impl NodesNow<'_> {
    /// Returns true if a job fits now; next to a reservation, if one is given.
    pub fn fits(&self, job: &Waiting, alongside: Option<&Reservation>) -> bool {
        self.resources.fits(self.asking(job), alongside)
    }

    pub(super) fn asking(&self, job: &Waiting) -> Asking {
        Asking { procs: job.procs, demand: self.jobs[job.job.index()].demand }
    }
}
