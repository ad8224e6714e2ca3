//! Time for which jobs have run: since their starts where they have processors to themselves, and
//! in slices what these have served of it.
//!
//! A run in slices is due a service: the work that is left, with the checkpoints in it, within its
//! limit. All that is counted of a run is counted in service: what its checkpoints have written,
//! what its limit leaves, and what an interruption takes.

use crate::ids::JobId;
use crate::kernel::{SimDuration, now};

use super::run_end::RunEnd;
use super::runs::Underway;
use super::{FrontEnd, State};

impl FrontEnd {
    /// Service that is due to a job that runs in slices, in all of its present run.
    pub(in crate::policy) fn to_serve(&self, id: JobId) -> SimDuration {
        self.due(id).map_or_else(|| self.job(id).run_time, |(span, _)| span)
    }

    /// Time for which a job has run before its present run.
    pub(in crate::policy) fn ran_before(&self, id: JobId) -> SimDuration {
        self.0.state.borrow().machine.record().outages().ran(id)
    }

    /// Time for which a run under way is to last, and meaning of its end, where it may be
    /// interrupted.
    pub(super) fn due(&self, id: JobId) -> Option<(SimDuration, RunEnd)> {
        self.0.state.borrow().runs.as_ref()?.underway.get(&id).map(|run| run.due)
    }

    /// Service that a job in slices is still due; `None` if it is not in slices, or has all of it.
    fn left_to_serve(&self, id: JobId) -> Option<SimDuration> {
        let mut service = self.0.execution.slices()?.service.borrow_mut();
        let service = service.as_mut()?;
        service.advance(now());
        service.left(id, now())
    }

    /// Time for which a job has run by now in its present run.
    pub(super) fn ran(&self, state: &State, id: JobId) -> SimDuration {
        let run = state.runs.as_ref().and_then(|runs| runs.underway.get(&id));
        match run.filter(|_| self.0.execution.slices().is_some()) {
            Some(run) => run.due.0.saturating_sub(self.left_to_serve(id).unwrap_or_default()),
            None => now().since(state.machine.record().start_time(id)),
        }
    }

    /// Returns true if a run ends by itself at this instant.
    pub(super) fn ends_now(&self, id: JobId, run: &Underway) -> bool {
        match self.0.execution.slices() {
            Some(_) => self.left_to_serve(id).is_none_or(SimDuration::is_zero),
            None => run.ends <= now(),
        }
    }
}
