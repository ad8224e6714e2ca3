//! One metric over the replications of one point, in six figures.
//!
//! Replications are independent runs, so Student's interval over their values needs no assumption
//! about what goes on inside a run, only that the values are not too far from normal. Over 10
//! replications of 10^4 customers each, after a warm-up of 2,000, the 95 % interval held the known
//! mean wait of M/M/1 in 955 of 1,000 seeded experiments at load 0.5 and in 952 at load 0.8
//! (`.ci/coverage`).

use super::interval::ConfidenceInterval;
use super::table::Table;

/// The confidence of all intervals that are shown.
pub const CONFIDENCE: f64 = 0.95;

/// Summary of a metric over replications.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Summary {
    /// Replications with a value.
    pub n: u64,
    /// Mean of the values.
    pub mean: f64,
    /// Half of the width of the 95 % interval of the mean; `None` below two replications.
    pub half_width: Option<f64>,
    /// The middle value, or the mean of the two middle ones.
    pub median: f64,
    /// The least value.
    pub min: f64,
    /// The greatest value.
    pub max: f64,
}

impl Summary {
    /// Of one value a replication; `None` without any. What is not a finite number is no value.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        let table: Table = sorted.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let half = sorted.len() / 2;
        let upper = *sorted.get(half)?;
        let median =
            if sorted.len().is_multiple_of(2) { f64::midpoint(sorted[half - 1], upper) } else { upper };
        Some(Summary {
            n: table.count(),
            mean: table.mean()?,
            half_width: ConfidenceInterval::of_table(&table, CONFIDENCE).map(|interval| interval.half_width),
            median,
            min: table.min()?,
            max: table.max()?,
        })
    }

    /// Half-width / |mean| [no unit]: 0 for an interval without width, else infinite at mean 0;
    /// `None` without interval.
    pub fn relative(&self) -> Option<f64> {
        let half_width = self.half_width?;
        Some(if half_width <= 0.0 { 0.0 } else { half_width / self.mean.abs() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::{prop_assert, proptest};

    #[test]
    fn a_summary_worked_by_hand() {
        // mean 3, variance 2.5, t(0.975, 4) = 2.776445: half-width 1.963243
        let summary = Summary::of(&[5.0, 1.0, 4.0, 2.0, 3.0]).expect("five");
        assert_eq!((summary.n, summary.mean.to_bits()), (5, 3.0_f64.to_bits()));
        assert_eq!(summary.median.to_bits(), 3.0_f64.to_bits());
        assert_eq!((summary.min.to_bits(), summary.max.to_bits()), (1.0_f64.to_bits(), 5.0_f64.to_bits()));
        assert!((summary.half_width.expect("five") - 1.963_243_1).abs() < 1e-6);
        assert!((summary.relative().expect("five") - 0.654_414_4).abs() < 1e-6);
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_two_middle_ones() {
        let summary = Summary::of(&[8.0, 1.0, 2.0, 4.0]).expect("four");
        assert_eq!(summary.median.to_bits(), 3.0_f64.to_bits());
    }

    #[test]
    fn one_value_has_no_interval_and_none_no_summary() {
        let one = Summary::of(&[7.0, f64::NAN, f64::INFINITY]).expect("one");
        assert_eq!((one.n, one.half_width, one.relative()), (1, None, None));
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[f64::NAN]), None);
    }

    #[test]
    fn equal_values_have_an_interval_without_width() {
        let summary = Summary::of(&[0.0; 10]).expect("ten");
        assert_eq!(summary.half_width.map(f64::to_bits), Some(0));
        assert_eq!(summary.relative().map(f64::to_bits), Some(0));
    }

    proptest! {
        #[test]
        fn mean_and_median_lie_within_the_range(values in vec(-1e6..1e6, 1..60)) {
            let summary = Summary::of(&values).expect("at least one");
            let slack = 1e-9 * summary.max.abs().max(summary.min.abs());
            prop_assert!((summary.min..=summary.max).contains(&summary.median));
            prop_assert!((summary.min - slack..=summary.max + slack).contains(&summary.mean));
        }
    }
}
