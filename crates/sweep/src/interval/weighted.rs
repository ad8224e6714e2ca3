//! S3: as S2, where a resource counts for as much as predictions of it were right before.

use crate::collections::OrderedMap;
use crate::estimate::predictions::SweepResource;
use crate::interval::{ADAPTED, Adapted, BeforeFirstPlan, EventInterval, ExpectedRun};
use crate::kernel::SimDuration;
use crate::registry::{Entry, entry};

pub(super) const ENTRY: Entry<dyn EventInterval> = entry!(
    "weighted-deviation" => "as `deviation`, by resources that are mostly predicted right",
    source "F. Berman, H. Casanova, A. Legrand, D. Zagorodnov, LIP RR1999-46, 1999", keys ADAPTED,
    reads |params| WeightedDeviation { adapted: Adapted::read(params)?, weights: OrderedMap::new() }
);

/// Share of the newest prediction in the weight.
const GAIN: f64 = 0.2;
/// Least weight of a resource.
const LEAST: f64 = 0.1;

/// S3.
#[derive(Clone, Debug)]
pub(crate) struct WeightedDeviation {
    adapted: Adapted,
    /// By resource, 1 at first.
    weights: OrderedMap<SweepResource, f64>,
}

impl EventInterval for WeightedDeviation {
    fn first(&mut self, known: &BeforeFirstPlan) -> SimDuration {
        self.adapted.first(known)
    }

    fn next(&mut self, last: SimDuration, expected: &[ExpectedRun]) -> SimDuration {
        let mut of: OrderedMap<SweepResource, (f64, f64)> = OrderedMap::new();
        for run in expected {
            let (right, all) = of.entry(run.resource).or_default();
            *right += f64::from(u8::from(run.is_right));
            *all += 1.0;
        }
        let (mut weighted, mut weights) = (0.0, 0.0);
        for (resource, (right, all)) in of {
            let weight = self.weights.entry(resource).or_insert(1.0);
            weighted += *weight * right / all;
            weights += *weight;
            *weight = ((1.0 - GAIN) * *weight + GAIN * right / all).max(LEAST);
        }
        let correctness = if weights > 0.0 { weighted / weights } else { 1.0 };
        self.adapted.next(last, correctness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::grid::HostNumber;

    #[test]
    fn a_resource_that_is_predicted_wrong_counts_for_less_from_plan_to_plan() {
        let adapted = Adapted::of(0.75, (2.0, 0.5));
        let mut rule = WeightedDeviation { adapted, weights: OrderedMap::new() };
        let run = |host| ExpectedRun { resource: SweepResource::Host(HostNumber(host)), is_right: host == 1 };
        let expected = [run(0), run(1)];
        let mut last = SimDuration::from_secs(64);
        // its weight falls by a fifth each time; at 0.328 three quarters of all weight are right
        for seconds in [32, 16, 8, 4, 2, 4] {
            last = rule.next(last, &expected);
            assert_eq!(last, SimDuration::from_secs(seconds));
        }
    }
}
