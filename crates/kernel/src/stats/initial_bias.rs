//! Initialisation bias: does the beginning of a run still show in its mean?
//!
//! The observations are joined into [`InitialBias::BATCHES`] batches of equal size and judged by
//! two statistics of the batch means. Either one is enough.
//!
//! - **The trend**: T = √45 / (n^{3/2} s) · Σ (1 − k/n) k (Ȳₙ − Ȳₖ), where Ȳₖ is the mean of the
//!   first k of n means. It is the optimal test for initialisation bias of L. W. Schruben, H. Singh
//!   and L. Tierney, *Operations Research* 31(6), 1983. s² is the variance of the means within the
//!   first and within the second half, pooled, with n − 2 degrees of freedom, so that a long queue
//!   of chance in one half does not count as a trend. Neighbouring means of a busy queue correlate,
//!   which makes chance look like a trend: T is divided by √((1 + φ)/(1 − φ)), where φ is their
//!   correlation in the last three quarters of the run, 0 at least (the variance of a mean of such
//!   a series grows by that factor). The level is 0.5 %, on both sides.
//! - **The first batch**: its distance from the mean of the last three quarters of the batches, in
//!   standard errors of one more batch. It finds a beginning that is short but very different,
//!   which s² hides from T. The bound is 5: waits have long tails, and the level of the normal
//!   distribution does not hold for them.
//!
//! Both assume independent batches and normal means, which short runs do not have. How often the
//! test finds a bias in runs that have none, and how often in runs that never settle, is therefore
//! measured: `docs/warnings.md` has the figures, and `.ci/warnings` repeats them. A run of fewer
//! than [`InitialBias::LEAST`] observations is not judged.

use super::student::student_quantile;
use super::table::Table;

/// Test of the batch means of a run for a bias of its beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InitialBias {
    /// Schruben's T, corrected for correlation: positive if the beginning is below the rest.
    pub trend: f64,
    /// Distance of the first batch from the last three quarters, in standard errors: negative if it
    /// is below them.
    pub first: f64,
}

impl InitialBias {
    /// Batches that a run is divided into.
    pub const BATCHES: usize = 20;
    /// Observations that a run needs to be judged.
    pub const LEAST: usize = 1000;

    const LEVEL: f64 = 0.005;
    const FARTHEST: f64 = 5.0;
    /// The largest correlation that is corrected for: fifteen means do not tell more.
    const MOST_CORRELATED: f64 = 0.95;

    /// Batches that collect the first `count` observations, in order of time, but for a last part
    /// that fills no batch. `None` if they are fewer than [`InitialBias::LEAST`].
    pub fn collecting(count: usize) -> Option<BiasBatches> {
        (count >= Self::LEAST).then_some(BiasBatches {
            size: count / Self::BATCHES,
            seen: 0,
            sums: [0.0; Self::BATCHES],
        })
    }

    fn of_means(means: &[f64; Self::BATCHES]) -> Self {
        let (early, late) = means.split_at(Self::BATCHES / 2);
        let pooled = f64::midpoint(variance(early), variance(late));
        let rest = &means[Self::BATCHES / 4..];
        let error = variance(rest) * (1.0 + 1.0 / rest.len() as f64);
        let phi = neighbours(rest).clamp(0.0, Self::MOST_CORRELATED);
        let trend = over(schruben(means), pooled * (1.0 + phi) / (1.0 - phi));
        InitialBias { trend, first: over(means[0] - mean(rest), error) }
    }

    /// Returns true if the beginning differs from the rest by more than chance explains.
    pub fn is_found(&self) -> bool {
        let bound = student_quantile(1.0 - Self::LEVEL / 2.0, (Self::BATCHES - 2) as f64);
        self.trend.abs() > bound || self.first.abs() > Self::FARTHEST
    }
}

/// Observations of a run in equal batches.
#[derive(Clone, Debug)]
pub struct BiasBatches {
    size: usize,
    seen: usize,
    sums: [f64; InitialBias::BATCHES],
}

impl BiasBatches {
    /// Adds the next observation.
    pub fn record(&mut self, observation: f64) {
        if let Some(sum) = self.sums.get_mut(self.seen / self.size) {
            *sum += observation;
        }
        self.seen += 1;
    }

    /// Initial bias that the batches show.
    pub fn judged(&self) -> InitialBias {
        InitialBias::of_means(&self.sums.map(|sum| sum / self.size as f64))
    }
}

/// The correlation of neighbours, 0 of equal values.
fn neighbours(values: &[f64]) -> f64 {
    let mean = mean(values);
    let products: f64 = values.windows(2).map(|two| (two[0] - mean) * (two[1] - mean)).sum();
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    if squares > 0.0 { products / squares } else { 0.0 }
}

/// √45 / n^{3/2} · Σ (1 − k/n) k (Ȳₙ − Ȳₖ).
fn schruben(means: &[f64]) -> f64 {
    let (count, whole) = (means.len() as f64, mean(means));
    let (mut sum, mut total, mut k) = (0.0, 0.0, 0.0);
    for mean in means {
        total += mean;
        k += 1.0;
        sum += (1.0 - k / count) * (k * whole - total);
    }
    45.0_f64.sqrt() * sum / (count * count.sqrt())
}

/// `value` over the root of `variance`; without a variance infinite, but 0 over 0 is 0.
fn over(value: f64, variance: f64) -> f64 {
    match (value, variance) {
        (_, variance) if variance > 0.0 => value / variance.sqrt(),
        (0.0, _) => 0.0,
        (value, _) => f64::INFINITY.copysign(value),
    }
}

fn mean(values: &[f64]) -> f64 {
    table(values).mean().unwrap_or(0.0)
}

fn variance(values: &[f64]) -> f64 {
    table(values).variance().unwrap_or(0.0)
}

fn table(values: &[f64]) -> Table {
    values.iter().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Streams;

    fn of(values: &[f64]) -> InitialBias {
        let mut batches = InitialBias::collecting(values.len()).expect("enough");
        values.iter().for_each(|value| batches.record(*value));
        batches.judged()
    }

    #[test]
    fn a_line_worked_by_hand() {
        let means: [f64; 20] = std::array::from_fn(|place| place as f64);
        let found = InitialBias::of_means(&means);
        // k (Ȳₙ − Ȳₖ) = k (20 − k)/2; Σ (20 − k)² k / 40 = 13,300/40 = 332.5; √45/20^1.5 × 332.5 =
        // 24.9375; s² of 10 in a row 55/6 of 15 in a row, ±7 around their mean: Σ d² = 280 and Σ d
        // (d + 1) = 280 - 49 - 7, so φ = 0.8, and T over √(1.8/0.2) = 3
        assert!((found.trend - 24.9375 / (55.0_f64 / 6.0).sqrt() / 3.0).abs() < 1e-9, "{found:?}");
        // 0 − 12 over the root of 20 × 16/15
        assert!((found.first + 12.0 / (20.0 * 16.0 / 15.0_f64).sqrt()).abs() < 1e-9, "{found:?}");
        // which saturation is a sign of
        assert!(!found.is_found());
    }

    #[test]
    fn too_few_observations_and_equal_ones_show_nothing() {
        assert!(InitialBias::collecting(999).is_none());
        let equal = of(&[3.0; 1000]);
        assert_eq!(equal, InitialBias { trend: 0.0, first: 0.0 });
        assert!(!equal.is_found());
    }

    #[test]
    fn a_beginning_that_differs_is_found_short_or_long_high_or_low() {
        let mut stream = Streams::new(1, 0).stream("a");
        let noise: Vec<f64> = (0..4000).map(|_| stream.uniform01()).collect();
        assert!(!of(&noise).is_found());
        for (until, by) in [(40, 5.0), (200, 1.0), (800, -0.3), (2000, 0.1), (200, -1.0)] {
            let mut values = noise.clone();
            values[..until].iter_mut().for_each(|value| *value += by);
            let found = of(&values);
            assert!(found.is_found(), "{until} {by}: {found:?}");
            assert_eq!((found.trend < 0.0, found.first > 0.0), (by > 0.0, by > 0.0), "{found:?}");
        }
    }

    #[test]
    fn a_long_queue_in_the_middle_is_no_beginning() {
        let mut values = vec![1.0; 2000];
        (400..600).for_each(|place| values[place] = 50.0);
        assert!(!of(&values).is_found(), "{:?}", of(&values));
    }
}
