//! First fit: the earliest job that fits now starts, whichever jobs wait before it.
//!
//! Source: the front end of ClusterSchedSim, SIMULATION 80(4-5), 2004. Nothing is reserved, so a
//! large job may be overtaken without end.

use crate::registry::{Entry, entry};
use crate::workload::Job;

use super::{Discipline, Queue, Waiting};

pub(super) const ENTRY: Entry<dyn Discipline> = entry! {
    "first-fit" => "the earliest job that fits starts, whichever jobs wait before it; needs backfill none",
    source "ClusterSchedSim, SIMULATION 80(4-5), 2004", builds FirstFit
};

/// In order of submission, and the summaries of the blocks lead to the first that fits.
#[derive(Debug)]
pub(super) struct FirstFit;

impl Discipline for FirstFit {
    fn key(&self, job: &Job) -> u64 {
        job.submit_time.as_nanos()
    }

    fn next(&self, queue: &Queue, free: u64) -> Option<Waiting> {
        queue.first_within(free)
    }

    fn overtakes(&self) -> bool {
        true
    }
}
