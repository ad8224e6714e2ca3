//! Meaning of the end of a run: the work is done, its limit is reached, or its user cancels it.

use crate::instrument::State as JobState;
use crate::workload::Job;

/// Meaning of the end of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::policy) enum RunEnd {
    /// The work is done.
    Done,
    /// The job has had the time of its limit.
    Limit,
    /// Its user cancels it.
    Cancelled,
}

impl RunEnd {
    /// End of a job that nothing else ends.
    pub(super) fn of(job: &Job) -> Self {
        if job.killed { RunEnd::Limit } else { RunEnd::Done }
    }

    /// Words for logs, and the state of the job from then on.
    pub(super) fn outcome(self) -> (&'static str, JobState) {
        match self {
            RunEnd::Done => ("ends", JobState::Completed),
            RunEnd::Limit => ("is killed at its limit", JobState::Killed),
            RunEnd::Cancelled => ("is cancelled while it runs", JobState::Cancelled),
        }
    }
}
