//! S2: longer while predictions are right, shorter when they are not.

use crate::interval::{ADAPTED, Adapted, BeforeFirstPlan, EventInterval, ExpectedRun};
use crate::kernel::SimDuration;
use crate::registry::{Entry, entry};

pub(super) const ENTRY: Entry<dyn EventInterval> = entry!(
    "deviation" => "longer while the sub-tasks run that were predicted to, shorter when they do not",
    source "F. Berman, H. Casanova, A. Legrand, D. Zagorodnov, LIP RR1999-46, 1999", keys ADAPTED,
    reads |params| Deviation(Adapted::read(params)?)
);

/// S2.
#[derive(Clone, Copy, Debug)]
pub struct Deviation(Adapted);

impl EventInterval for Deviation {
    fn first(&mut self, known: &BeforeFirstPlan) -> SimDuration {
        self.0.first(known)
    }

    fn next(&mut self, last: SimDuration, expected: &[ExpectedRun]) -> SimDuration {
        self.0.next(last, correctness(expected).unwrap_or(1.0))
    }
}

/// The share of predictions that are right; `None` if there are none.
pub(crate) fn correctness(expected: &[ExpectedRun]) -> Option<f64> {
    let right = expected.iter().filter(|run| run.is_right).count();
    (!expected.is_empty()).then(|| right as f64 / expected.len() as f64)
}

#[cfg(test)]
impl Adapted {
    /// An interval that grows and shrinks by these factors without bounds.
    pub(super) fn of(correct: f64, (grow, shrink): (f64, f64)) -> Self {
        let bounds = (SimDuration::ZERO, SimDuration::MAX);
        Adapted { least: None, most: None, scheduler_share: 0.05, correct, grow, shrink, bounds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_grows_where_just_enough_is_right() {
        let adapted = Adapted::of(0.75, (1.5, 0.5));
        let minute = SimDuration::from_secs(60);
        assert_eq!(adapted.next(minute, 0.75), SimDuration::from_secs(90));
        assert_eq!(adapted.next(minute, 0.74), SimDuration::from_secs(30));
    }
}
