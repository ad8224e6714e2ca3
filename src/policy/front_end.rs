//! The front end as a policy sees it: news of the cluster, and the verbs that act on it.
//!
//! ```text
//! submission ──▶ waiting ──start──▶ running ──run time──▶ departed
//!     └─ too large,    └──refuse──▶ rejected      (or killed at its limit)
//!        rejected
//! ```
//!
//! News are gathered while an instant goes on and handed out when it is closed, so a policy decides once an instant,
//! knowing everything that happened in it; once more only if its own deeds brought further news. They stay with the
//! front end until they are handed out: a `news()` that is raced, timed out or dropped loses none.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;
use std::sync::Arc;

use futures::future::Either;
use tracing::{debug, trace};

use crate::collections::{Interval, IntervalSet};
use crate::frontend::allocation::Allocation;
use crate::ids::JobId;
use crate::instrument::execution::Profile;
use crate::instrument::explanation::Explanation;
use crate::instrument::slice_metrics::SliceSide;
use crate::instrument::{LossOfCapacity, Reason, Record, State as JobState};
use crate::kernel::primitive::Event;
use crate::kernel::rng::{Stream, Streams};
use crate::kernel::{SimDuration, SimTime, now, race, settle, spawn, stream, timer};
use crate::machine::Machine;
use crate::workload::Job;
use crate::workload::parallel::Quality;

use super::error::{PolicyError, Wrong};
use super::execution::{Execution, Slices};
use super::room::Room;

/// What happened in one closed instant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct News {
    /// Jobs that were submitted and can run, in order of submission.
    pub arrived: Vec<JobId>,
    /// Jobs that ended, in order of their ends.
    pub departed: Vec<JobId>,
    /// Processors that tasks have left before their jobs end, where they do: in the order of leaving.
    pub left: Vec<u32>,
}

impl News {
    fn is_empty(&self) -> bool {
        self.arrived.is_empty() && self.departed.is_empty() && self.left.is_empty()
    }
}

/// The verbs of a policy; clones are the same front end.
#[derive(Clone, Debug)]
pub struct FrontEnd(Rc<Shared>);

#[derive(Debug)]
pub(super) struct Shared {
    jobs: Arc<Vec<Job>>,
    policy: &'static str,
    execution: Execution,
    state: RefCell<State>,
    /// Set when there are news.
    something: Event,
    /// What is told of the one job that is asked about.
    explanation: Option<RefCell<Explanation>>,
}

#[derive(Debug)]
struct State {
    machine: Machine,
    news: News,
    /// Jobs submitted so far: those before this place.
    submitted: usize,
    /// Where [`FrontEnd::start_on`] puts its choice.
    chosen: Vec<Interval>,
    /// What random allocations draw from, once one has.
    draws: Option<Stream>,
    /// Whether the policy has returned.
    deserted: bool,
    slots: Room,
    /// Reservations that could not be kept, where all jobs have one.
    moved: Option<u64>,
}

impl FrontEnd {
    pub(super) fn new(
        jobs: Arc<Vec<Job>>,
        procs: u32,
        policy: &'static str,
        execution: Execution,
        explained: Option<JobId>,
    ) -> Self {
        let machine = Machine::new(procs, jobs.len()).shared(execution.level());
        let free = u64::from(procs) * u64::from(execution.level());
        let slots = Room { waiting: 0, free, loss: LossOfCapacity::new(SimTime::ZERO), marked: false };
        let (news, chosen) = (News::default(), Vec::new());
        let state =
            State { machine, news, submitted: 0, chosen, draws: None, deserted: false, slots, moved: None };
        let (state, something) = (RefCell::new(state), Event::new("news"));
        let explanation = explained.map(|job| RefCell::new(Explanation::new(job)));
        FrontEnd(Rc::new(Shared { jobs, policy, execution, state, something, explanation }))
    }

    /// What is told of the one job that is asked about, if one is.
    pub(super) fn explanation(&self) -> Option<RefMut<'_, Explanation>> {
        self.0.explanation.as_ref().map(RefCell::borrow_mut)
    }

    /// Waits for an instant in which jobs arrived or departed, lets it close, and tells them.
    ///
    /// `None` when every job has left: there will be no more news. Dropping the wait loses nothing.
    pub async fn news(&mut self) -> Option<News> {
        loop {
            if !self.0.state.borrow().news.is_empty() {
                settle().await;
                self.0.execution.decide().await;
                return Some(std::mem::take(&mut self.0.state.borrow_mut().news));
            }
            if self.all_left() {
                return None;
            }
            self.0.something.wait().await;
        }
    }

    /// Waits as [`FrontEnd::news`] does, but until an instant after this one at the latest: then there may be no news in what
    /// it gives. What ends or arrives at that instant is told with it.
    pub async fn news_until(&mut self, at: SimTime) -> Option<News> {
        let over = timer(at.since(now()));
        match race(self.news(), over).await {
            Either::Left(news) => news,
            Either::Right(()) => {
                settle().await;
                self.0.execution.decide().await;
                Some(std::mem::take(&mut self.0.state.borrow_mut().news))
            }
        }
    }

    /// The jobs of the run. A policy may look at those that were submitted, and at no job's run time.
    pub fn jobs(&self) -> Arc<Vec<Job>> {
        Arc::clone(&self.0.jobs)
    }

    /// How many processors there are.
    pub fn procs(&self) -> u32 {
        self.0.state.borrow().machine.procs()
    }

    /// How many tasks a processor takes: 1 unless the policy shares processors.
    pub fn level(&self) -> u32 {
        self.0.execution.level()
    }

    /// What service a job asks for: best effort at detail `job`, which simulates no other.
    pub fn quality(&self, job: JobId) -> Quality {
        self.0.execution.quality(job)
    }

    /// Whether the node of each processor, by number, keeps the shares that tasks reserve.
    pub fn keeps_reservations(&self) -> Vec<bool> {
        self.0.execution.keeps_reservations(self.procs())
    }

    /// Begins a slice: from now on the tasks of these jobs run, and no others, after a switch of `cost`. Each node hears
    /// of it so much later as `late` tells. Nothing at detail `job`.
    pub fn begin_slice(&self, jobs: &[JobId], cost: SimDuration, late: impl FnMut() -> SimDuration) {
        if let Some(cluster) = self.0.execution.cluster() {
            cluster.begin_slice(jobs, cost, late);
        }
    }

    /// Lets a job run in the present slice, from now on. Nothing at detail `job`.
    pub fn join_slice(&self, job: JobId) {
        if let Some(cluster) = self.0.execution.cluster() {
            cluster.assign(job);
        }
    }

    /// Takes the news there are, of an instant that has been let close; none if there are none.
    pub(super) fn pending(&self) -> News {
        std::mem::take(&mut self.0.state.borrow_mut().news)
    }

    /// What jobs have in slices, where that is how they run.
    pub(super) fn slices(&self) -> Option<&Slices> {
        self.0.execution.slices()
    }

    /// Puts a running job on exactly these processors, now.
    ///
    /// # Errors
    /// As [`FrontEnd::start`].
    pub(super) fn relocate(&self, id: JobId, on: &[Interval]) -> Result<(), PolicyError> {
        let job = &self.0.jobs[id.index()];
        let moved = self.0.state.borrow_mut().machine.relocate(id, on, now());
        debug!(at = now().as_secs_f64(), job = job.number, "migrates");
        moved.map_err(|why| {
            let why = Wrong::from(why);
            PolicyError { policy: self.0.policy, job: id, number: job.number, at: now(), why }
        })
    }

    /// How many processors are free.
    pub fn free_count(&self) -> u64 {
        self.0.state.borrow().machine.free().count()
    }

    /// Looks at the free processors.
    pub fn with_free<R>(&self, look: impl FnOnce(&IntervalSet) -> R) -> R {
        look(self.0.state.borrow().machine.free())
    }

    /// When a job started; [`SimTime::MAX`] if it did not.
    pub fn start_time(&self, job: JobId) -> SimTime {
        self.0.state.borrow().machine.record().outcome(job).start
    }

    /// Starts a job on exactly these processors, now. It ends by itself when its run time is over.
    ///
    /// # Errors
    /// The start is not lawful. The error ends the run if the policy hands it on, as it should.
    pub fn start(&self, job: JobId, on: &[Interval], reason: Reason) -> Result<(), PolicyError> {
        self.carry_out(&mut self.0.state.borrow_mut(), job, on, reason)
    }

    /// Starts a job on the processors that `allocation` chooses, now.
    ///
    /// # Errors
    /// As [`FrontEnd::start`]; also if too few processors are free.
    pub fn start_on(
        &self,
        job: JobId,
        allocation: &dyn Allocation,
        reason: Reason,
    ) -> Result<(), PolicyError> {
        let mut state = self.0.state.borrow_mut();
        let mut chosen = std::mem::take(&mut state.chosen);
        chosen.clear();
        if let Some(of) = self.0.jobs.get(job.index())
            && u64::from(of.procs) <= state.machine.free().count()
        {
            let State { machine, draws, .. } = &mut *state;
            let mut draw = |bound| draws.get_or_insert_with(|| stream("allocation")).below(bound);
            allocation.choose(machine.free(), of.procs, &mut draw, &mut chosen);
        }
        let started = self.carry_out(&mut state, job, &chosen, reason);
        state.chosen = chosen;
        started
    }

    fn carry_out(
        &self,
        state: &mut State,
        id: JobId,
        on: &[Interval],
        reason: Reason,
    ) -> Result<(), PolicyError> {
        let job = self.0.jobs.get(id.index());
        let started = match job.filter(|_| id.index() < state.submitted) {
            None => Err(Wrong::NotSubmitted),
            Some(job) => {
                state.machine.start(id, job.procs, on, reason, now()).map_err(Wrong::from).map(|()| job)
            }
        };
        let job = started.map_err(|why| {
            let number = job.map_or(u64::from(id.0), |job| job.number);
            PolicyError { policy: self.0.policy, job: id, number, at: now(), why }
        })?;
        debug!(at = now().as_secs_f64(), job = job.number, procs = job.procs, ?reason, "starts");
        if let Some(mut told) = self.explanation() {
            told.starts(id, now(), reason);
        }
        state.slots.change(|slots| {
            slots.waiting -= 1;
            slots.free -= u64::from(job.procs);
        });
        self.0.execution.start(self, id, job, on);
        Ok(())
    }

    /// Refuses a job that waits: it leaves, now, and has not run.
    ///
    /// # Errors
    /// It is not submitted yet, or does not wait. The error ends the run if the policy hands it on, as it should.
    pub fn refuse(&self, id: JobId) -> Result<(), PolicyError> {
        self.refuse_for(id, Reason::Refused)
    }

    /// Refuses a job as [`FrontEnd::refuse`] does, for a reason that the record tells.
    pub(super) fn refuse_for(&self, id: JobId, reason: Reason) -> Result<(), PolicyError> {
        let mut state = self.0.state.borrow_mut();
        let job = self.0.jobs.get(id.index()).filter(|_| id.index() < state.submitted);
        let why = match job {
            None => Some(Wrong::NotSubmitted),
            Some(_) if state.machine.record().outcome(id).state == JobState::Expected => None,
            Some(_) => Some(Wrong::NotWaiting),
        };
        if let Some(why) = why {
            let number = job.map_or(u64::from(id.0), |job| job.number);
            return Err(PolicyError { policy: self.0.policy, job: id, number, at: now(), why });
        }
        debug!(at = now().as_secs_f64(), job = self.0.jobs[id.index()].number, "refused");
        state.machine.reject(id, now(), reason);
        if let Some(mut told) = self.explanation() {
            told.leaves(id, now());
        }
        state.slots.change(|slots| slots.waiting -= 1);
        let over = state.machine.record().left_count() == self.0.jobs.len();
        drop(state);
        if over {
            // as with a job that is too large
            self.0.something.set();
        }
        Ok(())
    }

    /// Tells the record how many reservations came due that could not be kept.
    pub(super) fn reservations_moved(&self, moved: u64) {
        self.0.state.borrow_mut().moved = Some(moved);
    }

    /// Submits the next job; one that needs more processors than there are is rejected.
    pub(super) fn submit(&self) {
        let mut state = self.0.state.borrow_mut();
        let id = JobId(state.submitted as u32);
        state.submitted += 1;
        if let Some(mut told) = self.explanation() {
            told.submitted(id, now());
        }
        let job = &self.0.jobs[id.index()];
        if job.procs > state.machine.procs() {
            debug!(
                at = now().as_secs_f64(),
                job = job.number,
                procs = job.procs,
                "rejected: larger than the machine"
            );
            state.machine.reject(id, now(), Reason::TooLarge);
            if let Some(mut told) = self.explanation() {
                told.leaves(id, now());
            }
            let over = state.machine.record().left_count() == self.0.jobs.len();
            drop(state);
            if over {
                // nothing to decide, but nothing to wait for either
                self.0.something.set();
            }
            return;
        }
        trace!(at = now().as_secs_f64(), job = job.number, procs = job.procs, "arrives");
        state.news.arrived.push(id);
        state.slots.change(|slots| slots.waiting += 1);
        let deserted = state.deserted;
        drop(state);
        if deserted {
            wait_in_vain(id);
        } else {
            self.0.something.set();
        }
    }

    /// A job ends, by itself or by its limit; its tasks have left their processors before, or leave them now.
    pub(super) fn end(&self, job: JobId, left: bool) {
        let mut state = self.0.state.borrow_mut();
        let of = &self.0.jobs[job.index()];
        let what = if of.killed { "is killed at its limit" } else { "ends" };
        debug!(at = now().as_secs_f64(), job = of.number, "{what}");
        if left {
            state.machine.end_released(job, now());
        } else {
            if of.killed {
                state.machine.kill(job, now());
            } else {
                state.machine.end(job, now());
            }
            let procs = u64::from(of.procs);
            state.slots.change(|slots| slots.free += procs);
        }
        state.news.departed.push(job);
        drop(state);
        self.0.something.set();
    }

    /// A task has left its processor before its job ends.
    pub(super) fn task_left(&self, processor: u32) {
        let mut state = self.0.state.borrow_mut();
        state.machine.release(processor, now());
        state.slots.change(|slots| slots.free += 1);
        state.news.left.push(processor);
        drop(state);
        self.0.something.set();
    }

    /// The front end that others share as `shared`.
    pub(super) fn of(shared: Rc<Shared>) -> Self {
        FrontEnd(shared)
    }

    /// Makes the nodes on which tasks run, inside the simulation.
    pub(super) fn begin(&self, streams: Streams) {
        self.0.execution.begin(Rc::downgrade(&self.0), streams);
    }

    /// What is observed of processors and slots begins now.
    pub(super) fn mark(&self) {
        let slots = &mut self.0.state.borrow_mut().slots;
        slots.marked = true;
        slots.loss.restart(now());
        if let Some(cluster) = self.0.execution.cluster() {
            cluster.mark();
        }
    }

    /// Where the time of the processors went and which slots stayed free, at detail `task`; the nodes are cleared.
    pub(super) fn close(&self) -> Option<(Profile, LossOfCapacity)> {
        if !self.0.state.borrow().slots.marked {
            // the run is over before the warm-up: nothing is observed
            self.mark();
        }
        let profile = self.0.execution.close()?;
        Some((profile, self.0.state.borrow().slots.loss))
    }

    /// What slices gave, and which slots stayed free, where jobs run in slices.
    pub(super) fn close_slices(&self) -> Option<SliceSide> {
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

    /// How many jobs have left: completed or rejected.
    pub(super) fn left_count(&self) -> usize {
        self.0.state.borrow().machine.record().left_count()
    }

    /// Whether every job has left.
    pub(super) fn all_left(&self) -> bool {
        self.left_count() == self.0.jobs.len()
    }

    /// The policy has returned: every job that waits, and every later one, does so for ever, which the kernel tells.
    pub(super) fn desert(&self) {
        let mut state = self.0.state.borrow_mut();
        state.deserted = true;
        let record = state.machine.record();
        let waiting = |id: &JobId| record.outcome(*id).state == JobState::Expected;
        let waiting: Vec<JobId> = (0..state.submitted as u32).map(JobId).filter(waiting).collect();
        drop(state);
        for id in waiting {
            wait_in_vain(id);
        }
    }

    /// The record, when nobody else holds the front end.
    pub(super) fn into_record(self) -> Option<Record> {
        let state = Rc::into_inner(self.0)?.state.into_inner();
        let mut record = state.machine.into_record();
        if let Some(moved) = state.moved {
            record.reservations_moved(moved);
        }
        Some(record)
    }
}

/// A job that nobody will start is a process that waits for ever.
fn wait_in_vain(id: JobId) {
    spawn(("job", id.0), async { Event::new("start (the policy has returned)").wait().await });
}
