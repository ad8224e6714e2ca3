//! Forecasts of a series from what it was so far: one method a file, and a battery that follows the
//! best of them.
//!
//! A [`Forecaster`] takes in values one by one and says what the next one will be. It knows nothing
//! of time or of what is measured: equal series have equal forecasts. A method that wants more
//! values than there are uses those that exist; without any there is no forecast. [`Battery`] runs
//! many, keeps the errors that each has made, and answers with the one that erred least.
//!
//! A forecaster of one's own joins the table `forecaster` of a registry, and so the forecasts of
//! `[prediction] kind = "forecast"`.
//!
//! Source: R. Wolski, "Dynamically forecasting network performance using the Network Weather
//! Service", Cluster Computing 1(1), 1998 (the methods, their parameters, and the choice by least
//! error). What it leaves open is decided in each file.

mod adaptive;
mod autoregression;
mod battery;
mod last;
mod mean;
mod settings;
mod sliding_mean;
mod sliding_median;
mod smoothing;
mod trimmed_mean;
mod window;

use std::fmt;

use crate::registry::{Key, Kind, Table};

pub use adaptive::Adaptive;
pub use autoregression::Autoregression;
pub use battery::{Battery, Forecast, Select};
pub use last::Last;
pub use mean::Mean;
pub use settings::{ForecastSettings, KEYS};
pub use sliding_mean::SlidingMean;
pub use sliding_median::SlidingMedian;
pub use smoothing::Smoothing;
pub use trimmed_mean::TrimmedMean;

/// A method of forecasting, and the part of a series that it keeps.
pub trait Forecaster: Copied + fmt::Debug + Send + Sync {
    /// Takes in the next value of the series, a finite number.
    fn add(&mut self, value: f64);

    /// Forecast of the next value; `None` if there is none yet.
    fn next(&self) -> Option<f64>;
}

/// Cloning of boxed forecasters.
pub trait Copied {
    /// The same in the same state.
    fn copy(&self) -> Box<dyn Forecaster>;
}

impl<F: Forecaster + Clone + 'static> Copied for F {
    fn copy(&self) -> Box<dyn Forecaster> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Forecaster> {
    fn clone(&self) -> Self {
        self.copy()
    }
}

/// The mean of what the next `steps` values will be, each forecast being taken in before the next
/// one is made.
pub fn ahead(forecaster: &dyn Forecaster, steps: u32) -> Option<f64> {
    let mut copy = forecaster.copy();
    let mut sum = 0.0;
    for _ in 0..steps.max(1) {
        let next = copy.next()?;
        sum += next;
        copy.add(next);
    }
    Some(sum / f64::from(steps.max(1)))
}

/// Number of the last values count.
const VALUES: Key = Key::new("values", Kind::Count { least: 1, most: 1 << 20 });

/// The forecasters by name.
pub fn table() -> Table<dyn Forecaster> {
    Table::new(
        "forecaster",
        "what the next value of a series will be",
        &[
            adaptive::MEAN,
            adaptive::MEDIAN,
            autoregression::ENTRY,
            last::ENTRY,
            mean::ENTRY,
            sliding_mean::ENTRY,
            sliding_median::ENTRY,
            smoothing::ENTRY,
            trimmed_mean::ENTRY,
        ],
    )
}

pub(crate) use clustersim_language::registry;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Catalogue;

    #[test]
    fn several_steps_ahead_each_forecast_is_taken_in() {
        let mut two = SlidingMean::new(2);
        assert_eq!(ahead(&two, 3), None);
        [1.0, 3.0].into_iter().for_each(|value| two.add(value));
        // 2, then the mean of 3 and 2, then that of 2 and 2.5
        assert_eq!(ahead(&two, 3), Some((2.0 + 2.5 + 2.25) / 3.0));
        assert_eq!([ahead(&two, 1), ahead(&two, 0), two.next()], [Some(2.0); 3]);
    }

    #[test]
    fn the_names_are_sorted() {
        let table = table();
        let names: Vec<&str> = table.rows().iter().map(|row| row.name).collect();
        assert!(names.is_sorted() && names.len() == 9, "{names:?}");
    }
}
