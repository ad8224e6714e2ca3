//! The life of a job up to its start: it is submitted, is news for the policy, and is started; and
//! what is left when all is over. [`run`](super::run) is about the rest.

use std::cell::RefMut;
use std::rc::Rc;

use tracing::{debug, trace};

use crate::batch::allocation::Allocation;
use crate::batch::machine::Unlawful;
use crate::collections::{Interval, IntervalSet, OrderedMap};
use crate::ids::JobId;
use crate::instrument::{Reason, Record, State as JobState};
use crate::kernel::{Either, SimTime, note_over, now, race, settle, stream, timer};
use crate::policy::error::{PolicyError, Wrong};
use crate::workload::Job;

use super::hooks::Submission;
use super::run_end::RunEnd;
use super::site::Site;
use super::{FrontEnd, News, SiteEvent, State};

impl FrontEnd {
    /// Submits the next job at its time; one that needs more processors than there are is rejected.
    pub(in crate::policy) fn submit(&self) {
        let mut state = self.0.state.borrow_mut();
        let id = JobId(state.submitted as u32);
        state.submitted += 1;
        drop(state);
        self.submit_now(id);
    }

    /// Leaves the next job out, which is submitted when another has left.
    pub(in crate::policy) fn pass_over(&self) {
        self.0.state.borrow_mut().submitted += 1;
    }

    /// Submits a job.
    pub(super) fn submit_now(&self, id: JobId) {
        let mut state = self.0.state.borrow_mut();
        if let Some(mut explanation) = self.explanation() {
            explanation.submitted(id, now());
        }
        let job = self.0.job(&state, id);
        if job.procs > state.machine.procs() {
            debug!(
                at = now().as_secs_f64(),
                job = job.number,
                procs = job.procs,
                "rejected: larger than the machine"
            );
            self.reject(&mut state, id, Reason::TooLarge);
            return self.wake_policy_if_due(state);
        }
        match self.ask_features(&mut state, id) {
            Submission::Considered => {
                trace!(at = now().as_secs_f64(), job = job.number, procs = job.procs, "arrives");
                self.act(&mut state, |site| site.consider(id));
                if state.taken_over.contains(&id) {
                    // it may have been the last
                    self.0.something.set();
                }
            }
            Submission::Held => {
                // it may be the last, and wait for ever
                if self.is_over(&state) {
                    self.0.something.set();
                }
                return;
            }
            Submission::Rejected(reason) => self.reject(&mut state, id, reason),
        }
        self.wake_policy_if_due(state);
    }

    /// Asks all features about a job that is submitted: the first decides that does not let it be
    /// considered, and of one that is rejected no further one hears.
    fn ask_features(&self, state: &mut State, id: JobId) -> Submission {
        let mut answer = Submission::Considered;
        for feature in self.0.features.borrow_mut().iter_mut() {
            let own = feature.submitted(&mut Site::new(self, state), id);
            if answer == Submission::Considered {
                answer = own;
            }
            if matches!(answer, Submission::Rejected(_)) {
                break;
            }
        }
        answer
    }

    /// Wakes the policy, whatever there is for it.
    pub(in crate::policy) fn wake_policy(&self) {
        self.0.something.set();
    }

    /// Wakes the policy if there are news for it, or will be none.
    pub(super) fn wake_policy_if_due(&self, state: RefMut<'_, State>) {
        // with all gone there is nothing to decide, but nothing to wait for either
        let over = self.is_over(&state);
        let news = !state.news.is_empty() && !state.deserted;
        drop(state);
        if over || news {
            self.0.something.set();
        }
    }

    /// Waits for an instant in which jobs arrived or departed, lets it close, and reports them.
    ///
    /// `None` when every job has left: there will be no more news. Dropping the wait loses nothing.
    pub async fn news(&mut self) -> Option<News> {
        loop {
            if !self.0.state.borrow().news.is_empty() {
                settle().await;
                self.0.execution.spend_decision_time().await;
                return Some(self.pending());
            }
            if self.all_left() {
                return None;
            }
            self.0.something.wait().await;
        }
    }

    /// Waits as [`FrontEnd::news`] does, but until an instant after this one at the latest: then
    /// there may be no news in what it gives. What ends or arrives at that instant is reported with
    /// it.
    pub async fn news_until(&mut self, at: SimTime) -> Option<News> {
        let over = timer(at.since(now()));
        match race(self.news(), over).await {
            Either::Left(news) => news,
            Either::Right(()) => {
                settle().await;
                self.0.execution.spend_decision_time().await;
                Some(self.pending())
            }
        }
    }

    /// A job as it is in this run, where something has changed it since it was drawn or read.
    ///
    /// # Panics
    /// If there is no such job.
    pub fn job(&self, id: JobId) -> Job {
        self.0.job(&self.0.state.borrow(), id)
    }

    /// Number of free processors.
    pub fn free_count(&self) -> u64 {
        self.0.state.borrow().machine.free().count()
    }

    /// Starts a job as [`FrontEnd::start_on`] does, on processors of `among`, which are free, if
    /// they are given.
    ///
    /// # Errors
    /// As [`FrontEnd::start_on`].
    pub fn start_among(
        &self,
        job: JobId,
        among: Option<&IntervalSet>,
        allocation: &dyn Allocation,
        reason: Reason,
    ) -> Result<(), PolicyError> {
        let mut state = self.0.state.borrow_mut();
        let mut chosen = std::mem::take(&mut state.chosen);
        chosen.clear();
        if job.index() < self.0.jobs.len() {
            let of = self.0.job(&state, job);
            let State { machine, draws, .. } = &mut *state;
            let free = among.unwrap_or(machine.free());
            if u64::from(of.procs) <= free.count() {
                let mut draw = |bound| draws.get_or_insert_with(|| stream("allocation")).below(bound);
                allocation.choose(free, of.procs, &mut draw, &mut chosen);
            }
        }
        let started = self.start_now(&mut state, job, &chosen, reason);
        state.chosen = chosen;
        started
    }

    /// Starts a job on these processors.
    pub(super) fn start_now(
        &self,
        state: &mut State,
        id: JobId,
        on: &[Interval],
        reason: Reason,
    ) -> Result<(), PolicyError> {
        let job = (id.index() < self.0.jobs.len()).then(|| self.0.job(state, id));
        let started = match job.filter(|_| self.considers(state, id)) {
            None => Err(Wrong::NotSubmitted),
            Some(job) => {
                let started = state.machine.start(id, job.procs, on, reason, now());
                let started = started.map_err(|why| match why {
                    Unlawful::Twice | Unlawful::Rejected | Unlawful::Cancelled => Wrong::from(why),
                    _ => Wrong::NotFree(why, self.capacity(state)),
                });
                started.and_then(|()| state.take_from_pools(id)).map(|()| job)
            }
        };
        let job = started.map_err(|why| self.error(id, why))?;
        debug!(
            at = now().as_secs_f64(),
            job = job.number,
            procs = job.procs,
            reason = %reason.name(),
            "starts"
        );
        if let Some(mut explanation) = self.explanation() {
            explanation.starts(id, now(), reason);
        }
        state.slots.change(|slots| {
            slots.waiting -= 1;
            slots.free -= u64::from(job.procs);
        });
        self.begin_run(state, id, job, on);
        Ok(())
    }

    /// A task has left its processor before its job ends.
    pub(in crate::policy) fn task_left(&self, processor: u32) {
        let mut state = self.0.state.borrow_mut();
        state.machine.release(processor, now());
        state.slots.change(|slots| slots.free += 1);
        state.news.push(SiteEvent::Left(processor));
        drop(state);
        self.0.something.set();
    }

    /// A job is cancelled, unless it has left: true if it had not.
    pub(in crate::policy) fn cancel(&self, id: JobId) -> bool {
        let mut state = self.0.state.borrow_mut();
        match state.machine.record().state(id) {
            JobState::Expected => self.withdraw(&mut state, id),
            JobState::Running => self.over(&mut state, id, RunEnd::Cancelled, false),
            _ => return false,
        }
        true
    }

    /// A job that waits is cancelled.
    fn withdraw(&self, state: &mut State, id: JobId) {
        debug!(at = now().as_secs_f64(), job = self.0.jobs[id.index()].number, "is cancelled");
        note_over(1);
        state.machine.record_mut().withdrawn(id, now());
        if let Some(runs) = &mut state.runs {
            runs.ends(id);
        }
        // else no policy knows of it
        if self.considers(state, id) {
            state.slots.change(|slots| slots.waiting -= 1);
            state.news.withdraw(id);
        }
        state.kept_back.remove(&id);
        if let Some(process) = state.delayed.remove(&id) {
            process.kill();
        }
        if let Some(mut explanation) = self.explanation() {
            explanation.leaves(id, now());
        }
        self.leaves_for_good(state, id);
    }

    /// Returns true if every job has left, or waits for ever for others.
    pub(in crate::policy) fn all_left(&self) -> bool {
        self.is_over(&self.0.state.borrow())
    }

    fn is_over(&self, state: &State) -> bool {
        let record = state.machine.record();
        record.left_count() + record.held_for_ever().len() == self.0.jobs.len()
    }

    /// The jobs that were submitted and have not started, held ones included.
    pub(in crate::policy) fn waiting(&self) -> Vec<JobId> {
        let state = self.0.state.borrow();
        let record = state.machine.record();
        let waiting = |id: &JobId| record.outcome(*id).state == JobState::Expected;
        (0..state.submitted as u32).map(JobId).filter(waiting).collect()
    }

    /// Jobs that did not come to an end of their runs have the run times that their limits leave.
    fn leave_limited(&self) {
        if !self.limits() {
            return;
        }
        let mut state = self.0.state.borrow_mut();
        for id in (0..self.0.jobs.len() as u32).map(JobId) {
            let (outcome, job) = (state.machine.record().outcome(id), self.0.job(&state, id));
            let known = match outcome.state {
                JobState::Completed => true,
                // not where its reservation was over
                JobState::Killed => job.killed,
                JobState::Cancelled => outcome.ran(),
                _ => false,
            };
            let limited = self.limited(job);
            if !known && limited != job {
                state.revised.insert(id, limited);
            }
        }
    }

    /// The record, and the jobs that were not as the workload has them, when no other part holds
    /// the front end.
    pub(in crate::policy) fn into_record(self) -> Option<(Record, OrderedMap<JobId, Job>)> {
        self.leave_limited();
        let state = Rc::into_inner(self.0)?.state.into_inner();
        let mut record = state.machine.into_record();
        if let Some(moved) = state.moved {
            record.reservations_moved(moved);
        }
        Some((record, state.revised))
    }
}
