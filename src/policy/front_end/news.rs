//! The news of an instant that a policy gets.

use crate::collections::Interval;
use crate::ids::JobId;
use crate::instrument::OnNodeFailure;
use crate::kernel::{SimDuration, SimTime};

/// What happened in one closed instant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct News {
    /// Jobs that were submitted and can run, in the order in which they came to be considered: that of submission, unless some
    /// were held until others had left.
    pub arrived: Vec<JobId>,
    /// Jobs that ended, in order of their ends.
    pub departed: Vec<JobId>,
    /// Jobs that were reported as arrived, have not started, and were cancelled by their users, in order of that.
    pub withdrawn: Vec<JobId>,
    /// Processors that tasks have left before their jobs end, where they do: in the order of leaving.
    pub left: Vec<u32>,
    /// Jobs whose nodes failed, in order of the failures, or that were on processors which maintenance needs. They have
    /// left their processors, and wait again or are lost.
    pub interrupted: Vec<Interruption>,
    /// Processors that went out of service: they are not free until they come back. A processor that failed and came back
    /// is in both lists.
    pub failed: Vec<Interval>,
    /// Processors that came back into service.
    pub repaired: Vec<Interval>,
    /// Reservations of processors that became known, by number: [`FrontEnd::planned`](super::FrontEnd::planned) describes them.
    pub announced: Vec<u32>,
    /// Reservations of processors that began, by number. Their processors are not free until they end; jobs that were on
    /// them are among those that were interrupted.
    pub begun: Vec<u32>,
    /// Processors that reservations which ended had.
    pub returned: u64,
}

/// What befell a job that was interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interruption {
    /// The job.
    pub job: JobId,
    /// When the run that was interrupted had started.
    pub start: SimTime,
    /// What the job need not do again of its work, of all its runs.
    pub kept: SimDuration,
    /// Whether it waits again; else it is lost, and over.
    pub then: OnNodeFailure,
}

impl News {
    pub(super) fn is_empty(&self) -> bool {
        let jobs = self.arrived.is_empty() && self.departed.is_empty() && self.interrupted.is_empty();
        let places = self.left.is_empty() && self.failed.is_empty() && self.repaired.is_empty();
        let reserved = self.announced.is_empty() && self.begun.is_empty() && self.returned == 0;
        jobs && places && reserved && self.withdrawn.is_empty()
    }
}
