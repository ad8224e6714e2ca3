//! Failures of runs.

use crate::kernel::SimTime;

/// Reason that a run ended before its last task.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum SweepFailed {
    /// Nothing is in progress and nothing will be.
    #[error("deadlock at {at}: nothing goes on, and {} not completed: {waiting}", tasks(*open))]
    Stuck {
        /// Instant.
        at: SimTime,
        /// Number of tasks that are not completed.
        open: usize,
        /// Some of them, and what they wait for.
        waiting: String,
    },
    /// A scheduler cannot go on.
    #[error("the scheduler cannot go on at {at}: {why}")]
    Scheduler {
        /// Instant.
        at: SimTime,
        /// Reason.
        why: String,
    },
    /// A scheduler asked for what cannot be.
    #[error("the scheduler asked for what cannot be at {at}: {why}")]
    Unlawful {
        /// Instant.
        at: SimTime,
        /// The unlawful request.
        why: String,
    },
}

fn tasks(open: usize) -> String {
    if open == 1 { "1 task is".to_owned() } else { format!("{open} tasks are") }
}
