//! The largest size that a job uses well: whose efficiency, speed-up over processors, is a bound at
//! least.
//!
//! It is chosen when the job comes to be considered, and depends on nothing but the job. If no size
//! is that efficient, the smallest is taken.
//!
//! Source: D. L. Eager, J. Zahorjan, E. D. Lazowska, "Speedup versus efficiency in parallel
//! systems", IEEE Transactions on Computers 38(3), 1989 (what a bound on efficiency means for the
//! speed-up; half at the knee of the two).

use crate::registry::{Bounds, Entry, Kind, entry};

use super::{CandidateSizes, Molding, When};

pub(super) const ENTRY: Entry<dyn Molding> = entry! {
    "efficient" => "when a job is submitted, the largest size that it uses well",
    source "D. L. Eager, J. Zahorjan, E. D. Lazowska, IEEE Transactions on Computers 38(3), 1989",
    keys {
        "at-least" Kind::Share(Bounds::Within(0.0, 1.0)), or_number 0.5 =>
            "the least speed-up over processors; if no size has it, the smallest one is taken";
    },
    reads |params| Efficient { at_least: params.read("at-least")? }
};

#[derive(Debug)]
struct Efficient {
    at_least: f64,
}

impl Molding for Efficient {
    fn when(&self) -> When {
        When::Submission
    }

    fn choose(&self, offers: &CandidateSizes<'_>) -> Option<u32> {
        let well = |&procs: &u32| (offers.speedup)(procs) >= self.at_least * f64::from(procs);
        let mut well = offers.all.iter().rev().copied().filter(well).filter_map(|procs| (offers.size)(procs));
        well.next().or_else(|| offers.each().next()).map(|size| size.procs)
    }

    fn why(&self) -> &'static str {
        "it is the largest size with the efficiency asked for, or the smallest there is"
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimTime;

    use super::super::among;
    use super::*;

    #[test]
    fn the_largest_size_with_the_efficiency_is_taken_or_the_smallest() {
        let all = [(2, 19, 1), (4, 32, 1), (8, 40, 1), (16, 44, 1)];
        let choose = |at_least| among(&Efficient { at_least }, SimTime::ZERO, &all, &|_| None);
        assert_eq!(choose(0.5), Some(8));
        assert_eq!(choose(0.51), Some(4));
        assert_eq!(choose(0.2), Some(16));
        assert_eq!(choose(1.0), Some(2));
    }
}
