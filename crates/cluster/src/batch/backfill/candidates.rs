//! The jobs that may overtake, in an order of their own.
//!
//! A rule that lets the shortest job overtake first, or judges jobs by something else than the
//! estimates of the queue, keeps the waiting jobs a second time, in that order. Blocks know their
//! least need and least time, so a search passes over those in which no job can fit, as it does in
//! the queue.

use crate::batch::queue::{BackfillWindow, Queue, Waiting};
use crate::collections::{BlockList, BlockSummary, Cursor};
use crate::ids::JobId;
use crate::kernel::SimDuration;
use crate::registry::choices;

choices! {
    /// In which order jobs may overtake.
    pub(super) enum Order {
        Queue = "queue", "as they stand in the queue";
        Shortest = "sjbf", "shortest job backfilled first";
        Smallest = "smallest", "those that need fewest processors first";
        Largest = "largest", "those that need most processors first";
    }
}

impl Order {
    fn key(self, waiting: &Waiting, judged: SimDuration) -> u64 {
        match self {
            Order::Queue => waiting.key(),
            Order::Shortest => judged.as_nanos(),
            Order::Smallest => u64::from(waiting.procs),
            Order::Largest => u64::MAX - u64::from(waiting.procs),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Candidate {
    key: u64,
    job: JobId,
    pub(super) waiting: Waiting,
    /// Time for which it is taken to run.
    pub(super) judged: SimDuration,
}

/// The least need and the least time of a block.
#[derive(Clone, Copy, Debug)]
struct Least {
    procs: u32,
    judged: SimDuration,
}

impl BlockSummary<Candidate> for Least {
    const EMPTY: Self = Least { procs: u32::MAX, judged: SimDuration::MAX };

    fn add(&mut self, item: &Candidate) {
        self.procs = self.procs.min(item.waiting.procs);
        self.judged = self.judged.min(item.judged);
    }

    fn remove(&mut self, item: &Candidate, rest: &[Candidate]) {
        if item.waiting.procs == self.procs || item.judged == self.judged {
            *self = Self::of(rest);
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Candidates {
    order: Order,
    list: BlockList<Candidate, Least>,
}

impl Candidates {
    pub(super) fn new(order: Order) -> Self {
        Candidates { order, list: BlockList::new() }
    }

    pub(super) fn insert(&mut self, waiting: Waiting, judged: SimDuration) {
        let key = self.order.key(&waiting, judged);
        self.list.insert(Candidate { key, job: waiting.job, waiting, judged });
    }

    /// Takes a job out that was put in with these values.
    pub(super) fn remove(&mut self, waiting: &Waiting, judged: SimDuration) {
        let key = self.order.key(waiting, judged);
        let there = self.list.remove(&Candidate { key, job: waiting.job, waiting: *waiting, judged });
        debug_assert!(there, "a job that leaves was a candidate");
    }

    /// Takes up the places that the jobs have in the queue now; `judged` says how long each is
    /// taken to run.
    pub(super) fn sort_again(&mut self, queue: &Queue, judged: impl Fn(&Waiting) -> SimDuration) {
        self.list = BlockList::new();
        for waiting in queue.iter() {
            self.insert(*waiting, judged(waiting));
        }
    }

    /// The place after a job that was judged so, and which may have left.
    pub(super) fn behind(&self, waiting: &Waiting, judged: SimDuration) -> Cursor {
        let key = self.order.key(waiting, judged);
        let one = Candidate { key, job: waiting.job, waiting: *waiting, judged };
        let at = self.list.lower_bound(&one);
        if self.list.get(at) == Some(&one) { self.list.after(at) } else { at }
    }

    /// The first candidate from a place on that the gap takes, and the place after it.
    pub(super) fn first_fit(&self, from: Cursor, gap: &BackfillWindow) -> Option<(Candidate, Cursor)> {
        let may = |least: &Least| gap.takes(least.procs, least.judged);
        let at = self.list.find(from, may, |item| gap.takes(item.waiting.procs, item.judged))?;
        self.list.get(at).map(|&found| (found, self.list.after(at)))
    }
}
