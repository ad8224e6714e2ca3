//! Distributions to draw from: arrivals, sizes, run times, think times.
//!
//! One file is one family. A distribution is a small value that is checked when made
//! ([`InvalidParameter`] names the parameter, so that a scenario's error can point at it), samples
//! through [`rand::distr::Distribution`], and knows its [`Moments`], so that an offered load can be
//! computed and a sampler tested against its theory. [`Sampler`] holds any of them. Values are
//! plain numbers; the user of one as time says in which unit.
//!
//! Where inversion is cheap it is used (one draw, monotone in the uniform), because it keeps common
//! random numbers in step when a parameter is varied. What draws several numbers per value says so.

#[macro_use]
mod law;
mod bounded;
mod counts;
mod exponential;
mod gamma;
mod normal;
mod pareto;
#[cfg(test)]
mod tests;
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
#[cfg(test)]
use tests::assert_moments;

/// A parameter no distribution of that kind can have.
#[derive(Clone, Debug, PartialEq)]
pub struct InvalidParameter {
    /// The parameter's name, as a scenario writes it.
    pub parameter: &'static str,
    /// The condition that the value violates, as the rest of a sentence: "must be positive".
    pub rule: &'static str,
    /// Value given.
    pub value: f64,
}

impl fmt::Display for InvalidParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}, but is {}", self.parameter, self.rule, self.value)
    }
}

impl std::error::Error for InvalidParameter {}

/// Mean and variance, where they exist.
pub trait Moments {
    /// Both of them: the mean is `None` where it is infinite, the variance where it or the mean is.
    fn moments(&self) -> (Option<f64>, Option<f64>);

    /// The mean; `None` where it is infinite.
    fn mean(&self) -> Option<f64> {
        self.moments().0
    }

    /// The variance; `None` where it is infinite or the mean is.
    fn variance(&self) -> Option<f64> {
        self.moments().1
    }

    /// Coefficient of variation, standard deviation / mean [no unit]; `None` without a variance or
    /// at mean 0.
    fn cv(&self) -> Option<f64> {
        let mean = self.mean().filter(|&mean| mean != 0.0)?;
        Some(self.variance()?.sqrt() / mean.abs())
    }
}

/// A distribution as a model holds it. Implemented by everything that is a [`Distribution`] with
/// [`Moments`].
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

    /// Returns true if one draw may differ from another.
    pub fn varies(&self) -> bool {
        self.variance().is_none_or(|variance| variance > 0.0)
    }

    /// Returns true if it is the very same one, or a copy of it.
    pub fn is(&self, other: &Sampler) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Moments for Sampler {
    fn moments(&self) -> (Option<f64>, Option<f64>) {
        self.0.moments()
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
