//! Confidence intervals by Student's law ([`student_quantile`](super::student_quantile)).

use super::student::student_upper;
use super::table::Table;

/// A mean and how far it may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceInterval {
    /// The estimate, the middle of the interval.
    pub mean: f64,
    /// Half of the interval's width.
    pub half_width: f64,
    /// The share of such intervals that hold the true mean, for instance 0.95.
    pub confidence: f64,
    /// Observations (replications, batches) it rests on.
    pub observations: u64,
}

impl ConfidenceInterval {
    /// From independent observations; `None` below two.
    ///
    /// # Panics
    /// If `confidence` is not inside (0, 1).
    pub fn of(observations: &[f64], confidence: f64) -> Option<Self> {
        Self::of_table(&observations.iter().copied().collect(), confidence)
    }

    /// From a table of independent observations; `None` below two.
    ///
    /// # Panics
    /// If `confidence` is not inside (0, 1).
    pub fn of_table(table: &Table, confidence: f64) -> Option<Self> {
        assert!(confidence > 0.0 && confidence < 1.0, "a confidence is inside (0, 1), not {confidence}");
        let observations = table.count();
        let (mean, variance) = (table.mean()?, table.variance()?);
        let standard_error = (variance / observations as f64).sqrt();
        let t = student_upper((1.0 - confidence) / 2.0, (observations - 1) as f64);
        Some(ConfidenceInterval { mean, half_width: t * standard_error, confidence, observations })
    }

    /// From paired observations (the same replications under two policies): the mean of `ours -
    /// theirs`. `None` below two pairs or if the lengths differ.
    ///
    /// # Panics
    /// If `confidence` is not inside (0, 1).
    pub fn of_differences(ours: &[f64], theirs: &[f64], confidence: f64) -> Option<Self> {
        let differences: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a - b).collect();
        if ours.len() == theirs.len() { Self::of(&differences, confidence) } else { None }
    }

    /// Half-width / |mean| [no unit]; 0 for an interval without width, else infinite at mean 0.
    pub fn relative(&self) -> f64 {
        if self.half_width == 0.0 { 0.0 } else { self.half_width / self.mean.abs() }
    }

    /// The lower end.
    pub fn low(&self) -> f64 {
        self.mean - self.half_width
    }

    /// The upper end.
    pub fn high(&self) -> f64 {
        self.mean + self.half_width
    }

    /// Returns true if `x` lies within, ends included.
    pub fn contains(&self, x: f64) -> bool {
        (self.low()..=self.high()).contains(&x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_worked_by_hand() {
        // mean 3, variance 2.5, t(0.975, 4) = 2.776445: 2.776445 × sqrt(0.5) = 1.963243
        let interval = ConfidenceInterval::of(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.95).expect("five");
        assert!((interval.half_width - 1.963_243_1).abs() < 1e-6);
        assert!(interval.contains(3.0) && interval.contains(1.1) && !interval.contains(5.0));
        assert!((interval.relative() - 0.654_414_4).abs() < 1e-6);
        assert_eq!(interval.observations, 5);
    }

    #[test]
    fn pairs_are_compared_by_their_differences() {
        // differences 1, 1, 4: mean 2, variance 3, t(0.975, 2) = 4.302653, half-width 4.302653
        let interval =
            ConfidenceInterval::of_differences(&[3.0, 8.0, 9.0], &[2.0, 7.0, 5.0], 0.95).expect("three");
        assert_eq!(interval.mean.to_bits(), 2.0_f64.to_bits());
        assert!((interval.half_width - 4.302_652_7).abs() < 1e-6);
        assert_eq!(ConfidenceInterval::of_differences(&[1.0, 2.0], &[1.0], 0.95), None);
    }

    #[test]
    fn one_observation_has_no_interval() {
        assert_eq!(ConfidenceInterval::of(&[1.0], 0.95), None);
        assert_eq!(ConfidenceInterval::of(&[2.0, 2.0], 0.95).expect("two").relative().to_bits(), 0);
    }
}
