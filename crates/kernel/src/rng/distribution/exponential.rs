//! Exponential stages: one, several in series (Erlang), one of several in parallel
//! (hyperexponential).
//!
//! Exponential by inversion, -mean ln(u) with u inside (0, 1): never zero, never infinite, one
//! draw. Together the three cover every coefficient of variation: Erlang below 1, hyperexponential
//! above. The hyperexponential given by mean and coefficient of variation has two branches with
//! *balanced means* (each branch contributes half of the mean), as in A. O. Allen, *Probability,
//! Statistics, and Queueing Theory*, 2nd ed., 1990, and in the gang-scheduling studies.

use rand::Rng;
use rand::distr::Distribution;

use super::{InvalidParameter, Moments, positive, require};
use crate::rng::math;
use crate::rng::stream::{open_unit, unit};

/// Times without memory. One draw.
#[derive(Clone, Debug)]
pub struct Exponential {
    mean: f64,
}

impl Exponential {
    /// With this mean.
    ///
    /// # Errors
    /// If `mean` is not positive.
    pub fn new(mean: f64) -> Result<Self, InvalidParameter> {
        Ok(Exponential { mean: positive("mean", mean)? })
    }
}

law! {
    Exponential,
    sample(self, rng) => -self.mean * math::ln(open_unit(rng)),
    moments(self) => (Some(self.mean), Some(self.mean * self.mean)),
}

/// The sum of equal exponential stages. One draw a stage.
#[derive(Clone, Debug)]
pub struct Erlang {
    stages: u32,
    mean: f64,
}

impl Erlang {
    /// Most stages; beyond this [`Gamma`](super::Gamma) is the same law at a fixed cost.
    pub const MAX_STAGES: u32 = 1000;

    /// `stages` stages with total mean `mean`; coefficient of variation 1/sqrt(stages).
    ///
    /// # Errors
    /// If `stages` is 0 or above [`Erlang::MAX_STAGES`], or `mean` is not positive.
    pub fn new(stages: u32, mean: f64) -> Result<Self, InvalidParameter> {
        let in_range = (1..=Self::MAX_STAGES).contains(&stages);
        require(in_range, "stages", "must be from 1 to 1000", f64::from(stages))?;
        Ok(Erlang { stages, mean: positive("mean", mean)? })
    }
}

impl Distribution<f64> for Erlang {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        // -ln of a product of uniforms; the logarithm is taken before the product can underflow
        let (mut total, mut product) = (0.0, 1.0);
        for _ in 0..self.stages {
            product *= open_unit(rng);
            if product < 1e-280 {
                total -= math::ln(product);
                product = 1.0;
            }
        }
        (total - math::ln(product)) * (self.mean / f64::from(self.stages))
    }
}

impl Moments for Erlang {
    fn moments(&self) -> (Option<f64>, Option<f64>) {
        (Some(self.mean), Some(self.mean * self.mean / f64::from(self.stages)))
    }
}

/// One of several exponential branches, chosen at random. Two draws.
#[derive(Clone, Debug)]
pub struct Hyperexponential {
    /// (sum of the probabilities up to and with this branch, its mean)
    branches: Vec<(f64, f64)>,
    mean: f64,
    variance: f64,
}

impl Hyperexponential {
    /// Two branches with balanced means: probabilities p and 1 - p with
    /// p = (1 + sqrt((cv² - 1) / (cv² + 1))) / 2, means mean / 2p and mean / 2(1 - p).
    ///
    /// # Errors
    /// If `mean` is not positive or `cv` is below 1.
    pub fn balanced(mean: f64, cv: f64) -> Result<Self, InvalidParameter> {
        positive("mean", mean)?;
        require((1.0..=1e6).contains(&cv), "cv", "must be from 1 to 10^6", cv)?;
        let square = cv * cv;
        let root = ((square - 1.0) / (square + 1.0)).sqrt();
        // 1 - root without cancellation at large cv
        let other = 2.0 / (square + 1.0) / (1.0 + root) / 2.0;
        let p = f64::midpoint(1.0, root);
        Self::from_branches(&[(p, mean / (2.0 * p)), (other, mean / (2.0 * other))])
    }

    /// Branches of (weight, mean); weights need not sum to 1.
    ///
    /// # Errors
    /// If there is no branch, or a weight or mean is not positive.
    pub fn from_branches(branches: &[(f64, f64)]) -> Result<Self, InvalidParameter> {
        require(!branches.is_empty(), "branches", "must not be empty", 0.0)?;
        for &(weight, mean) in branches {
            positive("weight", weight)?;
            positive("mean", mean)?;
        }
        let total: f64 = branches.iter().map(|&(weight, _)| weight).sum();
        positive("weight", total)?;
        let mean: f64 = branches.iter().map(|&(weight, mean)| weight / total * mean).sum();
        let square: f64 = branches.iter().map(|&(weight, mean)| weight / total * 2.0 * mean * mean).sum();
        let mut below = 0.0;
        let branches = branches
            .iter()
            .map(|&(weight, mean)| {
                below += weight / total;
                (below, mean)
            })
            .collect();
        Ok(Hyperexponential { branches, mean, variance: square - mean * mean })
    }
}

impl Distribution<f64> for Hyperexponential {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let at = unit(rng);
        // the last branch also takes what rounding left between its sum and 1
        let inner = &self.branches[..self.branches.len() - 1];
        let chosen = inner.iter().position(|&(below, _)| at < below).unwrap_or(inner.len());
        -self.branches[chosen].1 * math::ln(open_unit(rng))
    }
}

impl Moments for Hyperexponential {
    fn moments(&self) -> (Option<f64>, Option<f64>) {
        (Some(self.mean), Some(self.variance))
    }
}

#[cfg(test)]
mod tests {
    use super::super::assert_moments;
    use super::*;
    use crate::rng::Streams;

    #[test]
    fn stages_in_series_and_in_parallel_have_their_moments() {
        assert_moments(&Exponential::new(2.0).expect("valid"), 0.02);
        assert_moments(&Erlang::new(4, 3.0).expect("valid"), 0.02);
        assert_moments(&Hyperexponential::balanced(3600.0, 3.0).expect("valid"), 0.05);
        let three = [(1.0, 1.0), (2.0, 5.0), (1.0, 20.0)];
        assert_moments(&Hyperexponential::from_branches(&three).expect("valid"), 0.05);
    }

    #[test]
    fn a_thousand_stages_do_not_underflow() {
        // standard deviation 1/sqrt(1000) = 0.0316; of the mean of 1,000 draws, 0.001
        let law = Erlang::new(1000, 1.0).expect("valid");
        let mut stream = Streams::new(1, 0).stream("a");
        let mean = (0..1000).map(|_| law.sample(&mut stream)).sum::<f64>() / 1000.0;
        assert!((mean - 1.0).abs() < 0.004, "{mean}");
    }

    #[test]
    fn balanced_means_are_balanced_and_give_the_asked_moments() {
        // cv² = 9: p = (1 + sqrt(0.8)) / 2 = 0.947214
        let law = Hyperexponential::balanced(3600.0, 3.0).expect("valid");
        let (p, first) = law.branches[0];
        let second = law.branches[1].1;
        assert!((p - 0.947_213_595_499_957_9).abs() < 1e-12);
        assert!((p * first - (1.0 - p) * second).abs() < 1e-9);
        assert!((law.mean - 3600.0).abs() < 1e-9);
        assert!((law.cv().expect("finite") - 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_cv_of_one_is_the_exponential_law() {
        let law = Hyperexponential::balanced(5.0, 1.0).expect("valid");
        assert!((law.variance - 25.0).abs() < 1e-9);
    }

    #[test]
    fn impossible_shapes_are_refused() {
        assert_eq!(Hyperexponential::balanced(1.0, 0.5).expect_err("below 1").parameter, "cv");
        assert_eq!(Hyperexponential::from_branches(&[]).expect_err("none").parameter, "branches");
        assert_eq!(Erlang::new(0, 1.0).expect_err("no stage").parameter, "stages");
        assert_eq!(Exponential::new(f64::INFINITY).expect_err("infinite").parameter, "mean");
    }
}
