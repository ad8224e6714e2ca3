//! Steps: a value holds until the next one.

use crate::kernel::SimTime;
use crate::registry::{Entry, entry};

use super::Interpolation;

pub(super) const ENTRY: Entry<dyn Interpolation> =
    entry!("step" => "each value holds until the next one", builds Stepwise);

/// Each value holds until the next one; at the very instant of a point its own value does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stepwise;

impl Interpolation for Stepwise {
    fn between(&self, points: &[(SimTime, f64)], index: usize) -> [f64; 4] {
        [points[index].1, 0.0, 0.0, 0.0]
    }
}
