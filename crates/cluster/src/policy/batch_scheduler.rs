//! The batch scheduler: the state that a policy with a queue keeps, and the decisions over it.
//!
//! It holds the waiting jobs in order, the running jobs by estimated end, estimates, limits,
//! priorities, what is free on nodes and of pools, and what is reserved. It reports everything that
//! happens to the components that follow it (discipline, backfilling, estimates, limits), asks them
//! which jobs start, starts these, and explains the wait of the one job that is asked about. It
//! keeps nothing for components that do not need it: with requested estimates and without limits a
//! decision touches the queue and the running jobs alone.
//!
//! The decisions themselves, and the start of a job, stand with the policy of space sharing; those
//! on nodes that have more than processors, around reservations, and about sizes of moldable jobs
//! each in a file of their name.

use tracing::debug;

use crate::batch::backfill::{Capabilities, Change, Decides, Picks};
use crate::batch::limits::HoldChange;
use crate::batch::molding::When;
use crate::batch::node_resources::{Asking, FreeResources};
use crate::batch::planned::PlannedList;
use crate::batch::pools::FreePools;
use crate::batch::queue::Waiting;
use crate::batch::{Queue, Running};
use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::instrument::Reason;
use crate::kernel::rng::Stream;
use crate::kernel::{SimDuration, SimTime, now, stream};
use crate::workload::{Checkpoint, Job};

use super::components::Components;
use super::divisions::RunDivisions;
use super::earlier_runs::{Earlier, RunPlans, queued};
use super::{FrontEnd, News, PolicyError, SiteEvent};

/// Estimate of a job's run time, and the number of its corrections.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimated {
    pub(super) estimate: SimDuration,
    pub(super) corrections: u32,
    /// The estimate on the processors that it asked for.
    pub(super) as_asked: SimDuration,
}

/// The batch scheduler of one run: the state that a policy with a queue keeps, and the decisions
/// over it.
///
/// Space sharing is this and nothing else: it decides at once after it has taken news, and when
/// [`BatchScheduler::wakes`] says. A policy that decides more rarely corrects estimates and moves
/// priorities only then. A policy of another crate may own one, and decide itself when it decides:
///
/// ```
/// use clustersim_kernel::{SimDuration, SimTime, now};
/// use clustersim_cluster::policy::{
///     BatchScheduler, Components, FrontEnd, Policy, PolicyError, async_trait,
/// };
/// use clustersim_language::registry::Entry;
///
/// /// Jobs start at whole multiples of a period only.
/// #[derive(Debug)]
/// struct Periodic {
///     components: Option<Components>,
/// }
///
/// const ENTRY: Entry<dyn Policy> = Entry {
///     name: "periodic",
///     about: "jobs start once an hour",
///     source: "",
///     keys: Components::KEYS,
///     build: |params| Ok(Box::new(Periodic { components: Some(Components::read(params)?) })),
/// };
///
/// #[async_trait(?Send)]
/// impl Policy for Periodic {
///     fn name(&self) -> &'static str {
///         ENTRY.name
///     }
///
///     async fn run(&mut self, mut front: FrontEnd) -> Result<(), PolicyError> {
///         let Some(components) = self.components.take() else { return Ok(()) };
///         let mut scheduler = BatchScheduler::new(front.clone(), components);
///         let hour = SimDuration::from_secs(3600).as_nanos();
///         loop {
///             let next = SimTime::from_nanos((now().as_nanos() / hour + 1) * hour);
///             let news = if scheduler.has_waiting() {
///                 front.news_until(next).await
///             } else {
///                 front.news().await
///             };
///             let Some(news) = news else { break };
///             scheduler.take(news)?;
///             if now().as_nanos() % hour == 0 {
///                 scheduler.decide()?;
///             }
///         }
///         scheduler.close();
///         Ok(())
///     }
/// }
/// ```
#[derive(Debug)]
pub struct BatchScheduler {
    pub(super) front: FrontEnd,
    pub(super) components: Components,
    /// Capabilities of the backfilling rule.
    pub(super) rule: Capabilities,
    /// True if the running jobs are kept in order of estimated end.
    pub(super) tracks: bool,
    /// True if the places of waiting jobs are kept.
    pub(super) places_kept: bool,
    /// Divisions of the machine; what waits and runs is of the one at hand, as are the order and
    /// the rule of backfilling among the components.
    pub(super) divisions: RunDivisions,
    pub(super) queue: Queue,
    pub(super) running: Running,
    /// Of jobs that wait or run, where estimates are not what was requested.
    pub(super) estimated: OrderedMap<JobId, Estimated>,
    /// The places of the jobs in the queue, where limits or users may take them out of it.
    pub(super) places: OrderedMap<JobId, Waiting>,
    /// Stream of random estimates.
    draws: Option<Stream>,
    /// Processors that are free and count as held.
    hidden: u64,
    pub(super) picks: Picks,
    /// Reservations of waiting jobs that could not be kept, where all have one.
    pub(super) moved: u64,
    pub(super) turns: Vec<HoldChange>,
    /// Jobs that a limit lets through since the last decision.
    pub(super) lifted: Vec<JobId>,
    /// Jobs that features want to start now.
    pub(super) due_now: Vec<JobId>,
    /// Free parts of nodes, where they have more than processors.
    pub(super) nodes: Option<FreeResources>,
    /// Free amounts of pools, if there are any.
    pub(super) pools: Option<FreePools>,
    /// Rule by which jobs write checkpoints, where nodes fail and jobs do.
    checkpoint: Option<Checkpoint>,
    /// Jobs that were interrupted.
    pub(super) interrupted: OrderedMap<JobId, Earlier>,
    /// Estimated ends of running jobs, where jobs may be interrupted and have limits, which matter
    /// to plans then: they are not known any more when a run is over.
    pub(super) estimated_ends: Option<OrderedMap<JobId, SimTime>>,
    /// True if processors are reserved in this run.
    pub(super) reserves: bool,
    /// The reservations of processors that are known and not over.
    pub(super) planned: PlannedList,
    /// Free processors that reservations gave back at this instant.
    pub(super) returned: u64,
}

impl BatchScheduler {
    /// A scheduler without jobs, at the start of a run.
    pub fn new(front: FrontEnd, mut components: Components) -> Self {
        let divisions = RunDivisions::new(&front, &mut components);
        let rule = components.backfill.capabilities();
        let (checkpoint, reserves, nodes) =
            (front.checkpoint(), front.reserves(), components.free_resources(&front));
        if let Some(nodes) = &nodes {
            components.limits.count_gpus_in(nodes.whole_gpu());
        }
        // on other processors a job has another limit than as it was asked for
        let molds = components.molding.when() != When::Never && !components.estimates.as_requested();
        let limits_runs = (front.interrupts() || molds) && front.limits();
        let forecasts = components.molding.when() == When::Forecast;
        BatchScheduler {
            tracks: rule.decides != Decides::Nothing
                || components.estimates.corrects()
                || reserves
                || forecasts,
            places_kept: !components.limits.is_empty() || front.withdraws() || front.hastens(),
            draws: components.estimates.draws().then(|| stream("estimates")),
            pools: front.pools().map(FreePools::new),
            front,
            components,
            rule,
            divisions,
            queue: Queue::new(),
            running: Running::new(),
            estimated: OrderedMap::new(),
            places: OrderedMap::new(),
            hidden: 0,
            picks: Picks::default(),
            moved: 0,
            turns: Vec::new(),
            lifted: Vec::new(),
            due_now: Vec::new(),
            nodes,
            checkpoint,
            interrupted: OrderedMap::new(),
            estimated_ends: limits_runs.then(OrderedMap::new),
            reserves,
            planned: PlannedList::default(),
            returned: 0,
        }
    }

    /// The jobs that wait, in order; where queues have nodes of their own, those of the division at
    /// hand.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The jobs that run, by estimated end; kept where a component asks for it. Where queues have
    /// nodes of their own, those of the division at hand.
    pub fn running(&self) -> &Running {
        &self.running
    }

    /// Returns true if any job waits.
    pub fn has_waiting(&self) -> bool {
        !self.queue.is_empty() || self.divisions.have_waiting()
    }

    /// Waits for news as [`FrontEnd::news`] does, but no longer than until a decision is due
    /// ([`BatchScheduler::wakes`]).
    pub async fn news(&mut self) -> Option<News> {
        match self.wakes() {
            None => self.front.news().await,
            Some(at) => self.front.news_until(at).await,
        }
    }

    /// Takes in what happened in an instant, and what follows then: jobs come that waited for one
    /// which is refused.
    ///
    /// # Errors
    /// What the front end refused.
    pub fn take(&mut self, mut news: News) -> Result<(), PolicyError> {
        while !news.is_empty() {
            self.take_in(news)?;
            news = self.front.pending();
        }
        Ok(())
    }

    fn take_in(&mut self, news: News) -> Result<(), PolicyError> {
        if self.components.molding.when() != When::Forecast {
            return news.into_iter().try_for_each(|event| self.hear(event));
        }
        // forecasts of a job that waits again are of what is in service then
        let (arrivals, others): (Vec<_>, Vec<_>) =
            news.into_iter().partition(|event| matches!(event, SiteEvent::Arrived(_) | SiteEvent::Due(_)));
        others.into_iter().chain(arrivals).try_for_each(|event| self.hear(event))
    }

    /// Takes in an event.
    pub(super) fn hear(&mut self, event: SiteEvent) -> Result<(), PolicyError> {
        match event {
            SiteEvent::Ended(id) => self.departs(id),
            SiteEvent::Withdrawn(id) => self.withdraws(id),
            SiteEvent::Interrupted(one) => self.interrupts(&one),
            SiteEvent::Failed(part) => self.in_service(part, false),
            SiteEvent::Repaired(part) => self.in_service(part, true),
            SiteEvent::Announced(_) => self.note_processors(),
            SiteEvent::Returned(procs) => {
                self.returned += procs;
                self.divisions.touch_all();
            }
            SiteEvent::Arrived(id) => return self.comes(id),
            SiteEvent::Due(id) => {
                self.due_now.push(id);
                return self.comes(id);
            }
            SiteEvent::Left(_) | SiteEvent::Begun(_) => {}
        }
        Ok(())
    }

    /// Reports to the record what only the scheduler knows; the last thing that a policy does with
    /// it.
    pub fn close(&self) {
        if self.rule.reserves_for_all {
            self.front.reservations_moved(self.moved);
        }
    }

    /// Instant at which a decision is due even if nothing happens.
    pub fn wakes(&self) -> Option<SimTime> {
        self.due().min().filter(|&at| at < SimTime::MAX)
    }

    /// Lets the processors of these jobs, which have ended, count as held.
    pub(super) fn hide(&mut self, ended: impl Iterator<Item = JobId>) {
        self.hidden = ended.map(|id| u64::from(self.front.job(id).procs)).sum();
    }

    /// Lets the processors of this job count as free.
    pub(super) fn reveal(&mut self, id: JobId) {
        self.hidden -= u64::from(self.front.job(id).procs);
    }

    /// Processors on which a job may start now.
    pub fn free(&self) -> u64 {
        self.front.free_count() - self.hidden
    }

    /// Time for which a job is taken to have its processors in its present or next run.
    pub fn estimate(&self, id: JobId) -> SimDuration {
        self.next_run(id, self.whole(id))
    }

    /// Estimated time of a job, all its runs together.
    pub(super) fn whole(&self, id: JobId) -> SimDuration {
        self.estimated.get(&id).map_or_else(|| self.front.job(id).estimate, |one| one.estimate)
    }

    /// The same on the processors that it asked for.
    pub(super) fn whole_as_asked(&self, id: JobId) -> SimDuration {
        self.estimated.get(&id).map_or_else(|| self.front.jobs()[id.index()].estimate, |one| one.as_asked)
    }

    /// Takes a job to run for so long that has been given another size.
    pub(super) fn take_to_run(&mut self, id: JobId, estimate: SimDuration) {
        if let Some(one) = self.estimated.get_mut(&id) {
            one.estimate = estimate;
        }
    }

    /// Time for which a job has its processors in its present or next run, `work` being that of all
    /// its runs.
    pub(super) fn next_run(&self, id: JobId, work: SimDuration) -> SimDuration {
        let earlier = self.interrupted.get(&id).copied().unwrap_or_default();
        self.lasts(work, earlier, || self.front.job(id))
    }

    /// Time for which a job, with these runs before, has its processors in one that does the rest.
    pub(super) fn lasts(&self, work: SimDuration, before: Earlier, job: impl Fn() -> Job) -> SimDuration {
        let plans = RunPlans { checkpoint: self.checkpoint, limits: self.estimated_ends.is_some() };
        plans.lasts(&self.front, work, before, job)
    }

    /// Run time of a job, as far as it may have it.
    fn work(&self, job: Job) -> SimDuration {
        // a job that is interrupted may have its limit several times, and another one on each size
        if self.estimated_ends.is_some() { job.run_time } else { self.front.limited(job).run_time }
    }

    /// A job has ended.
    fn departs(&mut self, id: JobId) {
        self.enter_of(id);
        let (job, start) = (self.front.job(id), self.front.start_time(id));
        self.leaves(id, &job, start);
        self.interrupted.remove(&id);
        if self.estimated.remove(&id).is_some() {
            // what it did again after an interruption is no run time
            let ran = self.checkpoint.map_or(now().since(start), |_| job.run_time);
            self.components.estimates.ended(&job, ran);
        }
    }

    /// Reports a change to a rule that follows them.
    pub(super) fn note(&mut self, change: Change<'_>) {
        if self.rule.follows {
            self.components.backfill.note(change);
        }
    }

    /// A job has left the processors that it has had since `start`.
    pub(super) fn leaves(&mut self, id: JobId, job: &Job, start: SimTime) {
        let known = self.estimated_ends.as_mut().and_then(|ends| ends.remove(&id));
        let estimated_end = known.unwrap_or_else(|| start.saturating_add(self.estimate(id)));
        if self.tracks {
            self.running.remove(id, job.procs, estimated_end);
        }
        if let Some(resources) = &mut self.nodes {
            resources.give_back(id);
        }
        if let Some(pools) = &mut self.pools {
            pools.leaves(id, estimated_end);
            // jobs of other queues may wait for what it had
            self.divisions.touch_all();
        }
        self.note(Change::Ended { job: id, now: now(), procs: job.procs, estimated_end });
        self.each_ranking(|ranking| ranking.ended(now(), id, job));
        if !self.components.limits.is_empty() {
            self.components.limits.ended(id, job, &mut self.turns);
            self.release();
        }
    }

    /// A job may be started from now on.
    fn comes(&mut self, id: JobId) -> Result<(), PolicyError> {
        if self.interrupted.contains_key(&id) { self.waits_again(id) } else { self.arrives(id) }
    }

    /// A job is submitted.
    fn arrives(&mut self, id: JobId) -> Result<(), PolicyError> {
        self.enter_of(id);
        let job = self.front.job(id);
        let asking = Asking { procs: job.procs, demand: job.demand };
        if let Some(lack) = self.nodes.as_ref().and_then(|nodes| nodes.lack(asking)) {
            debug!(at = now().as_secs_f64(), job = job.number, "rejected: {lack}");
            if let Some(mut explanation) = self.front.explains(id) {
                explanation.refuse(lack.to_string());
            }
            return self.front.refuse_for(id, lack.reason());
        }
        let limited = !self.components.limits.is_empty();
        if limited && let Some((limit, queue)) = self.components.limits.forbids(&job, self.needed(&job)) {
            debug!(at = now().as_secs_f64(), job = job.number, queue, "rejected: {limit}");
            if let Some(mut explanation) = self.front.explains(id) {
                explanation.refuse(limit.refusal(&job, self.needed(&job), self.whole_gpu(), queue));
            }
            return self.front.refuse_for(id, Reason::QueueLimit);
        }
        // one that was handed back to a feature comes again with its estimate
        if !self.components.estimates.as_requested() && !self.estimated.contains_key(&id) {
            let mut real = job;
            real.run_time = self.work(job);
            let estimate = self.components.estimates.estimate(&real, self.draws.as_mut());
            self.estimated.insert(id, Estimated { estimate, corrections: 0, as_asked: estimate });
        }
        self.mold_on_arrival(id)?;
        self.waits(id, &self.front.job(id));
        Ok(())
    }

    /// A job is considered from now on, unless a limit holds it back.
    pub(super) fn waits(&mut self, id: JobId, job: &Job) {
        let (limited, on) = (!self.components.limits.is_empty(), self.needed(job));
        if limited && let Some((limit, queue)) = self.components.limits.submitted(id, job, on) {
            debug!(at = now().as_secs_f64(), job = job.number, queue, "held back: {limit}");
            return;
        }
        self.enqueue(id);
    }

    /// A job is considered from now on.
    fn enqueue(&mut self, id: JobId) {
        let (mut job, estimate) = (queued(&self.front, &self.interrupted, id), self.estimate(id));
        let key = match self.components.discipline.ranking() {
            Some(ranking) => ranking.key(now(), &job, estimate, self.components.limits.priorities(&job)),
            None => {
                job.estimate = estimate;
                self.components.discipline.key(&job)
            }
        };
        self.put(Waiting::new(key, id, job.procs, estimate));
    }

    /// Puts a job into the queue.
    pub(super) fn put(&mut self, waiting: Waiting) {
        let id = waiting.job;
        self.queue.put(waiting);
        if self.places_kept {
            self.places.insert(id, waiting);
        }
        if self.rule.follows {
            let run_time = self.next_run(id, self.work(self.front.job(id)));
            self.components.backfill.note(Change::Waits(waiting, run_time));
        }
    }

    /// Lets jobs into the queue, or takes them out of it, as limits say.
    pub(super) fn release(&mut self) {
        let (mut turns, mut before) = (std::mem::take(&mut self.turns), None);
        for turn in turns.drain(..) {
            let at_hand = self.enter_of(turn.job);
            before.get_or_insert(at_hand);
            if turn.considered {
                self.lifted.push(turn.job);
                self.enqueue(turn.job);
            } else {
                self.take_out_of_queue(turn.job);
            }
        }
        self.turns = turns;
        before.map(|division| self.enter(division));
    }

    /// Takes a job out of the queue that is not started, if it is in it.
    pub(super) fn take_out_of_queue(&mut self, id: JobId) {
        if let Some(waiting) = self.places.remove(&id) {
            self.take_out(&waiting);
        }
    }

    /// Takes a job that waits out of the queue.
    pub(super) fn take_out(&mut self, waiting: &Waiting) {
        self.queue.remove(waiting);
        self.note(Change::Withdrawn(*waiting));
    }

    /// A job that waits is cancelled by its user.
    fn withdraws(&mut self, id: JobId) {
        self.enter_of(id);
        self.take_out_of_queue(id);
        self.estimated.remove(&id);
        self.interrupted.remove(&id);
        if !self.components.limits.is_empty() {
            self.components.limits.withdrawn(id, &self.front.job(id), &mut self.turns);
            self.release();
        }
    }
}
