//! Interruptions: jobs leave their processors before their runs are over, as nodes fail or
//! maintenance needs them.
//!
//! The runs that are under way are kept where a feature may interrupt them, and nowhere else. A job
//! that is interrupted leaves all its processors; those that stay in service are free at once. It
//! waits again as one that is submitted does, and keeps of its work what its checkpoints have
//! written; or it is lost.

use tracing::debug;

use crate::collections::Interval;
use crate::ids::JobId;
use crate::instrument::explanation::WaitCause;
use crate::instrument::{OnNodeFailure, RequeuePlace, State as JobState};
use crate::kernel::{Process, SimDuration, hold, note_completion, note_decision, note_over, now, spawn};
use crate::workload::{Checkpoint, Job};

use super::deserted::wait_for_ever;
use super::{FrontEnd, Interruption, SiteEvent, State};

/// Reason that jobs whose nodes fail are never completed.
fn interrupted_for_ever(job: &Job, ran: SimDuration) -> String {
    format!(
        "job {} ran for {ran} of {} when a node of it failed, and keeps nothing of it: nodes fail sooner than jobs end",
        job.number, job.run_time
    )
}

impl State {
    /// The run of a job that a feature took over is cut short now.
    pub(super) fn cut_short(&mut self, id: JobId) {
        note_over(1);
        self.ended_by.remove(&id);
        if let Some(runs) = &mut self.runs {
            runs.kills(id);
            runs.ends(id);
        }
        self.give_back_to_pools(id);
        self.machine.end(id, now(), JobState::Killed);
        self.leaving.push_back(id);
    }

    /// A job may be started from now on.
    pub(super) fn comes_to_wait(&mut self, id: JobId) {
        self.slots.change(|slots| slots.waiting += 1);
        if self.deserted {
            wait_for_ever(id);
        }
    }
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
        let hit = runs.underway.iter().filter(|&(&job, run)| on(job) && !self.ends_now(job, run));
        let hit: Vec<JobId> = hit.map(|(&job, _)| job).collect();
        state.machine.fail(node, part, now());
        self.report_part(state, part, true);
        for job in hit {
            self.interrupt(state, job, then);
            self.taken_back(state, job);
        }
        self.let_features_take(state);
        self.follow_up(state);
        state.news.push(SiteEvent::Failed(part));
        self.report_processors(state);
    }

    /// A node is back.
    pub(in crate::policy) fn repair(&self, node: u32, part: Interval) {
        let mut state = self.0.state.borrow_mut();
        debug!(at = now().as_secs_f64(), node, "a node is back");
        state.machine.repair(node, part, now());
        self.report_part(&mut state, part, false);
        self.let_features_take(&mut state);
        self.follow_up(&mut state);
        state.news.push(SiteEvent::Repaired(part));
        self.report_processors(&mut state);
    }

    /// Reservations have begun or ended: features hear that processors may be free, and the policy
    /// that they have changed.
    pub(in crate::policy) fn report_capacity(&self) {
        let mut state = self.0.state.borrow_mut();
        self.let_features_take(&mut state);
        self.follow_up(&mut state);
        self.report_processors(&mut state);
    }

    fn report_processors(&self, state: &mut State) {
        let free = state.machine.free_slots();
        state.slots.change(|slots| slots.free = free);
        if !state.deserted {
            self.0.something.set();
        }
    }

    /// The process that lets a job which was interrupted wait again after so much time.
    fn let_wait_after(&self, id: JobId, delay: SimDuration) -> Process {
        let front = self.clone();
        spawn(("job", id.0), async move {
            hold(delay).await;
            let mut state = front.0.state.borrow_mut();
            state.delayed.remove(&id);
            front.act(&mut state, |site| site.consider(id));
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
        let (start, ran) = (state.machine.record().start_time(id), self.ran(state, id));
        if self.0.execution.slices().is_some() {
            state.machine.record_mut().outages_mut().served(id, ran);
        }
        state.ended_by.remove(&id);
        let runs = state.runs.as_mut().expect("jobs are interrupted only where a feature may do so");
        let rest = runs.rest(id, job.run_time);
        runs.kills(id);
        let written = runs.checkpoint.filter(|_| then == OnNodeFailure::Requeued);
        let kept_now = written.map_or(SimDuration::ZERO, |rule| rule.kept(rule.written(ran, rest)));
        let own = runs.kept.entry(id).or_default();
        own.work = own.work.saturating_add(kept_now);
        own.last = (own.work, job.procs);
        let kept = own.work;
        let running = runs.underway.len() as u64 + 1;
        if kept_now.is_zero() {
            note_decision(|rounds, _| (rounds >= running).then(|| interrupted_for_ever(&job, ran)));
        } else {
            note_completion();
        }
        state.give_back_to_pools(id);
        // no policy knows of one that was taken over
        let known = !state.taken_over.contains(&id);
        if known {
            state.news.push(SiteEvent::Interrupted(Interruption { job: id, start, kept, then }));
        }
        match then {
            OnNodeFailure::Requeued => {
                debug!(at = now().as_secs_f64(), job = job.number, "is interrupted and waits again");
                state.machine.interrupt(id, now(), kept_now);
                if let Some(mut explanation) = self.explanation() {
                    explanation.waits_again(id, now());
                }
                state.waiting_again.push_back(id);
                let delay = self.0.requeue.delay;
                if !known {
                    return;
                }
                if delay.is_zero() && self.0.gated {
                    state.returning.push_back(id);
                } else if delay.is_zero() {
                    state.news.waits_again(id);
                    state.comes_to_wait(id);
                } else {
                    state.delayed.insert(id, self.let_wait_after(id, delay));
                    if let Some(mut explanation) = self.explains(id) {
                        explanation.note(WaitCause::Delayed, now());
                    }
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
