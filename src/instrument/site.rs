//! What a site does beyond giving processors to jobs, each thing off unless it is asked for.

use crate::units::Power;
use crate::workload::{Habits, Walltime};

/// What the figures of a run depend on beside its jobs, its machine and its policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Site {
    /// When jobs are killed, if they are.
    pub walltime: Option<Walltime>,
    /// What processors draw, if that is known.
    pub power: Option<Draw>,
    /// What its users do beside submitting jobs.
    pub users: Habits,
}

/// What one processor draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Draw {
    /// While no job has it.
    pub idle: Power,
    /// While a job has it.
    pub busy: Power,
}
