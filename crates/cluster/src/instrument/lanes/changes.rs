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
    /// Leaves its processors and joins the queue again.
    Interrupted,
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
    /// The interrupted run, by its place among all of them, if it is no last run.
    pub(super) attempt: Option<usize>,
}

/// Every change of a run, in order. Jobs that are rejected at their submission change nothing, nor
/// do jobs submitted after the run was stopped, nor runs that are interrupted as they start.
pub(super) fn changes(run: &FinishedRun<'_>) -> Vec<Change> {
    let stop = run.until.unwrap_or(SimTime::MAX);
    let mut changes = Vec::with_capacity(3 * run.jobs.len());
    for (id, job) in (0..).map(JobId).zip(run.jobs) {
        let outcome = run.record.outcome(id);
        let mut put = |at, what| changes.push(Change { at, what, job: id, attempt: None });
        match outcome.state {
            State::Rejected if outcome.end <= job.submit_time => continue,
            State::Expected if job.submit_time > stop => continue,
            _ => put(job.submit_time, What::Submitted),
        }
        match outcome.state {
            State::Rejected => put(outcome.end, What::Withdrawn),
            State::Cancelled if !outcome.ran() => put(outcome.end, What::Withdrawn),
            State::Completed | State::Killed | State::Cancelled | State::Lost => {
                put(outcome.start, What::Started);
                put(outcome.end, What::Ended);
            }
            State::Running => {
                put(outcome.start, What::Started);
                put(stop.max(outcome.start), What::Ended);
            }
            State::Expected => {}
        }
    }
    for (attempt, one) in run.record.outages().attempts().iter().enumerate() {
        if one.start < one.end {
            let mut put = |at, what| changes.push(Change { at, what, job: one.job, attempt: Some(attempt) });
            put(one.start, What::Started);
            put(one.end, What::Interrupted);
        }
    }
    changes.sort_unstable();
    changes
}
