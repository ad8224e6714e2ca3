//! Statistics of single observations: CSIM's `table`.
//!
//! [`Table`] takes real numbers: count, mean, variance, extremes. Mean and sum of squares follow B.
//! P. Welford (*Technometrics* 4(3), 1962), each kept as a sum of two `f64` (T. J. Dekker,
//! *Numerische Mathematik* 18, 1971), so that 10^9 observations lose no digit that is shown. Two
//! tables merge by the pairwise formula of T. F. Chan, G. H. Golub and R. J. LeVeque (*The American
//! Statistician* 37(3), 1983).
//!
//! [`DurationTable`] takes spans of virtual time and keeps their sum as an exact integer: its mean
//! is rounded once and does not depend on the order of observations. Variances are computed in
//! floating point in both.

use super::ratio::ratio;
use crate::SimDuration;

/// A number kept as the exact sum of a large and a small `f64`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Doubled {
    high: f64,
    low: f64,
}

impl Doubled {
    /// Adds `x`; the error of the rounded sum (D. E. Knuth's two-sum) goes to the low part.
    fn add(&mut self, x: f64) {
        let x = x + self.low;
        let sum = self.high + x;
        let back = sum - self.high;
        self.low = (self.high - (sum - back)) + (x - back);
        self.high = sum;
    }

    fn value(self) -> f64 {
        self.high + self.low
    }
}

/// Count, mean, variance and extremes of real observations. Not-a-number is not an observation and
/// is ignored.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    count: u64,
    mean: Doubled,
    /// Sum of squared distances from the mean.
    squares: Doubled,
    min: f64,
    max: f64,
}

impl Default for Table {
    fn default() -> Self {
        Self::new()
    }
}

impl FromIterator<f64> for Table {
    /// Of these observations, in their order.
    fn from_iter<I: IntoIterator<Item = f64>>(observations: I) -> Self {
        let mut table = Table::new();
        observations.into_iter().for_each(|x| table.record(x));
        table
    }
}

impl Table {
    /// An empty table.
    pub fn new() -> Self {
        Table {
            count: 0,
            mean: Doubled::default(),
            squares: Doubled::default(),
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        }
    }

    /// Takes one observation.
    pub fn record(&mut self, x: f64) {
        if x.is_nan() {
            return;
        }
        self.count += 1;
        let before = (x - self.mean.high) - self.mean.low;
        self.mean.add(before / self.count as f64);
        let after = (x - self.mean.high) - self.mean.low;
        self.squares.add(before * after);
        self.min = self.min.min(x);
        self.max = self.max.max(x);
    }

    /// Takes `times` equal observations. More than a few are merged in one step.
    pub fn record_times(&mut self, x: f64, times: u64) {
        const FEW: u64 = 1 << 17;
        if times <= FEW {
            (0..times).for_each(|_| self.record(x));
            return;
        }
        let mut equal = Table::new();
        equal.record(x);
        if equal.count == 1 {
            equal.count = times;
            self.merge(&equal);
        }
    }

    /// Takes in all observations of `other`, as if they had been recorded here.
    pub fn merge(&mut self, other: &Table) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = other.clone();
            return;
        }
        let (mine, theirs) = (self.count as f64, other.count as f64);
        let apart = (other.mean.high - self.mean.high) + (other.mean.low - self.mean.low);
        self.mean.add(apart * (theirs / (mine + theirs)));
        self.squares.add(other.squares.high);
        self.squares.add(other.squares.low);
        self.squares.add(apart * apart * (mine * (theirs / (mine + theirs))));
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Forgets everything, as at the end of a warm-up.
    pub fn reset(&mut self) {
        *self = Self::new();
    }

    /// Observations so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Mean of the observations; `None` without any.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.mean.value())
    }

    /// Unbiased sample variance (divided by count - 1); `None` below two observations.
    pub fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| (self.squares.value() / (self.count - 1) as f64).max(0.0))
    }

    /// Square root of the variance.
    pub fn standard_deviation(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }

    /// Coefficient of variation, standard deviation / |mean| [no unit]; `None` at mean 0.
    pub fn cv(&self) -> Option<f64> {
        let mean = self.mean().filter(|&mean| mean != 0.0)?;
        Some(self.standard_deviation()? / mean.abs())
    }

    /// The least observation.
    pub fn min(&self) -> Option<f64> {
        (self.count > 0).then_some(self.min)
    }

    /// The greatest observation.
    pub fn max(&self) -> Option<f64> {
        (self.count > 0).then_some(self.max)
    }
}

/// Count, exact sum, mean, variance and extremes of spans of virtual time.
#[derive(Clone, Debug, Default)]
pub struct DurationTable {
    sum_nanos: u128,
    /// In nanoseconds, for the variance.
    spread: Table,
    extremes: Option<(SimDuration, SimDuration)>,
}

impl DurationTable {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes one observation.
    pub fn record(&mut self, span: SimDuration) {
        self.sum_nanos += u128::from(span.as_nanos());
        self.spread.record(span.as_nanos() as f64);
        let (min, max) = self.extremes.unwrap_or((span, span));
        self.extremes = Some((min.min(span), max.max(span)));
    }

    /// Takes in all observations of `other`.
    pub fn merge(&mut self, other: &DurationTable) {
        self.sum_nanos += other.sum_nanos;
        self.spread.merge(&other.spread);
        if let Some((min, max)) = other.extremes {
            let (my_min, my_max) = self.extremes.unwrap_or((min, max));
            self.extremes = Some((my_min.min(min), my_max.max(max)));
        }
    }

    /// Forgets everything, as at the end of a warm-up.
    pub fn reset(&mut self) {
        *self = Self::new();
    }

    /// Observations so far.
    pub fn count(&self) -> u64 {
        self.spread.count()
    }

    /// Exact sum of the observations \[ns\].
    pub fn sum_nanos(&self) -> u128 {
        self.sum_nanos
    }

    /// Mean of the observations \[s\], rounded once from the exact sum; `None` without any.
    pub fn mean_secs(&self) -> Option<f64> {
        (self.count() > 0).then(|| ratio(self.sum_nanos, u128::from(self.count()) * 1_000_000_000))
    }

    /// Unbiased sample variance \[s²\]; `None` below two observations.
    pub fn variance_secs(&self) -> Option<f64> {
        self.spread.variance().map(|nanos| nanos / 1e18)
    }

    /// The shortest observation.
    pub fn min(&self) -> Option<SimDuration> {
        self.extremes.map(|(min, _)| min)
    }

    /// The longest observation.
    pub fn max(&self) -> Option<SimDuration> {
        self.extremes.map(|(_, max)| max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    fn table(values: &[f64]) -> Table {
        let mut table = Table::new();
        for &x in values {
            table.record(x);
        }
        table
    }

    #[test]
    fn a_small_table_worked_by_hand() {
        // mean 5, squared distances 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32
        let table = table(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!(table.count(), 8);
        assert_eq!(table.mean(), Some(5.0));
        assert!((table.variance().expect("eight") - 32.0 / 7.0).abs() < 1e-15);
        assert_eq!((table.min(), table.max()), (Some(2.0), Some(9.0)));
    }

    #[test]
    fn nothing_observed_is_nothing_not_zero() {
        let table = Table::new();
        assert_eq!((table.mean(), table.variance(), table.min(), table.max()), (None, None, None, None));
        assert_eq!(DurationTable::new().mean_secs(), None);
        assert_eq!(DurationTable::new().max(), None);
    }

    #[test]
    fn a_large_offset_costs_no_digits() {
        // variance of 4, 7, 13, 16 is 30, whatever is added to all of them
        let table = table(&[1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0]);
        assert_eq!(table.variance(), Some(30.0));
        assert_eq!(table.mean(), Some(1e9 + 10.0));
    }

    #[test]
    fn a_million_tenths_have_the_mean_of_one() {
        let mut table = Table::new();
        for _ in 0..1_000_000 {
            table.record(0.1);
        }
        assert_eq!(table.mean(), Some(0.1));
        assert!(table.variance().expect("many") < 1e-30);
    }

    #[test]
    fn spans_are_summed_exactly() {
        let mut table = DurationTable::new();
        for nanos in [1, 2, u64::MAX, u64::MAX] {
            table.record(SimDuration::from_nanos(nanos));
        }
        assert_eq!(table.sum_nanos(), 3 + 2 * u128::from(u64::MAX));
        assert_eq!(table.min(), Some(SimDuration::from_nanos(1)));
        let mut seconds = DurationTable::new();
        for s in [1, 2, 6] {
            seconds.record(SimDuration::from_secs(s));
        }
        assert_eq!(seconds.mean_secs(), Some(3.0));
        assert!((seconds.variance_secs().expect("three") - 7.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn merging_two_tables_is_recording_all(left in vec(-1e6..1e6, 0..50), right in vec(-1e6..1e6, 0..50)) {
            let mut merged = table(&left);
            merged.merge(&table(&right));
            let all = table(&[left, right].concat());
            prop_assert_eq!(merged.count(), all.count());
            prop_assert_eq!(merged.min(), all.min());
            prop_assert_eq!(merged.max(), all.max());
            let near = |a: Option<f64>, b: Option<f64>, scale: f64| match (a, b) {
                (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * scale,
                (a, b) => a.is_none() && b.is_none(),
            };
            prop_assert!(near(merged.mean(), all.mean(), 1e6));
            prop_assert!(near(merged.variance(), all.variance(), 1e12));
        }
    }
}
