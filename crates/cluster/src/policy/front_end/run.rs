//! The run of a job: it ends at the earliest of the ends that features name.
//!
//! A run that is about to begin would last for the work that the job has left, with the checkpoints
//! that it writes. Features are asked in turn, and each may name an end and its meaning (a limit, a
//! cancellation). The earliest end holds, of equal ones that which was named first, so a job that
//! would end by itself when it is to be cancelled ends by itself. The meaning goes with the run,
//! and no feature has to remember which jobs it will end.

use tracing::debug;

use crate::collections::Interval;
use crate::ids::JobId;
use crate::instrument::State as JobState;
use crate::kernel::{Process, SimDuration, hold, note_over, now, spawn};
use crate::policy::execution::Execution;
use crate::workload::Job;

use super::{FrontEnd, SiteEvent, State};

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
    fn of(job: &Job) -> Self {
        if job.killed { RunEnd::Limit } else { RunEnd::Done }
    }

    /// Words for logs, and the state of the job from then on.
    fn outcome(self) -> (&'static str, JobState) {
        match self {
            RunEnd::Done => ("ends", JobState::Completed),
            RunEnd::Limit => ("is killed at its limit", JobState::Killed),
            RunEnd::Cancelled => ("is cancelled while it runs", JobState::Cancelled),
        }
    }
}

/// A run that begins now.
#[derive(Clone, Copy, Debug)]
pub(in crate::policy) struct Run {
    pub(in crate::policy) id: JobId,
    pub(super) job: Job,
    /// Time after which it ends.
    pub(super) span: SimDuration,
    end: RunEnd,
    /// True if the job holds its processors for this time; else that which serves it ends it.
    pub(in crate::policy) timed: bool,
}

impl Run {
    fn new(id: JobId, job: Job, timed: bool) -> Self {
        Run { id, job, span: job.run_time, end: RunEnd::of(&job), timed }
    }

    /// Names an end, after so much time.
    pub(in crate::policy) fn ends_after(&mut self, span: SimDuration, end: RunEnd) {
        if span < self.span {
            (self.span, self.end) = (span, end);
        }
    }
}

impl FrontEnd {
    /// Begins the run of a job that has started on these processors.
    pub(super) fn begin_run(&self, state: &mut State, id: JobId, job: Job, on: &[Interval]) {
        let mut run = Run::new(id, job, self.0.execution.slices().is_none());
        if let Some(runs) = &state.runs {
            run.span = runs.span(id, job.run_time);
        }
        self.0.features.borrow_mut().iter_mut().for_each(|feature| feature.run(&mut run));
        if run.end == RunEnd::Cancelled {
            // that is its run time, for all who look at the job from now on
            (run.job.run_time, run.job.killed) = (run.span, false);
            state.revised.insert(id, run.job);
        }
        let process = self.carry_out(&run, on);
        if let Some(runs) = &mut state.runs {
            runs.starts(id, process, now().saturating_add(run.span));
        }
    }

    fn carry_out(&self, run: &Run, on: &[Interval]) -> Option<Process> {
        let &Run { id, span, end, .. } = run;
        match &self.0.execution {
            Execution::Time => Some(self.hold_for(id, span, end)),
            // it is served as its place in the matrix says
            Execution::Slices(_) => None,
            Execution::Tasks(tasks) => {
                tasks.start(id, &run.job, on);
                None
            }
        }
    }

    /// The process of a job that holds its processors for so long, and ends so.
    fn hold_for(&self, id: JobId, span: SimDuration, end: RunEnd) -> Process {
        let front = self.clone();
        spawn(("job", id.0), async move {
            hold(span).await;
            front.ends(id, end, false);
        })
    }

    /// Begins the run of a job that a feature took over, which no other feature ends.
    pub(super) fn begin_run_alone(&self, state: &State, id: JobId) -> Process {
        let job = self.0.job(state, id);
        self.hold_for(id, job.run_time, RunEnd::of(&job))
    }

    /// A job has been served to its end; its tasks have left their processors before, or leave them
    /// now.
    pub(in crate::policy) fn end(&self, job: JobId, left: bool) {
        self.ends(job, RunEnd::of(&self.job(job)), left);
    }

    /// The run of a job ends.
    fn ends(&self, job: JobId, end: RunEnd, left: bool) {
        let mut state = self.0.state.borrow_mut();
        // no policy decides about one that was taken over, but it may be the last
        if !self.ended_by_feature(&mut state, job) {
            self.over(&mut state, job, end, left);
        }
        drop(state);
        self.0.something.set();
    }

    /// A running job is over.
    pub(super) fn over(&self, state: &mut State, id: JobId, end: RunEnd, left: bool) {
        let job = self.0.job(state, id);
        let (what, over) = end.outcome();
        debug!(at = now().as_secs_f64(), job = job.number, "{what}");
        note_over(1);
        if let Some(runs) = &mut state.runs {
            runs.ends(id);
        }
        if left {
            state.machine.record_mut().ended(id, now());
        } else {
            state.machine.end(id, now(), over);
            state.slots.change(|slots| slots.free += u64::from(job.procs));
        }
        self.let_features_take(state);
        state.news.push(SiteEvent::Ended(id));
        self.leaves_for_good(state, id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::SimTime;

    #[test]
    fn the_earliest_end_holds_and_of_equal_ones_the_first_that_was_named() {
        let secs = |secs| SimDuration::from_secs(secs);
        let job = Job::new(1, SimTime::ZERO, 1, secs(10));
        let ends = |others: &[(u64, RunEnd)]| {
            let mut run = Run::new(JobId(0), job, true);
            others.iter().for_each(|&(after, end)| run.ends_after(secs(after), end));
            (run.span, run.end)
        };
        assert_eq!(ends(&[(10, RunEnd::Cancelled), (11, RunEnd::Limit)]), (secs(10), RunEnd::Done));
        assert_eq!(ends(&[(9, RunEnd::Cancelled), (7, RunEnd::Limit)]), (secs(7), RunEnd::Limit));
        assert_eq!(ends(&[(7, RunEnd::Cancelled), (7, RunEnd::Limit)]), (secs(7), RunEnd::Cancelled));
        let mut killed = job;
        killed.killed = true;
        assert_eq!(Run::new(JobId(0), killed, true).end, RunEnd::Limit);
    }
}
