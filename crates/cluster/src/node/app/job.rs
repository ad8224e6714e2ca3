//! A job on the cluster: its tasks that still run, and what its execution amounts to.

use std::cell::{Cell, RefCell};

use crate::ids::JobId;
use crate::instrument::execution::{Counts, Execution, Pace};
use crate::instrument::profile::{Activity, Spent};
use crate::kernel::stats::Table;
use crate::kernel::{SimDuration, SimTime, now};

/// The tasks of a job on the cluster.
#[derive(Debug)]
pub(in crate::node) struct JobTasks {
    pub(in crate::node) id: JobId,
    left: Cell<u32>,
    spent: RefCell<Spent>,
    counts: Cell<Counts>,
    first_dispatch: Cell<Option<SimTime>>,
    last_response: Cell<Option<SimDuration>>,
    /// Computing by window of time, if that is recorded.
    pace: Option<RefCell<Pace>>,
}

impl JobTasks {
    /// A job of `tasks` tasks that starts now; its computing is recorded by `window`, if one is
    /// given.
    pub(in crate::node) fn new(id: JobId, tasks: u32, window: Option<SimDuration>) -> Self {
        JobTasks {
            id,
            left: Cell::new(tasks),
            spent: RefCell::default(),
            counts: Cell::default(),
            first_dispatch: Cell::default(),
            last_response: Cell::default(),
            pace: window.map(|window| RefCell::new(Pace::new(now(), window))),
        }
    }

    #[inline]
    pub(super) fn count(&self, change: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.get();
        change(&mut counts);
        self.counts.set(counts);
    }

    pub(in crate::node) fn charge(&self, activity: Activity, span: SimDuration) {
        self.spent.borrow_mut().add(activity, span);
        if let Some(pace) = &self.pace
            && activity == Activity::Compute
        {
            pace.borrow_mut().computed(span, now());
        }
    }

    /// A task is put on a processor; `waits` of its peers have waited for that, beginning at
    /// instants whose sum is `since` [ns].
    pub(in crate::node) fn dispatched(&self, waits: u64, since: u128) {
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
    pub(in crate::node) fn frame(&self, release: SimTime, deadline: SimDuration) {
        let response = now().since(release);
        let before = self.last_response.replace(Some(response));
        self.count(|counts| {
            counts.due += 1;
            counts.missed += u64::from(response > deadline);
            if let Some(before) = before {
                counts.pairs += 1;
                counts.jitter += u128::from(before.as_nanos().abs_diff(response.as_nanos()));
            }
        });
    }

    /// One of its tasks has ended; whether that was the last.
    pub(in crate::node) fn task_ended(&self) -> bool {
        self.left.set(self.left.get() - 1);
        self.left.get() == 0
    }

    /// The execution so far.
    pub(in crate::node) fn execution(&self) -> Execution {
        Execution {
            job: self.id,
            spent: *self.spent.borrow(),
            counts: self.counts.get(),
            first_dispatch: self.first_dispatch.get(),
            pace: self.pace.as_ref().map_or_else(Table::new, |pace| pace.borrow().whole(now())),
        }
    }
}
