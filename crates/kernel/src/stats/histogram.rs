//! Histograms: bins of equal width, and bins of equal relative width.
//!
//! [`Histogram`] is CSIM's: equal bins over a given range, with what falls below and above counted
//! apart. [`LogLinear`] needs no range: each factor of two is cut into 1,024 equal bins (the idea
//! of G. Tene's HdrHistogram, here on real numbers of either sign). An IEEE number's bits are
//! already that scale: for positive numbers, the bit pattern without its low 42 bits numbers the
//! bins in order. No logarithm is taken, so nothing depends on a platform; only bins met take
//! memory. A value is known to within 1/2048 of itself.

use std::collections::BTreeMap;

use super::quantiles::nearest_rank;

/// Counts over bins of equal width.
#[derive(Clone, Debug)]
pub struct Histogram {
    low: f64,
    width: f64,
    bins: Vec<u64>,
    below: u64,
    above: u64,
}

impl Histogram {
    /// `bins` bins of equal width from `low` to `high`.
    ///
    /// # Panics
    /// If there is no bin, or `high` is not above `low`, or either is not finite.
    pub fn new(low: f64, high: f64, bins: u32) -> Self {
        let width = (high - low) / f64::from(bins);
        assert!(width > 0.0 && width.is_finite(), "a histogram needs bins of positive, finite width");
        Histogram { low, width, bins: vec![0; bins as usize], below: 0, above: 0 }
    }

    /// Counts `x` in the bin with lower end <= x < upper end. Not-a-number is not counted.
    pub fn record(&mut self, x: f64) {
        let place = (x - self.low) / self.width;
        if place < 0.0 {
            self.below += 1;
        } else if place >= self.bins.len() as f64 {
            self.above += 1;
        } else if !place.is_nan() {
            self.bins[place as usize] += 1;
        }
    }

    /// Adds the counts of `other`; false, and nothing is done, if its bins are others.
    pub fn merge(&mut self, other: &Histogram) -> bool {
        let same = self.low.to_bits() == other.low.to_bits()
            && self.width.to_bits() == other.width.to_bits()
            && self.bins.len() == other.bins.len();
        if same {
            for (mine, theirs) in self.bins.iter_mut().zip(&other.bins) {
                *mine += theirs;
            }
            self.below += other.below;
            self.above += other.above;
        }
        same
    }

    /// Lower end, upper end and count of every bin, upwards.
    pub fn bins(&self) -> impl Iterator<Item = (f64, f64, u64)> + '_ {
        let edge = |index: usize| self.low + self.width * index as f64;
        self.bins.iter().enumerate().map(move |(index, &count)| (edge(index), edge(index + 1), count))
    }

    /// Observations below the first bin.
    pub fn below(&self) -> u64 {
        self.below
    }

    /// Observations at or above the end of the last bin.
    pub fn above(&self) -> u64 {
        self.above
    }

    /// All observations.
    pub fn count(&self) -> u64 {
        self.below + self.above + self.bins.iter().sum::<u64>()
    }
}

/// Bits of an `f64` below those that choose its bin: 52 of the fraction less 10.
const SHED_BITS: u32 = 42;

/// Counts over bins of equal relative width, 1,024 to a factor of two.
#[derive(Clone, Debug, Default)]
pub struct LogLinear {
    bins: BTreeMap<u64, u64>,
    count: u64,
    extremes: Option<(f64, f64)>,
}

impl LogLinear {
    /// An empty histogram.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts `x`. Not-a-number is not counted.
    pub fn record(&mut self, x: f64) {
        if x.is_nan() {
            return;
        }
        let x = x + 0.0; // a negative zero becomes zero
        *self.bins.entry(Self::bin(x)).or_default() += 1;
        self.count += 1;
        let (min, max) = self.extremes.unwrap_or((x, x));
        self.extremes = Some((min.min(x), max.max(x)));
    }

    /// Observations so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The least observation, exact.
    pub fn min(&self) -> Option<f64> {
        self.extremes.map(|(min, _)| min)
    }

    /// The greatest observation, exact.
    pub fn max(&self) -> Option<f64> {
        self.extremes.map(|(_, max)| max)
    }

    /// The middle of the bin that holds the `parts / of` quantile (nearest rank), within 1/2048 of
    /// the true one; the least and the greatest observation are exact. `None` without observations.
    ///
    /// # Panics
    /// If `parts / of` is not a share from 0 to 1.
    pub fn quantile(&self, parts: u64, of: u64) -> Option<f64> {
        let rank = nearest_rank(self.count, parts, of)?;
        let (min, max) = self.extremes?;
        if rank == 1 || rank == self.count {
            return Some(if rank == 1 { min } else { max });
        }
        let mut below = 0;
        let holds = |(&bin, &count): (&u64, &u64)| {
            below += count;
            (below >= rank).then_some(bin)
        };
        let bin = self.bins.iter().find_map(holds)?;
        Some(Self::middle(bin).clamp(min, max))
    }

    /// The number of the bin of `x`: greater for greater numbers.
    fn bin(x: f64) -> u64 {
        const SIGN: u64 = 1 << 63;
        let bits = x.to_bits() >> SHED_BITS << SHED_BITS;
        // order the negative numbers, whose bits grow with their size, below the positive ones
        (if bits & SIGN == 0 { bits | SIGN } else { !bits & !((1 << SHED_BITS) - 1) }) >> SHED_BITS
    }

    /// The number half way through bin `bin`.
    fn middle(bin: u64) -> f64 {
        const SIGN: u64 = 1 << 63;
        let shifted = bin << SHED_BITS;
        let bits = if shifted & SIGN == 0 { !shifted >> SHED_BITS << SHED_BITS } else { shifted ^ SIGN };
        let middle = f64::from_bits(bits | 1 << (SHED_BITS - 1));
        // whole small numbers lie at the start of their bin, and zero in the first: keep zero
        // itself
        if bits == 0 { 0.0 } else { middle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::{prop_assert, proptest};

    #[test]
    fn equal_bins_take_their_lower_end_and_not_their_upper() {
        let mut histogram = Histogram::new(0.0, 3.0, 3);
        for x in [-0.1, 0.0, 0.9, 1.0, 2.999, 3.0, 8.0, f64::NAN] {
            histogram.record(x);
        }
        let counts: Vec<u64> = histogram.bins().map(|(_, _, count)| count).collect();
        assert_eq!(counts, [2, 1, 1]);
        assert_eq!((histogram.below(), histogram.above(), histogram.count()), (1, 2, 7));
    }

    #[test]
    fn only_histograms_of_the_same_bins_merge() {
        let mut histogram = Histogram::new(0.0, 3.0, 3);
        let mut other = histogram.clone();
        other.record(1.5);
        assert!(histogram.merge(&other));
        assert_eq!(histogram.count(), 1);
        assert!(!histogram.merge(&Histogram::new(0.0, 3.0, 4)));
    }

    #[test]
    fn bins_are_ordered_as_the_numbers_are() {
        let rising = [f64::NEG_INFINITY, -1e300, -2.0, -1.0, -1e-300, 0.0, 1e-300, 1.0, 1.001, 2.0, 1e300];
        for pair in rising.windows(2) {
            assert!(LogLinear::bin(pair[0]) < LogLinear::bin(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn extremes_are_exact() {
        let mut histogram = LogLinear::new();
        for x in [3.3, 9.9, 1.1] {
            histogram.record(x);
        }
        assert_eq!((histogram.min(), histogram.max()), (Some(1.1), Some(9.9)));
        assert_eq!((histogram.quantile(0, 1), histogram.quantile(1, 1)), (Some(1.1), Some(9.9)));
        assert_eq!(LogLinear::new().quantile(1, 2), None);
    }

    proptest! {
        #[test]
        fn quantiles_are_within_half_a_bin(mut values in vec(-1e9..1e9, 1..200), percent in 0_u64..=100) {
            let mut histogram = LogLinear::new();
            for &x in &values {
                histogram.record(x);
            }
            values.sort_unstable_by(f64::total_cmp);
            let rank = nearest_rank(values.len() as u64, percent, 100).expect("not empty");
            let exact = values[rank as usize - 1];
            let estimate = histogram.quantile(percent, 100).expect("not empty");
            prop_assert!((estimate - exact).abs() <= exact.abs() / 2048.0, "{estimate} for {exact}");
        }
    }
}
