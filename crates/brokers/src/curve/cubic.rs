//! Cubics through the points that depend on the local past alone.
//!
//! A spline that is smooth everywhere depends on all points, those to come included. Here each
//! interval has a Hermite polynomial of its own, of the point before it and those at its ends:
//! these are the last three steps when the interval ends. Its slope at the beginning is that from
//! the point before to the one after, `(v[k+1] - v[k-1]) / (t[k+1] - t[k-1])`. Its slope at the end
//! is that of the interval, `(v[k+1] - v[k]) / (t[k+1] - t[k])`. The first interval has no point
//! before it and is a straight line.
//!
//! So the curve is continuous and passes through every point, and its slope jumps at points.
//! Source: Takefusa et al., HPDC 1999, section 5.1, which names a cubic spline of the local past
//! three steps; the slopes are a choice of ours.

use crate::kernel::SimTime;
use crate::registry::{Entry, entry};

use super::Interpolation;
use super::linear::slope;

pub(super) const ENTRY: Entry<dyn Interpolation> = entry!(
    "cubic" => "cubic polynomials of the last three points",
    source "Takefusa et al., HPDC 1999, section 5.1",
    builds Cubic
);

/// Cubic polynomials through the points, each of the point before an interval and those at its
/// ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cubic;

impl Interpolation for Cubic {
    fn between(&self, points: &[(SimTime, f64)], index: usize) -> [f64; 4] {
        let (from, to) = (points[index], points[index + 1]);
        let over = slope(from, to);
        let begin = index.checked_sub(1).map_or(over, |before| slope(points[before], to));
        // the Hermite polynomial whose last slope is that of the straight line
        let bend = (over - begin) / to.0.since(from.0).as_secs_f64();
        [from.1, begin, 2.0 * bend, -bend / to.0.since(from.0).as_secs_f64()]
    }
}
