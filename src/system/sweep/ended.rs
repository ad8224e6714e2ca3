//! A run of a parameter sweep that is over.

use crate::instrument::metrics::Metric;
use crate::sweep::SweepBounds;
use crate::sweep::record::SweepOutcomes;
use crate::workflow::TaskNumber;

/// A run of a parameter sweep that is over.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) outcomes: SweepOutcomes,
    pub(super) bounds: SweepBounds,
    pub(super) metrics: Vec<Metric>,
    /// What the heuristic is called, or the scheduler that has none.
    pub(super) scheduler: String,
    pub(super) drew: bool,
    pub(super) explained: Option<TaskNumber>,
}
