//! Costs of a run, and checks of its budget and deadline. Plans do not look at either.
//!
//! Each second of a processor in which it computes has the price of its cluster, those of
//! computations that are lost included; so has each byte of a transfer that arrives. Prices, budget
//! and deadline are named by the report of the Parameter Sweep Template among what is left for the
//! future; how they are counted is a choice of ours.

use crate::kernel::SimTime;
use crate::measure::family::{Aim, Family, metrics_of};
use crate::measure::metric::{Metric, Value};
use crate::model::grid::ClusterNumber;
use crate::results::record::SweepOutcomes;

const PRICED: &str = "runs in which a cluster has a price";

/// The families of runs in which a cluster has a price.
pub(crate) const OF_PRICES: [Family; 3] = [
    Family::new(
        "cost",
        "",
        Aim::Lower,
        "`computing-cost` + `sending-cost`, in the currency of the prices",
        PRICED,
    ),
    Family::new(
        "computing-cost",
        "",
        Aim::Lower,
        "time of processors in use, lost computations included, times the prices of their clusters",
        PRICED,
    ),
    Family::new(
        "sending-cost",
        "",
        Aim::Lower,
        "bytes that arrived, to clusters and at the origin, times the prices of their clusters",
        PRICED,
    ),
];

/// The families of runs with a budget.
pub(crate) const OF_BUDGETS: [Family; 1] = [Family::new(
    "budget-left",
    "",
    Aim::Higher,
    "budget - `cost`; below 0 what is missing",
    "runs with a budget",
)];

/// The families of runs with a deadline.
pub(crate) const OF_DEADLINES: [Family; 1] = [Family::count(
    "deadline-missed",
    Aim::Lower,
    "tasks that were not completed by the deadline",
    "runs with a deadline",
)];

/// Limits that a run is to keep.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct SweepTerms {
    /// Instant by which all tasks are to be completed.
    pub deadline: Option<SimTime>,
    /// Greatest cost.
    pub budget: Option<f64>,
}

impl SweepOutcomes {
    /// Returns true if a cluster has a price.
    pub fn has_prices(&self) -> bool {
        self.grid.clusters.iter().any(|cluster| cluster.prices.is_some())
    }

    /// Costs of processors and links, cluster by cluster.
    pub fn costs(&self) -> Vec<(f64, f64)> {
        let prices = |cluster: ClusterNumber| self.grid.cluster(cluster).prices.unwrap_or_default();
        let mut costs = vec![(0.0, 0.0); self.grid.clusters.len()];
        for (host, used) in self.grid.hosts.iter().zip(&self.used) {
            costs[host.cluster.index()].0 += used.as_secs_f64() * prices(host.cluster).per_second;
        }
        for run in self.transfers.iter().filter(|run| run.end.is_some()) {
            let cluster = run.transfer.cluster;
            costs[cluster.index()].1 += run.bytes as f64 * prices(cluster).per_byte;
        }
        costs
    }
}

/// The values of the families that a run has.
pub(crate) fn metrics_of_terms(outcomes: &SweepOutcomes, terms: &SweepTerms) -> Vec<Metric> {
    let mut metrics = Vec::new();
    if outcomes.has_prices() {
        let (computing, sending) =
            outcomes.costs().iter().fold((0.0, 0.0), |sum, cost| (sum.0 + cost.0, sum.1 + cost.1));
        let cost = computing + sending;
        metrics.extend(metrics_of(&OF_PRICES, [cost, computing, sending].map(Value::Real)));
        let left = terms.budget.map(|budget| Value::Real(budget - cost));
        metrics.extend(left.into_iter().flat_map(|left| metrics_of(&OF_BUDGETS, [left])));
    }
    if let Some(deadline) = terms.deadline {
        let is_missed = |completed: Option<SimTime>| completed.is_none_or(|completed| completed > deadline);
        let missed = outcomes.tasks.iter().filter(|task| is_missed(task.completed)).count();
        metrics.extend(metrics_of(&OF_DEADLINES, [Value::Count(missed as u64)]));
    }
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::grid::ClusterPrices;
    use crate::platform::Trace;
    use crate::tests::{grid, run_with, sweep, workqueue};

    fn value(metrics: &[Metric], name: &str) -> Option<f64> {
        metrics.iter().find(|metric| metric.name == name).and_then(Metric::number)
    }

    #[test]
    fn seconds_and_bytes_have_prices_and_lost_computations_cost() {
        let at = |secs| SimTime::from_secs(secs).expect("it is soon");
        let mut grid = grid(&[(10e3, &[1.0, 0.5]), (10e3, &[])]);
        grid.clusters[0].prices = Some(ClusterPrices { per_second: 2.0, per_byte: 0.001 });
        // the second host leaves for good
        grid.hosts[1].present = Trace::new(&[(at(0), 1.0), (at(20), 0.0)], None).expect("a trace");
        let sweep = sweep(&[100_000], &[(&[0], 10.0, 10_000), (&[], 30.0, 0)]);
        let outcomes = run_with(grid, sweep, workqueue());
        // the first task from 10 s to 20 s on the first host, the second 20 s on the other, which
        // are lost, then 30 s on the first
        let terms = SweepTerms { deadline: Some(at(30)), budget: Some(200.0) };
        let metrics = metrics_of_terms(&outcomes, &terms);
        assert_eq!(value(&metrics, "computing-cost"), Some(2.0 * (10.0 + 20.0 + 30.0)));
        assert_eq!(value(&metrics, "sending-cost"), Some(110.0));
        assert_eq!((value(&metrics, "cost"), value(&metrics, "budget-left")), (Some(230.0), Some(-30.0)));
        assert_eq!(value(&metrics, "deadline-missed"), Some(1.0));
        assert_eq!(outcomes.costs(), [(120.0, 110.0), (0.0, 0.0)]);
    }

    /// 10 s of computing and 1 s of its output.
    #[test]
    fn a_task_that_is_completed_at_the_deadline_is_in_time() {
        let outcomes = run_with(grid(&[(10e3, &[1.0])]), sweep(&[], &[(&[], 10.0, 10_000)]), workqueue());
        for (nanos, missed) in [(11_000_000_000, 0.0), (10_999_999_999, 1.0)] {
            let terms = SweepTerms { deadline: Some(SimTime::from_nanos(nanos)), budget: None };
            assert_eq!(value(&metrics_of_terms(&outcomes, &terms), "deadline-missed"), Some(missed));
        }
    }

    #[test]
    fn without_prices_and_deadline_there_is_nothing() {
        let outcomes = run_with(grid(&[(1.0, &[1.0])]), sweep(&[], &[(&[], 1.0, 0)]), workqueue());
        assert!(metrics_of_terms(&outcomes, &SweepTerms { budget: Some(1.0), deadline: None }).is_empty());
    }
}
