//! Questions and actions of a policy.

use std::cell::{RefCell, RefMut};
use std::sync::Arc;

use tracing::debug;

use crate::batch::allocation::Allocation;
use crate::batch::record::MatrixSpans;
use crate::collections::{Interval, IntervalSet};
use crate::ids::JobId;
use crate::instrument::explanation::Explanation;
use crate::instrument::{Reason, State as JobState};
use crate::kernel::{SimDuration, SimTime, note_over, now};
use crate::policy::error::{PolicyError, Wrong};
use crate::policy::execution::Slices;
use crate::workload::Job;
use crate::workload::parallel::Quality;
use crate::workload::resources::{GpuShare, Resources};

use super::{FrontEnd, News, State};

impl FrontEnd {
    /// Explanation of the one job that is asked about, if one is.
    pub(in crate::policy) fn explanation(&self) -> Option<RefMut<'_, Explanation>> {
        self.0.explanation.as_ref().map(RefCell::borrow_mut)
    }

    /// The explanation, if it is of this job.
    pub(in crate::policy) fn explains(&self, id: JobId) -> Option<RefMut<'_, Explanation>> {
        self.explanation().filter(|explanation| explanation.job() == id)
    }

    /// Error: the policy asked for an impossible action on this job.
    pub(super) fn error(&self, id: JobId, why: Wrong) -> PolicyError {
        let number = self.0.jobs.get(id.index()).map_or(u64::from(id.0), |job| job.number);
        PolicyError { policy: self.0.policy, job: id, number, at: now(), why }
    }

    /// A job that has not started leaves for good, rejected for this reason.
    pub(super) fn reject(&self, state: &mut State, id: JobId, reason: Reason) {
        self.note_rejected(state, id, reason);
        self.leaves_for_good(state, id);
    }

    /// Notes that a job is rejected.
    pub(super) fn note_rejected(&self, state: &mut State, id: JobId, reason: Reason) {
        note_over(1);
        state.machine.record_mut().rejected(id, now(), reason);
        if let Some(mut explanation) = self.explanation() {
            explanation.leaves(id, now());
        }
    }

    /// The jobs of the run. A policy may look at those that were submitted, and at no job's run
    /// time.
    ///
    /// They are as the workload has them; [`FrontEnd::job`] gives one as it is in this run.
    pub fn jobs(&self) -> Arc<Vec<Job>> {
        Arc::clone(&self.0.jobs)
    }

    /// Number of processors there are.
    pub fn procs(&self) -> u32 {
        self.0.state.borrow().machine.procs()
    }

    /// Number of tasks a processor takes: 1 unless the policy shares processors.
    pub fn level(&self) -> u32 {
        self.0.execution.level()
    }

    /// Service that a job asks for: best effort at detail `job`, which simulates no other.
    pub fn quality(&self, job: JobId) -> Quality {
        self.0.execution.quality(job)
    }

    /// Returns for each processor, by number, true if its node keeps the shares that tasks reserve.
    pub fn keeps_reservations(&self) -> Vec<bool> {
        self.0.execution.keeps_reservations(self.procs())
    }

    /// Begins a slice: from now on the tasks of these jobs run, and no others, after a switch of
    /// `cost`. Each node hears of it so much later as `late` says. Nothing at detail `job`.
    pub fn begin_slice(&self, jobs: &[JobId], cost: SimDuration, late: impl FnMut() -> SimDuration) {
        if let Some(cluster) = self.0.execution.cluster() {
            cluster.begin_slice(jobs, cost, late);
        }
    }

    /// Lets a job run in the present slice, from now on. Nothing at detail `job`.
    pub fn join_slice(&self, job: JobId) {
        if let Some(cluster) = self.0.execution.cluster() {
            cluster.assign(job);
        }
    }

    /// Takes the news there are, of an instant that has been let close; none if there are none.
    pub(in crate::policy) fn pending(&self) -> News {
        self.0.state.borrow_mut().news.hand_out()
    }

    /// Service of jobs in slices; `None` where jobs do not run in slices.
    pub(in crate::policy) fn slices(&self) -> Option<&Slices> {
        self.0.execution.slices()
    }

    /// Keeps from now on in which rows of the matrix jobs stand, where the record keeps places.
    pub(in crate::policy) fn keep_matrix(&self) {
        self.0.state.borrow_mut().machine.record_mut().keep_matrix();
    }

    /// Notes in which rows of the matrix jobs stand, if that is kept.
    pub(in crate::policy) fn note_matrix(&self, note: impl FnOnce(&mut MatrixSpans)) {
        if let Some(spans) = self.0.state.borrow_mut().machine.record_mut().matrix_mut() {
            note(spans);
        }
    }

    /// Puts a running job on exactly these processors, now.
    ///
    /// # Errors
    /// As [`FrontEnd::start`].
    pub(in crate::policy) fn relocate(&self, id: JobId, on: &[Interval]) -> Result<(), PolicyError> {
        let job = &self.0.jobs[id.index()];
        let moved = self.0.state.borrow_mut().machine.relocate(id, on, now());
        debug!(at = now().as_secs_f64(), job = job.number, "migrates");
        moved.map_err(|why| self.error(id, Wrong::from(why)))
    }

    /// The processors of a running job, from the lowest.
    pub fn processors(&self, job: JobId) -> Vec<Interval> {
        self.0.state.borrow().machine.record().processors(job).into_owned()
    }

    /// Notes the GPUs that a job holds from now on.
    pub(in crate::policy) fn holds_gpus(&self, job: JobId, gpus: Vec<GpuShare>) {
        self.0.state.borrow_mut().machine.record_mut().holds_gpus(job, gpus);
    }

    /// Resources of nodes beyond processors and demands of jobs, if they are known.
    pub fn resources(&self) -> Option<Arc<Resources>> {
        self.0.resources.clone()
    }

    /// Looks at the free processors.
    pub fn with_free<R>(&self, look: impl FnOnce(&IntervalSet) -> R) -> R {
        look(self.0.state.borrow().machine.free())
    }

    /// Instant at which a job started; [`SimTime::MAX`] if it did not.
    pub fn start_time(&self, job: JobId) -> SimTime {
        self.0.state.borrow().machine.record().start_time(job)
    }

    /// Starts a job on exactly these processors, now. It ends by itself when its run time is over.
    ///
    /// # Errors
    /// The start is not lawful. The error ends the run if the policy hands it on, as it should.
    pub fn start(&self, job: JobId, on: &[Interval], reason: Reason) -> Result<(), PolicyError> {
        self.start_now(&mut self.0.state.borrow_mut(), job, on, reason)
    }

    /// Starts a job on the processors that `allocation` chooses, now.
    ///
    /// # Errors
    /// As [`FrontEnd::start`]; also if too few processors are free.
    pub fn start_on(
        &self,
        job: JobId,
        allocation: &dyn Allocation,
        reason: Reason,
    ) -> Result<(), PolicyError> {
        self.start_among(job, None, allocation, reason)
    }

    /// Refuses a job that waits: it leaves, now, and has not run.
    ///
    /// # Errors
    /// It is not submitted yet, or does not wait. The error ends the run if the policy hands it on,
    /// as it should.
    pub fn refuse(&self, id: JobId) -> Result<(), PolicyError> {
        self.refuse_for(id, Reason::Refused)
    }

    /// Refuses a job as [`FrontEnd::refuse`] does, for a reason that the record has.
    ///
    /// # Errors
    /// As [`FrontEnd::refuse`].
    pub fn refuse_for(&self, id: JobId, reason: Reason) -> Result<(), PolicyError> {
        let mut state = self.0.state.borrow_mut();
        let job = self.0.jobs.get(id.index()).filter(|_| self.considers(&state, id));
        let why = match job {
            None => Some(Wrong::NotSubmitted),
            Some(_) if state.machine.record().state(id) == JobState::Expected => None,
            Some(_) => Some(Wrong::NotWaiting),
        };
        if let Some(why) = why {
            return Err(self.error(id, why));
        }
        debug!(at = now().as_secs_f64(), job = self.0.jobs[id.index()].number, "refused");
        self.reject(&mut state, id, reason);
        state.slots.change(|slots| slots.waiting -= 1);
        self.wake_policy_if_due(state);
        Ok(())
    }

    /// Returns true if jobs that wait may be withdrawn.
    pub(in crate::policy) fn withdraws(&self) -> bool {
        self.0.features.borrow().iter().any(|feature| feature.withdraws())
    }

    /// Notes how many reservations came due that could not be kept.
    pub(in crate::policy) fn reservations_moved(&self, moved: u64) {
        self.0.state.borrow_mut().moved = Some(moved);
    }
}
