//! Randomized forms: any of the tasks whose rank is as good as the greatest, by chance.
//!
//! Source: section 5.6.3 of the report of the Parameter Sweep Template (H5 to H8).

use crate::heuristic::completion::Completions;
use crate::heuristic::{DecidingNumber, Heuristic, Rank};
use crate::model::grid::HostNumber;
use crate::registry::{Bounds, Complaint, Entry, Kind, Params, entry};

pub(super) const ENTRY: Entry<dyn Heuristic> = entry!(
    "randomized" => "another heuristic, which takes any of the tasks that are as urgent as the first",
    source "F. Berman, H. Casanova, A. Legrand, D. Zagorodnov, LIP RR1999-46, 1999", keys {
        "of" Kind::Component("heuristic"), or "extended-sufferage" => "the heuristic that ranks tasks";
        "tolerance" Kind::Number(Bounds::Within(0.0, 1.0)), or_number 1e-6 =>
            "how far from the greatest rank, relatively, a task may be";
    }, reads |params| read(params)?
);

fn read(params: &Params<'_>) -> Result<Randomized, Complaint> {
    let of: Box<dyn Heuristic> = params.component("of", "heuristic")?;
    let ranks = of.workqueue().is_none() && of.contenders().is_empty() && of.tolerance().is_none();
    if of.is_in_order() || !ranks {
        let complaint =
            params.complaint("of", "this heuristic ranks no tasks of which one could be taken by chance");
        return Err(complaint
            .help("min-min, max-min, sufferage, xsufferage, extended-sufferage and sufferage-2 rank tasks"));
    }
    Ok(Randomized { of, tolerance: params.read("tolerance")? })
}

/// A heuristic that chooses by chance among equals.
#[derive(Debug)]
pub struct Randomized {
    /// Heuristic that ranks tasks.
    pub of: Box<dyn Heuristic>,
    /// Greatest relative distance from the greatest rank.
    pub tolerance: f64,
}

impl Heuristic for Randomized {
    fn rank(&self, completions: &Completions<'_>) -> Rank {
        self.of.rank(completions)
    }

    fn compared(&self, completions: &Completions<'_>) -> Vec<DecidingNumber> {
        self.of.compared(completions)
    }

    fn host(&self, completions: &Completions<'_>) -> HostNumber {
        self.of.host(completions)
    }

    fn looks_at_hosts(&self) -> bool {
        self.of.looks_at_hosts()
    }

    fn clusters_compared(&self) -> usize {
        self.of.clusters_compared()
    }

    fn tolerance(&self) -> Option<f64> {
        Some(self.tolerance)
    }
}
