//! DuplexHeuristic: the better of Min-min and Max-min, by the last completion of their charts; of
//! equals Min-min.
//!
//! Source: T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of
//! independent tasks onto heterogeneous distributed computing systems", JPDC 61(6), 2001.

use crate::heuristic::completion::Completions;
use crate::heuristic::{Heuristic, MaxMinHeuristic, MinMinHeuristic, Rank};
use crate::registry::{Entry, entry};

pub(super) const ENTRY: Entry<dyn Heuristic> = entry!(
    "duplex" => "the better of Min-min and Max-min", source "T. D. Braun et al., JPDC 61(6), 2001",
    builds DuplexHeuristic::new()
);

/// Both.
#[derive(Debug)]
pub struct DuplexHeuristic([(&'static str, &'static str, Box<dyn Heuristic>); 2]);

impl DuplexHeuristic {
    /// Min-min and Max-min.
    pub fn new() -> Self {
        DuplexHeuristic([
            ("min-min-end", "the end of a plan by Min-min", Box::new(MinMinHeuristic)),
            ("max-min-end", "that of one by Max-min", Box::new(MaxMinHeuristic)),
        ])
    }
}

impl Default for DuplexHeuristic {
    fn default() -> Self {
        DuplexHeuristic::new()
    }
}

impl Heuristic for DuplexHeuristic {
    fn rank(&self, completions: &Completions<'_>) -> Rank {
        self.0[0].2.rank(completions)
    }

    fn contenders(&self) -> &[(&'static str, &'static str, Box<dyn Heuristic>)] {
        &self.0
    }
}
