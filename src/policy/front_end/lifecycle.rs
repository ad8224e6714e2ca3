//! What happens to jobs that no policy does: they are submitted, they end; and what is left when all is over.

use std::cell::RefMut;
use std::rc::Rc;

use tracing::{debug, trace};

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::instrument::execution::ExecutionProfile;
use crate::instrument::slice_metrics::SliceSide;
use crate::instrument::{LossOfCapacity, Reason, Record, State as JobState};
use crate::kernel::now;
use crate::kernel::rng::Streams;
use crate::workload::Job;

use super::dependencies::HoldState;
use super::deserted::wait_for_ever;
use super::reservations::feed;
use super::{FrontEnd, Shared, State};

impl FrontEnd {
    /// Submits the next job at its time; one that needs more processors than there are is rejected.
    pub(in crate::policy) fn submit(&self) {
        let mut state = self.0.state.borrow_mut();
        let id = JobId(state.submitted as u32);
        state.submitted += 1;
        drop(state);
        self.submit_now(id);
    }

    /// Leaves the next job out, which is submitted when another has left.
    pub(in crate::policy) fn pass_over(&self) {
        self.0.state.borrow_mut().submitted += 1;
    }

    /// Submits a job.
    pub(super) fn submit_now(&self, id: JobId) {
        let mut state = self.0.state.borrow_mut();
        if let Some(mut explanation) = self.explanation() {
            explanation.submitted(id, now());
        }
        let job = self.0.job(&state, id);
        if job.procs > state.machine.procs() {
            debug!(
                at = now().as_secs_f64(),
                job = job.number,
                procs = job.procs,
                "rejected: larger than the machine"
            );
            self.reject(&mut state, id, Reason::TooLarge);
            return self.has_left(state, id);
        }
        if state.reserving.as_ref().is_some_and(|reserving| reserving.inside.has(id)) {
            self.submit_inside(&mut state, id);
            drop(state);
            return self.0.something.set();
        }
        let first = state.cancellation.as_mut().is_some_and(|times| times.submitted(id));
        if first {
            self.0.sooner.set();
        }
        match state.holds.as_mut().map_or(HoldState::Considered, |holds| holds.submitted(id)) {
            HoldState::Considered => {}
            HoldState::Held => {
                trace!(at = now().as_secs_f64(), job = job.number, "is held");
                return self.explain_hold(&state, id);
            }
            HoldState::Refused(other) => {
                self.reject_dependent(&mut state, id, other);
                return self.has_left(state, id);
            }
        }
        trace!(at = now().as_secs_f64(), job = job.number, procs = job.procs, "arrives");
        state.news.arrived.push(id);
        state.slots.change(|slots| slots.waiting += 1);
        let deserted = state.deserted;
        drop(state);
        if deserted {
            wait_for_ever(id);
        } else {
            self.0.something.set();
        }
    }

    /// A job has left without having run: releases the jobs that depend on it, and notifies the policy if that is news.
    pub(super) fn has_left(&self, mut state: RefMut<'_, State>, id: JobId) {
        self.release_dependents(&mut state, id);
        // with all gone there is nothing to decide, but nothing to wait for either
        let over = state.machine.record().left_count() == self.0.jobs.len();
        let news = state.holds.is_some() && !state.news.is_empty() && !state.deserted;
        drop(state);
        if over || news {
            self.0.something.set();
        }
    }

    /// A job ends, by itself or by its limit; its tasks have left their processors before, or leave them now.
    pub(in crate::policy) fn end(&self, job: JobId, left: bool) {
        let mut state = self.0.state.borrow_mut();
        if state.reserving.is_some() && self.ends_inside(&mut state, job) {
            drop(state);
            // no policy decides about it, but it may be the last
            return self.0.something.set();
        }
        let of = self.0.job(&state, job);
        let cancelled = state.cancellation.as_mut().is_some_and(|times| times.ends(job));
        let (what, over) = match (of.killed, cancelled) {
            (_, true) => ("is cancelled while it runs", JobState::Cancelled),
            (true, false) => ("is killed at its limit", JobState::Killed),
            (false, false) => ("ends", JobState::Completed),
        };
        debug!(at = now().as_secs_f64(), job = of.number, "{what}");
        if let Some(failing) = &mut state.failing {
            failing.ends(job);
        }
        if left {
            state.machine.record_mut().ended(job, now());
        } else {
            state.machine.end(job, now(), over);
            let procs = u64::from(of.procs);
            state.slots.change(|slots| slots.free += procs);
        }
        if state.reserving.is_some() {
            feed(&mut state);
            self.serve_inside(&mut state);
            let free = state.machine.free().count();
            state.slots.change(|slots| slots.free = free);
        }
        state.news.departed.push(job);
        self.release_dependents(&mut state, job);
        drop(state);
        self.0.something.set();
    }

    /// A task has left its processor before its job ends.
    pub(in crate::policy) fn task_left(&self, processor: u32) {
        let mut state = self.0.state.borrow_mut();
        state.machine.release(processor, now());
        state.slots.change(|slots| slots.free += 1);
        state.news.left.push(processor);
        drop(state);
        self.0.something.set();
    }

    /// The front end that others share as `shared`.
    pub(in crate::policy) fn of(shared: Rc<Shared>) -> Self {
        FrontEnd(shared)
    }

    /// Makes the nodes on which tasks run, inside the simulation.
    pub(in crate::policy) fn begin(&self, streams: Streams) {
        self.0.execution.begin(Rc::downgrade(&self.0), streams);
    }

    /// What is observed of processors and slots begins now.
    pub(in crate::policy) fn mark(&self) {
        let slots = &mut self.0.state.borrow_mut().slots;
        slots.marked = true;
        slots.loss.restart(now());
        if let Some(cluster) = self.0.execution.cluster() {
            cluster.mark();
        }
    }

    /// Where the time of the processors went and which slots stayed free, at detail `task`; the nodes are cleared.
    pub(in crate::policy) fn close(&self) -> Option<(ExecutionProfile, LossOfCapacity)> {
        if !self.0.state.borrow().slots.marked {
            // the run is over before the warm-up: nothing is observed
            self.mark();
        }
        let profile = self.0.execution.close()?;
        Some((profile, self.0.state.borrow().slots.loss))
    }

    /// What slices gave, and which slots stayed free, where jobs run in slices.
    pub(in crate::policy) fn close_slices(&self) -> Option<SliceSide> {
        let slices = self.0.execution.slices()?;
        if !self.0.state.borrow().slots.marked {
            self.mark();
        }
        let mut service = slices.service.borrow_mut();
        let (begun, switches) = service.as_mut().map_or((0, 0), |service| {
            service.advance(now());
            service.counts()
        });
        Some(SliceSide {
            capacity: self.0.state.borrow().slots.loss,
            until: now(),
            procs: u64::from(self.procs()),
            slots: u64::from(self.procs()) * u64::from(self.level()),
            slices: begun,
            switches,
            migrations: slices.migrations.get(),
        })
    }

    /// The processors that stayed free while jobs waited, as a share of all, up to now.
    pub(in crate::policy) fn lost_capacity(&self) -> Option<f64> {
        let state = self.0.state.borrow();
        let observed = Some(&state.slots).filter(|slots| slots.marked);
        observed.and_then(|slots| slots.loss.share(now(), u64::from(state.machine.procs())))
    }

    /// How many jobs have left: completed or rejected.
    pub(in crate::policy) fn left_count(&self) -> usize {
        self.0.state.borrow().machine.record().left_count()
    }

    /// Whether every job has left.
    pub(in crate::policy) fn all_left(&self) -> bool {
        self.left_count() == self.0.jobs.len()
    }

    /// The jobs that were submitted and have not started, held ones included.
    pub(in crate::policy) fn waiting(&self) -> Vec<JobId> {
        let state = self.0.state.borrow();
        let record = state.machine.record();
        let waiting = |id: &JobId| record.outcome(*id).state == JobState::Expected;
        (0..state.submitted as u32).map(JobId).filter(waiting).collect()
    }

    /// The record, and the jobs that were not as the workload has them, when no other part holds the front end.
    pub(in crate::policy) fn into_record(self) -> Option<(Record, OrderedMap<JobId, Job>)> {
        let state = Rc::into_inner(self.0)?.state.into_inner();
        let mut record = state.machine.into_record();
        if let Some(moved) = state.moved {
            record.reservations_moved(moved);
        }
        Some((record, state.revised))
    }
}
