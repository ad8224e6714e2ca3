//! Forecasts of a series from what it was so far: one method a file, and a battery that follows
//! the best of them.

pub use clustersim_forecast::{Battery, Copied, Forecast, Forecaster, Select};
