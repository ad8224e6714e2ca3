//! A run of global computing that is over.

use crate::broker::outcomes::BrokerOutcomes;
use crate::instrument::batches::HalfWidth;
use crate::instrument::metrics::Metric;
use crate::instrument::signs::Warning;
use crate::scenario::WarmUpCut;

/// A run that is over.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) outcomes: BrokerOutcomes,
    pub(super) metrics: Vec<Metric>,
    pub(super) half_widths: Vec<HalfWidth>,
    /// Reasons to doubt the figures, the gravest first.
    pub(super) warnings: Vec<Warning>,
    pub(super) drew: bool,
    /// Tasks that the warm-up left out.
    pub(super) cut: Option<WarmUpCut>,
    /// The number of the task that is to be explained.
    pub(super) explained: Option<u64>,
    /// Whether what a timeline is drawn from was kept.
    pub(super) has_timeline: bool,
    /// What the scheduler and the predictor are called.
    pub(super) called: [String; 2],
}
