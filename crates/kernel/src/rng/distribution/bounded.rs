//! Laws on a bounded range: constant, uniform, log-uniform, triangular.
//!
//! All by inversion. The log-uniform law (uniform in the logarithm) is the usual first model of run
//! times and job sizes that span decades: D. G. Feitelson, *Workload Modeling for Computer Systems
//! Performance Evaluation*, Cambridge University Press, 2015, chapter 3. The triangular law is that
//! of `rand_distr`: it needs a square root and nothing else that could differ between builds.

use super::{InvalidParameter, finite, positive, require};
use crate::rng::math;
use crate::rng::stream::unit;

/// Always the same value; draws nothing.
#[derive(Clone, Debug)]
pub struct Constant {
    value: f64,
}

impl Constant {
    /// Always `value`.
    ///
    /// # Errors
    /// If `value` is not finite.
    pub fn new(value: f64) -> Result<Self, InvalidParameter> {
        Ok(Constant { value: finite("value", value)? })
    }
}

law! {
    Constant,
    sample(self, _rng) => self.value,
    moments(self) => (Some(self.value), Some(0.0)),
}

/// Equally likely everywhere between two bounds. One draw.
#[derive(Clone, Debug)]
pub struct Uniform {
    low: f64,
    high: f64,
}

impl Uniform {
    /// From `low` to `high`; the upper end itself is met only where the spacing of `f64` forces it.
    ///
    /// # Errors
    /// If a bound, or the distance between them, is not finite, or `high` is below `low`.
    pub fn new(low: f64, high: f64) -> Result<Self, InvalidParameter> {
        finite("low", low)?;
        require(high >= low && (high - low).is_finite(), "high", "must be finite and not below `low`", high)?;
        Ok(Uniform { low, high })
    }
}

law! {
    Uniform,
    sample(self, rng) => (self.low + unit(rng) * (self.high - self.low)).min(self.high),
    moments(self) => {
        let range = self.high - self.low;
        (Some(self.low + (self.high - self.low) / 2.0), Some(range * range / 12.0))
    },
}

/// Uniform in the logarithm: every decade is as likely as every other. One draw.
#[derive(Clone, Debug)]
pub struct LogUniform {
    low: f64,
    high: f64,
    /// ln(high / low)
    ln_range: f64,
}

impl LogUniform {
    /// From `low` to `high`.
    ///
    /// # Errors
    /// If `low` is not positive or `high` not above it.
    pub fn new(low: f64, high: f64) -> Result<Self, InvalidParameter> {
        positive("low", low)?;
        require(high > low && high.is_finite(), "high", "must be finite and above `low`", high)?;
        Ok(LogUniform { low, high, ln_range: math::ln(high) - math::ln(low) })
    }
}

law! {
    LogUniform,
    sample(self, rng) => (self.low * math::exp(unit(rng) * self.ln_range)).clamp(self.low, self.high),
    moments(self) => {
        let mean = (self.high - self.low) / self.ln_range;
        let square = (self.high - self.low) * (self.high + self.low) / (2.0 * self.ln_range);
        (Some(mean), Some(square - mean * mean))
    },
}

/// A density that rises in a straight line to its mode and falls in one to its end. One draw.
#[derive(Clone, Debug)]
pub struct Triangular {
    low: f64,
    mode: f64,
    high: f64,
    law: rand_distr::Triangular<f64>,
}

impl Triangular {
    /// From `low` to `high` with its top at `mode`.
    ///
    /// # Errors
    /// If a parameter is not finite, `high` is not above `low`, or `mode` is outside.
    pub fn new(low: f64, mode: f64, high: f64) -> Result<Self, InvalidParameter> {
        finite("low", low)?;
        require(high > low && (high - low).is_finite(), "high", "must be finite and above `low`", high)?;
        let outside =
            InvalidParameter { parameter: "mode", rule: "must be between `low` and `high`", value: mode };
        let law = rand_distr::Triangular::new(low, high, mode).map_err(|_| outside)?;
        Ok(Triangular { low, mode, high, law })
    }
}

law! {
    Triangular,
    sample(self, rng) => self.law.sample(rng),
    moments(self) => {
        let (left, right) = (self.mode - self.low, self.high - self.mode);
        (
            Some((self.low + self.mode + self.high) / 3.0),
            Some((left * left + left * right + right * right) / 18.0),
        )
    },
}

#[cfg(test)]
mod tests {
    use rand::distr::Distribution;

    use super::super::assert_moments;
    use super::*;
    use crate::rng::Streams;

    #[test]
    fn bounded_laws_have_their_moments() {
        assert_moments(&Uniform::new(-1.0, 3.0).expect("valid"), 0.01);
        assert_moments(&LogUniform::new(1.0, 1000.0).expect("valid"), 0.01);
        assert_moments(&Triangular::new(1.0, 2.0, 5.0).expect("valid"), 0.01);
    }

    #[test]
    fn a_constant_draws_nothing() {
        let mut stream = Streams::new(1, 0).stream("a");
        assert_eq!(Constant::new(4.0).expect("finite").sample(&mut stream).to_bits(), 4.0_f64.to_bits());
        assert_eq!(stream.draws(), 0);
    }

    #[test]
    fn bounded_laws_stay_within_their_bounds() {
        let mut stream = Streams::new(1, 0).stream("a");
        let narrow = LogUniform::new(3.0, 3.000_000_000_000_001).expect("valid");
        for _ in 0..1000 {
            assert!((3.0..=3.000_000_000_000_001).contains(&narrow.sample(&mut stream)));
        }
    }

    #[test]
    fn bounds_in_the_wrong_order_are_refused() {
        assert_eq!(Uniform::new(2.0, 1.0).expect_err("crossed").parameter, "high");
        assert_eq!(LogUniform::new(0.0, 1.0).expect_err("zero").parameter, "low");
        assert_eq!(Triangular::new(0.0, 2.0, 1.0).expect_err("outside").parameter, "mode");
        assert_eq!(Triangular::new(0.0, f64::NAN, 1.0).expect_err("no number").parameter, "mode");
        assert_eq!(Constant::new(f64::NAN).expect_err("no number").parameter, "value");
    }
}
