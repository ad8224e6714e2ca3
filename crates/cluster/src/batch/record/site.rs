//! Features of a site beyond giving processors to jobs, each off unless it is asked for.

use crate::kernel::SimDuration;
use crate::units::Power;
use crate::workload::{Checkpoint, Habits, Walltime};

/// Features that the figures of a run depend on besides its jobs, its machine and its policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SiteModel {
    /// Rule by which jobs are killed, if they are.
    pub walltime: Option<Walltime>,
    /// Power of processors, if that is known.
    pub power: Option<Draw>,
    /// Habits of users besides submitting jobs.
    pub users: Habits,
    /// Consequences of failing nodes, if nodes fail.
    pub failures: Option<Failures>,
    /// True if processors are reserved.
    pub reserves: bool,
    /// True if jobs may run inside reservations, and are killed when these are over.
    pub inside: bool,
    /// Place and time at which jobs that were interrupted wait again.
    pub requeue: Requeue,
    /// True if jobs are held for ever when one did not succeed that had to, and not rejected.
    pub holds_failed: bool,
}

/// Rule for jobs that were interrupted and wait again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Requeue {
    /// Their place in the queue.
    pub place: RequeuePlace,
    /// Time after the interruption before which they cannot start.
    pub delay: SimDuration,
    /// The number of their processors, if they are moldable.
    pub size: RequeueSize,
}

/// Place of a job that waits again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RequeuePlace {
    /// That of its submission.
    #[default]
    Submission,
    /// That of a job which is submitted when it waits again.
    Back,
}

/// Size of a moldable job that waits again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RequeueSize {
    /// It is given one again, for the work that it has left.
    #[default]
    Molded,
    /// That of its first run.
    Kept,
}

/// Consequences of a failing node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failures {
    /// Processors of a node; the last node may have fewer.
    pub processors_per_node: u32,
    /// Outcome of the jobs on it.
    pub then: OnNodeFailure,
    /// Rule by which jobs write checkpoints, if they do.
    pub checkpoint: Option<Checkpoint>,
}

/// Outcome of a job whose node fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnNodeFailure {
    /// Waits again.
    Requeued,
    /// Over.
    Lost,
}

/// Power of one processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Draw {
    /// While no job has it.
    pub idle: Power,
    /// While a job has it.
    pub busy: Power,
}
