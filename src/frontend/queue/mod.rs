//! The wait queue, in the order of its discipline.
//!
//! A discipline gives each job a key when it is submitted; the queue is sorted by it, and at equal keys by
//! submission. Each block of the queue knows its least need and its least estimate, so looking for a job that fits
//! skips the blocks in which none can: a long queue of blocked jobs costs next to nothing.

mod fcfs;

use std::fmt;

use crate::collections::{BlockList, Cursor, Summary};
use crate::ids::JobId;
use crate::kernel::SimDuration;
use crate::registry::{Entry, Table};
use crate::workload::Job;

/// The order of the queue.
pub trait Discipline: fmt::Debug {
    /// The key of a job: jobs of lesser keys stand before it, jobs of equal keys in order of submission.
    fn key(&self, job: &Job) -> u64;
}

/// The disciplines by name.
pub fn table() -> Table<dyn Discipline> {
    const ENTRIES: &[Entry<dyn Discipline>] = &[fcfs::ENTRY];
    Table::new("queue", "the order in which waiting jobs are considered", ENTRIES)
}

/// A job that waits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Waiting {
    key: u64,
    /// The job.
    pub job: JobId,
    /// Processors it needs.
    pub procs: u32,
    /// Its estimate.
    pub estimate: SimDuration,
}

/// The least need and the least estimate of a block.
#[derive(Clone, Copy, Debug)]
struct Least {
    procs: u32,
    estimate: SimDuration,
}

impl Summary<Waiting> for Least {
    const EMPTY: Self = Least { procs: u32::MAX, estimate: SimDuration::MAX };

    fn add(&mut self, item: &Waiting) {
        self.procs = self.procs.min(item.procs);
        self.estimate = self.estimate.min(item.estimate);
    }

    fn remove(&mut self, item: &Waiting, rest: &[Waiting]) {
        if item.procs == self.procs || item.estimate == self.estimate {
            *self = Self::EMPTY;
            for item in rest {
                self.add(item);
            }
        }
    }
}

/// What a job must be like to start now: small enough to run beside what is reserved, or else to fit now and be over
/// before what is reserved begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    /// Processors free now.
    pub free: u64,
    /// Processors of them that nothing reserved will need.
    pub extra: u64,
    /// Time until what is reserved begins.
    pub until: SimDuration,
}

impl Gap {
    fn takes(&self, procs: u32, estimate: SimDuration) -> bool {
        let procs = u64::from(procs);
        procs <= self.free && (procs <= self.extra || estimate <= self.until)
    }
}

/// The jobs that wait, in the order of a discipline.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    waiting: BlockList<Waiting, Least>,
}

impl Queue {
    /// No jobs.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many jobs wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether no job waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes in a submitted job.
    pub fn insert(&mut self, id: JobId, job: &Job, discipline: &dyn Discipline) {
        let key = discipline.key(job);
        self.waiting.insert(Waiting { key, job: id, procs: job.procs, estimate: job.estimate });
    }

    /// The job to be considered first.
    pub fn head(&self) -> Option<Waiting> {
        self.waiting.first().copied()
    }

    /// Takes the head out.
    pub fn pop(&mut self) -> Option<Waiting> {
        self.head().map(|_| self.waiting.remove_at(Cursor::START))
    }

    /// Takes a job out; whether it was there.
    pub fn remove(&mut self, waiting: &Waiting) -> bool {
        self.waiting.remove(waiting)
    }

    /// The jobs in order.
    pub fn iter(&self) -> impl Iterator<Item = &Waiting> {
        self.waiting.iter()
    }

    /// The first job from `from` on that the gap takes, and the place after it.
    ///
    /// # Complexity
    /// One step for each block of 64 jobs in which none can fit.
    pub fn first_fit(&self, from: Cursor, gap: &Gap) -> Option<(Waiting, Cursor)> {
        let may = |least: &Least| gap.takes(least.procs, least.estimate);
        let at = self.waiting.find(from, may, |job| gap.takes(job.procs, job.estimate))?;
        self.waiting.get(at).map(|&job| (job, self.waiting.after(at)))
    }

    /// The place after the head.
    pub fn behind_head(&self) -> Cursor {
        self.waiting.after(Cursor::START)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::kernel::SimTime;

    use super::*;

    proptest! {
        #[test]
        fn the_first_fit_is_that_of_a_plain_scan(
            jobs in prop::collection::vec((1_u32..40, 1_u64..40), 1..400),
            gone in prop::collection::vec(0_usize..400, 0..300),
            gap in (0_u64..40, 0_u64..40, 0_u64..40),
        ) {
            let mut queue = Queue::new();
            for (id, &(procs, estimate)) in (0..).zip(&jobs) {
                queue.insert(JobId(id), &Job::new(1, SimTime::ZERO, procs, SimDuration::from_nanos(estimate)), &fcfs::Fcfs);
            }
            let mut model: Vec<Waiting> = queue.iter().copied().collect();
            for place in gone {
                if place < model.len() {
                    prop_assert!(queue.remove(&model.remove(place)));
                }
            }
            let gap = Gap { free: gap.0, extra: gap.1, until: SimDuration::from_nanos(gap.2) };
            let fits = |job: &&Waiting| {
                u64::from(job.procs) <= gap.free && (job.estimate <= gap.until || u64::from(job.procs) <= gap.extra)
            };
            let found: Vec<JobId> = std::iter::successors(
                queue.first_fit(queue.behind_head(), &gap),
                |&(_, after)| queue.first_fit(after, &gap),
            ).map(|(job, _)| job.job).collect();
            let expected: Vec<JobId> = model.iter().skip(1).filter(fits).map(|job| job.job).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn jobs_leave_from_the_head_in_order() {
        let mut queue = Queue::new();
        for id in 0..3 {
            queue.insert(JobId(id), &Job::new(1, SimTime::ZERO, 1, SimDuration::ZERO), &fcfs::Fcfs);
        }
        let order: Vec<JobId> = std::iter::from_fn(|| queue.pop()).map(|job| job.job).collect();
        assert_eq!(order, [JobId(0), JobId(1), JobId(2)]);
    }
}
