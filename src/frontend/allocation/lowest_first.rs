//! The free processors with the lowest numbers, contiguous or not.

use crate::collections::{Interval, IntervalSet};
use crate::registry::Entry;

use super::Allocation;

pub(super) const ENTRY: Entry<dyn Allocation> = Entry {
    name: "lowest-first",
    about: "the free processors with the lowest numbers, contiguous or not",
    source: "",
    keys: &[],
    build: |_| Ok(Box::new(LowestFirst)),
};

#[derive(Debug)]
struct LowestFirst;

impl Allocation for LowestFirst {
    fn choose(&self, free: &IntervalSet, procs: u32, chosen: &mut Vec<Interval>) {
        free.lowest(u64::from(procs), chosen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_filled_from_below() {
        let mut free = IntervalSet::full(10);
        for busy in [0, 3, 4, 8] {
            free.remove(Interval::new(busy, busy));
        }
        let chosen = |procs| {
            let mut chosen = Vec::new();
            LowestFirst.choose(&free, procs, &mut chosen);
            chosen.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(chosen(1), "1");
        assert_eq!(chosen(4), "1-2 5-6");
        assert_eq!(chosen(6), "1-2 5-7 9");
    }
}
