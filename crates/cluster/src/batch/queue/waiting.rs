//! The jobs that wait, sorted by the keys that a discipline gives them.
//!
//! Each block of the queue knows its least need and its least estimate, so looking for a job that
//! fits skips the blocks in which none can: a long queue of blocked jobs costs next to nothing.

use crate::batch::record::Reason;
use crate::collections::{BlockList, BlockSummary, Cursor};
use crate::ids::JobId;
use crate::kernel::SimDuration;
use crate::workload::Job;

use super::Discipline;

/// A job that waits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Waiting {
    key: u64,
    /// The job.
    pub job: JobId,
    /// Processors it needs.
    pub procs: u32,
    /// Estimate.
    pub estimate: SimDuration,
}

impl Waiting {
    /// A job that waits at the place that `key` gives it.
    pub fn new(key: u64, job: JobId, procs: u32, estimate: SimDuration) -> Self {
        Waiting { key, job, procs, estimate }
    }

    /// The key that gives it its place.
    pub fn key(&self) -> u64 {
        self.key
    }
}

/// The least need and the least estimate of a block.
#[derive(Clone, Copy, Debug)]
struct Least {
    procs: u32,
    estimate: SimDuration,
}

impl BlockSummary<Waiting> for Least {
    const EMPTY: Self = Least { procs: u32::MAX, estimate: SimDuration::MAX };

    fn add(&mut self, item: &Waiting) {
        self.procs = self.procs.min(item.procs);
        self.estimate = self.estimate.min(item.estimate);
    }

    fn remove(&mut self, item: &Waiting, rest: &[Waiting]) {
        if item.procs == self.procs || item.estimate == self.estimate {
            *self = Self::of(rest);
        }
    }
}

/// Condition for a job to start now: small enough to run next to the reserved processors, or else
/// fitting now and over before the reservation begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackfillWindow {
    /// Processors free now.
    pub free: u64,
    /// Processors of them that nothing reserved will need.
    pub extra: u64,
    /// Time until what is reserved begins.
    pub until: SimDuration,
}

impl BackfillWindow {
    /// Returns true if a job of this need and estimate may start.
    pub fn takes(&self, procs: u32, estimate: SimDuration) -> bool {
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

    /// Number of waiting jobs.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Returns true if no job waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes in a submitted job.
    pub fn insert(&mut self, id: JobId, job: &Job, discipline: &dyn Discipline) {
        self.put(Waiting { key: discipline.key(job), job: id, procs: job.procs, estimate: job.estimate });
    }

    /// Takes in a job with its key. It must not wait already.
    pub fn put(&mut self, waiting: Waiting) {
        self.waiting.insert(waiting);
    }

    /// Gives every job a new key, and the queue the order of these.
    ///
    /// # Complexity
    /// A key and a sort of all jobs.
    pub fn sort_again(&mut self, mut key: impl FnMut(&Waiting) -> u64) {
        let mut all: Vec<Waiting> =
            self.iter().map(|waiting| Waiting { key: key(waiting), ..*waiting }).collect();
        all.sort_unstable();
        self.waiting = BlockList::default();
        all.into_iter().for_each(|waiting| self.waiting.insert(waiting));
    }

    /// The job to be considered first.
    pub fn head(&self) -> Option<Waiting> {
        self.waiting.first().copied()
    }

    /// Returns true if it is this job that is to be considered first.
    pub fn starts_with(&self, job: JobId) -> bool {
        self.head().is_some_and(|head| head.job == job)
    }

    /// Reason for the start of a job that the discipline names while it waits: it is the head, or
    /// else the discipline passes over jobs that do not fit.
    pub fn reason(&self, next: JobId) -> Reason {
        if self.starts_with(next) { Reason::Head } else { Reason::Fits }
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
    pub fn first_fit(&self, from: Cursor, gap: &BackfillWindow) -> Option<(Waiting, Cursor)> {
        let may = |least: &Least| gap.takes(least.procs, least.estimate);
        let at = self.waiting.find(from, may, |job| gap.takes(job.procs, job.estimate))?;
        self.waiting.get(at).map(|&job| (job, self.waiting.after(at)))
    }

    /// The first job that needs at most `free` processors.
    ///
    /// # Complexity
    /// As [`Queue::first_fit`].
    pub fn first_within(&self, free: u64) -> Option<Waiting> {
        let gap = BackfillWindow { free, extra: free, until: SimDuration::ZERO };
        self.first_fit(Cursor::START, &gap).map(|(job, _)| job)
    }

    /// The first job whose key is at least `key`.
    ///
    /// # Complexity
    /// A binary search.
    pub fn first_from(&self, key: u64) -> Option<Waiting> {
        let least = Waiting { key, job: JobId(0), procs: 0, estimate: SimDuration::ZERO };
        self.waiting.get(self.waiting.lower_bound(&least)).copied()
    }

    /// The place after a job, which may have left.
    pub fn behind(&self, job: &Waiting) -> Cursor {
        let at = self.waiting.lower_bound(job);
        if self.waiting.get(at) == Some(job) { self.waiting.after(at) } else { at }
    }

    /// The place after the head.
    pub fn behind_head(&self) -> Cursor {
        self.waiting.after(Cursor::START)
    }
}
