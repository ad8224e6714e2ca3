//! The sliding median: of the last values, which one that strays does not move.

use crate::registry::{Entry, Key};

use super::window::{Sorted, median};
use super::{Forecaster, VALUES};

pub(super) const ENTRY: Entry<dyn Forecaster> =
    Entry::new("sliding-median", "the median of the last values", KEYS, |params| {
        Ok(Box::new(SlidingMedian::new(params.read("values")?)))
    });

const KEYS: &[Key] = &[VALUES.or_count(5).about("of how many of the last values")];

/// The next value is the median of the last ones.
#[derive(Clone, Debug)]
pub struct SlidingMedian(Sorted);

impl SlidingMedian {
    /// Of so many values.
    pub fn new(values: usize) -> Self {
        SlidingMedian(Sorted::new(values))
    }
}

impl Forecaster for SlidingMedian {
    fn add(&mut self, value: f64) {
        self.0.add(value);
    }

    fn next(&self) -> Option<f64> {
        median(self.0.values())
    }
}
