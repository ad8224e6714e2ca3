//! Duplex: the better of Min-min and Max-min, by the last completion of their charts; of equals Min-min.
//!
//! Source: T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent tasks onto heterogeneous
//! distributed computing systems", JPDC 61(6), 2001.

use crate::registry::{Entry, entry};
use crate::sweep::completion::Completions;
use crate::sweep::heuristic::{Heuristic, MaxMin, MinMin, Rank};

pub(super) const ENTRY: Entry<dyn Heuristic> = entry!(
    "duplex" => "the better of Min-min and Max-min", source "T. D. Braun et al., JPDC 61(6), 2001",
    builds Duplex::new()
);

/// Both.
#[derive(Debug)]
pub struct Duplex([Box<dyn Heuristic>; 2]);

impl Duplex {
    /// Min-min and Max-min.
    pub fn new() -> Self {
        Duplex([Box::new(MinMin), Box::new(MaxMin)])
    }
}

impl Default for Duplex {
    fn default() -> Self {
        Duplex::new()
    }
}

impl Heuristic for Duplex {
    fn rank(&self, completions: &Completions<'_>) -> Rank {
        self.0[0].rank(completions)
    }

    fn contenders(&self) -> &[Box<dyn Heuristic>] {
        &self.0
    }
}
