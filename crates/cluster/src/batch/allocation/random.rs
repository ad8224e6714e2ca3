//! Processors drawn at random, as a machine looks whose jobs come and go without order.

use crate::collections::{Interval, IntervalSet, OrderedSet};
use crate::registry::{Entry, entry};

use super::{Allocation, Draw};

pub(super) const ENTRY: Entry<dyn Allocation> = entry! {
    "random" => "free processors drawn at random, each choice of so many equally likely",
    source "R. W. Floyd, Communications of the ACM 30(9), 1987 (sampling without replacement)",
    builds Random
};

#[derive(Debug)]
pub(super) struct Random;

impl Allocation for Random {
    fn choose(&self, free: &IntervalSet, procs: u32, draw: Draw<'_>, chosen: &mut Vec<Interval>) {
        // places among the free processors: one draw a processor
        let mut places = OrderedSet::new();
        for most in free.count() - u64::from(procs)..free.count() {
            let place = draw(most + 1);
            if !places.insert(place) {
                places.insert(most);
            }
        }
        let mut places = places.into_iter().peekable();
        let mut before = 0;
        for run in free.iter() {
            let end = before + run.count();
            while let Some(place) = places.next_if(|&place| place < end) {
                let processor = run.first + (place - before) as u32;
                match chosen.last_mut() {
                    Some(last) if last.last + 1 == processor => last.last = processor,
                    _ => chosen.push(Interval::new(processor, processor)),
                }
            }
            before = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{chosen, free};
    use super::*;

    #[test]
    fn draws_are_places_among_the_free() {
        // free: 1-2 5-7 9, and draws of 0: place 0, then the last place that each draw may give
        assert_eq!(chosen(&Random, 1), "1");
        assert_eq!(chosen(&Random, 3), "1 7 9");
        assert_eq!(chosen(&Random, 6), "1-2 5-7 9");
    }

    #[test]
    fn every_choice_is_as_likely_as_any_other() {
        let mut seed = 1_u64;
        let mut draw = |bound: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % bound
        };
        let mut counts = crate::collections::OrderedMap::new();
        for _ in 0..15_000 {
            let mut chosen = Vec::new();
            Random.choose(&free(), 2, &mut draw, &mut chosen);
            *counts.entry(chosen).or_insert(0_u32) += 1;
        }
        // 15 pairs of 6: 1,000 each, with a standard deviation of 31
        assert_eq!(counts.len(), 15);
        assert!(counts.values().all(|&count| (870..1130).contains(&count)), "{counts:?}");
    }
}
