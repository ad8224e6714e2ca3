//! Gamma and Weibull: two shapes for run times and times between failures.
//!
//! Gamma by G. Marsaglia and W. W. Tsang, ACM TOMS 26(3), 2000: a normal value, transformed and
//! accepted with probability above 0.95; two draws a trial. A shape below 1 is sampled at shape + 1
//! and scaled by u^(1/shape), as proposed there. Weibull by inversion.

use rand::Rng;
use rand::distr::Distribution;

use super::{InvalidParameter, Moments, normal_quantile, positive, require};
use crate::rng::math;
use crate::rng::stream::open_unit;

/// The gamma law. Two draws a trial, about 1.05 trials; one more draw at shapes below 1.
#[derive(Clone, Debug)]
pub struct Gamma {
    shape: f64,
    scale: f64,
}

impl Gamma {
    /// With this shape and scale; mean shape × scale.
    ///
    /// # Errors
    /// If `shape` is not from 10^-3 to 10^12 or `scale` not positive.
    pub fn new(shape: f64, scale: f64) -> Result<Self, InvalidParameter> {
        require((1e-3..=1e12).contains(&shape), "shape", "must be from 10^-3 to 10^12", shape)?;
        Ok(Gamma { shape, scale: positive("scale", scale)? })
    }

    /// With this mean and coefficient of variation: shape 1/cv², scale mean × cv².
    ///
    /// # Errors
    /// If `mean` is not positive or `cv` not from 10^-6 to 31.
    pub fn with_mean_cv(mean: f64, cv: f64) -> Result<Self, InvalidParameter> {
        require((1e-6..=31.0).contains(&cv), "cv", "must be from 10^-6 to 31", cv)?;
        let square = cv * cv;
        Self::new((1.0 / square).min(1e12), positive("mean", mean)? * square)
    }

    /// The share of values that are at most `x`.
    ///
    /// By the series or the continued fraction of the incomplete gamma function, whichever
    /// converges fast (M. Abramowitz and I. A. Stegun, 6.5.29 and 6.5.31); exact to some 12 digits.
    pub fn cdf(&self, x: f64) -> f64 {
        let x = x / self.scale;
        if x.is_nan() || x <= 0.0 {
            return 0.0;
        }
        if x.is_infinite() {
            return 1.0;
        }
        let front = math::exp(self.shape * math::ln(x) - x - math::ln_gamma(self.shape));
        if x < self.shape + 1.0 {
            let (mut term, mut sum, mut divisor) = (1.0 / self.shape, 1.0 / self.shape, self.shape);
            while term > sum * f64::EPSILON {
                divisor += 1.0;
                term *= x / divisor;
                sum += term;
            }
            return (front * sum).min(1.0);
        }
        // W. J. Lentz's evaluation, Applied Optics 15(3), 1976
        let mut bottom = x + 1.0 - self.shape;
        let (mut inverse, mut ratio) = (1.0 / bottom, 1.0 / f64::MIN_POSITIVE);
        let mut value = inverse;
        for step in 1..MOST_STEPS {
            let step = f64::from(step);
            let top = -step * (step - self.shape);
            bottom += 2.0;
            inverse = 1.0 / away_from_zero(top * inverse + bottom);
            ratio = away_from_zero(bottom + top / ratio);
            let factor = inverse * ratio;
            value *= factor;
            if (factor - 1.0).abs() < f64::EPSILON * 4.0 {
                break;
            }
        }
        (1.0 - front * value).clamp(0.0, 1.0)
    }
}

/// Steps of the continued fraction: some square roots of the largest shape.
const MOST_STEPS: u32 = 10_000_000;

/// `value`, or the least number in its place if it is zero.
fn away_from_zero(value: f64) -> f64 {
    if value.abs() < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { value }
}

impl Distribution<f64> for Gamma {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let (shape, boost) = if self.shape < 1.0 {
            (self.shape + 1.0, math::exp(math::ln(open_unit(rng)) / self.shape))
        } else {
            (self.shape, 1.0)
        };
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let z = normal_quantile(open_unit(rng));
            let root = 1.0 + c * z;
            let u = open_unit(rng);
            if root <= 0.0 {
                continue;
            }
            let v = root * root * root;
            if math::ln(u) < 0.5 * z * z + d - d * v + d * math::ln(v) {
                return d * v * boost * self.scale;
            }
        }
    }
}

impl Moments for Gamma {
    fn moments(&self) -> (Option<f64>, Option<f64>) {
        (Some(self.shape * self.scale), Some(self.shape * self.scale * self.scale))
    }
}

/// The Weibull law, scale × (-ln u)^(1/shape). One draw.
#[derive(Clone, Debug)]
pub struct Weibull {
    shape: f64,
    scale: f64,
}

impl Weibull {
    /// With this shape (below 1: a falling hazard rate) and scale (the 63.2 % quantile).
    ///
    /// # Errors
    /// If `shape` is not from 0.05 to 10^6 or `scale` not positive.
    pub fn new(shape: f64, scale: f64) -> Result<Self, InvalidParameter> {
        require((0.05..=1e6).contains(&shape), "shape", "must be from 0.05 to 10^6", shape)?;
        Ok(Weibull { shape, scale: positive("scale", scale)? })
    }
}

law! {
    Weibull,
    sample(self, rng) => self.scale * math::pow(-math::ln(open_unit(rng)), 1.0 / self.shape),
    moments(self) => {
        let first = math::gamma(1.0 + 1.0 / self.shape);
        let second = math::gamma(1.0 + 2.0 / self.shape);
        (Some(self.scale * first), Some(self.scale * self.scale * (second - first * first)))
    },
}

#[cfg(test)]
mod tests {
    use super::super::assert_moments;
    use super::*;

    #[test]
    fn gamma_has_its_moments_on_both_sides_of_shape_one() {
        assert_moments(&Gamma::new(0.3, 2.0).expect("valid"), 0.03);
        assert_moments(&Gamma::new(1.0, 2.0).expect("valid"), 0.02);
        assert_moments(&Gamma::new(7.5, 0.4).expect("valid"), 0.02);
        assert_moments(&Gamma::with_mean_cv(100.0, 0.1).expect("valid"), 0.02);
    }

    #[test]
    fn gamma_given_by_mean_and_cv_has_them() {
        let law = Gamma::with_mean_cv(100.0, 2.0).expect("valid");
        assert!((law.mean().expect("finite") - 100.0).abs() < 1e-12);
        assert!((law.cv().expect("finite") - 2.0).abs() < 1e-12);
    }

    #[test]
    fn the_distribution_function_of_gamma_is_that_of_erlang_and_of_the_normal_law() {
        for (stages, scale, x) in
            [(1, 2.0, 0.5), (3, 1.0, 2.0), (3, 1.0, 12.0), (40, 0.5, 17.0), (40, 0.5, 40.0)]
        {
            let (law, point) = (Gamma::new(f64::from(stages), scale).expect("valid"), x / scale);
            let mut term = math::exp(-point);
            let mut above = 0.0;
            for stage in 1..=stages {
                above += term;
                term *= point / f64::from(stage);
            }
            assert!((law.cdf(x) - (1.0 - above)).abs() < 1e-12, "{stages} stages at {x}: {}", law.cdf(x));
        }
        // half of the square of a normal value is of shape 1/2
        let half = Gamma::new(0.5, 1.0).expect("valid");
        for z in [0.1, 1.0, 3.0] {
            let expected = 1.0 - math::erfc(z / std::f64::consts::SQRT_2);
            assert!((half.cdf(z * z / 2.0) - expected).abs() < 1e-12, "{z}");
        }
        assert_eq!((half.cdf(-1.0), half.cdf(0.0), half.cdf(f64::INFINITY)), (0.0, 0.0, 1.0));
        let sharp = Gamma::new(1e8, 1e-8).expect("valid");
        assert!(
            (sharp.cdf(1.0) - 0.5).abs() < 1e-4 && sharp.cdf(0.99) < 1e-12 && sharp.cdf(1.01) > 1.0 - 1e-12
        );
    }

    #[test]
    fn weibull_has_its_moments() {
        assert_moments(&Weibull::new(0.8, 3.0).expect("valid"), 0.03);
        assert_moments(&Weibull::new(3.0, 1.0).expect("valid"), 0.02);
        // shape 1 is exponential: mean = scale, variance = scale²
        let law = Weibull::new(1.0, 3.0).expect("valid");
        assert!((law.mean().expect("finite") - 3.0).abs() < 1e-12);
        assert!((law.variance().expect("finite") - 9.0).abs() < 1e-12);
    }

    #[test]
    fn shapes_out_of_range_are_refused() {
        assert_eq!(Gamma::new(0.0, 1.0).expect_err("zero").parameter, "shape");
        assert_eq!(Gamma::new(1.0, 0.0).expect_err("zero").parameter, "scale");
        assert_eq!(Weibull::new(f64::NAN, 1.0).expect_err("no number").parameter, "shape");
    }
}
