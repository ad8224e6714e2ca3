//! Rules that choose the size of a moldable job, of those on which it can run.
//!
//! A rule chooses once: when a job comes to be considered, after which the job is as rigid as all
//! others, or when its turn comes to start. What it knows of a size is how many times as fast the
//! job is on it, how long it is taken to run then, and when it would end by the estimates. The
//! policy provides these, asks, and carries out the answer. At equal merit the fewest processors
//! are taken.
//!
//! Source: W. Cirne and F. Berman, "Using moldability to improve the performance of supercomputer
//! jobs", JPDC 62(10), 2002.

mod as_requested;
mod earliest_end;
mod efficient;
mod fits_now;

use std::fmt;

use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Entry, Table};

pub(crate) use as_requested::AsRequested;

/// Time at which a rule is asked, and its information then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Never: jobs get what they ask for.
    Never,
    /// At submission, by the job alone.
    Submission,
    /// Then, with the ends that follow from the jobs that run and wait.
    Forecast,
    /// At the head of the queue, with the sizes that are free.
    Start,
}

/// A size that a job can have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Size {
    /// Processors.
    pub procs: u32,
    /// Time for which it is taken to run.
    pub estimate: SimDuration,
}

/// Candidates of a rule.
pub struct CandidateSizes<'a> {
    /// The instant.
    pub now: SimTime,
    /// Numbers of processors of the sizes, in ascending order, and of others that the job may not
    /// have.
    pub all: &'a [u32],
    /// Speed on a number of processors, as a multiple of that on one.
    pub speedup: &'a dyn Fn(u32) -> f64,
    /// The size of a number of processors; `None` if the job may not have it.
    pub size: &'a dyn Fn(u32) -> Option<Size>,
    /// Instant at which the job would end with a size by the estimates; `None` if it is unknown.
    pub end: &'a dyn Fn(&Size) -> Option<SimTime>,
}

/// A rule that gives moldable jobs their sizes.
pub trait Molding: fmt::Debug {
    /// Instant at which it is asked.
    fn when(&self) -> When;

    /// The size that a job gets; `None`: that which it asks for.
    fn choose(&self, offers: &CandidateSizes<'_>) -> Option<u32>;

    /// Reason for the chosen size, to follow "Given 8 processors".
    fn why(&self) -> &'static str;
}

impl CandidateSizes<'_> {
    /// The sizes, in ascending order.
    pub fn each(&self) -> impl DoubleEndedIterator<Item = Size> {
        self.all.iter().filter_map(|&procs| (self.size)(procs))
    }

    /// The size with which the job would end first; of several the one with fewest processors.
    ///
    /// # Complexity
    /// An end is asked for only where the job could be over early enough if it started at once.
    fn first_to_end(&self) -> Option<u32> {
        let mut best: Option<(SimTime, u32)> = None;
        for size in self.each().rev() {
            let soonest = self.now.saturating_add(size.estimate);
            if best.is_some_and(|(end, _)| soonest > end) {
                continue;
            }
            let end = (self.end)(&size).filter(|&end| best.is_none_or(|(best, _)| end <= best));
            best = end.map(|end| (end, size.procs)).or(best);
        }
        best.map(|(_, procs)| procs)
    }
}

/// The rules by name.
pub fn table() -> Table<dyn Molding> {
    const ENTRIES: &[Entry<dyn Molding>] =
        &[as_requested::ENTRY, earliest_end::ENTRY, efficient::ENTRY, fits_now::ENTRY];
    Table::new("molding", "how many processors a moldable job gets", ENTRIES)
}

/// Asks a rule at an instant among these sizes: processors, tenths of the speed on one, and
/// nanoseconds.
#[cfg(test)]
fn among(
    rule: &dyn Molding,
    now: SimTime,
    sizes: &[(u32, u32, u64)],
    end: &dyn Fn(&Size) -> Option<SimTime>,
) -> Option<u32> {
    let all: Vec<u32> = sizes.iter().map(|size| size.0).collect();
    let of = |procs: u32| sizes.iter().find(|size| size.0 == procs);
    let speedup = |procs: u32| of(procs).map_or(0.0, |size| f64::from(size.1) / 10.0);
    let size = |procs: u32| {
        let estimate = SimDuration::from_nanos(of(procs)?.2);
        Some(Size { procs, estimate })
    };
    rule.choose(&CandidateSizes { now, all: &all, speedup: &speedup, size: &size, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_to_end_has_fewest_processors_at_equal_ends() {
        let at = SimTime::from_nanos;
        let all = [(1, 10, 80), (2, 20, 40), (4, 30, 30), (8, 30, 30), (16, 30, 30)];
        let choose = |starts: [Option<u64>; 5]| {
            let end = |size: &Size| {
                let place = all.iter().position(|one| one.0 == size.procs)?;
                Some(at(starts[place]?).saturating_add(size.estimate))
            };
            among(&earliest_end::EarliestEnd, at(100), &all, &end)
        };
        assert_eq!(choose([Some(100); 5]), Some(4));
        assert_eq!(choose([Some(100), Some(100), Some(110), Some(110), Some(110)]), Some(2));
        assert_eq!(choose([Some(100), Some(150), Some(150), Some(150), Some(149)]), Some(16));
        assert_eq!(choose([Some(100), None, Some(150), None, None]), Some(1));
        assert_eq!(choose([None; 5]), None);
    }
}
