//! Changes in a run, in order of time: jobs are submitted, end and start.
//!
//! At one instant ends come before starts, so that a processor that is handed on is free in
//! between.

use crate::batch::record::State;
use crate::ids::JobId;
use crate::instrument::metrics::FinishedRun;
use crate::kernel::SimTime;

/// Change of a job; the order is that of one instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum What {
    /// Joins the queue.
    Submitted,
    /// Leaves its processors, or the run is stopped while it runs.
    Ended,
    /// Leaves the queue without having started.
    Withdrawn,
    /// Leaves the queue and takes its processors.
    Started,
}

/// One change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Change {
    pub(super) at: SimTime,
    pub(super) what: What,
    pub(super) job: JobId,
}

/// Every change of a run, in order. Rejected jobs change nothing, nor do jobs submitted after the
/// run was stopped.
pub(super) fn changes(run: &FinishedRun<'_>) -> Vec<Change> {
    let stop = run.until.unwrap_or(SimTime::MAX);
    let mut changes = Vec::with_capacity(3 * run.jobs.len());
    for (id, job) in (0..).map(JobId).zip(run.jobs) {
        let outcome = run.record.outcome(id);
        let mut put = |at, what| changes.push(Change { at, what, job: id });
        match outcome.state {
            State::Rejected => continue,
            State::Expected if job.submit_time > stop => continue,
            _ => put(job.submit_time, What::Submitted),
        }
        match outcome.state {
            State::Cancelled if !outcome.ran() => put(outcome.end, What::Withdrawn),
            State::Completed | State::Killed | State::Cancelled | State::Lost => {
                put(outcome.start, What::Started);
                put(outcome.end, What::Ended);
            }
            State::Running => {
                put(outcome.start, What::Started);
                put(stop.max(outcome.start), What::Ended);
            }
            State::Expected | State::Rejected => {}
        }
    }
    changes.sort_unstable();
    changes
}
