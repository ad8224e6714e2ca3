//! A curve with the place that was asked about last.

use crate::kernel::SimTime;

use super::Curve;

/// A curve that is asked about instants which mostly rise, as by a queue or a server that serves
/// one after another: it looks where it was asked last first. It answers as [`Curve`] does,
/// whatever the order.
#[derive(Clone, Debug)]
pub struct CurveCursor {
    curve: Curve,
    /// The piece that was asked about last.
    piece: usize,
}

impl CurveCursor {
    /// A cursor at the start of the run.
    pub fn new(curve: Curve) -> Self {
        CurveCursor { curve, piece: 0 }
    }

    /// The curve.
    pub fn curve(&self) -> &Curve {
        &self.curve
    }

    /// As [`Curve::value_at`].
    pub fn value_at(&mut self, at: SimTime) -> f64 {
        let piece = self.find(at);
        self.curve.value(piece, at)
    }

    /// As [`Curve::integral`].
    pub fn integral(&mut self, from: SimTime, to: SimTime) -> f64 {
        let piece = self.find(from);
        self.curve.between(piece, from, to)
    }

    /// As [`Curve::end`].
    ///
    /// # Complexity
    /// O(1) if the end is near `start`, and `start` near the instant that was asked about last;
    /// O(log n) for n points at most.
    pub fn end(&mut self, start: SimTime, work: f64) -> Option<SimTime> {
        let piece = self.find(start);
        let (end, piece) = self.curve.reach(piece, start, work)?;
        self.piece = piece;
        Some(end)
    }

    fn find(&mut self, at: SimTime) -> usize {
        self.piece = self.curve.pieces.find(at.as_nanos(), self.piece);
        self.piece
    }
}
