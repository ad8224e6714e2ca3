//! A job on the cluster: its tasks that still run, and what its execution amounts to.

use std::cell::{Cell, RefCell};

use crate::ids::JobId;
use crate::instrument::profile::{Activity, Spent};
use crate::kernel::{SimDuration, SimTime, now};

/// Counts of what happens to the tasks of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Messages sent.
    pub messages: u64,
    /// Times that a task gave up its processor until a message came.
    pub blocks: u64,
    /// Times that a task that spun gave its processor to another.
    pub yields: u64,
    /// Interrupts serviced for its tasks.
    pub interrupts: u64,
    /// Times that a task was put on a processor.
    pub dispatches: u64,
    /// Waits for a message that began while the counterpart did not run, and that ended with its dispatch.
    pub skewed_waits: u64,
    /// Time from the beginning of those waits to the dispatch of the counterpart [ns].
    pub skew: u128,
    /// Frames, or periods, that were due.
    pub due: u64,
    /// Those that were over after their deadline.
    pub missed: u64,
    /// Sum of the differences between the response times of successive frames [ns].
    pub jitter: u128,
}

/// The tasks of a job on the cluster.
#[derive(Debug)]
pub(in crate::cluster) struct JobTasks {
    pub(in crate::cluster) id: JobId,
    left: Cell<u32>,
    spent: RefCell<Spent>,
    counts: Cell<Counts>,
    first_dispatch: Cell<Option<SimTime>>,
    last_response: Cell<Option<SimDuration>>,
}

impl JobTasks {
    pub(in crate::cluster) fn new(id: JobId, tasks: u32) -> Self {
        JobTasks {
            id,
            left: Cell::new(tasks),
            spent: RefCell::default(),
            counts: Cell::default(),
            first_dispatch: Cell::default(),
            last_response: Cell::default(),
        }
    }

    #[inline]
    fn count(&self, change: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.get();
        change(&mut counts);
        self.counts.set(counts);
    }

    pub(in crate::cluster) fn charge(&self, activity: Activity, span: SimDuration) {
        self.spent.borrow_mut().add(activity, span);
    }

    pub(in crate::cluster) fn sent(&self) {
        self.count(|counts| counts.messages += 1);
    }

    pub(in crate::cluster) fn blocked(&self) {
        self.count(|counts| counts.blocks += 1);
    }

    pub(in crate::cluster) fn yielded(&self) {
        self.count(|counts| counts.yields += 1);
    }

    pub(in crate::cluster) fn interrupted(&self) {
        self.count(|counts| counts.interrupts += 1);
    }

    /// A task is put on a processor; `waits` of its peers have waited for that, beginning at instants whose sum is
    /// `since` [ns].
    pub(in crate::cluster) fn dispatched(&self, waits: u64, since: u128) {
        if self.first_dispatch.get().is_none() {
            self.first_dispatch.set(Some(now()));
        }
        self.count(|counts| {
            counts.dispatches += 1;
            counts.skewed_waits += waits;
            counts.skew += u128::from(waits) * u128::from(now().as_nanos()) - since;
        });
    }

    /// A frame released at `release` is over.
    pub(in crate::cluster) fn frame(&self, release: SimTime, deadline: SimDuration) {
        let response = now().since(release);
        let before = self.last_response.replace(Some(response));
        self.count(|counts| {
            counts.due += 1;
            counts.missed += u64::from(response > deadline);
            let jitter = before.map_or(0, |before| before.as_nanos().abs_diff(response.as_nanos()));
            counts.jitter += u128::from(jitter);
        });
    }

    /// One of its tasks has ended; whether that was the last.
    pub(in crate::cluster) fn task_ended(&self) -> bool {
        self.left.set(self.left.get() - 1);
        self.left.get() == 0
    }

    /// What its execution amounts to so far.
    pub(in crate::cluster) fn execution(&self) -> Execution {
        Execution {
            job: self.id,
            spent: *self.spent.borrow(),
            counts: self.counts.get(),
            first_dispatch: self.first_dispatch.get(),
        }
    }
}

/// What the execution of a job amounts to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Execution {
    /// The job.
    pub job: JobId,
    /// Where the time of processors went while its tasks had them, or those that ran interrupted them.
    pub spent: Spent,
    /// What happened to its tasks.
    pub counts: Counts,
    /// When the first of its tasks ran first.
    pub first_dispatch: Option<SimTime>,
}
