//! Shortest job first: the job of the smallest estimate is considered first.
//!
//! Source: the front end of ClusterSchedSim, SIMULATION 80(4-5), 2004. "Shortest" is by what a
//! scheduler may know, the estimate of the run time on dedicated processors; a job that does not
//! fit keeps all longer ones waiting.

use crate::registry::{Entry, entry};

use super::{Discipline, Keyed};

pub(super) const ENTRY: Entry<dyn Discipline> = entry! {
    "sjf" => "shortest job first: jobs are considered in order of their estimates, earlier ones first at equal estimates",
    source "ClusterSchedSim, SIMULATION 80(4-5), 2004", builds SJF
};

/// The key is the estimate.
pub(super) const SJF: Keyed = Keyed { key: |job| job.estimate.as_nanos(), overtakes: false };
