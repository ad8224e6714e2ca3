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
use crate::kernel::{Process, SimDuration, hold, note_over, now, spawn};
use crate::policy::execution::Execution;
use crate::workload::Job;

use super::run_end::RunEnd;
use super::{FrontEnd, SiteEvent, State};

/// A run that begins now.
#[derive(Clone, Copy, Debug)]
pub(in crate::policy) struct Run {
    pub(in crate::policy) id: JobId,
    pub(in crate::policy) job: Job,
    /// Time for which the job has had processors in earlier runs.
    pub(in crate::policy) held: SimDuration,
    /// Time after which it ends.
    pub(super) span: SimDuration,
    end: RunEnd,
    /// Number of the feature of another crate that named the end, if one did.
    by: Option<u32>,
    /// True if the job holds its processors for this time; else that which serves it ends it.
    pub(in crate::policy) timed: bool,
}

impl Run {
    fn new(id: JobId, job: Job, timed: bool) -> Self {
        let end = RunEnd::of(&job);
        Run { id, job, held: SimDuration::ZERO, span: job.run_time, end, by: None, timed }
    }

    /// Names an end, after so much time.
    pub(in crate::policy) fn ends_after(&mut self, span: SimDuration, end: RunEnd) {
        if span < self.span {
            (self.span, self.end, self.by) = (span, end, None);
        }
    }

    /// Names an end after so much time, at which the feature of this number, which is of another
    /// crate, ends the job as a limit does. Only where the job holds its processors for a time.
    pub(in crate::policy) fn ends_by(&mut self, feature: u32, span: SimDuration) {
        if self.timed && span < self.span {
            (self.span, self.end, self.by) = (span, RunEnd::Limit, Some(feature));
        }
    }
}

impl FrontEnd {
    /// Begins the run of a job that has started on these processors.
    pub(super) fn begin_run(&self, state: &mut State, id: JobId, job: Job, on: &[Interval]) {
        let mut run = Run::new(id, job, self.0.execution.slices().is_none());
        if let Some(runs) = &state.runs {
            run.span = runs.span(id, job.run_time);
            run.held = state.machine.record().outages().ran(id);
        }
        self.let_features_end(state, &mut run);
        if run.end == RunEnd::Limit && !run.timed && state.runs.is_none() {
            // what slices are to serve; one that may be interrupted has more to do after that
            (run.job.run_time, run.job.killed) = (run.span, true);
            state.revised.insert(id, run.job);
        }
        if let Some(feature) = run.by {
            state.ended_by.insert(id, feature);
        }
        let process = self.carry_out(&run, on);
        if let Some(runs) = &mut state.runs {
            runs.starts(id, process, now().saturating_add(run.span), (run.span, run.end));
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

    /// A job has been served to its end; its tasks have left their processors before, or leave them
    /// now.
    pub(in crate::policy) fn end(&self, job: JobId, left: bool) {
        let known = self.due(job).map(|(_, end)| end);
        self.ends(job, known.unwrap_or_else(|| RunEnd::of(&self.job(job))), left);
    }

    /// The run of a job ends.
    fn ends(&self, job: JobId, end: RunEnd, left: bool) {
        self.over(&mut self.0.state.borrow_mut(), job, end, left);
        self.0.something.set();
    }

    /// A running job is over.
    pub(super) fn over(&self, state: &mut State, id: JobId, end: RunEnd, left: bool) {
        let job = self.0.job(state, id);
        let (what, over) = end.outcome();
        debug!(at = now().as_secs_f64(), job = job.number, "{what}");
        note_over(1);
        let ran = self.ran(state, id);
        self.revise(state, id, job, (ran, end));
        if state.runs.is_some() && self.0.execution.slices().is_some() {
            state.machine.record_mut().outages_mut().served(id, ran);
        }
        state.give_back_to_pools(id);
        if end != RunEnd::Limit {
            state.ended_by.remove(&id);
        }
        if end == RunEnd::Done {
            self.did_all(state, id);
        }
        if let Some(runs) = &mut state.runs {
            runs.ends(id);
        }
        if left {
            state.machine.record_mut().ended(id, now());
        } else {
            state.machine.end(id, now(), over);
        }
        // no policy decides about one that was taken over, but it may be the last
        if !self.taken_back(state, id) {
            if !left {
                // a node may have failed at this instant, before its job ended
                let out = state.machine.out_of_service() > 0;
                let counted = out.then(|| state.machine.free_slots());
                state.slots.change(|slots| slots.free = counted.unwrap_or(slots.free + u64::from(job.procs)));
            }
            self.let_features_take(state);
            state.news.push(SiteEvent::Ended(id));
        }
        self.leaves_for_good(state, id);
    }

    /// A job that ends before its work is done has the work that it did as its run time, for all
    /// who look at it from then on. At detail `task` that is not known, and in slices a job that is
    /// cancelled has the run time that its limit leaves.
    fn revise(&self, state: &mut State, id: JobId, mut job: Job, (ran, end): (SimDuration, RunEnd)) {
        let (done, killed) = match (&self.0.execution, end) {
            (Execution::Tasks(_), _) | (_, RunEnd::Done) => return,
            // else its limit is in its run time from the start
            (Execution::Slices(_), _) if state.runs.is_none() => return,
            (Execution::Slices(_), RunEnd::Cancelled) => {
                let limited = self.limited(job);
                (limited.run_time, limited.killed)
            }
            _ => {
                let done = state.runs.as_ref().map_or(ran, |runs| runs.done(id, job.run_time, ran));
                (done, end == RunEnd::Limit)
            }
        };
        if (job.run_time, job.killed) != (done, killed) {
            (job.run_time, job.killed) = (done, killed);
            state.revised.insert(id, job);
        }
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
