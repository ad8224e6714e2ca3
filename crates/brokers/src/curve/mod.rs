//! Curves: what a measured series is between its points, integrated and inverted exactly.
//!
//! ```text
//!   value
//!     │        ●──╮          ● a point of the series
//!     │   ╭────╯   ╲   ●━━━━ after the last point its value holds
//!     │━━━●         ╲ ╱
//!     │              V       never below the least value
//!     └──────────────────── time
//! ```
//!
//! Between two points a [`Curve`] is a polynomial of degree 3 or less, which an [`Interpolation`]
//! chooses: [`Stepwise`], [`Linear`] or [`Cubic`]. Before the first point the first value holds,
//! and after the last the last one; a single point is a constant. Where the polynomial falls below
//! the least value, the least value holds: a packet on a link that was measured to carry nothing
//! would never arrive.
//!
//! A packet does not take the value at its start: it ends when the integral of the curve has
//! reached its size, to the nanosecond and rounded up. Integrals are exact but for rounding. Where
//! a curve is cut at its least value, the instants of the cuts are whole nanoseconds, at all of
//! which the curve is not below the least value.
//!
//! Only additions, multiplications, divisions and square roots are used, so results are the same on
//! every machine.
//!
//! Source: A. Takefusa et al., "Overview of a Performance Evaluation System for Global Computing
//! Scheduling Algorithms", HPDC 1999, section 3.1.2 (bandwidth by interpolation of measurements),
//! section 3.1.3 (servers by observed parameters) and section 5.1 (a cubic that depends on the
//! local past three steps). Slopes, least values and what holds outside are choices of ours.

mod cubic;
mod cursor;
mod function;
mod least;
mod linear;
mod pieces;
mod polynomial;
mod step;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::kernel::SimTime;
use crate::registry::Table;

pub use cubic::Cubic;
pub use cursor::CurveCursor;
pub use function::Curve;
pub use linear::Linear;
pub use step::Stepwise;

/// The least value of a curve of bandwidth \[bytes/s\].
pub(crate) const LEAST_BANDWIDTH: f64 = 1.0;
/// The least value of a curve of availability \[share\].
pub(crate) const LEAST_AVAILABILITY: f64 = 0.001;

/// Interpolation of a series between two of its points.
pub trait Interpolation: fmt::Debug + Send + Sync {
    /// The curve from point `index` on to the next one, which is there: the coefficients of 1, x,
    /// x² and x³, `x` seconds after point `index`. Times of points rise, and values are 0 or more.
    /// A curve that is to be known by the time of its later point uses no points after that one.
    fn between(&self, points: &[(SimTime, f64)], index: usize) -> [f64; 4];
}

/// Reason that points are no curve.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CurveError {
    /// No point at all.
    #[error("a curve needs a point")]
    NoPoint,
    /// The point of this index, from 0, is not later than the one before it.
    #[error("point {0} is not later than the one before it")]
    NotRising(usize),
    /// The value of the point of this index is negative, above 1e18, or not a number.
    #[error("the value of point {0} is not a number from 0 to 1e18")]
    Value(usize),
    /// The least value is negative, above 1e18, or not a number.
    #[error("the least value is not a number from 0 to 1e18")]
    Least,
    /// The interpolation has a coefficient after the point of this index that is no finite number.
    #[error("the curve after point {0} is not finite")]
    Interpolation(usize),
}

/// The interpolations by name.
pub fn table() -> Table<dyn Interpolation> {
    Table::new(
        "curve",
        "what a measured series is between its points",
        &[cubic::ENTRY, linear::ENTRY, step::ENTRY],
    )
}

/// Share of a server that one more task gets under a load, 1 / (1 + `load`): each of `load` + 1
/// tasks gets as much.
pub fn availability(load: f64) -> f64 {
    1.0 / (1.0 + load)
}
