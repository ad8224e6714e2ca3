//! Smallest job first: the job of the fewest tasks is considered first.
//!
//! Source: the front end of ClusterSchedSim, SIMULATION 80(4-5), 2004. When the smallest job does
//! not fit, no job does; so nothing is left for backfilling to do, and the schedule is that of
//! [`worst_fit`](super::worst_fit).

use crate::registry::{Entry, entry};

use super::{Discipline, Keyed};

pub(super) const ENTRY: Entry<dyn Discipline> = entry! {
    "smallest" => "smallest job first: jobs are considered in order of the processors they need, earlier ones first at equal need",
    source "ClusterSchedSim, SIMULATION 80(4-5), 2004", builds SMALLEST
};

/// The key is the need.
pub(super) const SMALLEST: Keyed = Keyed { key: |job| u64::from(job.procs), overtakes: false };
