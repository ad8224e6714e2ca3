//! Worst fit: of the jobs that fit now, the one that leaves most processors free starts; the
//! earlier one of equals.
//!
//! Source: the front end of ClusterSchedSim, SIMULATION 80(4-5), 2004. What leaves most free is
//! what needs least, so the pick is the smallest job of all if any job fits: jobs start as under
//! [`smallest`](super::smallest), which the source counts among the disciplines that stop at a job
//! that does not fit.

use crate::registry::{Entry, entry};

use super::{Discipline, Keyed};

pub(super) const ENTRY: Entry<dyn Discipline> = entry! {
    "worst-fit" =>
        "of the jobs that fit, the one that leaves most processors free starts; needs backfill none",
    source "ClusterSchedSim, SIMULATION 80(4-5), 2004", builds WORST_FIT
};

/// The key is the need; the head fits if any job does.
pub(super) const WORST_FIT: Keyed = Keyed { key: |job| u64::from(job.procs), overtakes: true };
