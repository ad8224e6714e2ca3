//! Adaptive windows: the mean or median of the last k values, k being moved by what would have been
//! right.
//!
//! k begins at its least. When a value comes, the windows k, k - 1 and k + 1 (within their bounds)
//! are asked what they would have forecast; the one that was nearest becomes k, at ties the first
//! of these three. The order at ties and the step are choices.

use crate::registry::{Complaint, Entry, Key, Kind, Params, keys};

use super::Forecaster;
use super::window::{Window, median};

pub(super) const MEAN: Entry<dyn Forecaster> = Entry::new(
    "adaptive-mean",
    "the mean of as many of the last values as would have been best",
    KEYS,
    |params| Ok(Box::new(read(params, Middle::Mean)?)),
);

pub(super) const MEDIAN: Entry<dyn Forecaster> = Entry::new(
    "adaptive-median",
    "the median of as many of the last values as would have been best",
    KEYS,
    |params| Ok(Box::new(read(params, Middle::Median)?)),
);

const SIZE: Kind = Kind::Count { least: 1, most: 10_000 };
const KEYS: &[Key] = &keys! {
    "least" SIZE, or_count 5 => "the fewest of the last values";
    "most" SIZE, or_count 50 => "the most of the last values";
};

fn read(params: &Params<'_>, middle: Middle) -> Result<Adaptive, Complaint> {
    let (least, most) = (params.read("least")?, params.read("most")?);
    if most < least {
        return Err(params.complaint("most", "`most` is below `least`"));
    }
    Ok(Adaptive::new(middle, least, most))
}

#[derive(Clone, Copy, Debug)]
enum Middle {
    Mean,
    Median,
}

/// The next value is the mean or median of the last ones, as many as would have been best.
///
/// # Complexity
/// O(k) for each value and forecast, and O(k log k) with medians.
#[derive(Clone, Debug)]
pub struct Adaptive {
    middle: Middle,
    bounds: (usize, usize),
    size: usize,
    last: Window,
}

impl Adaptive {
    fn new(middle: Middle, least: usize, most: usize) -> Self {
        Adaptive { middle, bounds: (least, most), size: least, last: Window::new(most) }
    }

    /// The mean of the last 5 to 50 values.
    pub fn mean() -> Self {
        Adaptive::new(Middle::Mean, 5, 50)
    }

    /// The median of the last 5 to 50 values.
    pub fn median() -> Self {
        Adaptive::new(Middle::Median, 5, 50)
    }

    fn of(&self, size: usize) -> Option<f64> {
        let last = self.last.iter().rev().take(size);
        match self.middle {
            Middle::Mean if self.last.len() == 0 => None,
            Middle::Mean => Some(last.sum::<f64>() / size.min(self.last.len()) as f64),
            Middle::Median => {
                let mut values: Vec<f64> = last.collect();
                values.sort_unstable_by(f64::total_cmp);
                median(&values)
            }
        }
    }
}

impl Forecaster for Adaptive {
    fn add(&mut self, value: f64) {
        let error = |size: usize| self.of(size).map(|forecast| (value - forecast).abs());
        if let Some(mut least) = error(self.size) {
            let (fewest, most) = self.bounds;
            let mut best = self.size;
            for size in [self.size - 1, self.size + 1] {
                if (fewest..=most).contains(&size)
                    && let Some(error) = error(size).filter(|error| *error < least)
                {
                    (best, least) = (size, error);
                }
            }
            self.size = best;
        }
        self.last.add(value);
    }

    fn next(&self) -> Option<f64> {
        self.of(self.size)
    }
}
