//! Sufferage: the task that would lose most by its second-best choice, of hosts or of clusters.
//!
//! By hosts the second best is the best of all other hosts, those of the same cluster among them:
//! where hosts of a cluster are alike it is hardly worse, so that the rule says little. By clusters
//! it says where files are.
//!
//! Source: M. Maheswaran, S. Ali, H. J. Siegel, D. Hensgen, R. F. Freund, HCW 1999; H3 of the
//! report of the Parameter Sweep Template; H. Casanova, A. Legrand, D. Zagorodnov, F. Berman, HCW
//! 2000 (XSufferage).

use crate::heuristic::completion::Completions;
use crate::heuristic::{DecidingNumber, Heuristic, Rank};
use crate::registry::{Entry, entry};

pub(super) const ENTRY: Entry<dyn Heuristic> = entry!(
    "sufferage" => "the task that loses most if it goes to its second-best host",
    source "M. Maheswaran et al., HCW 1999", builds Sufferage
);

pub(super) const X: Entry<dyn Heuristic> = entry!(
    "xsufferage" => "the task that loses most if it goes to its second-best cluster",
    source "H. Casanova, A. Legrand, D. Zagorodnov, F. Berman, HCW 2000", builds XSufferage
);

/// H3.
#[derive(Clone, Copy, Debug)]
pub struct Sufferage;

impl Heuristic for Sufferage {
    fn rank(&self, completions: &Completions<'_>) -> Rank {
        Rank(lost(completions, completions.second_host()).unwrap_or(0.0), 0.0)
    }

    fn compared(&self, completions: &Completions<'_>) -> Vec<DecidingNumber> {
        let second = completions.second_host();
        vec![
            DecidingNumber::span("sufferage", "its sufferage", lost(completions, second)),
            DecidingNumber::best(completions.best().completion),
            DecidingNumber::at("second-host", "that on the second-best host", second),
        ]
    }

    fn looks_at_hosts(&self) -> bool {
        true
    }

    fn clusters_compared(&self) -> usize {
        2
    }
}

/// XSufferage.
#[derive(Clone, Copy, Debug)]
pub struct XSufferage;

impl Heuristic for XSufferage {
    fn rank(&self, completions: &Completions<'_>) -> Rank {
        Rank(lost(completions, completions.second_cluster()).unwrap_or(0.0), 0.0)
    }

    fn compared(&self, completions: &Completions<'_>) -> Vec<DecidingNumber> {
        let second = completions.second_cluster();
        vec![
            DecidingNumber::span("sufferage", "its sufferage", lost(completions, second)),
            DecidingNumber::best(completions.best().completion),
            DecidingNumber::at("second-cluster", "that on the second-best cluster", second),
        ]
    }

    fn clusters_compared(&self) -> usize {
        2
    }
}

/// Time lost by the second choice \[ns\]; `None` where there is none.
fn lost(completions: &Completions<'_>, second: Option<u64>) -> Option<f64> {
    second.map(|second| (second - completions.best().completion) as f64)
}
