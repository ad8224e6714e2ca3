//! Gamma and Weibull: two shapes for run times and times between failures.
//!
//! Gamma by G. Marsaglia and W. W. Tsang, ACM TOMS 26(3), 2000: a normal value, transformed and accepted with
//! probability above 0.95; two draws a trial. A shape below 1 is sampled at shape + 1 and scaled by u^(1/shape), as
//! proposed there. Weibull by inversion.

use rand::Rng;
use rand::distr::Distribution;

use super::{InvalidParameter, Moments, normal_quantile, positive, require};
use crate::kernel::rng::math;
use crate::kernel::rng::stream::open_unit;

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
    fn mean(&self) -> Option<f64> {
        Some(self.shape * self.scale)
    }

    fn variance(&self) -> Option<f64> {
        Some(self.shape * self.scale * self.scale)
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

impl Distribution<f64> for Weibull {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        self.scale * math::pow(-math::ln(open_unit(rng)), 1.0 / self.shape)
    }
}

impl Moments for Weibull {
    fn mean(&self) -> Option<f64> {
        Some(self.scale * math::gamma(1.0 + 1.0 / self.shape))
    }

    fn variance(&self) -> Option<f64> {
        let first = math::gamma(1.0 + 1.0 / self.shape);
        let second = math::gamma(1.0 + 2.0 / self.shape);
        Some(self.scale * self.scale * (second - first * first))
    }
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
