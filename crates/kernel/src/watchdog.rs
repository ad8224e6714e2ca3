//! Runs that get nowhere: decisions in a row after which nothing was completed.
//!
//! A model that may decide for ever, and let time pass as it does, notes what it completes
//! ([`note_completion`](super::note_completion)) and each decision that completes nothing by itself
//! ([`note_decision`](super::note_decision)): a plan, an attempt that failed, a retry, a wait for
//! another look. After [`Simulation::give_up_after`](super::Simulation::give_up_after) such
//! decisions in a row the model says why nothing was completed, and the run ends with
//! [`SimError::NoProgress`](super::SimError::NoProgress).

use super::time::SimTime;

/// Decisions since the last completion.
#[derive(Debug)]
pub(super) struct Watchdog {
    /// Decisions in a row after which the model is asked.
    pub(super) most: u64,
    /// Instant of the last completion.
    pub(super) since: SimTime,
    /// Number of decisions since then.
    pub(super) decisions: u64,
    /// Instant at which the limit was reached last.
    pub(super) from: SimTime,
}

impl Default for Watchdog {
    fn default() -> Self {
        Watchdog { most: u64::MAX, since: SimTime::ZERO, decisions: 0, from: SimTime::ZERO }
    }
}

impl Watchdog {
    /// Something was completed at this instant.
    pub(super) fn completed(&mut self, at: SimTime) {
        (self.since, self.decisions) = (at, 0);
    }

    /// Number of times that the limit was reached, and the instant of the time before or else this
    /// one; `None` if it is not reached now.
    pub(super) fn decided(&mut self, at: SimTime) -> Option<(u64, SimTime)> {
        self.decisions += 1;
        if !self.decisions.is_multiple_of(self.most) {
            return None;
        }
        let rounds = self.decisions / self.most;
        let before = std::mem::replace(&mut self.from, at);
        Some((rounds, if rounds == 1 { at } else { before }))
    }
}
