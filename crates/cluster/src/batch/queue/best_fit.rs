//! Best fit: of the jobs that fit now, the one that leaves fewest processors free starts; the
//! earlier one of equals.
//!
//! Source: the front end of ClusterSchedSim, SIMULATION 80(4-5), 2004. What leaves fewest free is
//! what needs most, so the queue is kept in order of need, largest first, and the pick is the first
//! job in it that is not too large.

use crate::registry::{Entry, entry};
use crate::workload::Job;

use super::{Discipline, Queue, Waiting};

pub(super) const ENTRY: Entry<dyn Discipline> = entry! {
    "best-fit" =>
        "of the jobs that fit, the one that leaves fewest processors free starts; needs backfill none",
    source "ClusterSchedSim, SIMULATION 80(4-5), 2004", builds BestFit
};

/// The key falls as the need rises.
#[derive(Debug)]
pub(super) struct BestFit;

fn key(procs: u64) -> u64 {
    u64::MAX - procs
}

impl Discipline for BestFit {
    fn key(&self, job: &Job) -> u64 {
        key(u64::from(job.procs))
    }

    fn next(&self, queue: &Queue, free: u64) -> Option<Waiting> {
        queue.first_from(key(free))
    }

    fn overtakes(&self) -> bool {
        true
    }
}
