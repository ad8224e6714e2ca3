//! Tasks in the order of the application: on the host where they complete first, or on the one that
//! is free first.
//!
//! Source: R. Armstrong, D. Hensgen, T. Kidd, "The relative performance of various mapping
//! algorithms is independent of sizable variances in run-time predictions", HCW 1998.

use crate::heuristic::completion::Completions;
use crate::heuristic::{DecidingNumber, Heuristic, Rank};
use crate::registry::{Entry, entry};

const SOURCE: &str = "R. Armstrong, D. Hensgen, T. Kidd, HCW 1998";

pub(super) const MCT: Entry<dyn Heuristic> = entry!(
    "mct" => "the next task in order, where it completes first", source SOURCE, builds MinimumCompletionTime
);

pub(super) const OLB: Entry<dyn Heuristic> = entry!(
    "olb" => "the next task in order, on the host that is free first", source SOURCE,
    builds OpportunisticLoadBalancing
);

/// Minimum completion time.
#[derive(Clone, Copy, Debug)]
pub struct MinimumCompletionTime;

impl Heuristic for MinimumCompletionTime {
    fn rank(&self, _: &Completions<'_>) -> Rank {
        Rank::default()
    }

    fn compared(&self, completions: &Completions<'_>) -> Vec<DecidingNumber> {
        vec![DecidingNumber::best(completions.best().completion)]
    }

    fn is_in_order(&self) -> bool {
        true
    }
}

/// Opportunistic load balancing.
#[derive(Clone, Copy, Debug)]
pub struct OpportunisticLoadBalancing;

impl Heuristic for OpportunisticLoadBalancing {
    fn rank(&self, _: &Completions<'_>) -> Rank {
        Rank::default()
    }

    fn is_in_order(&self) -> bool {
        true
    }

    fn takes_first_free(&self) -> bool {
        true
    }
}
