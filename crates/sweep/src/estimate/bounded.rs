//! Predictions that are right, or wrong by a bounded share.

use std::rc::Rc;

use crate::estimate::predictions::{EstimateError, Predictions, SubTask, SweepResource};
use crate::estimate::{EstimateQuestion, Estimator};
use crate::kernel::rng::KeyedStreams;
use crate::registry::{Bounds, Entry, Kind, entry};

pub(super) const PERFECT: Entry<dyn Estimator> =
    entry!("perfect" => "links and hosts are predicted as they will be", builds PerfectEstimator);

pub(super) const UNIFORM: Entry<dyn Estimator> = entry!(
    "uniform" => "each time is off by a share that is drawn uniformly, the same one in one plan", keys {
        "error" Kind::Share(Bounds::Within(0.0, 0.999)), or "20%" => "the largest share by which a time is off";
    }, reads |params| UniformEstimator { error: params.read("error")? }
);

/// Estimator of the true values.
#[derive(Clone, Copy, Debug)]
pub struct PerfectEstimator;

impl Estimator for PerfectEstimator {
    fn predictions(&mut self, question: &EstimateQuestion<'_>) -> Predictions {
        question.perfect()
    }
}

/// Estimator of the true values, off by a bounded share for each sub-task on each resource in each
/// plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UniformEstimator {
    /// The largest share.
    pub error: f64,
}

impl Estimator for UniformEstimator {
    fn predictions(&mut self, question: &EstimateQuestion<'_>) -> Predictions {
        let mut predictions = question.perfect();
        if self.error > 0.0 {
            let streams = question.streams.keyed("sweep/estimate");
            predictions.error = Some(Rc::new(UniformError { streams, error: self.error }));
        }
        predictions
    }

    fn draws(&self) -> bool {
        self.error > 0.0
    }
}

#[derive(Debug)]
struct UniformError {
    streams: KeyedStreams,
    error: f64,
}

impl EstimateError for UniformError {
    fn factor(&self, planning: u64, sub_task: SubTask, resource: SweepResource) -> f64 {
        let (kind, number) = match sub_task {
            SubTask::Input(file) => (0, file.0),
            SubTask::Computation(task) => (1, task.0),
            SubTask::Output(file) => (2, file.0),
        };
        let place = match resource {
            SweepResource::Link(link) => u64::from(link.0),
            SweepResource::Host(host) => u64::from(host.0),
        };
        let drawn = self.streams.of(&[planning, kind, number.into(), place]).uniform01();
        1.0 + self.error * (2.0 * drawn - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::Streams;
    use crate::model::grid::HostNumber;
    use crate::workflow::TaskNumber;

    #[test]
    fn a_time_is_off_to_both_sides_by_the_largest_share_at_most() {
        let error = UniformError { streams: Streams::new(1, 0).keyed("sweep/estimate"), error: 0.2 };
        let factor = |task| {
            error.factor(0, SubTask::Computation(TaskNumber(task)), SweepResource::Host(HostNumber(0)))
        };
        let factors: Vec<f64> = (0..10_000).map(factor).collect();
        assert!(factors.iter().all(|factor| (0.8..1.2).contains(factor)));
        let below = |bound: f64| factors.iter().filter(|factor| **factor < bound).count() as f64 / 1e4;
        for (bound, share) in [(0.9, 0.25), (1.0, 0.5), (1.1, 0.75)] {
            assert!((below(bound) - share).abs() < 0.02, "{bound}: {}", below(bound));
        }
    }
}
