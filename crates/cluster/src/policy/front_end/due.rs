//! Jobs that features of another crate took over, and that are due: they start now, before all that
//! wait, or their features have them again.

use tracing::debug;

use crate::ids::JobId;
use crate::instrument::State as JobState;
use crate::kernel::now;
use crate::policy::error::{PolicyError, Wrong};

use super::{FrontEnd, Site};

impl FrontEnd {
    /// Returns true if features may have jobs started before all that wait.
    pub(in crate::policy) fn hastens(&self) -> bool {
        self.0.features.borrow().iter().any(|feature| feature.hastens())
    }

    /// Returns true if a job waits that is due.
    pub(in crate::policy) fn is_due(&self, id: JobId) -> bool {
        let state = self.0.state.borrow();
        let waits = self.considers(&state, id) && state.machine.record().state(id) == JobState::Expected;
        waits && self.0.features.borrow().iter().any(|feature| feature.is_due(id))
    }

    /// Gives a job that is due ([`SiteEvent::Due`](super::SiteEvent::Due)), and that cannot start
    /// now, back to the feature that took it over.
    ///
    /// # Errors
    /// It does not wait, or is not due. The error ends the run if the policy hands it on, as it
    /// should.
    pub fn hand_back(&self, id: JobId) -> Result<(), PolicyError> {
        if !self.is_due(id) {
            return Err(self.error(id, Wrong::NotWaiting));
        }
        let mut state = self.0.state.borrow_mut();
        debug!(at = now().as_secs_f64(), job = self.0.jobs[id.index()].number, "cannot start now");
        state.slots.change(|slots| slots.waiting -= 1);
        state.kept_back.insert(id);
        for feature in self.0.features.borrow_mut().iter_mut() {
            feature.handed_back(&mut Site::new(self, &mut state), id);
        }
        self.follow_up(&mut state);
        self.wake_policy_if_due(state);
        Ok(())
    }
}
