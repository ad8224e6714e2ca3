//! A run of a parameter sweep that is over.

use crate::instrument::metrics::Metric;
use crate::instrument::signs::Warning;
use crate::sweep::SweepBounds;
use crate::sweep::grid::HostNumber;
use crate::sweep::optimum::SweepOptimum;
use crate::sweep::record::SweepOutcomes;
use crate::workflow::TaskNumber;

/// What is to be explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Explained {
    /// Why a task is where it is.
    Task(TaskNumber),
    /// What a host did, and why nothing.
    Host(HostNumber),
}

/// A run of a parameter sweep that is over.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) outcomes: SweepOutcomes,
    pub(super) bounds: SweepBounds,
    /// What a search for the optimum came to, if there was one.
    pub(super) optimum: Option<SweepOptimum>,
    pub(super) metrics: Vec<Metric>,
    /// Reasons to doubt the figures, the gravest first.
    pub(super) warnings: Vec<Warning>,
    /// What the heuristic is called, or the scheduler that has none.
    pub(super) scheduler: String,
    pub(super) drew: bool,
    pub(super) explained: Option<Explained>,
    /// What the grid and the scheduler said, if it was recorded.
    pub(super) dialogue: Option<String>,
}
