//! Numbers of the jobs, tasks or calls that a run rejected, and the reasons.

use std::cmp::Reverse;

use serde::Serialize;

use crate::collections::{OrderedMap, StableSort as _};

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

/// Counts of reasons, each with its meaning, the most frequent first, at equal counts by name.
pub fn counted(reasons: impl Iterator<Item = (&'static str, &'static str)>) -> Vec<Rejections> {
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
