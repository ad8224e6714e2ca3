//! Laws given by their values: with weights (discrete), or as a sample to draw from again
//! (empirical).
//!
//! The discrete law uses the alias table of `rand_distr` (A. J. Walker, ACM TOMS 3(3), 1977; M. D.
//! Vose, IEEE TSE 17(9), 1991): constant time for any number of values. It may serve here because
//! it only adds, multiplies, divides and compares, and draws `u32` and `f64`, never `usize`. The
//! empirical law draws each observation with equal probability, with replacement, without smoothing
//! between observations.

use rand_distr::weighted::WeightedAliasIndex;

use super::{InvalidParameter, finite, require};
use crate::rng::stream::below;

/// Given values with given weights. Two draws.
#[derive(Clone, Debug)]
pub struct Discrete {
    values: Vec<f64>,
    index: WeightedAliasIndex<f64>,
    mean: f64,
    variance: f64,
}

impl Discrete {
    /// Pairs of (value, weight); weights need not sum to 1.
    ///
    /// # Errors
    /// If there is no pair or there are 2^32, a value is not finite, a weight negative or not
    /// finite, or all are zero.
    pub fn new(pairs: &[(f64, f64)]) -> Result<Self, InvalidParameter> {
        let fits = !pairs.is_empty() && u32::try_from(pairs.len()).is_ok();
        require(fits, "values", "must be from 1 to 2^32 - 1 many", pairs.len() as f64)?;
        for &(value, weight) in pairs {
            finite("values", value)?;
            require(
                weight >= 0.0 && weight.is_finite(),
                "weights",
                "must be finite and not negative",
                weight,
            )?;
        }
        let total: f64 = pairs.iter().map(|&(_, weight)| weight).sum();
        require(total > 0.0 && total.is_finite(), "weights", "must have a positive, finite sum", total)?;
        let mean: f64 = pairs.iter().map(|&(value, weight)| weight / total * value).sum();
        let variance =
            pairs.iter().map(|&(value, weight)| weight / total * (value - mean) * (value - mean)).sum();
        let weights = pairs.iter().map(|&(_, weight)| weight / total).collect();
        let refused =
            |_| InvalidParameter { parameter: "weights", rule: "must fit an alias table", value: total };
        let index = WeightedAliasIndex::new(weights).map_err(refused)?;
        Ok(Discrete { values: pairs.iter().map(|&(value, _)| value).collect(), index, mean, variance })
    }
}

law! {
    Discrete,
    sample(self, rng) => self.values[self.index.sample(rng)],
    moments(self) => (Some(self.mean), Some(self.variance)),
}

/// One of a sample's observations, each equally likely. One draw, rarely more.
#[derive(Clone, Debug)]
pub struct Empirical {
    values: Vec<f64>,
    mean: f64,
    variance: f64,
}

impl Empirical {
    /// Draws from `values`; the variance is that of the sample taken as the whole population.
    ///
    /// # Errors
    /// If there is no value or one is not finite.
    pub fn new(values: Vec<f64>) -> Result<Self, InvalidParameter> {
        require(!values.is_empty(), "values", "must not be empty", 0.0)?;
        for &value in &values {
            finite("values", value)?;
        }
        let count = values.len() as f64;
        let mean = values.iter().map(|value| value / count).sum::<f64>();
        let variance = values.iter().map(|value| (value - mean) * (value - mean) / count).sum();
        Ok(Empirical { values, mean, variance })
    }
}

law! {
    Empirical,
    sample(self, rng) => self.values[below(rng, self.values.len() as u64) as usize],
    moments(self) => (Some(self.mean), Some(self.variance)),
}

#[cfg(test)]
mod tests {
    use rand::distr::Distribution;

    use super::super::{Moments, assert_moments};
    use super::*;
    use crate::rng::Streams;

    #[test]
    fn laws_of_values_have_their_moments() {
        assert_moments(&Discrete::new(&[(1.0, 2.0), (4.0, 1.0), (16.0, 1.0)]).expect("valid"), 0.02);
        assert_moments(&Empirical::new(vec![1.0, 2.0, 2.0, 7.0]).expect("valid"), 0.02);
    }

    #[test]
    fn moments_worked_by_hand() {
        let law = Discrete::new(&[(1.0, 2.0), (4.0, 1.0), (16.0, 1.0)]).expect("valid");
        assert_eq!(law.mean(), Some(5.5)); // (2 + 4 + 16) / 4
        assert_eq!(law.variance(), Some(38.25)); // (2·20.25 + 2.25 + 110.25) / 4
    }

    #[test]
    fn a_value_without_weight_is_never_drawn() {
        let law = Discrete::new(&[(1.0, 1.0), (2.0, 0.0), (3.0, 3.0)]).expect("valid");
        let mut stream = Streams::new(1, 0).stream("a");
        let drawn: Vec<f64> = (0..10_000).map(|_| law.sample(&mut stream)).collect();
        assert!(drawn.iter().all(|&value| (value - 2.0).abs() > 0.5));
        let threes = drawn.iter().filter(|&&value| value > 2.0).count();
        assert!(threes.abs_diff(7500) < 200, "{threes}");
    }

    #[test]
    fn tables_without_sense_are_refused() {
        assert_eq!(Discrete::new(&[]).expect_err("empty").parameter, "values");
        assert_eq!(Discrete::new(&[(1.0, 0.0)]).expect_err("no weight").parameter, "weights");
        assert_eq!(Discrete::new(&[(1.0, -1.0)]).expect_err("negative").parameter, "weights");
        assert_eq!(Discrete::new(&[(f64::NAN, 1.0)]).expect_err("no number").parameter, "values");
        assert_eq!(Empirical::new(Vec::new()).expect_err("empty").parameter, "values");
    }
}
