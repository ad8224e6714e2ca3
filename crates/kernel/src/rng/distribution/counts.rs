//! Laws of whole numbers: geometric, Poisson, Zipf. Values are whole `f64`.
//!
//! - Geometric: inversion; the number of trials up to and with the first success, so at least 1.
//! - Poisson: inversion by sequential search up to mean 30; above, transformed rejection (PTRS) of
//!   W. Hörmann, *Insurance: Mathematics and Economics* 12(1), 1993.
//! - Zipf: rejection-inversion of W. Hörmann and G. Derflinger, ACM TOMACS 6(3), 1996: constant
//!   time and memory for any number of ranks. Moments by direct sums of the first 1,000 terms and
//!   the Euler-Maclaurin formula above.

use rand::Rng;
use rand::distr::Distribution;

use super::{InvalidParameter, Moments, require};
use crate::rng::math;
use crate::rng::stream::{open_unit, unit};

/// Trials up to and with the first success. One draw.
#[derive(Clone, Debug)]
pub struct Geometric {
    mean: f64,
    /// ln(1 - 1/mean), negative; minus infinity at mean 1
    ln_failure: f64,
}

impl Geometric {
    /// With this mean, so with success probability 1 / mean.
    ///
    /// # Errors
    /// If `mean` is not from 1 to 10^15.
    pub fn new(mean: f64) -> Result<Self, InvalidParameter> {
        require((1.0..=1e15).contains(&mean), "mean", "must be from 1 to 10^15", mean)?;
        Ok(Geometric { mean, ln_failure: math::ln_1p(-1.0 / mean) })
    }
}

law! {
    Geometric,
    sample(self, rng) => (math::ln(open_unit(rng)) / self.ln_failure).ceil().max(1.0),
    moments(self) => (Some(self.mean), Some(self.mean * (self.mean - 1.0))),
}

/// Occurrences in a unit of time of a process without memory. One draw up to mean 30, above about
/// 2.3.
#[derive(Clone, Debug)]
pub struct Poisson {
    mean: f64,
}

impl Poisson {
    /// Mean up to which values are found by search.
    const SEARCHED: f64 = 30.0;

    /// With this mean.
    ///
    /// # Errors
    /// If `mean` is not above 0 and up to 10^12.
    pub fn new(mean: f64) -> Result<Self, InvalidParameter> {
        require(mean > 0.0 && mean <= 1e12, "mean", "must be above 0 and up to 10^12", mean)?;
        Ok(Poisson { mean })
    }

    fn search<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let mut left = unit(rng);
        let mut probability = math::exp(-self.mean);
        let mut count = 0.0;
        // past 200 all of the probability an f64 can represent is used up, rounding apart
        while left >= probability && count < 200.0 {
            left -= probability;
            count += 1.0;
            probability *= self.mean / count;
        }
        count
    }

    fn transformed_rejection<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let b = 0.931 + 2.53 * self.mean.sqrt();
        let a = -0.059 + 0.024_83 * b;
        let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
        let squeeze = 0.9277 - 3.6224 / (b - 2.0);
        loop {
            let u = open_unit(rng) - 0.5;
            let v = open_unit(rng);
            let from_edge = 0.5 - u.abs();
            let count = ((2.0 * a / from_edge + b) * u + self.mean + 0.43).floor();
            if from_edge >= 0.07 && v <= squeeze {
                return count;
            }
            if count < 0.0 || (from_edge < 0.013 && v > from_edge) {
                continue;
            }
            let height = math::ln(v * inverse_alpha / (a / (from_edge * from_edge) + b));
            if height <= count * math::ln(self.mean) - self.mean - math::ln_gamma(count + 1.0) {
                return count;
            }
        }
    }
}

law! {
    Poisson,
    sample(self, rng) => if self.mean <= Self::SEARCHED { self.search(rng) } else { self.transformed_rejection(rng) },
    moments(self) => (Some(self.mean), Some(self.mean)),
}

/// Rank k of `ranks` with probability proportional to k^-exponent. One draw a trial, about 1.1
/// trials.
#[derive(Clone, Debug)]
pub struct Zipf {
    ranks: u64,
    exponent: f64,
    /// Area under the hat from its left end, and up to the last rank.
    area: (f64, f64),
    /// Distance below a rank within which a candidate is accepted at once.
    immediate: f64,
}

impl Zipf {
    /// Over ranks 1 to `ranks`; exponent 0 is uniform.
    ///
    /// # Errors
    /// If `ranks` is not from 1 to 10^15 or `exponent` not from 0 to 50.
    pub fn new(ranks: u64, exponent: f64) -> Result<Self, InvalidParameter> {
        let some = (1..=1_000_000_000_000_000).contains(&ranks);
        require(some, "ranks", "must be from 1 to 10^15", ranks as f64)?;
        require((0.0..=50.0).contains(&exponent), "exponent", "must be from 0 to 50", exponent)?;
        let area = (integral(1.5, exponent) - 1.0, integral(ranks as f64 + 0.5, exponent));
        let immediate = 2.0 - inverse_integral(integral(2.5, exponent) - math::pow(2.0, -exponent), exponent);
        Ok(Zipf { ranks, exponent, area, immediate })
    }

    fn mean_of_power(&self, power: f64) -> f64 {
        power_sum(self.ranks, self.exponent - power) / power_sum(self.ranks, self.exponent)
    }
}

/// Integral of t^-s from 1 to `x`, continuous in s through 1.
fn integral(x: f64, s: f64) -> f64 {
    let ln_x = math::ln(x);
    let exponent = (1.0 - s) * ln_x;
    if exponent.abs() < 1e-9 { ln_x * (1.0 + exponent / 2.0) } else { math::exp_m1(exponent) / (1.0 - s) }
}

/// The `x` whose [`integral`] is `area`.
fn inverse_integral(area: f64, s: f64) -> f64 {
    let grown = ((1.0 - s) * area).max(-1.0);
    if grown.abs() < 1e-9 {
        math::exp(area * (1.0 - grown / 2.0))
    } else {
        math::exp(math::ln_1p(grown) / (1.0 - s))
    }
}

/// Sum of k^-s over k = 1..=n.
fn power_sum(n: u64, s: f64) -> f64 {
    const DIRECT: u64 = 1000;
    let first: f64 = (1..=n.min(DIRECT)).rev().map(|k| math::pow(k as f64, -s)).sum();
    if n <= DIRECT {
        return first;
    }
    // Euler-Maclaurin from DIRECT (already counted) to n
    let (low, high) = (DIRECT as f64, n as f64);
    let ends = math::pow(high, -s) - math::pow(low, -s);
    let slopes = s * (math::pow(low, -s - 1.0) - math::pow(high, -s - 1.0));
    first + integral(high, s) - integral(low, s) + ends / 2.0 + slopes / 12.0
}

impl Distribution<f64> for Zipf {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        loop {
            let at = self.area.1 + unit(rng) * (self.area.0 - self.area.1);
            let x = inverse_integral(at, self.exponent);
            let rank = (x + 0.5).floor().clamp(1.0, self.ranks as f64);
            let accepted = rank - x <= self.immediate
                || at >= integral(rank + 0.5, self.exponent) - math::pow(rank, -self.exponent);
            if accepted {
                return rank;
            }
        }
    }
}

impl Moments for Zipf {
    fn moments(&self) -> (Option<f64>, Option<f64>) {
        let mean = self.mean_of_power(1.0);
        (Some(mean), Some(self.mean_of_power(2.0) - mean * mean))
    }
}

#[cfg(test)]
mod tests {
    use super::super::assert_moments;
    use super::*;
    use crate::rng::Streams;

    #[test]
    fn counting_laws_have_their_moments() {
        assert_moments(&Geometric::new(4.0).expect("valid"), 0.03);
        assert_moments(&Poisson::new(0.7).expect("valid"), 0.02);
        assert_moments(&Poisson::new(29.0).expect("valid"), 0.02);
        assert_moments(&Poisson::new(31.0).expect("valid"), 0.02);
        assert_moments(&Poisson::new(1e6).expect("valid"), 0.02);
    }

    #[test]
    fn zipf_has_its_moments_below_at_and_above_exponent_one() {
        for exponent in [0.0, 0.5, 1.0, 2.0] {
            assert_moments(&Zipf::new(100, exponent).expect("valid"), 0.03);
        }
    }

    #[test]
    fn zipf_frequencies_are_those_of_the_law() {
        // 4 ranks, exponent 1: weights 12, 6, 4, 3 of 25
        let law = Zipf::new(4, 1.0).expect("valid");
        let mut stream = Streams::new(1, 0).stream("zipf");
        let mut seen = [0_u32; 4];
        for _ in 0..250_000 {
            seen[law.sample(&mut stream) as usize - 1] += 1;
        }
        for (count, expected) in seen.iter().zip([120_000_u32, 60_000, 40_000, 30_000]) {
            assert!(count.abs_diff(expected) < 1000, "{seen:?}");
        }
    }

    #[test]
    fn the_sum_formula_agrees_with_the_sum() {
        for s in [-1.0, 0.5, 1.0, 2.5] {
            let direct: f64 = (1..=100_000_u32).rev().map(|k| math::pow(f64::from(k), -s)).sum();
            assert!((power_sum(100_000, s) / direct - 1.0).abs() < 1e-12, "{s}");
        }
    }

    #[test]
    fn sure_success_takes_one_trial() {
        let mut stream = Streams::new(1, 0).stream("a");
        let law = Geometric::new(1.0).expect("valid");
        assert!((0..100).all(|_| law.sample(&mut stream).to_bits() == 1.0_f64.to_bits()));
    }

    #[test]
    fn impossible_counts_are_refused() {
        assert_eq!(Geometric::new(0.5).expect_err("below 1").parameter, "mean");
        assert_eq!(Poisson::new(0.0).expect_err("zero").parameter, "mean");
        assert_eq!(Zipf::new(0, 1.0).expect_err("none").parameter, "ranks");
        assert_eq!(Zipf::new(1, -1.0).expect_err("negative").parameter, "exponent");
    }
}
