//! Input of features of another crate, and their answers about jobs.

use std::sync::Arc;

use crate::instrument::OwnReason;
use crate::workload::resources::Resources;
use crate::workload::{Attributes, Job};

/// Answer of a feature to a job that is to be considered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FeatureVerdict {
    /// The job goes on to the next feature, and to the policy behind the last.
    LetIn,
    /// The job is held, unknown to the policy, until [`release`](super::FeatureSite::release) or
    /// [`reject`](super::FeatureSite::reject).
    Hold,
    /// The feature takes the job over: it is to start now, before all that wait, as by
    /// [`start`](super::FeatureSite::start). If it cannot start the feature holds it from now on.
    TakeOver,
    /// The job leaves and has not run, for this reason.
    Reject(&'static OwnReason),
}

/// Jobs of a run, and the machine, as a feature reads them before the run.
#[derive(Clone, Debug)]
pub struct FeatureWork {
    /// The jobs, in order of submission as the workload has it: a job's
    /// [`JobId`](crate::ids::JobId) is its place.
    pub jobs: Arc<Vec<Job>>,
    /// Attributes that the input states of them.
    pub attributes: Arc<Attributes>,
    /// Resources of nodes and demands of jobs, where jobs ask for more than processors.
    pub resources: Option<Arc<Resources>>,
    /// Processors of the machine.
    pub procs: u32,
}
