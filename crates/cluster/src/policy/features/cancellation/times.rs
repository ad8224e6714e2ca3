//! When jobs are to be cancelled that are submitted and have not left.

use std::cell::RefCell;
use std::sync::Arc;

use crate::collections::{OrderedMap, OrderedSet};
use crate::ids::JobId;
use crate::kernel::primitive::Event;
use crate::kernel::{SimTime, now};
use crate::workload::cancellation::{Cancel, Cancellations};

/// Instants at which jobs are to be cancelled.
#[derive(Debug)]
pub(super) struct CancellationTimes {
    all: Arc<Cancellations>,
    due: RefCell<Due>,
    /// Set when a job is to be cancelled before all others.
    pub(super) sooner: Event,
}

#[derive(Debug, Default)]
struct Due {
    in_order: OrderedSet<(SimTime, JobId)>,
    of: OrderedMap<JobId, SimTime>,
    /// Of jobs that run, which may be interrupted and wait again.
    running: OrderedMap<JobId, SimTime>,
}

impl CancellationTimes {
    pub(super) fn new(all: Arc<Cancellations>) -> Self {
        CancellationTimes { all, due: RefCell::default(), sooner: Event::new("cancellation") }
    }

    /// Returns true if a job is to be cancelled even while it runs.
    pub(super) fn while_it_runs(&self, id: JobId) -> bool {
        matches!(self.all.of(id), Some(Cancel::Anyhow(_)))
    }

    /// A job is submitted.
    pub(super) fn submitted(&self, id: JobId) {
        let Some(cancel) = self.all.of(id) else { return };
        self.put(id, now().saturating_add(cancel.after()));
    }

    fn put(&self, id: JobId, at: SimTime) {
        let mut due = self.due.borrow_mut();
        due.of.insert(id, at);
        due.in_order.insert((at, id));
        if due.in_order.first() == Some(&(at, id)) {
            self.sooner.set();
        }
    }

    /// A job starts, and is cancelled by no time-out while it runs: when it was to be.
    pub(super) fn starts(&self, id: JobId) -> Option<SimTime> {
        let at = self.gone(id)?;
        self.due.borrow_mut().running.insert(id, at);
        Some(at)
    }

    /// A job that ran waits again, and is to be cancelled as before; at once if that is past.
    pub(super) fn waits_again(&self, id: JobId) {
        let at = self.due.borrow_mut().running.remove(&id);
        if let Some(at) = at {
            self.put(id, at.max(now()));
        }
    }

    /// A job has left, or is cancelled no longer: when it was to be.
    pub(super) fn gone(&self, id: JobId) -> Option<SimTime> {
        let mut due = self.due.borrow_mut();
        due.running.remove(&id);
        let at = due.of.remove(&id)?;
        due.in_order.remove(&(at, id));
        Some(at)
    }

    /// The next instant at which a job is to be cancelled.
    pub(super) fn next(&self) -> Option<SimTime> {
        self.due.borrow().in_order.first().map(|&(at, _)| at)
    }

    /// Takes out a job that is to be cancelled now.
    pub(super) fn take_due(&self) -> Option<JobId> {
        let &(at, id) = self.due.borrow().in_order.first()?;
        (at <= now()).then(|| {
            self.gone(id);
            id
        })
    }
}
