//! Initialisation bias: does the beginning of a run still show in its mean?
//!
//! The observations are joined into [`InitialBias::BATCHES`] batches of equal size and judged by two statistics of the batch
//! means. Either one is enough.
//!
//! - **The trend**: T = √45 / (n^{3/2} s) · Σ (1 − k/n) k (Ȳₙ − Ȳₖ), where Ȳₖ is the mean of the first k of n means. It is the
//!   optimal test for initialisation bias of L. W. Schruben, H. Singh and L. Tierney, *Operations Research* 31(6), 1983. s²
//!   is the variance of the means within the first and within the second half, pooled, with n − 2 degrees of freedom, so that a
//!   long queue of chance in one half does not count as a trend. The level is 1 %, on both sides. A trend through the whole
//!   run, as of a load above 1, gives a large T as well.
//! - **The first batch**: its distance from the mean of the last three quarters of the batches, in standard errors of one more
//!   batch. It finds a beginning that is short but very different, which s² hides from T. The bound is 5: waits have long
//!   tails, and the level of the normal distribution does not hold for them.
//!
//! Both assume independent batches and normal means, which short runs do not have. How often the test finds a bias in runs that
//! have none, and how often in runs that never settle, is therefore measured: `docs/warnings.md` has the figures, and
//! `.ci/warnings` repeats them. A run of fewer than [`InitialBias::LEAST`] observations is not judged.

use super::student::student_quantile;
use super::table::Table;

/// What the batch means of a run show of its beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InitialBias {
    /// Schruben's T: positive if the beginning is below the rest.
    pub trend: f64,
    /// Distance of the first batch from the last three quarters, in standard errors: negative if it is below them.
    pub first: f64,
}

impl InitialBias {
    /// Batches that a run is divided into.
    pub const BATCHES: usize = 20;
    /// Observations that a run needs to be judged.
    pub const LEAST: usize = 1000;

    const LEVEL: f64 = 0.01;
    const FARTHEST: f64 = 5.0;

    /// Of the first `count` of these observations, in order of time, but for a last part that fills no batch. `None` if they
    /// are fewer than [`InitialBias::LEAST`].
    pub fn of(observations: impl Iterator<Item = f64>, count: usize) -> Option<Self> {
        if count < Self::LEAST {
            return None;
        }
        let size = count / Self::BATCHES;
        let mut sums = [0.0; Self::BATCHES];
        for (place, observation) in observations.take(size * Self::BATCHES).enumerate() {
            sums[place / size] += observation;
        }
        Some(Self::of_means(&sums.map(|sum| sum / size as f64)))
    }

    fn of_means(means: &[f64; Self::BATCHES]) -> Self {
        let (early, late) = means.split_at(Self::BATCHES / 2);
        let pooled = f64::midpoint(variance(early), variance(late));
        let rest = &means[Self::BATCHES / 4..];
        let error = variance(rest) * (1.0 + 1.0 / rest.len() as f64);
        InitialBias { trend: over(schruben(means), pooled), first: over(means[0] - mean(rest), error) }
    }

    /// Whether the beginning differs from the rest by more than chance explains.
    pub fn is_found(&self) -> bool {
        let bound = student_quantile(1.0 - Self::LEVEL / 2.0, (Self::BATCHES - 2) as f64);
        self.trend.abs() > bound || self.first.abs() > Self::FARTHEST
    }
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
    use crate::kernel::rng::Streams;

    fn of(values: &[f64]) -> InitialBias {
        InitialBias::of(values.iter().copied(), values.len()).expect("enough")
    }

    #[test]
    fn a_line_worked_by_hand() {
        let means: [f64; 20] = std::array::from_fn(|place| place as f64);
        let found = InitialBias::of_means(&means);
        // k (Ȳₙ − Ȳₖ) = k (20 − k)/2; Σ (20 − k)² k / 40 = 13,300/40 = 332.5; √45/20^1.5 × 332.5 = 24.9375; s² of 10 in a row 55/6
        assert!((found.trend - 24.9375 / (55.0_f64 / 6.0).sqrt()).abs() < 1e-9, "{found:?}");
        // 0 − 12 over the root of 20 × 16/15
        assert!((found.first + 12.0 / (20.0 * 16.0 / 15.0_f64).sqrt()).abs() < 1e-9, "{found:?}");
        assert!(found.is_found());
    }

    #[test]
    fn too_few_observations_and_equal_ones_show_nothing() {
        assert_eq!(InitialBias::of([1.0; 999].into_iter(), 999), None);
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
