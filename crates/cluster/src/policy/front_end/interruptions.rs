//! Interruptions: jobs leave their processors before their runs are over, as nodes fail or
//! maintenance needs them.
//!
//! The runs that are under way are kept where a feature may interrupt them, and nowhere else. A job
//! that is interrupted leaves all its processors; those that stay in service are free at once. It
//! waits again as one that is submitted does, and keeps of its work what its checkpoints have
//! written; or it is lost.

use tracing::debug;

use crate::collections::{Interval, OrderedMap};
use crate::ids::JobId;
use crate::instrument::{OnNodeFailure, RequeuePlace, State as JobState};
use crate::kernel::{
    Process, SimDuration, SimTime, hold, note_completion, note_decision, note_over, now, spawn,
};
use crate::workload::{Checkpoint, Job};

use super::deserted::wait_for_ever;
use super::{FrontEnd, Interruption, SiteEvent, State};

/// The runs that are under way, and what interrupted jobs keep.
#[derive(Debug)]
pub(super) struct Runs {
    /// Rule by which jobs write checkpoints, if they do.
    checkpoint: Option<Checkpoint>,
    underway: OrderedMap<JobId, Underway>,
    /// Work that interrupted jobs need not do again.
    kept: OrderedMap<JobId, SimDuration>,
}

/// A job that runs.
#[derive(Debug)]
struct Underway {
    /// The process that holds for its run; none where it does not run by itself.
    process: Option<Process>,
    /// Instant at which it ends unless it is interrupted.
    ends: SimTime,
}

impl Runs {
    pub(super) fn new(checkpoint: Option<Checkpoint>) -> Self {
        Runs { checkpoint, underway: OrderedMap::new(), kept: OrderedMap::new() }
    }

    /// The work that a job has left.
    fn rest(&self, job: JobId, work: SimDuration) -> SimDuration {
        work.saturating_sub(self.kept.get(&job).copied().unwrap_or_default())
    }

    /// Time for which a job with so much work has its processors if it is started now: for the work
    /// that is left, and the checkpoints in it.
    pub(super) fn span(&self, job: JobId, work: SimDuration) -> SimDuration {
        let rest = self.rest(job, work);
        self.checkpoint.map_or(rest, |checkpoint| checkpoint.span(rest))
    }

    /// The work that a job with so much work has done, in a run that has lasted for `held` and before.
    pub(super) fn done(&self, job: JobId, work: SimDuration, held: SimDuration) -> SimDuration {
        let rest = self.rest(job, work);
        let now = self.checkpoint.map_or(held, |checkpoint| checkpoint.done(held, rest));
        work.saturating_sub(rest).saturating_add(now)
    }

    pub(super) fn starts(&mut self, job: JobId, process: Option<Process>, ends: SimTime) {
        self.underway.insert(job, Underway { process, ends });
    }

    /// The jobs that run, in order of submission.
    pub(super) fn underway(&self) -> impl Iterator<Item = JobId> {
        self.underway.keys().copied()
    }

    pub(super) fn ends(&mut self, job: JobId) {
        self.underway.remove(&job);
        self.kept.remove(&job);
        note_completion();
    }

    /// Kills the process of a job that is to end now.
    fn kills(&mut self, job: JobId) {
        if let Some(Underway { process: Some(process), .. }) = self.underway.remove(&job) {
            process.kill();
        }
    }
}

/// Reason that jobs whose nodes fail are never completed.
fn interrupted_for_ever(job: &Job, ran: SimDuration) -> String {
    format!(
        "job {} ran for {ran} of {} when a node of it failed, and keeps nothing of it: nodes fail sooner than jobs end",
        job.number, job.run_time
    )
}

impl FrontEnd {
    /// Rule by which jobs write checkpoints, if they do.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        self.0.state.borrow().runs.as_ref()?.checkpoint
    }

    /// Time for which the next run of a job may last that has had processors for `held` before;
    /// `None` if that is not limited.
    pub(in crate::policy) fn limit(&self, job: &Job, held: SimDuration) -> Option<SimDuration> {
        self.0.features.borrow().iter().filter_map(|feature| feature.limit(job, held)).min()
    }

    /// Returns true if some runs may be limited.
    pub(in crate::policy) fn limits(&self) -> bool {
        self.0.features.borrow().iter().any(|feature| feature.limits())
    }

    /// A job with the run time that its limit leaves of it, in one run without checkpoints.
    pub(in crate::policy) fn limited(&self, mut job: Job) -> Job {
        let limit = self.limit(&job, SimDuration::ZERO).unwrap_or(SimDuration::MAX);
        if limit < job.run_time {
            (job.run_time, job.killed) = (limit, true);
        }
        job
    }

    /// Returns true if jobs may be interrupted.
    pub(in crate::policy) fn interrupts(&self) -> bool {
        self.0.state.borrow().runs.is_some()
    }

    /// The run of a job that a feature took over is cut short now.
    pub(super) fn cut_short(&self, state: &mut State, id: JobId) {
        note_over(1);
        if let Some(runs) = &mut state.runs {
            runs.kills(id);
            runs.ends(id);
        }
        state.machine.end(id, now(), JobState::Killed);
        state.leaving.push_back(id);
    }

    /// Returns true if the policy has returned.
    pub(in crate::policy) fn is_deserted(&self) -> bool {
        self.0.state.borrow().deserted
    }

    /// A node fails now: jobs on its processors that do not end now are interrupted, in order of
    /// submission, and then it is out of service.
    pub(in crate::policy) fn fail(&self, node: u32, part: Interval, then: OnNodeFailure) {
        let mut state = self.0.state.borrow_mut();
        let state = &mut *state;
        debug!(at = now().as_secs_f64(), node, "a node fails");
        let record = state.machine.record();
        let on = |job: JobId| {
            record.processors(job).iter().any(|on| on.first <= part.last && part.first <= on.last)
        };
        let runs = state.runs.as_ref().expect("nodes fail only where a feature interrupts jobs");
        // a job that ends at this instant has ended by itself
        let hit = runs.underway.iter().filter(|&(&job, run)| run.ends > now() && on(job));
        let hit: Vec<JobId> = hit.map(|(&job, _)| job).collect();
        for job in hit {
            self.interrupt(state, job, then);
        }
        self.follow_up(state);
        state.machine.fail(node, part, now());
        state.news.push(SiteEvent::Failed(part));
        self.report_processors(state);
    }

    /// A node is back.
    pub(in crate::policy) fn repair(&self, node: u32, part: Interval) {
        let mut state = self.0.state.borrow_mut();
        debug!(at = now().as_secs_f64(), node, "a node is back");
        state.machine.repair(node, part, now());
        state.news.push(SiteEvent::Repaired(part));
        self.report_processors(&mut state);
    }

    /// The policy is notified that processors have changed.
    pub(in crate::policy) fn report_capacity(&self) {
        self.report_processors(&mut self.0.state.borrow_mut());
    }

    fn report_processors(&self, state: &mut State) {
        let free = state.machine.free().count();
        state.slots.change(|slots| slots.free = free);
        if !state.deserted {
            self.0.something.set();
        }
    }

    /// A job that was interrupted may start from now on.
    fn comes_to_wait(&self, state: &mut State, id: JobId) {
        state.slots.change(|slots| slots.waiting += 1);
        if state.deserted {
            wait_for_ever(id);
        }
    }

    /// The process that lets a job which was interrupted wait again after so much time.
    fn let_wait_after(&self, id: JobId, delay: SimDuration) -> Process {
        let front = self.clone();
        spawn(("job", id.0), async move {
            hold(delay).await;
            let mut state = front.0.state.borrow_mut();
            state.delayed.remove(&id);
            state.news.push(SiteEvent::Arrived(id));
            front.comes_to_wait(&mut state, id);
            front.wake_policy_if_due(state);
        })
    }

    /// Returns true if a job that waits again has the place of one that is submitted then.
    pub(in crate::policy) fn requeues_at_the_back(&self) -> bool {
        self.0.requeue.place == RequeuePlace::Back
    }

    /// A running job leaves its processors. Features hear of one that is lost with the next report.
    pub(super) fn interrupt(&self, state: &mut State, id: JobId, then: OnNodeFailure) {
        let job = self.0.job(state, id);
        let start = state.machine.record().start_time(id);
        let runs = state.runs.as_mut().expect("jobs are interrupted only where a feature may do so");
        let rest = runs.rest(id, job.run_time);
        runs.kills(id);
        let written = runs.checkpoint.filter(|_| then == OnNodeFailure::Requeued);
        let kept_now =
            written.map_or(SimDuration::ZERO, |rule| rule.kept(rule.written(now().since(start), rest)));
        let kept = runs.kept.entry(id).or_default();
        *kept = kept.saturating_add(kept_now);
        let kept = *kept;
        let running = runs.underway.len() as u64 + 1;
        if kept_now.is_zero() {
            note_decision(|rounds, _| {
                (rounds >= running).then(|| interrupted_for_ever(&job, now().since(start)))
            });
        } else {
            note_completion();
        }
        state.news.push(SiteEvent::Interrupted(Interruption { job: id, start, kept, then }));
        match then {
            OnNodeFailure::Requeued => {
                debug!(at = now().as_secs_f64(), job = job.number, "is interrupted and waits again");
                state.machine.interrupt(id, now(), kept_now);
                if let Some(mut explanation) = self.explanation() {
                    explanation.waits_again(id, now());
                }
                state.waiting_again.push_back(id);
                let delay = self.0.requeue.delay;
                if delay.is_zero() {
                    state.news.waits_again(id);
                    self.comes_to_wait(state, id);
                } else {
                    state.delayed.insert(id, self.let_wait_after(id, delay));
                }
            }
            OnNodeFailure::Lost => {
                debug!(at = now().as_secs_f64(), job = job.number, "is lost");
                note_over(1);
                state.machine.end(id, now(), JobState::Lost);
                state.leaving.push_back(id);
            }
        }
    }
}
