//! The trimmed mean: of the last values without the least and the greatest of them.
//!
//! Of n values that exist, the share times n is cut off each end, rounded down.

use crate::registry::{Bounds, Entry, Key, Kind};

use super::window::Sorted;
use super::{Forecaster, VALUES};

pub(super) const ENTRY: Entry<dyn Forecaster> = Entry::new(
    "trimmed-mean",
    "the mean of the last values without the least and greatest",
    KEYS,
    |params| Ok(Box::new(TrimmedMean::new(params.read("values")?, params.read("cut")?))),
);

const KEYS: &[Key] = &[
    VALUES.or_count(31).about("how many of the last values"),
    Key::new("cut", Kind::Share(Bounds::Within(0.0, 0.49)))
        .or_number(0.3)
        .about("the share of them that is cut off each end"),
];

/// The next value is the mean of the last ones without the least and the greatest.
#[derive(Clone, Debug)]
pub struct TrimmedMean {
    last: Sorted,
    cut: f64,
}

impl TrimmedMean {
    /// Of so many values, with a share `cut` off each end; below half, so that something is left.
    pub fn new(values: usize, cut: f64) -> Self {
        TrimmedMean { last: Sorted::new(values), cut: cut.clamp(0.0, 0.49) }
    }
}

impl Forecaster for TrimmedMean {
    fn add(&mut self, value: f64) {
        self.last.add(value);
    }

    fn next(&self) -> Option<f64> {
        let values = self.last.values();
        let cut = (self.cut * values.len() as f64) as usize;
        let kept = &values[cut..values.len() - cut];
        if kept.is_empty() { None } else { Some(kept.iter().sum::<f64>() / kept.len() as f64) }
    }
}
