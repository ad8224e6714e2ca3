//! Pareto, unbounded and bounded: heavy tails for run times and file sizes.
//!
//! Both by inversion, in ratios to the lower end so that no power overflows. The bounded law, with
//! all moments, is the one used for task sizes by M. Harchol-Balter, M. E. Crovella and C. D.
//! Murta, *Journal of Parallel and Distributed Computing* 59(2), 1999.

use super::{InvalidParameter, positive, require};
use crate::rng::math;
use crate::rng::stream::open_unit;

/// Least `shape` accepted: below it a single draw overflows.
const LEAST_SHAPE: f64 = 0.1;

/// `shape` if a sampler can use it.
fn usable_shape(shape: f64) -> Result<f64, InvalidParameter> {
    require((LEAST_SHAPE..=1e6).contains(&shape), "shape", "must be from 0.1 to 10^6", shape)
}

/// The Pareto law: exceeds x with probability (low / x)^shape. One draw.
#[derive(Clone, Debug)]
pub struct Pareto {
    low: f64,
    shape: f64,
}

impl Pareto {
    /// From `low` upwards; the mean is infinite up to shape 1, the variance up to shape 2.
    ///
    /// # Errors
    /// If `low` is not positive or `shape` not from 0.1 to 10^6.
    pub fn new(low: f64, shape: f64) -> Result<Self, InvalidParameter> {
        Ok(Pareto { low: positive("low", low)?, shape: usable_shape(shape)? })
    }
}

law! {
    Pareto,
    sample(self, rng) => (self.low * math::exp(-math::ln(open_unit(rng)) / self.shape)).min(f64::MAX),
    moments(self) => {
        let less = self.shape - 1.0;
        (
            (self.shape > 1.0).then(|| self.low * self.shape / (self.shape - 1.0)),
            (self.shape > 2.0).then(|| self.low * self.low * self.shape / (less * less * (self.shape - 2.0))),
        )
    },
}

/// The Pareto law cut off at an upper end and scaled up to probability 1. One draw.
#[derive(Clone, Debug)]
pub struct BoundedPareto {
    low: f64,
    high: f64,
    shape: f64,
    /// 1 - (low / high)^shape
    kept: f64,
}

impl BoundedPareto {
    /// From `low` to `high`.
    ///
    /// # Errors
    /// If `low` is not positive, `high` not above it, or `shape` not from 0.1 to 10^6.
    pub fn new(low: f64, high: f64, shape: f64) -> Result<Self, InvalidParameter> {
        positive("low", low)?;
        require(high > low && high.is_finite(), "high", "must be finite and above `low`", high)?;
        usable_shape(shape)?;
        let kept = -math::exp_m1(-shape * (math::ln(high) - math::ln(low)));
        Ok(BoundedPareto { low, high, shape, kept })
    }

    /// Mean of (x / low)^power.
    fn raw_moment(&self, power: f64) -> f64 {
        let ln_range = math::ln(self.high) - math::ln(self.low);
        let exponent = self.shape - power;
        // (1 - (low/high)^exponent) / exponent, whose limit at exponent 0 is the logarithm of the
        // range
        let integral =
            if exponent.abs() < 1e-12 { ln_range } else { -math::exp_m1(-exponent * ln_range) / exponent };
        self.shape * integral / self.kept
    }
}

law! {
    BoundedPareto,
    sample(self, rng) => {
        let ln_above = math::ln_1p(-open_unit(rng) * self.kept);
        (self.low * math::exp(-ln_above / self.shape)).clamp(self.low, self.high)
    },
    moments(self) => {
        let first = self.raw_moment(1.0);
        (Some(self.low * first), Some(self.low * self.low * (self.raw_moment(2.0) - first * first)))
    },
}

#[cfg(test)]
mod tests {
    use super::super::{Moments, assert_moments};
    use super::*;

    #[test]
    fn pareto_laws_have_their_moments() {
        assert_moments(&Pareto::new(2.0, 6.0).expect("valid"), 0.10);
        assert_moments(&BoundedPareto::new(1.0, 100.0, 1.1).expect("valid"), 0.03);
        assert_moments(&BoundedPareto::new(1.0, 50.0, 1.0).expect("valid"), 0.03); // mean by the limit form
        assert_moments(&BoundedPareto::new(3.0, 30.0, 2.0).expect("valid"), 0.03); // second moment by it
    }

    #[test]
    fn a_heavy_tail_has_no_moments() {
        let law = |shape| Pareto::new(1.0, shape).expect("valid");
        assert_eq!(law(1.0).mean(), None);
        assert_eq!(law(1.5).mean(), Some(3.0));
        assert_eq!(law(1.5).variance(), None);
        assert_eq!(law(3.0).variance(), Some(0.75));
    }

    #[test]
    fn the_mean_by_the_limit_form_is_the_neighbours_mean() {
        let law = |shape| BoundedPareto::new(1.0, 50.0, shape).expect("valid").mean().expect("finite");
        assert!((law(1.0) - law(1.000_000_01)).abs() < 1e-6);
        // shape 1: ln(50) / (1 - 1/50)
        assert!((law(1.0) - math::ln(50.0) / 0.98).abs() < 1e-12);
    }

    #[test]
    fn impossible_ranges_are_refused() {
        assert_eq!(Pareto::new(0.0, 1.0).expect_err("zero").parameter, "low");
        assert_eq!(BoundedPareto::new(2.0, 2.0, 1.0).expect_err("empty").parameter, "high");
        assert_eq!(BoundedPareto::new(1.0, 2.0, 0.0).expect_err("zero").parameter, "shape");
    }
}
