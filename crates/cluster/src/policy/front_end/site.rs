//! The site as hooks of features see it: questions about jobs, and what a feature may do with them.

use std::cell::RefMut;

use crate::ids::JobId;
use crate::instrument::explanation::Explanation;
use crate::instrument::{Reason, Record, State as JobState};
use crate::kernel::{SimDuration, hold, now, spawn};
use crate::workload::Job;

use super::deserted::wait_for_ever;
use super::{FrontEnd, SiteEvent, State};

/// The site, at an instant.
pub(in crate::policy) struct Site<'a> {
    front: &'a FrontEnd,
    state: &'a mut State,
}

impl<'a> Site<'a> {
    pub(super) fn new(front: &'a FrontEnd, state: &'a mut State) -> Self {
        Site { front, state }
    }

    /// A job as it is in this run.
    pub(in crate::policy) fn job(&self, id: JobId) -> Job {
        self.front.0.job(self.state, id)
    }

    /// Number of a job in its workload.
    pub(in crate::policy) fn number(&self, id: JobId) -> u64 {
        self.front.0.jobs[id.index()].number
    }

    /// State of a job.
    pub(in crate::policy) fn state(&self, id: JobId) -> JobState {
        self.state.machine.record().state(id)
    }

    /// The record, to note there what is the feature's own.
    pub(in crate::policy) fn record_mut(&mut self) -> &mut Record {
        self.state.machine.record_mut()
    }

    /// The explanation, if it is of this job.
    pub(in crate::policy) fn explains(&self, id: JobId) -> Option<RefMut<'_, Explanation>> {
        self.front.explains(id)
    }

    /// Lets a job be considered from now on: it arrives at the policy.
    pub(in crate::policy) fn consider(&mut self, id: JobId) {
        self.state.news.push(SiteEvent::Arrived(id));
        self.state.slots.change(|slots| slots.waiting += 1);
        if self.state.deserted {
            wait_for_ever(id);
        }
    }

    /// Rejects a job that no policy knows. Features hear that it has left when the hook is over.
    pub(in crate::policy) fn reject(&mut self, id: JobId, reason: Reason) {
        self.front.note_rejected(self.state, id, reason);
        self.state.leaving.push_back(id);
    }

    /// Submits a job after so much time, at which it is one that was submitted then.
    pub(in crate::policy) fn submit_after(&mut self, id: JobId, span: SimDuration) {
        let mut job = self.job(id);
        job.submit_time = now().saturating_add(span);
        self.state.revised.insert(id, job);
        let front = self.front.clone();
        spawn(("job", id.0), async move {
            hold(span).await;
            front.submit_now(id);
        });
    }
}

impl FrontEnd {
    /// Lets features act, and then what follows from jobs that have left by that.
    pub(super) fn act<R>(&self, state: &mut State, act: impl FnOnce(&mut Site<'_>) -> R) -> R {
        let result = act(&mut Site::new(self, state));
        let mut features = self.0.features.borrow_mut();
        while let Some(gone) = state.leaving.pop_front() {
            for feature in features.iter_mut() {
                feature.left(&mut Site::new(self, state), gone);
            }
        }
        result
    }

    /// A job has left for good: features hear of it.
    pub(super) fn leaves_for_good(&self, state: &mut State, id: JobId) {
        if !self.0.features.borrow().is_empty() {
            state.leaving.push_back(id);
            self.act(state, |_| ());
        }
    }

    /// Lets features make their processes, inside the simulation.
    pub(in crate::policy) fn begin_features(&self) {
        self.0.features.borrow().iter().for_each(|feature| feature.begins(self));
    }

    /// Lets features make processes that go behind submissions, inside the simulation.
    pub(in crate::policy) fn watch_submissions(&self) {
        self.0.features.borrow().iter().for_each(|feature| feature.watches(self));
    }

    /// Returns true if a feature submits this job, when it is time.
    pub(in crate::policy) fn submits_later(&self, id: JobId) -> bool {
        self.0.features.borrow().iter().any(|feature| feature.submits(id))
    }

    /// Returns true if a job is submitted and may be started or refused by a policy.
    pub(super) fn considers(&self, state: &State, id: JobId) -> bool {
        if state.reserving.as_ref().is_some_and(|reserving| reserving.inside.has(id)) {
            return false;
        }
        let lets = self.0.features.borrow().iter().find_map(|feature| feature.lets(id));
        lets.unwrap_or(id.index() < state.submitted)
    }
}
