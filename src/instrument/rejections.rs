//! Numbers of the jobs, tasks or calls that a run rejected, and the reasons.

use std::cmp::Reverse;

use serde::Serialize;

use crate::batch::record::State;
use crate::collections::{OrderedMap, StableSort as _};

use super::metrics::FinishedRun;

/// Rejections for one reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Rejections {
    /// The word of the reason, as records and files have it.
    pub reason: &'static str,
    /// Meaning of the reason.
    #[serde(skip)]
    pub about: &'static str,
    /// Number of rejections.
    pub count: u64,
}

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

/// Counts of reasons, each with its meaning, the most frequent first, at equal counts by name.
fn counted(reasons: impl Iterator<Item = (&'static str, &'static str)>) -> Vec<Rejections> {
    let mut counts: OrderedMap<&'static str, Rejections> = OrderedMap::new();
    for (reason, about) in reasons {
        counts.entry(reason).or_insert(Rejections { reason, about, count: 0 }).count += 1;
    }
    by_frequency(counts.values().copied().collect())
}

/// The most frequent first; at equal counts the order stays.
pub fn by_frequency(mut all: Vec<Rejections>) -> Vec<Rejections> {
    all.stable_sort_by_key(|one| Reverse(one.count));
    all
}
