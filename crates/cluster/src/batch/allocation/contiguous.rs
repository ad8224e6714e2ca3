//! Neighbours where enough are free.

use crate::collections::{Interval, IntervalSet};
use crate::registry::{Entry, entry};

use super::{Allocation, Draw};

pub(super) const ENTRY: Entry<dyn Allocation> = entry! {
    "contiguous" => "the lowest free interval that holds the job; without one, the lowest free processors",
    builds Contiguous
};

#[derive(Debug)]
pub(super) struct Contiguous;

impl Allocation for Contiguous {
    fn choose(&self, free: &IntervalSet, procs: u32, _: Draw<'_>, chosen: &mut Vec<Interval>) {
        match free.iter().find(|run| run.count() >= u64::from(procs)) {
            Some(run) => chosen.push(Interval::new(run.first, run.first + (procs - 1))),
            None => _ = free.lowest(u64::from(procs), chosen),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::chosen;
    use super::*;

    #[test]
    fn an_interval_that_holds_the_job_goes_before_lower_pieces() {
        // free: 1-2 5-7 9
        assert_eq!(chosen(&Contiguous, 2), "1-2");
        assert_eq!(chosen(&Contiguous, 3), "5-7");
        assert_eq!(chosen(&Contiguous, 4), "1-2 5-6");
    }
}
