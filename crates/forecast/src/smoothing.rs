//! Exponential smoothing: each value moves the forecast by a share of what it was off.
//!
//! The first value is the first forecast.

use crate::registry::{Bounds, Entry, Key, Kind};

use super::Forecaster;

pub(super) const ENTRY: Entry<dyn Forecaster> =
    Entry::new("smoothing", "exponential smoothing", KEYS, |params| {
        Ok(Box::new(Smoothing::new(params.read("gain")?)))
    });

const KEYS: &[Key] = &[Key::new("gain", Kind::Share(Bounds::Within(0.0, 1.0)))
    .or_number(0.5)
    .about("the share of its error by which the forecast moves")];

/// The next value is a mean of all so far, in which each weighs a share more than all before it.
#[derive(Clone, Debug)]
pub struct Smoothing {
    gain: f64,
    smooth: Option<f64>,
}

impl Smoothing {
    /// With a gain from 0 (the first value for ever) to 1 (the last).
    pub fn new(gain: f64) -> Self {
        Smoothing { gain: gain.clamp(0.0, 1.0), smooth: None }
    }
}

impl Forecaster for Smoothing {
    fn add(&mut self, value: f64) {
        self.smooth = Some(self.smooth.map_or(value, |smooth| smooth + self.gain * (value - smooth)));
    }

    fn next(&self) -> Option<f64> {
        self.smooth
    }
}
