//! What a site does beyond giving processors to jobs, each thing off unless it is asked for.

use crate::units::Power;
use crate::workload::{Checkpoint, Habits, Walltime};

/// What the figures of a run depend on besides its jobs, its machine and its policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SiteModel {
    /// When jobs are killed, if they are.
    pub walltime: Option<Walltime>,
    /// What processors draw, if that is known.
    pub power: Option<Draw>,
    /// What its users do besides submitting jobs.
    pub users: Habits,
    /// What follows when nodes fail, if they do.
    pub failures: Option<Failures>,
    /// True if processors are reserved.
    pub reserves: bool,
}

/// What follows when a node fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failures {
    /// Processors of a node; the last node may have fewer.
    pub processors_per_node: u32,
    /// Outcome of the jobs on it.
    pub then: OnNodeFailure,
    /// When jobs write down what they have done, if they do.
    pub checkpoint: Option<Checkpoint>,
}

/// Outcome of a job whose node fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnNodeFailure {
    /// It waits again.
    Requeued,
    /// It is over.
    Lost,
}

/// What one processor draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Draw {
    /// While no job has it.
    pub idle: Power,
    /// While a job has it.
    pub busy: Power,
}
