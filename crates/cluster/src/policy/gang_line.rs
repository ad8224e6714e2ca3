//! The jobs that wait for cells of a matrix: their queue, what limits of queues hold back of it,
//! and the pools of which they hold amounts from their starts to their ends, whichever row runs.
//!
//! A job that was interrupted waits again, with the rest of its estimate. Jobs are taken to end as
//! if the machine gave one part in as many as there are rows.

use crate::batch::gang_matrix::{Matrix, PoolsAndEnds, RowId};
use crate::batch::holding::Footprint;
use crate::batch::limits::{HoldChange, Limits};
use crate::batch::molding::Molding;
use crate::batch::pools::FreePools;
use crate::batch::queue::{Discipline, Waiting};
use crate::batch::{Obstacle, Queue};
use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::instrument::explanation::{Of, Shortage, WaitCause};
use crate::instrument::{OnNodeFailure, Reason};
use crate::kernel::{SimDuration, SimTime, now};
use tracing::debug;

use super::earlier_runs::{Earlier, RunPlans, queued};
use super::{FrontEnd, Interruption, PolicyError, molding, why};

/// Nodes and GPUs of jobs where cells of a matrix are counted.
const NO_NODES: Footprint = Footprint { nodes: 0, gpus: 0 };

/// Rules by which jobs wait.
#[derive(Debug)]
pub(super) struct LineRules {
    pub(super) discipline: Box<dyn Discipline>,
    pub(super) limits: Limits,
    pub(super) molding: Box<dyn Molding>,
    /// True if jobs overtake a head that they do not delay by the estimates.
    pub(super) backfills: bool,
}

/// Waiting jobs of a gang policy, and what they need besides cells.
#[derive(Debug)]
pub(super) struct GangLine<'a> {
    rules: &'a LineRules,
    front: FrontEnd,
    queue: Queue,
    limits: Limits,
    /// Waiting jobs that are considered, where some may be taken out.
    places: Option<OrderedMap<JobId, Waiting>>,
    pools: Option<FreePools>,
    plans: RunPlans,
    interrupted: OrderedMap<JobId, Earlier>,
    /// Estimated ends of jobs that have cells, where pools go by them or estimates are of runs.
    ends: Option<OrderedMap<JobId, SimTime>>,
    turns: Vec<HoldChange>,
    /// Jobs that a limit lets through since the last decision.
    lifted: Vec<JobId>,
    /// Rows of the matrix at most.
    rows: u64,
}

impl<'a> GangLine<'a> {
    /// No jobs; `rows` is the number of rows by which estimates are stretched.
    pub(super) fn new(rules: &'a LineRules, front: &FrontEnd, rows: u32) -> Self {
        let (limits, pools) = (rules.limits.clone(), front.pools().map(FreePools::new));
        let taken_out = !limits.is_empty() || front.withdraws();
        GangLine {
            queue: Queue::new(),
            places: taken_out.then(OrderedMap::new),
            plans: RunPlans::of(front),
            interrupted: OrderedMap::new(),
            ends: (pools.is_some() || front.interrupts()).then(OrderedMap::new),
            turns: Vec::new(),
            lifted: Vec::new(),
            rows: rows.into(),
            front: front.clone(),
            rules,
            limits,
            pools,
        }
    }

    /// A job arrives: for the first time, or because it waits again.
    pub(super) fn arrives(&mut self, id: JobId) -> Result<(), PolicyError> {
        if let Some(earlier) = self.interrupted.get_mut(&id) {
            earlier.waits_again(&self.front);
        } else if let Some((limit, queue)) = self.limits.forbids(&self.front.job(id), NO_NODES) {
            let job = self.front.job(id);
            debug!(at = now().as_secs_f64(), job = job.number, queue, "rejected: {limit}");
            if let Some(mut explanation) = self.front.explains(id) {
                explanation.refuse(limit.refusal(&job, NO_NODES, 1, queue));
            }
            return self.front.refuse_for(id, Reason::QueueLimit);
        }
        let limits = &self.limits;
        molding::at_submission(&self.front, &*self.rules.molding, id, |job| {
            limits.forbids(job, NO_NODES).is_none()
        })?;
        if let Some(earlier) = self.interrupted.get_mut(&id).filter(|_| self.front.moldable(id).is_some()) {
            earlier.kept = self.front.kept_on(id, self.front.job(id).procs);
        }
        let job = self.front.job(id);
        match self.limits.submitted(id, &job, NO_NODES) {
            Some((limit, queue)) => {
                debug!(at = now().as_secs_f64(), job = job.number, queue, "held back: {limit}");
            }
            None => self.enqueue(id),
        }
        Ok(())
    }

    /// A job is considered from now on.
    fn enqueue(&mut self, id: JobId) {
        let mut job = queued(&self.front, &self.interrupted, id);
        let earlier = self.interrupted.get(&id).copied().unwrap_or_default();
        job.estimate = self.plans.lasts(&self.front, job.estimate, earlier, || self.front.job(id));
        let waiting = Waiting::new(self.rules.discipline.key(&job), id, job.procs, job.estimate);
        self.queue.put(waiting);
        self.places.iter_mut().for_each(|places| _ = places.insert(id, waiting));
    }

    /// A job has ended.
    pub(super) fn ended(&mut self, id: JobId) {
        self.interrupted.remove(&id);
        self.leaves(id);
    }

    /// A node of a job has failed.
    pub(super) fn interrupts(&mut self, one: &Interruption) {
        if one.then == OnNodeFailure::Lost {
            self.interrupted.remove(&one.job);
        } else {
            let held = self.front.ran_before(one.job);
            self.interrupted.entry(one.job).or_default().interrupted(one.kept, held);
        }
        self.leaves(one.job);
    }

    /// A job has left its cells.
    fn leaves(&mut self, id: JobId) {
        let end = self.ends.as_mut().and_then(|ends| ends.remove(&id));
        if let (Some(pools), Some(end)) = (&mut self.pools, end) {
            pools.leaves(id, end);
        }
        if !self.limits.is_empty() {
            let job = self.front.job(id);
            self.limits.ended(id, &job, &mut self.turns);
            self.release();
        }
    }

    /// A job that waits is cancelled.
    pub(super) fn withdrawn(&mut self, id: JobId) {
        self.take_out(id);
        self.interrupted.remove(&id);
        if !self.limits.is_empty() {
            let job = self.front.job(id);
            self.limits.withdrawn(id, &job, &mut self.turns);
            self.release();
        }
    }

    /// Takes a job that is considered out of the queue.
    fn take_out(&mut self, id: JobId) {
        let waiting = self.places.as_mut().and_then(|places| places.remove(&id));
        waiting.map(|waiting| self.queue.remove(&waiting));
    }

    /// Lets jobs into the queue, or takes them out of it, as limits say.
    fn release(&mut self) {
        let mut turns = std::mem::take(&mut self.turns);
        for turn in turns.drain(..) {
            if turn.considered {
                self.lifted.push(turn.job);
                self.enqueue(turn.job);
            } else {
                self.take_out(turn.job);
            }
        }
        self.turns = turns;
    }

    /// Returns true if no job is considered.
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Returns true if a job is the head of the queue.
    pub(super) fn starts_with(&self, id: JobId) -> bool {
        self.queue.starts_with(id)
    }

    /// Job that is next by the discipline, where cells for up to `capacity` tasks are free.
    pub(super) fn next(&self, capacity: u64) -> Option<Waiting> {
        let discipline = &*self.rules.discipline;
        let Some(pools) = &self.pools else { return discipline.next(&self.queue, capacity) };
        if !discipline.overtakes() {
            return discipline.next(&self.queue, capacity).filter(|next| pools.fits(next.job));
        }
        let mut fitting = Queue::new();
        let fits = self.queue.iter().filter(|one| pools.fits(one.job));
        fits.for_each(|&waiting| fitting.put(waiting));
        discipline.next(&fitting, capacity)
    }

    /// Starts a job that has cells, as a job of the row that runs if it is in that row. Its
    /// estimate is shown `stretch` times as long.
    pub(super) fn start(
        &mut self,
        matrix: &Matrix,
        next: Waiting,
        (reason, stretch): (Reason, u64),
        running: Option<RowId>,
    ) -> Result<(), PolicyError> {
        let id = next.job;
        let reason = if self.lifted.contains(&id) { Reason::LimitLifted } else { reason };
        why::note_start(&self.front, &self.queue, &next, stretch);
        self.queue.remove(&next);
        self.places.iter_mut().for_each(|places| _ = places.remove(&id));
        let Some(place) = matrix.place(id) else { return Ok(()) };
        self.front.start(id, place.columns, reason)?;
        if running == Some(place.row) {
            self.front.join_slice(id);
        }
        let end = self.stretched(now(), next.estimate);
        self.ends.iter_mut().for_each(|ends| _ = ends.insert(id, end));
        self.pools.iter_mut().for_each(|pools| pools.starts(id, end));
        if !self.limits.is_empty() {
            let job = self.front.job(id);
            self.limits.started(id, &job, NO_NODES, &mut self.turns);
            self.release();
        }
        Ok(())
    }

    /// End of a job that starts then, on a machine that gives one part in as many as there are
    /// rows.
    fn stretched(&self, start: SimTime, estimate: SimDuration) -> SimTime {
        start.saturating_add(estimate.checked_mul(self.rows).unwrap_or(SimDuration::MAX))
    }

    /// Estimated end of a job that has cells.
    fn end_of(&self, id: JobId) -> SimTime {
        let known = self.ends.as_ref().and_then(|ends| ends.get(&id).copied());
        known.unwrap_or_else(|| self.stretched(self.front.start_time(id), self.front.job(id).estimate))
    }

    fn pools_and_ends(&self) -> PoolsAndEnds<'_, impl Fn(JobId) -> SimTime> {
        PoolsAndEnds { pools: self.pools.as_ref(), ends: |id| self.end_of(id) }
    }

    /// Starts the jobs that may overtake a head that does not fit; returns true if more may start
    /// by the order of the queue after that.
    pub(super) fn overtake(
        &mut self,
        matrix: &mut Matrix,
        running: Option<RowId>,
    ) -> Result<bool, PolicyError> {
        // one that needs more than is in service keeps no other waiting
        while let Some(able) = matrix.head_of(&self.queue).filter(|able| !self.starts_with(able.job)) {
            let fits = self.pools.as_ref().is_none_or(|pools| pools.fits(able.job));
            if !fits || matrix.insert(able.job, able.procs).is_none() {
                break;
            }
            self.start(matrix, able, (Reason::HeadUnable, self.rows), running)?;
        }
        let Some(mut overtaking) = matrix.overtaking(&self.queue, now(), &self.pools_and_ends()) else {
            return Ok(false);
        };
        let mut any = false;
        loop {
            let next = matrix.overtake(&self.queue, now(), &mut overtaking, &self.pools_and_ends());
            let Some(next) = next else { break };
            self.start(matrix, next.waiting, (next.reason, self.rows), running)?;
            any = true;
        }
        Ok(any && !self.limits.is_empty())
    }

    /// The decision is over: reports what holds the job back that is asked about.
    pub(super) fn settled(&mut self, matrix: &Matrix) {
        self.lifted.clear();
        let Some(asked) = why::waits(&self.front).map(|explanation| explanation.job()) else { return };
        if let Some((limit, queue)) = self.limits.holds_back(asked, &self.front.job(asked)) {
            let cause = WaitCause::Limit(format!("{limit} ({queue})"));
            if let Some(mut explanation) = why::waits(&self.front) {
                explanation.note(cause, now());
            }
            return;
        }
        let free = matrix.capacity();
        let shortage = |of: &Waiting| {
            let fits = u64::from(of.procs) <= free;
            let lacks = self.pools.as_ref().filter(|_| fits).and_then(|pools| pools.shortage(of.job));
            match lacks {
                Some((share, free)) => Shortage { need: share.amount.into(), free, of: Of::Pool(share.pool) },
                None => Shortage { need: of.procs.into(), free, of: Of::Columns },
            }
        };
        let obstacle = |head: &Waiting, own: &Waiting| {
            if !self.rules.backfills {
                return Obstacle::Order;
            }
            match (matrix.obstacle(head, own, now(), &self.pools_and_ends()), shortage(own)) {
                (Obstacle::Short, Shortage { need, free, of: Of::Pool(pool) }) => {
                    Obstacle::Pool { pool, need, free }
                }
                (other, _) => other,
            }
        };
        why::explain_by(&self.front, &self.queue, self.rules.discipline.overtakes(), shortage, obstacle);
    }
}
