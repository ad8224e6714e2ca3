//! Measured series in files: samples of a bandwidth, an availability or a load over time.
//!
//! Two formats are read. The text that sensors of the Network Weather Service write has a sample on
//! each line: its time and its value, with blanks between them. Further columns are passed over,
//! and every line has as many as the first. Lines that are empty or begin with `#` count for
//! nothing.
//!
//! ```text
//! # bytes per second
//! 925142400   113022
//! 925142460   118411
//! ```
//!
//! Comma-separated values name their columns in the first line: `time`, and `value` or the only
//! other one, unless others are [asked for](SeriesFormat). So `bandwidth,time` is read as it is.
//!
//! Times may be those of any clock: they are shifted so that the first sample is at 0. Numbers may
//! have their units, and bare ones have the unit that was stated. Where nothing was measured (`-`,
//! `NaN`, `NA`, or an empty cell) there is no sample, and that is counted. The period of a series
//! is the median time between samples, and longer times than three periods are counted as gaps. All
//! mistakes of a file are reported at once, each at its line and column.
//!
//! Source: R. Wolski, N. Spring, J. Hayes, "The Network Weather Service", FGCS 15(5-6), 1999 (the
//! series); Takefusa et al., "Overview of a Performance Evaluation System for Global Computing
//! Scheduling Algorithms", HPDC 1999, section 5.1 (their replay).

mod reader;
mod source;
#[cfg(test)]
mod tests;

use crate::curve::{Curve, CurveError, Interpolation};
use crate::kernel::{SimDuration, SimTime};
use crate::platform::measured::Units;

pub use reader::{read_series, read_series_csv};

pub(crate) use reader::read_series_named;
pub use source::BANDWIDTH;
pub(crate) use source::{AVAILABILITY, SeriesSource};

/// Spacings of at most this number of periods are no gap.
const PERIODS: u64 = 3;

/// Quantity of the values of a series.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SeriesOf {
    /// A bandwidth; [`MeasuredSeries::points`] has bytes per second.
    Bandwidth,
    /// The availability of a server; a share from 0 to 1.
    Availability,
    /// The load of a server: the number of tasks that share it with the next one.
    Load,
}

/// Format of a series.
#[derive(Clone, Debug)]
pub struct SeriesFormat {
    /// Quantity of its values.
    pub of: SeriesOf,
    /// The units of bare numbers: times, bandwidths, and what shares are of.
    pub units: Units,
    /// The column of times in comma-separated values; `time` if none is given.
    pub time: Option<String>,
    /// The column of values there; if none is given, `value` or the only one that is not of times.
    pub value: Option<String>,
}

impl SeriesFormat {
    /// Times in seconds, values in units of their own, and columns by their common names.
    pub fn new(of: SeriesOf) -> Self {
        SeriesFormat { of, units: Units::default(), time: None, value: None }
    }
}

/// A series as measured.
#[derive(Clone, PartialEq, Debug)]
pub struct MeasuredSeries {
    /// The samples: their times since the first one, rising, and their values of 0 or more. At
    /// least one.
    pub points: Vec<(SimTime, f64)>,
    /// The median time between two samples, the lesser one of two; 0 if there is one sample only.
    pub period: SimDuration,
    /// Number of times between two samples that are longer than three periods.
    pub gaps: u64,
    /// Samples without a value.
    pub missing: u64,
    /// The time of the first sample on the clock of the file.
    pub shifted_by: SimDuration,
}

impl MeasuredSeries {
    /// The series of samples on the clock of a file; times rise.
    fn new(mut points: Vec<(SimTime, f64)>, missing: u64) -> Self {
        let first = points.first().map_or(SimTime::ZERO, |(at, _)| *at);
        points.iter_mut().for_each(|(at, _)| *at = SimTime::ZERO + at.since(first));
        let spacings = || points.windows(2).map(|pair| pair[1].0.since(pair[0].0));
        let mut sorted: Vec<SimDuration> = spacings().collect();
        let middle = sorted.len().saturating_sub(1) / 2;
        let period =
            if sorted.is_empty() { SimDuration::ZERO } else { *sorted.select_nth_unstable(middle).1 };
        let longest = period.checked_mul(PERIODS).unwrap_or(SimDuration::MAX);
        let gaps = spacings().filter(|spacing| *spacing > longest).count() as u64;
        MeasuredSeries { points, period, gaps, missing, shifted_by: first.since(SimTime::ZERO) }
    }

    /// The same series of other values, such as the
    /// availability that loads leave.
    #[must_use]
    pub fn map(mut self, value: impl Fn(f64) -> f64) -> Self {
        self.points.iter_mut().for_each(|point| point.1 = value(point.1));
        self
    }

    /// The curve through its samples, nowhere below `least`.
    ///
    /// # Errors
    /// As `Curve::new`.
    pub fn curve(&self, interpolation: &dyn Interpolation, least: f64) -> Result<Curve, CurveError> {
        Curve::new(&self.points, interpolation, least)
    }
}
