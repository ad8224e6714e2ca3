//! Ranks of tasks.

use std::cmp::Ordering;

/// Urgency of a task: the first figure decides, of equal ones the second.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rank(pub f64, pub f64);

impl Rank {
    /// Returns true if it lies within a relative tolerance of the greatest.
    pub fn is_near(self, greatest: Rank, tolerance: f64) -> bool {
        let near = |own: f64, other: f64| (other - own).abs() <= tolerance * other.abs();
        near(self.0, greatest.0) && near(self.1, greatest.1)
    }
}

impl PartialEq for Rank {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Rank {}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        // zeros of both signs are equal
        let compare = |one: f64, other: f64| (one + 0.0).total_cmp(&(other + 0.0));
        compare(self.0, other.0).then(compare(self.1, other.1))
    }
}
