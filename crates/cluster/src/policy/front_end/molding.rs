//! Sizes of moldable jobs: what a policy may ask of them, and how it gives a job another one.
//!
//! A job that is molded is another one from then on, for all: it needs other processors, for
//! another time, with another request. Its limit follows its request, and the grace of the site is
//! the same for every size. A job can be given sizes again and again until it starts. One that is
//! interrupted and waits again can be, too, unless its site says that it keeps its size; the work
//! that it need not do again counts by the speed-ups of the sizes.

use std::sync::Arc;

use tracing::debug;

use crate::ids::JobId;
use crate::instrument::{RequeueSize, State as JobState};
use crate::kernel::{SimDuration, now};
use crate::policy::error::{PolicyError, Wrong};
use crate::workload::moldable::Moldable;

use super::{FrontEnd, State};

/// Rules by which jobs are given other sizes.
#[derive(Debug)]
pub(in crate::policy) struct Molds {
    /// Moldable jobs, and the sizes that each may have.
    pub(in crate::policy) rules: Arc<Moldable>,
}

impl FrontEnd {
    /// Sizes that a job may be given; `None` if it is rigid, runs, or keeps the size of its first
    /// run.
    /// [`FrontEnd::jobs`] has its request.
    pub fn moldable(&self, id: JobId) -> Option<Arc<Moldable>> {
        self.molds(&self.0.state.borrow(), id).map(|molds| Arc::clone(&molds.rules))
    }

    fn molds(&self, state: &State, id: JobId) -> Option<&Molds> {
        let molds = self.0.molds.as_ref().filter(|molds| molds.rules.concerns(id))?;
        let record = state.machine.record();
        let waits = self.considers(state, id) && record.state(id) == JobState::Expected;
        let again = self.0.requeue.size == RequeueSize::Molded || !ran_before(state, id);
        (waits && again).then_some(molds)
    }

    /// Work that a job which waits need not do again if it is started on so many processors.
    pub(in crate::policy) fn kept_on(&self, id: JobId, procs: u32) -> SimDuration {
        self.kept(&self.0.state.borrow(), id, procs)
    }

    fn kept(&self, state: &State, id: JobId, procs: u32) -> SimDuration {
        let own = state.runs.as_ref().and_then(|runs| runs.kept.get(&id));
        let (Some(own), Some(molds)) = (own, &self.0.molds) else { return SimDuration::ZERO };
        let (kept, last) = own.last;
        molds.rules.kept(kept, self.0.jobs[id.index()].procs, (last, procs))
    }

    /// A job has done all its work, of which its limit, being of each run, may leave less.
    pub(super) fn did_all(&self, state: &mut State, id: JobId) {
        if state.machine.record().asked(id).is_some() && ran_before(state, id) {
            let mut asked = self.0.jobs[id.index()];
            asked.submit_time = self.0.job(state, id).submit_time;
            state.machine.record_mut().molded(id, Some(asked));
        }
    }

    /// A time of a job on the processors that it has as it is on those that it asked for.
    pub(in crate::policy) fn as_asked(&self, id: JobId, span: SimDuration) -> SimDuration {
        let (asked, procs) = (self.0.jobs[id.index()].procs, self.job(id).procs);
        self.0.molds.as_ref().map_or(span, |molds| molds.rules.kept(span, asked, (procs, asked)))
    }

    /// Gives a job that waits this size: it is [`FrontEnd::job`] from now on. What a policy keeps
    /// of the job it has to change itself. Only a policy that says so
    /// ([`Policy::molds`](crate::policy::Policy::molds)) has moldable jobs.
    ///
    /// # Errors
    /// It is not submitted, rigid, running, or cannot have this size. The error ends the run if
    /// the policy hands it on, as it should.
    pub fn mold(&self, id: JobId, procs: u32) -> Result<(), PolicyError> {
        let mut state = self.0.state.borrow_mut();
        let state = &mut *state;
        let asked = self.0.jobs.get(id.index()).copied();
        let wrong = |why| self.error(id, why);
        let asked = asked.filter(|_| self.considers(state, id)).ok_or_else(|| wrong(Wrong::NotSubmitted))?;
        let molds = self.molds(state, id).ok_or_else(|| wrong(Wrong::Rigid))?;
        if procs > state.machine.procs() || !molds.rules.allows(asked.procs, procs) {
            return Err(wrong(Wrong::NoSuchSize(procs)));
        }
        let mut job = molds.rules.molded(asked, procs);
        job.submit_time = self.0.job(state, id).submit_time;
        debug!(at = now().as_secs_f64(), job = job.number, from = asked.procs, to = procs, "is molded");
        state.revised.insert(id, job);
        let kept = self.kept(state, id, procs).min(job.run_time);
        if let Some(own) = state.runs.as_mut().and_then(|runs| runs.kept.get_mut(&id)) {
            own.work = kept;
            state.machine.record_mut().outages_mut().keeps(id, kept);
        }
        let (other, asked) = (procs != asked.procs, self.limited(asked));
        state.machine.record_mut().molded(id, other.then_some(asked));
        Ok(())
    }
}

/// Returns true if a job has had processors.
fn ran_before(state: &State, id: JobId) -> bool {
    state.runs.as_ref().is_some_and(|runs| runs.kept.contains_key(&id))
}
