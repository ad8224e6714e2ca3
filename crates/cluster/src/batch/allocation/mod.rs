//! Rules that choose the processors of a job among those that are free.

mod best;
mod contiguous;
mod random;
mod switches;

use std::fmt;

use crate::collections::{Interval, IntervalSet};
use crate::registry::{Entry, Table, entry};

/// Draws a whole number below the one it is given.
pub type Draw<'a> = &'a mut dyn FnMut(u64) -> u64;

/// A choice among free processors.
pub trait Allocation: fmt::Debug {
    /// Puts the intervals chosen for a job of `procs` processors into `chosen`, which is empty.
    ///
    /// At least `procs` processors are free, and `procs` is not 0. A rule that chooses at random
    /// asks `draw`.
    fn choose(&self, free: &IntervalSet, procs: u32, draw: Draw<'_>, chosen: &mut Vec<Interval>);

    /// Returns true if it always takes the lowest of the processors that it may choose from: then
    /// others need not be found.
    fn takes_lowest(&self) -> bool {
        false
    }
}

const LOWEST_FIRST: Entry<dyn Allocation> = entry! {
    "lowest-first" => "the free processors with the lowest numbers, contiguous or not", builds LowestFirst
};

/// The free processors with the lowest numbers.
#[derive(Debug)]
struct LowestFirst;

impl Allocation for LowestFirst {
    fn choose(&self, free: &IntervalSet, procs: u32, _: Draw<'_>, chosen: &mut Vec<Interval>) {
        free.lowest(u64::from(procs), chosen);
    }

    fn takes_lowest(&self) -> bool {
        true
    }
}

/// The allocations by name.
pub fn table() -> Table<dyn Allocation> {
    const ENTRIES: &[Entry<dyn Allocation>] =
        &[best::ENTRY, contiguous::ENTRY, LOWEST_FIRST, random::ENTRY, switches::ENTRY];
    Table::new("allocation", "which of the free processors a job gets", ENTRIES)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Of ten processors all but 0, 3, 4 and 8.
    pub(super) fn free() -> IntervalSet {
        let mut free = IntervalSet::full(10);
        for busy in [0, 3, 4, 8] {
            free.remove(Interval::new(busy, busy));
        }
        free
    }

    /// The processors chosen of them, every draw being 0.
    pub(super) fn chosen(allocation: &dyn Allocation, procs: u32) -> String {
        let mut chosen = Vec::new();
        allocation.choose(&free(), procs, &mut |_| 0, &mut chosen);
        chosen.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn holes_are_filled_from_below() {
        // free: 1-2 5-7 9
        assert_eq!(chosen(&LowestFirst, 1), "1");
        assert_eq!(chosen(&LowestFirst, 4), "1-2 5-6");
        assert_eq!(chosen(&LowestFirst, 6), "1-2 5-7 9");
    }

    proptest! {
        #[test]
        fn every_allocation_chooses_as_many_free_processors_as_are_needed(
            busy in proptest::collection::btree_set(0_u32..60, 0..50),
            need in 1_u32..60,
            draws in proptest::collection::vec(any::<u64>(), 60),
        ) {
            let mut free = IntervalSet::full(60);
            for &processor in &busy {
                free.remove(Interval::new(processor, processor));
            }
            let procs = need.min(free.count() as u32);
            let all: [&dyn Allocation; 5] = [
                &best::Best,
                &contiguous::Contiguous,
                &LowestFirst,
                &random::Random,
                &switches::Switches { size: 7 },
            ];
            for allocation in all {
                let (mut chosen, mut draws) = (Vec::new(), draws.iter());
                let mut draw = |bound: u64| draws.next().map_or(0, |&draw| draw % bound);
                allocation.choose(&free, procs, &mut draw, &mut chosen);
                prop_assert!(chosen.is_sorted_by(|one, other| one.last + 1 < other.first), "{:?} in order, joined", allocation);
                prop_assert_eq!(chosen.iter().map(|run| run.count()).sum::<u64>(), u64::from(procs));
                let mut rest = free.clone();
                prop_assert!(chosen.iter().all(|&run| rest.remove(run)), "{:?} chooses free ones", allocation);
            }
        }
    }
}
