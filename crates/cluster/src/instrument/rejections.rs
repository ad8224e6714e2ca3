//! Rejected jobs of a run by reason.

use crate::batch::record::State;
use crate::measure::rejections::{Rejections, counted};

use super::metrics::FinishedRun;

impl FinishedRun<'_> {
    /// The observed jobs that were rejected, by reason, the most frequent first, at equal counts by
    /// name.
    pub fn rejections(&self) -> Vec<Rejections> {
        let rejected =
            self.submitted().map(|(id, _)| id).filter(|&id| self.record.state(id) == State::Rejected);
        counted(rejected.map(|id| {
            let reason = self.record.outcome(id).reason;
            (reason.name(), reason.about())
        }))
    }
}
