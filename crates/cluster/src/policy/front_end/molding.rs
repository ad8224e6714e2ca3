//! Sizes of moldable jobs: what a policy may ask of them, and how it gives a job another one.
//!
//! A job that is molded is another one from then on, for all: it needs other processors, for
//! another time, with another request. Its limit follows its request, and the grace of the site is
//! the same for every size. A job can be given sizes again and again until it starts; it keeps the
//! last one, also if it is interrupted and waits again.

use std::sync::Arc;

use tracing::debug;

use crate::ids::JobId;
use crate::instrument::State as JobState;
use crate::kernel::now;
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
    /// Sizes that a job may be given; `None` if it is rigid, or has been started.
    /// [`FrontEnd::jobs`] has its request.
    pub fn moldable(&self, id: JobId) -> Option<Arc<Moldable>> {
        self.molds(&self.0.state.borrow(), id).map(|molds| Arc::clone(&molds.rules))
    }

    fn molds(&self, state: &State, id: JobId) -> Option<&Molds> {
        let molds = self.0.molds.as_ref().filter(|molds| molds.rules.concerns(id))?;
        let record = state.machine.record();
        let waits = self.considers(state, id) && record.state(id) == JobState::Expected;
        (waits && record.outages().held(id).is_zero()).then_some(molds)
    }

    /// Gives a job that waits this size: it is [`FrontEnd::job`] from now on. What a policy keeps
    /// of the job it has to change itself. Only a policy that says so
    /// ([`Policy::molds`](crate::policy::Policy::molds)) has moldable jobs.
    ///
    /// # Errors
    /// It is not submitted, rigid or started, or cannot have this size. The error ends the run if
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
        let (other, asked) = (procs != asked.procs, self.limited(asked));
        state.machine.record_mut().molded(id, other.then_some(asked));
        Ok(())
    }
}
