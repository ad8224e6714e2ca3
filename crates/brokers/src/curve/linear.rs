//! Straight lines from point to point.

use crate::kernel::SimTime;
use crate::registry::{Entry, entry};

use super::Interpolation;

pub(super) const ENTRY: Entry<dyn Interpolation> = entry!(
    "linear" => "straight lines from point to point",
    source "Takefusa et al., HPDC 1999, section 3.1.2",
    builds Linear
);

/// Straight lines from point to point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Linear;

impl Interpolation for Linear {
    fn between(&self, points: &[(SimTime, f64)], index: usize) -> [f64; 4] {
        let (from, to) = (points[index], points[index + 1]);
        [from.1, slope(from, to), 0.0, 0.0]
    }
}

/// The slope from one point to a later one \[1/s\].
pub(super) fn slope(from: (SimTime, f64), to: (SimTime, f64)) -> f64 {
    (to.1 - from.1) / to.0.since(from.0).as_secs_f64()
}
