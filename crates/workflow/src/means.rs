//! Mean costs of a platform, by which work and bytes become seconds.

use crate::graph::Workflow;
use crate::read::REFERENCE_SPEED;

/// Mean costs of a platform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanCosts {
    /// Mean speed of the hosts \[flop/s\].
    pub speed: f64,
    /// Mean latency over ordered pairs of different hosts \[s\].
    pub latency: f64,
    /// Mean time of a byte over these pairs \[s\].
    pub seconds_per_byte: f64,
}

impl Default for MeanCosts {
    /// Costs without a known platform: 10 Gflop/s, 1 GB/s, no latency.
    fn default() -> Self {
        MeanCosts { speed: REFERENCE_SPEED, latency: 0.0, seconds_per_byte: 1e-9 }
    }
}

impl MeanCosts {
    /// Mean time of a transfer \[s\].
    pub fn transfer(&self, bytes: u64) -> f64 {
        self.latency + bytes as f64 * self.seconds_per_byte
    }

    /// Sum of the mean times of all computations \[s\].
    pub fn computation(&self, workflow: &Workflow) -> f64 {
        workflow.tasks().iter().map(|task| task.mean_seconds(self.speed)).sum()
    }

    /// Sum of the mean times of all transfers \[s\].
    pub fn communication(&self, workflow: &Workflow) -> f64 {
        workflow.edges().iter().filter_map(|edge| edge.bytes).map(|bytes| self.transfer(bytes)).sum()
    }

    /// Sum of the mean times of all transfers over that of all computations; `None` if nothing
    /// computes.
    pub fn ccr(&self, workflow: &Workflow) -> Option<f64> {
        let computation = self.computation(workflow);
        (computation > 0.0).then(|| self.communication(workflow) / computation)
    }

    /// The graph with all of its data scaled by one factor, so that its [`ccr`](Self::ccr) is this;
    /// sizes are rounded to bytes. There is none if no factor does: no edge has bytes, or latencies
    /// alone are more.
    pub fn scaled(&self, workflow: Workflow, ccr: f64) -> Option<Workflow> {
        let carrying = workflow.edges().iter().filter_map(|edge| edge.bytes);
        let (count, bytes) =
            carrying.fold((0.0, 0.0), |(count, sum), bytes| (count + 1.0, sum + bytes as f64));
        let wanted = ccr * self.computation(&workflow) - count * self.latency;
        let factor = wanted / (bytes * self.seconds_per_byte);
        if !(factor >= 0.0 && factor.is_finite()) {
            return None;
        }
        Some(workflow.with_scaled_data(factor))
    }
}
