//! A curve as a function of time.

use std::sync::Arc;

use crate::kernel::SimTime;

use super::pieces::Pieces;
use super::{CurveError, Interpolation};

/// A measured series as a function of time; the module's documentation has the rules. Copies share
/// the pieces, of which a point has one of 40 bytes, and a few more where the curve is cut at the
/// least value.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    pub(super) pieces: Arc<Pieces>,
    /// Factor of all values.
    pub(super) by: f64,
}

impl Curve {
    /// The curve through `points`, nowhere below `least`.
    ///
    /// # Errors
    /// No point, times that do not rise, and values or a least value that are no numbers from 0 to
    /// 1e18.
    pub fn new(
        points: &[(SimTime, f64)],
        interpolation: &dyn Interpolation,
        least: f64,
    ) -> Result<Self, CurveError> {
        Ok(Curve { pieces: Arc::new(Pieces::new(points, interpolation, least)?), by: 1.0 })
    }

    /// The curve of `by` times its values, the least one included; `by` is 0 or more. Costs
    /// nothing.
    #[must_use]
    pub fn scaled(&self, by: f64) -> Self {
        Curve { pieces: Arc::clone(&self.pieces), by: self.by * by.max(0.0) }
    }

    /// The points that it passes through: those that it was made of, none below the least value.
    pub fn points(&self) -> impl Iterator<Item = (SimTime, f64)> {
        self.pieces.points().map(|(at, value)| (at, value * self.by))
    }

    /// The polynomials that it consists of, in the order of time: the instant from which each
    /// holds, and its coefficients of 1, x, x² and x³, `x` seconds later.
    pub fn polynomials(&self) -> impl Iterator<Item = (SimTime, [f64; 4])> {
        let scaled = |coefficients: [f64; 4]| coefficients.map(|coefficient| coefficient * self.by);
        self.pieces.polynomials().map(move |(from, coefficients)| (from, scaled(coefficients)))
    }

    /// The value at `at`; at the very instant of a point it is that point's.
    ///
    /// # Complexity
    /// O(log n) for n points, as all that follows; a [`CurveCursor`](super::CurveCursor) takes O(1)
    /// where instants rise.
    pub fn value_at(&self, at: SimTime) -> f64 {
        self.value(self.pieces.find_any(at.as_nanos()), at)
    }

    /// Value times seconds between two instants; 0 if `to` is not later than `from`.
    pub fn integral(&self, from: SimTime, to: SimTime) -> f64 {
        self.between(self.pieces.find_any(from.as_nanos()), from, to)
    }

    /// The mean value between two instants; the value at `from` if `to` is not later.
    pub fn mean(&self, from: SimTime, to: SimTime) -> f64 {
        if to <= from {
            return self.value_at(from);
        }
        self.integral(from, to) / to.since(from).as_secs_f64()
    }

    /// The least instant at which the integral from `start` on has reached `work`, rounded up to a
    /// nanosecond; `start` if `work` is 0 or less. `None` if that is after the end of time, or
    /// never.
    pub fn end(&self, start: SimTime, work: f64) -> Option<SimTime> {
        self.reach(self.pieces.find_any(start.as_nanos()), start, work).map(|(end, _)| end)
    }

    pub(super) fn value(&self, piece: usize, at: SimTime) -> f64 {
        self.pieces.value(piece, at.as_nanos()) * self.by
    }

    pub(super) fn between(&self, piece: usize, from: SimTime, to: SimTime) -> f64 {
        if to <= from {
            return 0.0;
        }
        self.pieces.integral(piece, from.as_nanos(), to.as_nanos()) * self.by
    }

    /// As [`Curve::end`], with the piece in which that is.
    pub(super) fn reach(&self, piece: usize, start: SimTime, work: f64) -> Option<(SimTime, usize)> {
        if work <= 0.0 {
            return Some((start, piece));
        }
        let (end, piece) = self.pieces.reach(piece, start.as_nanos(), work / self.by)?;
        Some((SimTime::from_nanos(end), piece))
    }
}
