//! A run of task graphs that is over.

use crate::dag::execution::Outcomes;
use crate::dag::gap::GapReport;
use crate::dag::{CriticalStep, LowerBounds, Terms};
use crate::instrument::class::Class;
use crate::instrument::metrics::Metric;
use crate::instrument::signs::Warning;
use crate::workflow::TaskNumber;

/// A run of task graphs that is over.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) outcomes: Outcomes,
    pub(super) bounds: LowerBounds,
    /// How far it is from what could have been, if that was asked.
    pub(super) gap: Option<GapReport>,
    pub(super) metrics: Vec<Metric>,
    /// Reasons to doubt the figures, the gravest first.
    pub(super) warnings: Vec<Warning>,
    /// The figures of each kind of workflow.
    pub(super) kinds: Vec<Class>,
    pub(super) scheduler: String,
    pub(super) terms: Terms,
    /// The critical path of the execution.
    pub(super) path: Vec<CriticalStep>,
    pub(super) drew: bool,
    pub(super) explained: Option<TaskNumber>,
}
