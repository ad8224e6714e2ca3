//! Heuristics: which task gets its slots next, and on which host.
//!
//! A heuristic is a pure function of the completions that each task could have: it ranks tasks, the
//! greatest first, of equal ranks the first in the order of the application. The task then gets the
//! host on which it completes first (the lowest of equal ones), unless the heuristic differs.
//!
//! | number | name | the task that |
//! |---|---|---|
//! | H0 | [`workqueue`] | comes next, when a host is idle: nothing is planned |
//! | H1, H2 | `min-min`, `max-min` | completes first, or last, on its best host |
//! | H3 | `sufferage` | loses most if it gets the second-best host |
//! | | `xsufferage` | loses most if it gets the second-best cluster |
//! | H4 | `extended-sufferage` | has the greatest jump in its completions by cluster |
//! | H5 to H8 | `randomized` | any of those that H1 to H4 might take |
//! | H9 | `sufferage-2` | has the fewest clusters before its jump |
//! | | `mct`, `olb` | comes next in order |
//!
//! Source: appendix C of the report of the Parameter Sweep Template; H. Casanova, A. Legrand, D.
//! Zagorodnov, F. Berman, "Heuristics for scheduling parameter sweep applications in grid
//! environments", HCW 2000.

mod compared;
pub mod completion;
mod duplex;
mod in_order;
mod jump;
mod min_max;
mod randomized;
mod rank;
mod sufferage;
pub mod workqueue;

use std::fmt;

use crate::heuristic::completion::Completions;
use crate::model::grid::HostNumber;
use crate::registry::{Entry, Table, presets};

pub use compared::{ComparedValue, DecidingNumber};
pub use duplex::DuplexHeuristic;
pub use in_order::{MinimumCompletionTime, OpportunisticLoadBalancing};
pub use jump::{ExtendedSufferage, Jump, JumpIn, SufferageTwo};
pub use min_max::{MaxMinHeuristic, MinMinHeuristic};
pub use randomized::Randomized;
pub use rank::Rank;
pub use sufferage::{Sufferage, XSufferage};
pub use workqueue::{DataAwareWorkqueue, Workqueue, WorkqueueOrder};

/// A rule by which tasks get their slots.
pub trait Heuristic: fmt::Debug {
    /// Urgency of a task, by its possible completions.
    fn rank(&self, completions: &Completions<'_>) -> Rank;

    /// The numbers that the rank follows from, for `--explain TASK`, those first that decide first;
    /// they depend on no more completions than the rank does. None of a rule that compares nothing,
    /// or says nothing of it.
    fn compared(&self, _completions: &Completions<'_>) -> Vec<DecidingNumber> {
        Vec::new()
    }

    /// The host that the task gets: that on which it completes first.
    fn host(&self, completions: &Completions<'_>) -> HostNumber {
        completions.best().host
    }

    /// Returns true if it asks for the [second-best host](Completions::second_host).
    fn looks_at_hosts(&self) -> bool {
        false
    }

    /// Of how many clusters, those where a task completes first, its rank and its host are
    /// functions. What is said of the others may then be too soon, though later than these.
    fn clusters_compared(&self) -> usize {
        usize::MAX
    }

    /// Returns true if the rank of a task never rises when it would be completed later.
    fn falls(&self) -> bool {
        false
    }

    /// Returns true if the task of the greatest rank is the one that completes first on its best
    /// host.
    fn takes_first_completed(&self) -> bool {
        false
    }

    /// Returns true if the first task in order is always the next, so that no other is looked at.
    fn is_in_order(&self) -> bool {
        false
    }

    /// Returns true if the task gets the host that is free first, whenever it completes there.
    fn takes_first_free(&self) -> bool {
        false
    }

    /// Relative distance from the greatest rank within which a task may be chosen by chance.
    fn tolerance(&self) -> Option<f64> {
        None
    }

    /// The heuristics whose charts are compared, if it takes the shortest of several, each behind
    /// what an explanation calls the end of its chart, for programs and in a sentence.
    fn contenders(&self) -> &[(&'static str, &'static str, Box<dyn Heuristic>)] {
        &[]
    }

    /// The order in which idle hosts take tasks, if nothing is planned.
    fn workqueue(&self) -> Option<WorkqueueOrder> {
        None
    }
}

/// The heuristics by name and number.
pub fn table() -> Table<dyn Heuristic> {
    const ENTRIES: &[Entry<dyn Heuristic>] = &[
        workqueue::DATA_AWARE,
        duplex::ENTRY,
        jump::EXTENDED,
        min_max::MAX_MIN,
        in_order::MCT,
        min_max::MIN_MIN,
        in_order::OLB,
        randomized::ENTRY,
        sufferage::ENTRY,
        jump::TWO,
        workqueue::ENTRY,
        sufferage::X,
    ];
    let presets = [
        &presets!["workqueue": "h0" () => "the workqueue: an idle host takes the next task";][..],
        &presets!["min-min": "h1" () => "Min-min";],
        &presets!["max-min": "h2" () => "Max-min";],
        &presets!["sufferage": "h3" () => "Sufferage, by hosts";],
        &presets!["extended-sufferage": "h4" () => "Extended Sufferage";],
        &presets!["randomized":
            "h5" ("of" = "min-min") => "randomized Min-min";
            "h6" ("of" = "max-min") => "randomized Max-min";
            "h7" ("of" = "sufferage") => "randomized Sufferage";
            "h8" ("of" = "extended-sufferage") => "randomized Extended Sufferage";],
        &presets!["sufferage-2": "h9" () => "Sufferage II";],
        &presets!["mct": "h10" () => "minimum completion time";],
        &presets!["olb": "h11" () => "opportunistic load balancing";],
        &presets!["duplex": "h12" () => "the better of Min-min and Max-min";],
    ];
    Table::new("heuristic", "which task of a parameter sweep is planned next, and on which host", ENTRIES)
        .presets(&presets.concat())
}
