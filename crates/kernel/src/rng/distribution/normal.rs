//! Normal, truncated normal and lognormal.
//!
//! All three by inversion of the normal law: one draw, monotone, no rejection. The quantile is
//! algorithm AS 241 (PPND16) of M. J. Wichura, *Applied Statistics* 37(3), 1988: three rational
//! approximations, about 16 digits; its constants are the published ones. The truncated law inverts
//! between the two cut points, in whichever tail keeps the digits.

use rand::Rng;
use rand::distr::Distribution;

use super::{InvalidParameter, Moments, finite, positive, require};
use crate::rng::math;
use crate::rng::stream::open_unit;

/// Probability that a standard normal value is at most `z`; precise in the lower tail.
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * math::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

/// Density of the standard normal law; 0 at infinity.
fn normal_density(z: f64) -> f64 {
    const INV_SQRT_TAU: f64 = 0.398_942_280_401_432_7;
    INV_SQRT_TAU * math::exp(-0.5 * z * z)
}

/// Wichura's rational function: both polynomials from the constant term up, the lower one beginning
/// with 1.
fn rational(x: f64, upper: &[f64; 8], lower: &[f64; 7]) -> f64 {
    let above = upper.iter().rev().fold(0.0, |sum, &c| sum * x + c);
    let below = lower.iter().rev().fold(0.0, |sum, &c| sum * x + c);
    above / (below * x + 1.0)
}

const CENTRE: ([f64; 8], [f64; 7]) = (
    [
        3.387_132_872_796_366_6,
        1.331_416_678_917_843_8e2,
        1.971_590_950_306_551_3e3,
        1.373_169_376_550_946e4,
        4.592_195_393_154_987e4,
        6.726_577_092_700_87e4,
        3.343_057_558_358_813e4,
        2.509_080_928_730_122_7e3,
    ],
    [
        4.231_333_070_160_091e1,
        6.871_870_074_920_579e2,
        5.394_196_021_424_751e3,
        2.121_379_430_158_659_7e4,
        3.930_789_580_009_271e4,
        2.872_908_573_572_194_3e4,
        5.226_495_278_852_854e3,
    ],
);

const SHOULDER: ([f64; 8], [f64; 7]) = (
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        2.417_807_251_774_506e-1,
        2.272_384_498_926_918_4e-2,
        7.745_450_142_783_414e-4,
    ],
    [
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        6.897_673_349_851e-1,
        1.481_039_764_274_800_8e-1,
        1.519_866_656_361_645_7e-2,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
);

const TAIL: ([f64; 8], [f64; 7]) = (
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        2.965_605_718_285_048_7e-1,
        2.653_218_952_657_612_4e-2,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        5.998_322_065_558_88e-1,
        1.369_298_809_227_358e-1,
        1.487_536_129_085_061_5e-2,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
);

/// The value below which a standard normal law has probability `p`; infinite at 0 and 1, not a
/// number outside.
pub fn normal_quantile(p: f64) -> f64 {
    let from_half = p - 0.5;
    if from_half.abs() <= 0.425 {
        return from_half * rational(0.180_625 - from_half * from_half, &CENTRE.0, &CENTRE.1);
    }
    let tail = if from_half < 0.0 { p } else { 1.0 - p };
    if tail <= 0.0 {
        return if tail == 0.0 { f64::INFINITY.copysign(from_half) } else { f64::NAN };
    }
    let root = (-math::ln(tail)).sqrt();
    let size = if root <= 5.0 {
        rational(root - 1.6, &SHOULDER.0, &SHOULDER.1)
    } else {
        rational(root - 5.0, &TAIL.0, &TAIL.1)
    };
    size.copysign(from_half)
}

/// The normal law. One draw.
#[derive(Clone, Debug)]
pub struct Normal {
    mean: f64,
    standard_deviation: f64,
}

impl Normal {
    /// With these mean and standard deviation.
    ///
    /// # Errors
    /// If `mean` is not finite or `standard_deviation` not positive.
    pub fn new(mean: f64, standard_deviation: f64) -> Result<Self, InvalidParameter> {
        finite("mean", mean)?;
        Ok(Normal { mean, standard_deviation: positive("standard-deviation", standard_deviation)? })
    }
}

law! {
    Normal,
    sample(self, rng) => self.mean + self.standard_deviation * normal_quantile(open_unit(rng)),
    moments(self) => (Some(self.mean), Some(self.standard_deviation * self.standard_deviation)),
}

/// A normal law of which only what lies between two cuts is kept. One draw.
#[derive(Clone, Debug)]
pub struct TruncatedNormal {
    whole: Normal,
    low: f64,
    high: f64,
    /// Probabilities of the whole law below the cuts, in the mirrored law if `mirrored`.
    below: (f64, f64),
    mirrored: bool,
}

impl TruncatedNormal {
    /// `whole` between `low` and `high`, either of which may be infinite.
    ///
    /// # Errors
    /// If `high` is not above `low`, or `whole` has no probability between them that an `f64` could
    /// represent.
    pub fn new(whole: Normal, low: f64, high: f64) -> Result<Self, InvalidParameter> {
        require(!low.is_nan(), "low", "must be a number", low)?;
        require(high > low, "high", "must be above `low`", high)?;
        let standard = |x: f64| (x - whole.mean) / whole.standard_deviation;
        // the upper half is sampled as the mirror image of the lower one, where probabilities keep
        // their digits
        let mirrored = standard(low) > 0.0;
        let below = if mirrored {
            (normal_cdf(-standard(high)), normal_cdf(-standard(low)))
        } else {
            (normal_cdf(standard(low)), normal_cdf(standard(high)))
        };
        require(below.1 - below.0 > 1e-300, "low", "must leave some probability below `high`", low)?;
        Ok(TruncatedNormal { whole, low, high, below, mirrored })
    }

    /// (low, high) in standard deviations from the whole law's mean.
    fn cuts(&self) -> (f64, f64) {
        let standard = |x: f64| (x - self.whole.mean) / self.whole.standard_deviation;
        (standard(self.low), standard(self.high))
    }
}

impl Distribution<f64> for TruncatedNormal {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let p = self.below.0 + open_unit(rng) * (self.below.1 - self.below.0);
        let z = if self.mirrored { -normal_quantile(p) } else { normal_quantile(p) };
        (self.whole.mean + self.whole.standard_deviation * z).clamp(self.low, self.high)
    }
}

impl Moments for TruncatedNormal {
    fn moments(&self) -> (Option<f64>, Option<f64>) {
        let (a, b) = self.cuts();
        let kept = self.below.1 - self.below.0;
        let shift = (normal_density(a) - normal_density(b)) / kept;
        let edge = |z: f64| if z.is_finite() { z * normal_density(z) } else { 0.0 };
        let factor = 1.0 + (edge(a) - edge(b)) / kept - shift * shift;
        (
            Some(self.whole.mean + self.whole.standard_deviation * shift),
            Some(factor * self.whole.standard_deviation * self.whole.standard_deviation),
        )
    }
}

/// A law whose logarithm is normal. One draw.
#[derive(Clone, Debug)]
pub struct LogNormal {
    mu: f64,
    sigma: f64,
}

impl LogNormal {
    /// From mean and standard deviation of the logarithm.
    ///
    /// # Errors
    /// If `mu` is not finite or `sigma` not positive.
    pub fn new(mu: f64, sigma: f64) -> Result<Self, InvalidParameter> {
        finite("mu", mu)?;
        Ok(LogNormal { mu, sigma: positive("sigma", sigma)? })
    }

    /// From the law's own mean and coefficient of variation: sigma² = ln(1 + cv²), mu = ln(mean) -
    /// sigma² / 2.
    ///
    /// # Errors
    /// If either is not positive.
    pub fn with_mean_cv(mean: f64, cv: f64) -> Result<Self, InvalidParameter> {
        positive("mean", mean)?;
        positive("cv", cv)?;
        let square = math::ln_1p(cv * cv);
        require(square.is_finite() && square > 0.0, "cv", "must have a square that an f64 can hold", cv)?;
        Ok(LogNormal { mu: math::ln(mean) - square / 2.0, sigma: square.sqrt() })
    }
}

law! {
    LogNormal,
    sample(self, rng) => math::exp(self.mu + self.sigma * normal_quantile(open_unit(rng))),
    moments(self) => {
        let square = self.sigma * self.sigma;
        (
            Some(math::exp(self.mu + self.sigma * self.sigma / 2.0)),
            Some(math::exp_m1(square) * math::exp(2.0 * self.mu + square)),
        )
    },
}

#[cfg(test)]
mod tests {
    use super::super::assert_moments;
    use super::*;

    #[test]
    fn the_normal_quantile_meets_the_published_checks() {
        // the three test values printed with AS 241
        assert!((normal_quantile(0.25) + 0.674_489_750_196_081_7).abs() < 1e-15);
        assert!((normal_quantile(0.001) + 3.090_232_306_167_813_5).abs() < 1e-14);
        assert!((normal_quantile(1e-20) + 9.262_340_089_798_409).abs() < 1e-14);
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-14);
    }

    #[test]
    fn quantile_and_probability_undo_each_other() {
        for step in 1..400 {
            let z = f64::from(step - 300) / 25.0; // -12 to 4
            let back = normal_quantile(normal_cdf(z));
            assert!((back - z).abs() < 1e-11, "{z}: {back}");
        }
    }

    #[test]
    fn the_ends_of_the_normal_law_are_infinite() {
        assert!(normal_quantile(0.0).is_infinite() && normal_quantile(0.0) < 0.0);
        assert!(normal_quantile(1.0).is_infinite() && normal_quantile(1.0) > 0.0);
        assert!(normal_quantile(1.5).is_nan());
    }

    #[test]
    fn normal_laws_have_their_moments() {
        assert_moments(&Normal::new(-3.0, 2.0).expect("valid"), 0.01);
        assert_moments(&LogNormal::new(1.0, 0.5).expect("valid"), 0.03);
        assert_moments(&LogNormal::with_mean_cv(10.0, 1.0).expect("valid"), 0.10);
        let cut = |low, high| {
            TruncatedNormal::new(Normal::new(5.0, 2.0).expect("valid"), low, high).expect("valid")
        };
        assert_moments(&cut(0.0, f64::INFINITY), 0.01);
        assert_moments(&cut(9.0, 30.0), 0.02); // upper tail, mirrored
        assert_moments(&cut(f64::NEG_INFINITY, 4.0), 0.02);
    }

    #[test]
    fn a_lognormal_given_by_mean_and_cv_has_them() {
        let law = LogNormal::with_mean_cv(10.0, 3.0).expect("valid");
        assert!((law.mean().expect("finite") - 10.0).abs() < 1e-12);
        assert!((law.cv().expect("finite") - 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_cut_without_probability_is_refused() {
        let whole = Normal::new(0.0, 1.0).expect("valid");
        assert_eq!(TruncatedNormal::new(whole.clone(), 50.0, 60.0).expect_err("empty").parameter, "low");
        assert_eq!(TruncatedNormal::new(whole, 1.0, 1.0).expect_err("no width").parameter, "high");
        assert_eq!(Normal::new(0.0, 0.0).expect_err("no width").parameter, "standard-deviation");
    }
}
