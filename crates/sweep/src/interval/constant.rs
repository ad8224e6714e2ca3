//! S1: the same time from each scheduling event to the next; and one plan for all.

use crate::interval::{BeforeFirstPlan, EventInterval, ExpectedRun};
use crate::kernel::SimDuration;
use crate::registry::{Bounds, Entry, Kind, entry};

pub(super) const ENTRY: Entry<dyn EventInterval> = entry!(
    "constant" => "the same time after each plan", source "F. Berman, H. Casanova, A. Legrand, D. Zagorodnov, LIP RR1999-46, 1999",
    keys {
        "every" Kind::Duration(Bounds::Within(0.001, 1e9)),
            absent "twice the mean computing time of a task over the hosts, as estimated" => "the time";
    }, reads |params| ConstantInterval { every: params.read("every")? }
);

pub(super) const ONCE: Entry<dyn EventInterval> = entry!("once" => "never: the first plan is the only one", builds ConstantInterval { every: Some(SimDuration::MAX) });

/// The interval where tasks take no time, and the shortest of the other rules where planning takes
/// none.
pub(super) const SHORTEST: SimDuration = SimDuration::from_secs(60);

/// S1.
#[derive(Clone, Copy, Debug)]
pub struct ConstantInterval {
    /// The time; twice the mean computing time of a task if it is not given.
    pub every: Option<SimDuration>,
}

impl EventInterval for ConstantInterval {
    fn first(&mut self, known: &BeforeFirstPlan) -> SimDuration {
        let twice = SimDuration::ceil_secs(2.0 * known.mean_seconds);
        *self.every.get_or_insert(if twice.is_zero() { SHORTEST } else { twice })
    }

    fn next(&mut self, last: SimDuration, _: &[ExpectedRun]) -> SimDuration {
        last
    }
}
