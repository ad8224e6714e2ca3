//! Causes of new plans.
//!
//! Source: "DAGSim" (the scheduler may be run again on any completion, or every so many completions
//! or seconds).

use crate::kernel::{SimDuration, SimTime};

use super::PlanCause;

/// Instant at which a plan is made again: always when a workflow arrives, and, unless it is never,
/// when a host or a link fails or is repaired.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Replan {
    /// Only then.
    #[default]
    Never,
    /// After this number of tasks has ended since the last time.
    Every(u64),
    /// After this time, over and over.
    Period(SimDuration),
    /// Instant at which a task ends further from its predicted end than this share of its predicted
    /// duration.
    OnDeviation(f64),
    /// Only when a host or a link fails or is repaired.
    OnFailure,
}

/// Outcome of earlier plans when a workflow arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Merge {
    /// Planned tasks keep their places, and the new tasks are laid over them.
    #[default]
    Append,
    /// Everything that has not started is planned again.
    Interleave,
}

/// Events since the last plan.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Since {
    pub(super) completions: u64,
    pub(super) deviations: u64,
    pub(super) failures: u64,
    pub(super) periods: u64,
}

impl Replan {
    /// Cause of a new plan now, if there is one.
    pub(super) fn cause(self, since: &Since) -> Option<PlanCause> {
        match self {
            Replan::Never => None,
            _ if since.failures > 0 => Some(PlanCause::Failure),
            Replan::Every(count) if since.completions >= count.max(1) => Some(PlanCause::Completion),
            Replan::Period(_) if since.periods > 0 => Some(PlanCause::Period),
            Replan::OnDeviation(_) if since.deviations > 0 => Some(PlanCause::Deviation),
            _ => None,
        }
    }

    /// Returns true if a task ended so far from its predicted end that a plan is to be made again.
    pub(super) fn deviates(self, start: SimTime, predicted: SimTime, end: SimTime) -> bool {
        let Replan::OnDeviation(share) = self else { return false };
        let off = predicted.max(end).since(predicted.min(end));
        off.as_secs_f64() > share * predicted.since(start).as_secs_f64()
    }
}
