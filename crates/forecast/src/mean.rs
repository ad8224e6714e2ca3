//! The running mean: of all values so far.

use crate::registry::Entry;

use super::Forecaster;

pub(super) const ENTRY: Entry<dyn Forecaster> =
    Entry::new("mean", "the mean of all values so far", &[], |_| Ok(Box::new(Mean::default())));

/// The next value is the mean of all so far.
#[derive(Clone, Debug, Default)]
pub struct Mean {
    count: u64,
    sum: f64,
}

impl Forecaster for Mean {
    fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
    }

    fn next(&self) -> Option<f64> {
        if self.count == 0 { None } else { Some(self.sum / self.count as f64) }
    }
}
