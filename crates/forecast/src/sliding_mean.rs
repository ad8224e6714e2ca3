//! The sliding mean: of the last values.

use crate::registry::{Entry, Key};

use super::window::Window;
use super::{Forecaster, VALUES};

pub(super) const ENTRY: Entry<dyn Forecaster> =
    Entry::new("sliding-mean", "the mean of the last values", KEYS, |params| {
        Ok(Box::new(SlidingMean::new(params.read("values")?)))
    });

const KEYS: &[Key] = &[VALUES.or_count(5).about("of how many of the last values")];

/// The next value is the mean of the last ones.
#[derive(Clone, Debug)]
pub struct SlidingMean(Window);

impl SlidingMean {
    /// Of so many values.
    pub fn new(values: usize) -> Self {
        SlidingMean(Window::new(values))
    }
}

impl Forecaster for SlidingMean {
    fn add(&mut self, value: f64) {
        self.0.add(value);
    }

    fn next(&self) -> Option<f64> {
        self.0.mean()
    }
}
