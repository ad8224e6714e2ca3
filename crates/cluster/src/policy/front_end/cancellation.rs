//! Jobs that their users cancel.
//!
//! One process waits for the next time at which a job is to be cancelled, however many there are;
//! it is a daemon, so a run is over when its last job has left, even if others had patience for
//! longer. A cancellation is a time-out: what ends at the same instant has ended before, and a job
//! that would start at it does not. A job that waits is taken from its queue, and policies hear of
//! it as [`SiteEvent::Withdrawn`]. One that runs ends then; where it holds its
//! processors for its run time, that is known when it starts, and cut (as
//! [`Walltime`](crate::workload::Walltime) does), and in slices the same process ends it.

use std::sync::Arc;

use tracing::debug;

use crate::collections::{OrderedMap, OrderedSet};
use crate::ids::JobId;
use crate::instrument::State as JobState;
use crate::kernel::{Either, SimTime, note_over, now, race, timer};
use crate::workload::cancellation::{Cancel, Cancellations};

use super::run::{Run, RunEnd};
use super::{FrontEnd, SiteEvent, State};

/// Instant at which the jobs are cancelled that are submitted and have not left.
#[derive(Debug)]
pub(super) struct CancellationTimes {
    all: Arc<Cancellations>,
    due: OrderedSet<(SimTime, JobId)>,
    of: OrderedMap<JobId, SimTime>,
}

impl CancellationTimes {
    pub(super) fn new(all: Arc<Cancellations>) -> Self {
        CancellationTimes { all, due: OrderedSet::new(), of: OrderedMap::new() }
    }

    /// A job is submitted: whether it is the next to be cancelled.
    pub(super) fn submitted(&mut self, id: JobId) -> bool {
        let Some(cancel) = self.all.of(id) else { return false };
        let at = now().saturating_add(cancel.after());
        self.of.insert(id, at);
        self.due.insert((at, id));
        self.due.first() == Some(&(at, id))
    }

    /// A job has left, or is cancelled no longer: when it was to be.
    pub(super) fn gone(&mut self, id: JobId) -> Option<SimTime> {
        let at = self.of.remove(&id)?;
        self.due.remove(&(at, id));
        Some(at)
    }

    /// A job starts: one that holds its processors for a time ends when it is cancelled, if that is
    /// before; what runs in slices is cancelled there and then.
    pub(super) fn run(&mut self, run: &mut Run) {
        let while_it_runs = matches!(self.all.of(run.id), Some(Cancel::Anyhow(_)));
        if while_it_runs && !run.timed {
            return;
        }
        if let Some(at) = self.gone(run.id).filter(|_| while_it_runs) {
            run.ends_after(at.since(now()), RunEnd::Cancelled);
        }
    }
}

impl State {
    /// A job has left, or is cancelled no longer.
    pub(super) fn forget_cancellation(&mut self, id: JobId) {
        if let Some(times) = &mut self.cancellation {
            times.gone(id);
        }
    }
}

impl FrontEnd {
    /// Cancels jobs in their time.
    pub(in crate::policy) async fn cancel_in_time(self) {
        loop {
            let first = self.0.state.borrow().cancellation.as_ref().and_then(|one| one.due.first().copied());
            match first {
                None => self.0.sooner.wait().await,
                Some((at, _)) => {
                    let over = race(timer(at.since(now())), self.0.sooner.wait()).await;
                    if let Either::Left(()) = over {
                        self.cancel_due();
                    }
                }
            }
        }
    }

    fn cancel_due(&self) {
        let mut state = self.0.state.borrow_mut();
        let mut any = false;
        while let Some(times) = &mut state.cancellation
            && let Some(&(at, id)) = times.due.first()
            && at <= now()
        {
            times.gone(id);
            match state.machine.record().state(id) {
                JobState::Expected => self.cancel_waiting(&mut state, id),
                JobState::Running => self.cancel_running(&mut state, id),
                _ => continue,
            }
            any = true;
        }
        drop(state);
        if any {
            self.0.something.set();
        }
    }

    fn cancel_waiting(&self, state: &mut State, id: JobId) {
        debug!(at = now().as_secs_f64(), job = self.0.jobs[id.index()].number, "is cancelled");
        note_over(1);
        state.machine.record_mut().withdrawn(id, now());
        // else no policy knows of it
        if self.considers(state, id) {
            state.slots.change(|slots| slots.waiting -= 1);
            state.news.withdraw(id);
        }
        if let Some(mut explanation) = self.explanation() {
            explanation.leaves(id, now());
        }
        self.leaves_for_good(state, id);
    }

    /// A job that runs in slices is cancelled.
    fn cancel_running(&self, state: &mut State, id: JobId) {
        let job = self.0.job(state, id);
        debug!(at = now().as_secs_f64(), job = job.number, "is cancelled while it runs");
        state.machine.end(id, now(), JobState::Cancelled);
        state.slots.change(|slots| slots.free += u64::from(job.procs));
        state.news.push(SiteEvent::Ended(id));
        self.leaves_for_good(state, id);
    }
}
