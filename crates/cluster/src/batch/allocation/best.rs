//! The smallest hole that holds a job, so that large holes stay whole.

use std::cmp::Reverse;

use crate::collections::{Interval, IntervalSet};
use crate::registry::{Entry, entry};

use super::{Allocation, Draw};

pub(super) const ENTRY: Entry<dyn Allocation> = entry! {
    "best" => "the smallest free interval that holds the job; without one, the longest intervals first",
    builds Best
};

#[derive(Debug)]
pub(super) struct Best;

impl Allocation for Best {
    fn choose(&self, free: &IntervalSet, procs: u32, _: Draw<'_>, chosen: &mut Vec<Interval>) {
        let need = u64::from(procs);
        if let Some(run) = free.iter().filter(|run| run.count() >= need).min_by_key(|run| run.count()) {
            chosen.push(Interval::new(run.first, run.first + (procs - 1)));
            return;
        }
        // none holds it all: as few pieces as there can be
        let mut runs: Vec<Interval> = free.iter().collect();
        runs.sort_by_key(|run| Reverse(run.count()));
        let mut missing = need;
        for run in runs {
            let taken = run.count().min(missing);
            if taken == 0 {
                break;
            }
            chosen.push(Interval::new(run.first, run.first + (taken - 1) as u32));
            missing -= taken;
        }
        chosen.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::chosen;
    use super::*;

    #[test]
    fn the_smallest_hole_is_filled_and_else_the_fewest_pieces_are_taken() {
        // free: 1-2 5-7 9
        assert_eq!(chosen(&Best, 1), "9");
        assert_eq!(chosen(&Best, 2), "1-2");
        assert_eq!(chosen(&Best, 3), "5-7");
        assert_eq!(chosen(&Best, 4), "1 5-7");
    }
}
