//! Whole chunks of a demand that nodes hold from now on, by the span for which they do.

use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::resources::DemandId;

/// Whole chunks of a demand that start now.
#[derive(Debug)]
pub(super) struct FromNow {
    /// Chunks that start now.
    all: i64,
    /// Spans beyond which fewer fit, in order, and how many are lost then.
    lost: Vec<(SimDuration, i64)>,
}

/// The same of the demands that were asked about since nodes changed.
pub(super) type EachFromNow = OrderedMap<DemandId, FromNow>;

impl FromNow {
    /// Chunks that start now, of which so many are lost to a span that reaches beyond an instant.
    pub(super) fn new(now: SimTime, all: i64, lost: Vec<(SimTime, i64)>) -> Self {
        let mut lost: Vec<(SimDuration, i64)> =
            lost.into_iter().map(|(at, chunks)| (at.since(now), chunks)).collect();
        lost.sort_unstable();
        let mut sum = 0;
        for (_, chunks) in &mut lost {
            sum += *chunks;
            *chunks = sum;
        }
        FromNow { all, lost }
    }

    /// Chunks that fit throughout a span.
    pub(super) fn throughout(&self, span: SimDuration) -> i64 {
        let met = self.lost.partition_point(|&(free_for, _)| free_for < span);
        self.all - met.checked_sub(1).map_or(0, |last| self.lost[last].1)
    }
}
