//! Distributions to draw from: arrivals, sizes, run times, think times.
//!
//! One file is one family. A distribution is a small value that is checked when made ([`InvalidParameter`] names the
//! parameter, so that a scenario's error can point at it), samples through [`rand::distr::Distribution`], and knows
//! its [`Moments`], so that an offered load can be computed and a sampler tested against its theory. [`Sampler`] holds
//! any of them. Values are plain numbers; whoever uses one as time says in which unit.
//!
//! Where inversion is cheap it is used (one draw, monotone in the uniform), because it keeps common random numbers in
//! step when a parameter is varied. What draws several numbers per value says so.

mod bounded;
mod counts;
mod exponential;
mod gamma;
mod normal;
mod pareto;
mod values;

use std::fmt;
use std::sync::Arc;

use rand::distr::Distribution;

pub use bounded::{Constant, LogUniform, Triangular, Uniform};
pub use counts::{Geometric, Poisson, Zipf};
pub use exponential::{Erlang, Exponential, Hyperexponential};
pub use gamma::{Gamma, Weibull};
pub use normal::{LogNormal, Normal, TruncatedNormal, normal_cdf, normal_quantile};
pub use pareto::{BoundedPareto, Pareto};
pub use values::{Discrete, Empirical};

use super::stream::Stream;

/// A parameter no distribution of that kind can have.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("`{parameter}` {rule}, but is {value}")]
pub struct InvalidParameter {
    /// The parameter's name, as a scenario writes it.
    pub parameter: &'static str,
    /// What it must be, as the rest of a sentence: "must be positive".
    pub rule: &'static str,
    /// What it is.
    pub value: f64,
}

/// Mean and variance, where they exist.
pub trait Moments {
    /// The mean; `None` where it is infinite.
    fn mean(&self) -> Option<f64>;

    /// The variance; `None` where it is infinite or the mean is.
    fn variance(&self) -> Option<f64>;

    /// Coefficient of variation, standard deviation / mean [no unit]; `None` without a variance or at mean 0.
    fn cv(&self) -> Option<f64> {
        let mean = self.mean().filter(|&mean| mean != 0.0)?;
        Some(self.variance()?.sqrt() / mean.abs())
    }
}

/// A distribution as a model holds it. Implemented by everything that is a [`Distribution`] with [`Moments`].
pub trait Law: Moments + fmt::Debug + Send + Sync {
    /// The next value, from `stream`.
    fn draw(&self, stream: &mut Stream) -> f64;
}

impl<D: Distribution<f64> + Moments + fmt::Debug + Send + Sync> Law for D {
    fn draw(&self, stream: &mut Stream) -> f64 {
        self.sample(stream)
    }
}

/// Any distribution, chosen at run time; cheap to clone and shared between threads.
#[derive(Clone, Debug)]
pub struct Sampler(Arc<dyn Law>);

impl Sampler {
    /// Holds `law`.
    pub fn new(law: impl Law + 'static) -> Self {
        Sampler(Arc::new(law))
    }

    /// The next value, from `stream`.
    pub fn draw(&self, stream: &mut Stream) -> f64 {
        self.0.draw(stream)
    }
}

impl Moments for Sampler {
    fn mean(&self) -> Option<f64> {
        self.0.mean()
    }

    fn variance(&self) -> Option<f64> {
        self.0.variance()
    }
}

/// `value` if it is finite.
fn finite(parameter: &'static str, value: f64) -> Result<f64, InvalidParameter> {
    require(value.is_finite(), parameter, "must be a finite number", value)
}

/// `value` if it is finite and above zero.
fn positive(parameter: &'static str, value: f64) -> Result<f64, InvalidParameter> {
    require(value.is_finite() && value > 0.0, parameter, "must be a positive number", value)
}

/// `value` if `holds`; else the complaint that `parameter` breaks `rule`.
fn require(
    holds: bool,
    parameter: &'static str,
    rule: &'static str,
    value: f64,
) -> Result<f64, InvalidParameter> {
    if holds { Ok(value) } else { Err(InvalidParameter { parameter, rule, value }) }
}

/// Checks that a million draws (fewer would hide a wrong tail) have the moments the law claims.
#[cfg(test)]
fn assert_moments(law: &(impl Law + ?Sized), relative: f64) {
    use super::stream::Streams;

    let mut stream = Streams::new(20_260, 0).stream("moments");
    let count = 1_000_000_u32;
    let mean = law.mean().expect("the tested law has a mean");
    let variance = law.variance().expect("the tested law has a variance");
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..count {
        let x = law.draw(&mut stream) - mean;
        sum += x;
        squares += x * x;
    }
    let (sum, squares) = (sum / f64::from(count), squares / f64::from(count));
    let standard_error = (variance / f64::from(count)).sqrt();
    assert!(
        sum.abs() <= 4.0 * standard_error,
        "{law:?}: mean off by {} standard errors",
        sum / standard_error
    );
    assert!(
        (squares - variance).abs() <= relative * variance,
        "{law:?}: variance {squares}, theory {variance}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::Streams;

    #[test]
    fn a_sampler_draws_what_its_law_draws() {
        let law = Exponential::new(3.0).expect("3 is positive");
        let sampler = Sampler::new(law.clone());
        let streams = Streams::new(1, 0);
        let (mut one, mut other) = (streams.stream("a"), streams.stream("a"));
        for _ in 0..10 {
            assert_eq!(sampler.draw(&mut one).to_bits(), law.draw(&mut other).to_bits());
        }
        assert_eq!(sampler.mean(), Some(3.0));
        assert_eq!(sampler.cv(), Some(1.0));
    }

    /// Greatest distance of the two empirical distribution functions (Kolmogorov and Smirnov's statistic).
    fn distance(mut ours: Vec<f64>, mut theirs: Vec<f64>) -> f64 {
        ours.sort_unstable_by(f64::total_cmp);
        theirs.sort_unstable_by(f64::total_cmp);
        let count = ours.len() as f64;
        let (mut below, mut greatest) = (0, 0.0_f64);
        for (index, &x) in ours.iter().enumerate() {
            // of equal values the last one counts: the laws of whole numbers tie
            if ours.get(index + 1) != Some(&x) {
                below += theirs[below..].partition_point(|&y| y <= x);
                greatest = greatest.max(((index + 1) as f64 - below as f64).abs() / count);
            }
        }
        greatest
    }

    /// `rand_distr` as a second opinion on the shape of a law, not only on its moments.
    fn assert_same_shape(ours: &impl Law, theirs: &impl Distribution<f64>) {
        const COUNT: usize = 50_000;
        let streams = Streams::new(1, 0);
        let (mut one, mut other) = (streams.stream("ours"), streams.stream("theirs"));
        let drawn = (0..COUNT).map(|_| ours.draw(&mut one)).collect();
        let expected = (0..COUNT).map(|_| theirs.sample(&mut other)).collect();
        // exceeded by equal laws once in 10,000: sqrt(-ln(1e-4 / 2) / n)
        let apart = distance(drawn, expected);
        assert!(apart < 0.0141, "{ours:?} is {apart} away from rand_distr");
    }

    #[test]
    fn shapes_agree_with_those_of_another_implementation() {
        let valid = "the parameters are valid";
        let pair =
            |mean: f64| (Poisson::new(mean).expect(valid), rand_distr::Poisson::new(mean).expect(valid));
        for (ours, theirs) in [pair(3.0), pair(29.0), pair(31.0), pair(5000.0)] {
            assert_same_shape(&ours, &theirs);
        }
        for shape in [0.3, 1.0, 2.5, 40.0] {
            let theirs = rand_distr::Gamma::new(shape, 2.0).expect(valid);
            assert_same_shape(&Gamma::new(shape, 2.0).expect(valid), &theirs);
        }
        for exponent in [0.5, 1.0, 1.7] {
            let theirs = rand_distr::Zipf::new(100_000.0, exponent).expect(valid);
            assert_same_shape(&Zipf::new(100_000, exponent).expect(valid), &theirs);
        }
        let theirs = rand_distr::Exp::new(0.5).expect(valid);
        assert_same_shape(&Exponential::new(2.0).expect(valid), &theirs);
        let theirs = rand_distr::Gamma::new(4.0, 0.5).expect(valid);
        assert_same_shape(&Erlang::new(4, 2.0).expect(valid), &theirs);
        let theirs = rand_distr::LogNormal::new(1.0, 0.8).expect(valid);
        assert_same_shape(&LogNormal::new(1.0, 0.8).expect(valid), &theirs);
        let theirs = rand_distr::Normal::new(1.0, 3.0).expect(valid);
        assert_same_shape(&Normal::new(1.0, 3.0).expect(valid), &theirs);
        let theirs = rand_distr::Weibull::new(3.0, 0.7).expect(valid);
        assert_same_shape(&Weibull::new(0.7, 3.0).expect(valid), &theirs);
        let theirs = rand_distr::Pareto::new(1.0, 1.5).expect(valid);
        assert_same_shape(&Pareto::new(1.0, 1.5).expect(valid), &theirs);
    }

    #[test]
    fn a_wrong_parameter_is_named_with_its_rule_and_value() {
        let error = Exponential::new(-1.0).expect_err("negative");
        assert_eq!(error.to_string(), "`mean` must be a positive number, but is -1");
    }
}
