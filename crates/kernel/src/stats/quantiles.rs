//! Quantiles by nearest rank.
//!
//! The p quantile of n observations is the one at rank ceil(p n) in rising order (rank 1 for p =
//! 0): always something that was observed, never an interpolation. Shares are given as two whole
//! numbers, because ceil(0.55 × 100) is 56 in floating point. Up to 10^6 observations all are kept
//! and the answer is exact; beyond, they are poured into the log-linear histogram ([`LogLinear`]),
//! the answer is within 1/2048 of the exact one, and [`Quantiles::is_exact`] says so.

use super::histogram::LogLinear;

/// The rank, from 1, of the `parts / of` quantile of `count` observations: ceil(count × parts /
/// of), at least 1. `None` without observations.
///
/// # Panics
/// If `parts / of` is not a share from 0 to 1.
pub fn nearest_rank(count: u64, parts: u64, of: u64) -> Option<u64> {
    assert!(of > 0 && parts <= of, "{parts}/{of} is not a share from 0 to 1");
    // at most `count`, so it fits
    let rank = (u128::from(count) * u128::from(parts)).div_ceil(u128::from(of)) as u64;
    (count > 0).then_some(rank.max(1))
}

/// Observations, kept for their quantiles.
#[derive(Clone, Debug)]
pub struct Quantiles {
    kept: Kept,
    limit: usize,
}

#[derive(Clone, Debug)]
enum Kept {
    All { values: Vec<f64>, sorted: bool },
    Binned(LogLinear),
}

impl Default for Quantiles {
    fn default() -> Self {
        Self::new()
    }
}

impl Quantiles {
    /// Most observations of which every one is kept.
    pub const EXACT_LIMIT: usize = 1_000_000;

    /// No observations yet; exact up to [`Quantiles::EXACT_LIMIT`].
    pub fn new() -> Self {
        Self::with_limit(Self::EXACT_LIMIT)
    }

    /// No observations yet; exact up to `limit`.
    pub fn with_limit(limit: usize) -> Self {
        Quantiles { kept: Kept::All { values: Vec::new(), sorted: true }, limit }
    }

    /// Takes one observation. Not-a-number is not one and is ignored.
    pub fn record(&mut self, x: f64) {
        if x.is_nan() {
            return;
        }
        match &mut self.kept {
            Kept::Binned(bins) => bins.record(x),
            Kept::All { values, sorted } if values.len() < self.limit => {
                *sorted = false;
                values.push(x);
            }
            Kept::All { values, .. } => {
                let mut bins = LogLinear::new();
                for &value in values.iter() {
                    bins.record(value);
                }
                bins.record(x);
                self.kept = Kept::Binned(bins);
            }
        }
    }

    /// Forgets everything, as at the end of a warm-up.
    pub fn reset(&mut self) {
        *self = Self::with_limit(self.limit);
    }

    /// Observations so far.
    pub fn count(&self) -> u64 {
        match &self.kept {
            Kept::All { values, .. } => values.len() as u64,
            Kept::Binned(bins) => bins.count(),
        }
    }

    /// Returns true if quantiles are observations themselves rather than middles of bins.
    pub fn is_exact(&self) -> bool {
        matches!(self.kept, Kept::All { .. })
    }

    /// The `parts / of` quantile: `quantile(95, 100)`. `None` without observations.
    ///
    /// # Panics
    /// If `parts / of` is not a share from 0 to 1.
    ///
    /// # Complexity
    /// Sorts once after new observations; a look-up otherwise.
    pub fn quantile(&mut self, parts: u64, of: u64) -> Option<f64> {
        match &mut self.kept {
            Kept::Binned(bins) => bins.quantile(parts, of),
            Kept::All { values, sorted } => {
                let rank = nearest_rank(values.len() as u64, parts, of)?;
                if !*sorted {
                    values.sort_unstable_by(f64::total_cmp);
                    *sorted = true;
                }
                Some(values[rank as usize - 1])
            }
        }
    }

    /// The quantile at one half: of an even number of observations, the lower of the two in the
    /// middle.
    pub fn median(&mut self) -> Option<f64> {
        self.quantile(1, 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_rounded_up_exactly() {
        assert_eq!(nearest_rank(100, 55, 100), Some(55)); // 56 in floating point
        assert_eq!(nearest_rank(20, 95, 100), Some(19));
        assert_eq!(nearest_rank(21, 95, 100), Some(20));
        assert_eq!(nearest_rank(5, 0, 1), Some(1));
        assert_eq!(nearest_rank(0, 1, 2), None);
        assert_eq!(nearest_rank(u64::MAX, u64::MAX, u64::MAX), Some(u64::MAX));
    }

    #[test]
    fn quantiles_are_observations() {
        let mut quantiles = Quantiles::new();
        for x in [40.0, 15.0, 50.0, 20.0, 35.0] {
            quantiles.record(x);
        }
        // the five values of the usual example: ranks 1, 2, 2, 3, 5
        let shares = [5, 30, 40, 50, 100].map(|percent| quantiles.quantile(percent, 100));
        assert_eq!(shares, [15.0, 20.0, 20.0, 35.0, 50.0].map(Some));
        quantiles.record(1.0);
        assert_eq!(quantiles.median(), Some(20.0)); // rank 3 of 6
        assert!(quantiles.is_exact());
    }

    #[test]
    fn past_its_limit_the_answer_is_near_and_says_so() {
        let mut quantiles = Quantiles::with_limit(1000);
        for x in 1..=1000_u32 {
            quantiles.record(f64::from(x));
        }
        assert!(quantiles.is_exact());
        assert_eq!(quantiles.quantile(9, 10), Some(900.0));
        for x in 1001..=10_000_u32 {
            quantiles.record(f64::from(x));
        }
        assert!(!quantiles.is_exact());
        assert_eq!(quantiles.count(), 10_000);
        let near = quantiles.quantile(9, 10).expect("many");
        assert!((near - 9000.0).abs() <= 9000.0 / 2048.0 + 1.0, "{near}");
        quantiles.reset();
        assert!(quantiles.is_exact() && quantiles.median().is_none());
    }

    #[test]
    fn a_histogram_keeps_zeros_apart() {
        let mut quantiles = Quantiles::with_limit(0);
        for x in 0..10_u32 {
            quantiles.record(f64::from(x.saturating_sub(6)));
        }
        assert_eq!(quantiles.median(), Some(0.0));
    }
}
