//! Extended Sufferage and Sufferage II: by the first jump in the completions of a task, cluster by
//! cluster from the best on.
//!
//! The differences between successive completions have a mean and a standard deviation (of the
//! population); the jump is the first that is as great as both together. With three clusters no
//! difference is ever greater than that, so it need not be.
//!
//! ```text
//!   completions  10  12  40  41    differences  2  28   1   jump 28, with two clusters before it
//!   completions  10  10  20  30    differences  0  10  10   no jump: none reaches 6.67 + 4.71
//! ```
//!
//! Without a jump all clusters are alike to a task. It suffers nothing, and by Sufferage II it is
//! the least urgent: every cluster of the grid is before a jump that never comes. Of such tasks the
//! first in order is taken.
//!
//! Source: appendix C of the report of the Parameter Sweep Template (H4 and H9), and its section
//! 5.6.3 for groups.

use smallvec::SmallVec;

use crate::heuristic::completion::Completions;
use crate::heuristic::{DecidingNumber, Heuristic, Rank};
use crate::registry::{Entry, choices, entry};

const SOURCE: &str = "F. Berman, H. Casanova, A. Legrand, D. Zagorodnov, LIP RR1999-46, 1999";

pub(super) const EXTENDED: Entry<dyn Heuristic> = entry!(
    "extended-sufferage" => "the task with the greatest jump between its completions on clusters",
    source SOURCE, keys {
        "sufferage-of" JumpIn::CHOICES, or "jump" => "what the sufferage is the height of";
    }, reads |params| ExtendedSufferage { of: params.read("sufferage-of")? }
);

pub(super) const TWO: Entry<dyn Heuristic> = entry!(
    "sufferage-2" => "the task with the fewest clusters before its jump, of equals that with the greatest",
    source SOURCE, builds SufferageTwo
);

choices! {
    /// Sufferage of a task.
    #[derive(Default)]
    pub enum JumpIn {
        #[default]
        Jump = "jump", "the first jump: the appendix of the report";
        Groups = "groups", "from the mean of the clusters before the first jump to that of those up to the next: its main text";
    }
}

/// A jump in completions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Jump {
    /// Height.
    pub height: f64,
    /// Number of completions before it.
    pub before: usize,
}

/// Of each completion but the last whether a jump follows.
fn jumps(sorted: &[u64]) -> SmallVec<[bool; 8]> {
    let differences: SmallVec<[f64; 8]> = sorted.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    let count = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / count;
    let variance =
        differences.iter().map(|difference| (difference - mean) * (difference - mean)).sum::<f64>() / count;
    let greatest = sorted.last().copied().unwrap_or(0) as f64;
    // without the last term rounding would decide where all are equal
    let least = mean + variance.sqrt() - 1e-9 * greatest;
    differences.iter().map(|difference| *difference >= least).collect()
}

impl Jump {
    /// The first jump of sorted completions; `None` of a single one, and where no difference stands
    /// out.
    pub fn first(sorted: &[u64]) -> Option<Jump> {
        let place = jumps(sorted).iter().position(|is_jump| *is_jump)?;
        Some(Jump { height: (sorted[place + 1] - sorted[place]) as f64, before: place + 1 })
    }

    /// From the mean of the completions before the first jump to that of those after it, up to the
    /// next.
    pub fn between_groups(sorted: &[u64]) -> Option<Jump> {
        let jumps = jumps(sorted);
        let mut ends = (1..).zip(&jumps).filter(|(_, is_jump)| **is_jump).map(|(end, _)| end);
        let (first, second) = (ends.next()?, ends.next().unwrap_or(sorted.len()));
        let mean = |group: &[u64]| {
            group.iter().map(|completion| *completion as f64).sum::<f64>() / group.len() as f64
        };
        Some(Jump { height: mean(&sorted[first..second]) - mean(&sorted[..first]), before: first })
    }
}

/// H4.
#[derive(Clone, Copy, Debug)]
pub struct ExtendedSufferage {
    /// Definition of the sufferage.
    pub of: JumpIn,
}

impl ExtendedSufferage {
    fn jump(self, completions: &Completions<'_>) -> Option<Jump> {
        let sorted = completions.in_order();
        match self.of {
            JumpIn::Jump => Jump::first(&sorted),
            JumpIn::Groups => Jump::between_groups(&sorted),
        }
    }
}

/// The clusters before a jump, in an explanation.
fn before(jump: Option<Jump>) -> DecidingNumber {
    DecidingNumber::count("clusters-before", "clusters before its jump", jump.map(|jump| jump.before as u64))
}

impl Heuristic for ExtendedSufferage {
    fn rank(&self, completions: &Completions<'_>) -> Rank {
        Rank(self.jump(completions).map_or(0.0, |jump| jump.height), 0.0)
    }

    fn compared(&self, completions: &Completions<'_>) -> Vec<DecidingNumber> {
        let jump = self.jump(completions);
        let about = match self.of {
            JumpIn::Jump => "its jump",
            JumpIn::Groups => "from its first group of clusters to the second",
        };
        vec![DecidingNumber::span("jump", about, jump.map(|jump| jump.height)), before(jump)]
    }
}

/// H9.
#[derive(Clone, Copy, Debug)]
pub struct SufferageTwo;

impl Heuristic for SufferageTwo {
    fn rank(&self, completions: &Completions<'_>) -> Rank {
        match Jump::first(&completions.in_order()) {
            Some(jump) => Rank(-(jump.before as f64), jump.height),
            None => Rank(-(completions.clusters() as f64), 0.0),
        }
    }

    fn compared(&self, completions: &Completions<'_>) -> Vec<DecidingNumber> {
        let jump = Jump::first(&completions.in_order());
        vec![before(jump), DecidingNumber::span("jump", "its jump", jump.map(|jump| jump.height))]
    }
}
