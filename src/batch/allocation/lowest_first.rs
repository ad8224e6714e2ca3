//! The free processors with the lowest numbers, contiguous or not.

use crate::collections::{Interval, IntervalSet};
use crate::registry::{Entry, entry};

use super::{Allocation, Draw};

pub(super) const ENTRY: Entry<dyn Allocation> = entry! {
    "lowest-first" => "the free processors with the lowest numbers, contiguous or not", builds LowestFirst
};

#[derive(Debug)]
pub(super) struct LowestFirst;

impl Allocation for LowestFirst {
    fn choose(&self, free: &IntervalSet, procs: u32, _: Draw<'_>, chosen: &mut Vec<Interval>) {
        free.lowest(u64::from(procs), chosen);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::chosen;
    use super::*;

    #[test]
    fn holes_are_filled_from_below() {
        // free: 1-2 5-7 9
        assert_eq!(chosen(&LowestFirst, 1), "1");
        assert_eq!(chosen(&LowestFirst, 4), "1-2 5-6");
        assert_eq!(chosen(&LowestFirst, 6), "1-2 5-7 9");
    }
}
