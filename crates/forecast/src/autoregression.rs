//! Autoregression: the next value as a weighted sum of the last p, fitted to the last points.
//!
//! The mean is taken off; autocovariances are the biased ones (divided by the number of points), so
//! that the recursion of Levinson and Durbin gives the coefficients in O(p²). There is no forecast
//! from fewer than 2 p points or 4, from points that are all equal, and where a reflection
//! coefficient of 1 or more in size says that the series is not stationary.
//!
//! Source: G. E. P. Box, G. M. Jenkins, "Time Series Analysis", 1970 (Yule-Walker equations,
//! appendix A3.2).

use crate::registry::{Entry, Key, Kind};

use super::window::Window;
use super::{Forecaster, VALUES};

/// The highest order.
const MOST: u64 = 15;

pub(super) const ENTRY: Entry<dyn Forecaster> = Entry::published(
    "autoregression",
    "a weighted sum of the last values, fitted to what came before",
    "G. E. P. Box, G. M. Jenkins, Time Series Analysis, 1970",
    KEYS,
    |params| Ok(Box::new(Autoregression::new(params.read("order")?, params.read("values")?))),
);

const KEYS: &[Key] = &[
    Key::new("order", Kind::Count { least: 1, most: MOST }).or_count(1).about("how many values are weighed"),
    VALUES.or_count(128).about("to how many of the last values it is fitted"),
];

/// The next value is a weighted sum of the last ones.
///
/// # Complexity
/// O(n p + p²) for each forecast of order p from n points.
#[derive(Clone, Debug)]
pub struct Autoregression {
    order: usize,
    last: Window,
}

impl Autoregression {
    /// Of this `order`, fitted to the last so many `values`.
    pub fn new(order: usize, values: usize) -> Self {
        Autoregression { order: order.clamp(1, MOST as usize), last: Window::new(values) }
    }

    /// The weights, that of the last value first, and the values without their mean, which comes
    /// last.
    fn fit(&self) -> Option<(Vec<f64>, Vec<f64>, f64)> {
        let (count, mean) = (self.last.len(), self.last.mean()?);
        if count < (2 * self.order).max(4) {
            return None;
        }
        let values: Vec<f64> = self.last.iter().map(|value| value - mean).collect();
        let covariance = |lag: usize| {
            let products = values.iter().zip(&values[lag..]).map(|(one, later)| one * later);
            products.sum::<f64>() / count as f64
        };
        let covariances: Vec<f64> = (0..=self.order).map(covariance).collect();
        let mut error = covariances[0];
        let mut weights: Vec<f64> = Vec::with_capacity(self.order);
        for step in 0..self.order {
            if error <= 0.0 {
                return None;
            }
            let known: f64 =
                weights.iter().enumerate().map(|(place, weight)| weight * covariances[step - place]).sum();
            let reflection = (covariances[step + 1] - known) / error;
            if reflection.is_nan() || reflection.abs() >= 1.0 {
                return None;
            }
            let before = weights.clone();
            for (weight, mirrored) in weights.iter_mut().zip(before.iter().rev()) {
                *weight -= reflection * mirrored;
            }
            weights.push(reflection);
            error *= 1.0 - reflection * reflection;
        }
        Some((weights, values, mean))
    }
}

impl Forecaster for Autoregression {
    fn add(&mut self, value: f64) {
        self.last.add(value);
    }

    fn next(&self) -> Option<f64> {
        let (weights, values, mean) = self.fit()?;
        Some(
            mean + weights.iter().zip(values.iter().rev()).map(|(weight, value)| weight * value).sum::<f64>(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(order: usize, series: &[f64]) -> Autoregression {
        let mut fitted = Autoregression::new(order, 128);
        series.iter().for_each(|&value| fitted.add(value));
        fitted
    }

    #[test]
    fn weights_and_forecasts_of_a_series_are_those_worked_out_by_hand() {
        let series = [4.0, 6.0, 5.0, 7.0, 6.0, 8.0, 7.0, 9.0];
        let one = of(1, &series);
        assert_eq!((one.fit().expect("enough").0, one.next()), (vec![0.125], Some(6.8125)));
        let two = of(2, &series);
        let weights = two.fit().expect("enough").0;
        assert!(
            (weights[0] - 0.067_019_4).abs() < 1e-7 && (weights[1] - 0.463_844_8).abs() < 1e-7,
            "{weights:?}"
        );
        assert!((two.next().expect("enough") - 6.899_470_9).abs() < 1e-7, "{two:?}");
    }

    #[test]
    fn too_few_points_and_equal_ones_have_no_forecast() {
        assert_eq!(of(1, &[1.0, 2.0, 3.0]).next(), None);
        assert_eq!(of(5, &[1.0, 2.0, 1.0, 3.0, 1.0, 2.0, 4.0, 1.0, 2.0]).next(), None);
        assert_eq!(of(1, &[7.0; 20]).next(), None);
        assert!(of(1, &[1.0, 2.0, 1.0, 3.0]).next().is_some());
    }
}
