//! Min-min and Max-min: the task that completes first, or last, on its best host.
//!
//! Source: O. H. Ibarra, C. E. Kim, "Heuristic algorithms for scheduling independent tasks on
//! nonidentical processors", JACM 24(2), 1977; H1 and H2 of the report of the Parameter Sweep
//! Template.

use crate::heuristic::completion::Completions;
use crate::heuristic::{DecidingNumber, Heuristic, Rank};
use crate::registry::{Entry, entry};

const SOURCE: &str = "O. H. Ibarra, C. E. Kim, JACM 24(2), 1977";

pub(super) const MIN_MIN: Entry<dyn Heuristic> = entry!("min-min" => "the task that completes first on its best host", source SOURCE, builds MinMinHeuristic);

pub(super) const MAX_MIN: Entry<dyn Heuristic> = entry!("max-min" => "the task that completes last on its best host", source SOURCE, builds MaxMinHeuristic);

/// H1.
#[derive(Clone, Copy, Debug)]
pub struct MinMinHeuristic;

impl Heuristic for MinMinHeuristic {
    fn rank(&self, completions: &Completions<'_>) -> Rank {
        Rank(-(completions.best().completion as f64), 0.0)
    }

    fn compared(&self, completions: &Completions<'_>) -> Vec<DecidingNumber> {
        vec![DecidingNumber::best(completions.best().completion)]
    }

    fn clusters_compared(&self) -> usize {
        1
    }

    fn falls(&self) -> bool {
        true
    }

    fn takes_first_completed(&self) -> bool {
        true
    }
}

/// H2.
#[derive(Clone, Copy, Debug)]
pub struct MaxMinHeuristic;

impl Heuristic for MaxMinHeuristic {
    fn rank(&self, completions: &Completions<'_>) -> Rank {
        Rank(completions.best().completion as f64, 0.0)
    }

    fn compared(&self, completions: &Completions<'_>) -> Vec<DecidingNumber> {
        vec![DecidingNumber::best(completions.best().completion)]
    }

    fn clusters_compared(&self) -> usize {
        1
    }
}
