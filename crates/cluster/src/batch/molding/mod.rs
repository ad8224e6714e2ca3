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
    /// Speed, as a multiple of that on one processor.
    pub speedup: f64,
    /// Time for which it is taken to run.
    pub estimate: SimDuration,
}

/// Candidates of a rule.
pub struct CandidateSizes<'a> {
    /// The instant.
    pub now: SimTime,
    /// The sizes, in ascending order.
    pub sizes: &'a [Size],
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
    /// The size with which the job would end first; of several the one with fewest processors.
    ///
    /// # Complexity
    /// An end is asked for only where the job could be over early enough if it started at once.
    fn first_to_end(&self) -> Option<u32> {
        let mut best: Option<(SimTime, u32)> = None;
        for size in self.sizes.iter().rev() {
            let soonest = self.now.saturating_add(size.estimate);
            if best.is_some_and(|(end, _)| soonest > end) {
                continue;
            }
            let end = (self.end)(size).filter(|&end| best.is_none_or(|(best, _)| end <= best));
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

#[cfg(test)]
fn sizes(all: &[(u32, u32, u64)]) -> Vec<Size> {
    let size = |&(procs, speedup, estimate): &(u32, u32, u64)| Size {
        procs,
        speedup: f64::from(speedup) / 10.0,
        estimate: SimDuration::from_nanos(estimate),
    };
    all.iter().map(size).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_to_end_has_fewest_processors_at_equal_ends() {
        let at = SimTime::from_nanos;
        let all = sizes(&[(1, 10, 80), (2, 20, 40), (4, 30, 30), (8, 30, 30), (16, 30, 30)]);
        let choose = |starts: [Option<u64>; 5]| {
            let end = |size: &Size| {
                let place = all.iter().position(|one| one.procs == size.procs)?;
                Some(at(starts[place]?).saturating_add(size.estimate))
            };
            CandidateSizes { now: at(100), sizes: &all, end: &end }.first_to_end()
        };
        assert_eq!(choose([Some(100); 5]), Some(4));
        assert_eq!(choose([Some(100), Some(100), Some(110), Some(110), Some(110)]), Some(2));
        assert_eq!(choose([Some(100), Some(150), Some(150), Some(150), Some(149)]), Some(16));
        assert_eq!(choose([Some(100), None, Some(150), None, None]), Some(1));
        assert_eq!(choose([None; 5]), None);
    }
}
