//! Rates of service of a station: so much work in a second, always or along a curve.

use crate::curve::CurveCursor;
use crate::kernel::{SimDuration, SimTime};

/// Rate of service \[work/s\].
#[derive(Clone, Debug)]
pub enum Rate {
    /// Always as fast.
    Constant(f64),
    /// As a series was measured, as work in a second.
    Measured(CurveCursor),
}

impl Rate {
    /// End of work that starts at `start`, rounded up to the nanosecond; the end of time, if it
    /// never ends.
    #[inline]
    pub fn end(&mut self, start: SimTime, work: f64) -> SimTime {
        match self {
            Rate::Constant(rate) => start.saturating_add(SimDuration::ceil_ratio(work, *rate)),
            Rate::Measured(curve) => curve.end(start, work).unwrap_or(SimTime::MAX),
        }
    }

    /// Work that is done from `from` to `to`.
    pub fn work(&mut self, from: SimTime, to: SimTime) -> f64 {
        match self {
            Rate::Constant(rate) => *rate * to.since(from).as_secs_f64(),
            Rate::Measured(curve) => curve.integral(from, to),
        }
    }

    /// Work in a second at an instant.
    pub fn at(&self, at: SimTime) -> f64 {
        match self {
            Rate::Constant(rate) => *rate,
            Rate::Measured(curve) => curve.curve().value_at(at),
        }
    }
}
