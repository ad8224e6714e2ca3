//! What a front end under space sharing has on its desk: the queue, the running jobs, and the jobs that limits hold back.
//!
//! The desk tells everything that happens to whoever follows it (discipline, backfilling, estimates, limits), asks
//! them who starts, and carries it out. It keeps nothing for those that do not need it: with requested estimates and
//! without limits a decision touches the queue and the running jobs alone.

use std::collections::BTreeMap;

use tracing::debug;

use crate::batch::backfill::{Change, Picked, View};
use crate::batch::limits::Turn;
use crate::batch::molding::When;
use crate::batch::node_resources::Vacancy;
use crate::batch::planned::Planned;
use crate::batch::queue::{Machine, Waiting};
use crate::batch::{Queue, Running};
use crate::collections::IntervalSet;
use crate::ids::JobId;
use crate::instrument::explanation::{Cause, Of};
use crate::instrument::{Interrupted, Reason};
use crate::kernel::rng::Stream;
use crate::kernel::{SimDuration, SimTime, now, stream};
use crate::workload::{Checkpoint, Job};

use super::space_sharing::Parts;
use super::{FrontEnd, Interruption, PolicyError, why};

/// How long a job is taken to run, and how often that was corrected.
#[derive(Clone, Copy, Debug)]
struct Told {
    estimate: SimDuration,
    corrections: u32,
    /// How long it was taken to run on the processors that it asked for.
    as_asked: SimDuration,
}

#[derive(Debug)]
pub(super) struct Desk {
    pub(super) front: FrontEnd,
    pub(super) parts: Parts,
    /// Whether the running jobs are kept in order of estimated end.
    pub(super) tracks: bool,
    /// Whether the places of waiting jobs are kept.
    places_kept: bool,
    pub(super) queue: Queue,
    pub(super) running: Running,
    /// Of jobs that wait or run, where estimates are not what was requested.
    told: BTreeMap<JobId, Told>,
    /// The places of the jobs in the queue, where limits or users may take them out of it.
    pub(super) places: BTreeMap<JobId, Waiting>,
    /// Where random estimates come from.
    draws: Option<Stream>,
    /// Processors that are free and count as held.
    hidden: u64,
    picked: Vec<Picked>,
    turns: Vec<Turn>,
    /// Jobs that a limit lets through since the last decision.
    lifted: Vec<JobId>,
    /// What is free on nodes, where they have more than processors.
    pub(super) nodes: Option<Vacancy>,
    /// When jobs write down what they have done, where nodes fail and jobs do.
    checkpoint: Option<Checkpoint>,
    /// What jobs that were interrupted need not do again.
    kept: BTreeMap<JobId, SimDuration>,
    /// Whether processors are reserved in this run.
    reserves: bool,
    /// The reservations of processors that are known and not over.
    pub(super) planned: Vec<Planned>,
    /// Free processors that reservations gave back just now.
    pub(super) returned: u64,
}

impl Desk {
    pub(super) fn new(front: FrontEnd, mut parts: Parts) -> Self {
        if let Some(ranking) = parts.discipline.ranking() {
            ranking.begin(&front.jobs(), Machine { procs: front.procs() });
        }
        let checkpoint = front.checkpoint();
        let reserves = front.reserves();
        let forecasts = parts.molding.when() == When::Forecast;
        let tracks = parts.backfill.overtakes() || parts.estimates.corrects() || reserves || forecasts;
        let places_kept = !parts.limits.is_empty() || front.withdraws();
        let draws = parts.estimates.draws().then(|| stream("estimates"));
        let nodes = front.resources().map(Vacancy::new);
        Desk {
            front,
            parts,
            tracks,
            places_kept,
            queue: Queue::new(),
            running: Running::new(),
            told: BTreeMap::new(),
            places: BTreeMap::new(),
            draws,
            hidden: 0,
            picked: Vec::new(),
            turns: Vec::new(),
            lifted: Vec::new(),
            nodes,
            checkpoint,
            kept: BTreeMap::new(),
            reserves,
            planned: Vec::new(),
            returned: 0,
        }
    }

    /// When a decision is due even if nothing happens.
    pub(super) fn wakes(&self) -> Option<SimTime> {
        let corrected = if self.parts.estimates.corrects() { self.running.next_end(now()) } else { None };
        let due = self.parts.backfill.wakes();
        corrected.into_iter().chain(due).min().filter(|&at| at < SimTime::MAX)
    }

    /// Lets the processors of these jobs, which have ended, count as held.
    pub(super) fn hide(&mut self, ended: &[JobId]) {
        self.hidden = ended.iter().map(|&id| u64::from(self.front.job(id).procs)).sum();
    }

    /// Lets the processors of this job count as free.
    pub(super) fn reveal(&mut self, id: JobId) {
        self.hidden -= u64::from(self.front.job(id).procs);
    }

    /// Reservations that ended have given so many processors back.
    pub(super) fn returns(&mut self, processors: u64) {
        self.returned = processors;
    }

    pub(super) fn free(&self) -> u64 {
        self.front.free_count() - self.hidden
    }

    pub(super) fn estimate(&self, id: JobId) -> SimDuration {
        self.next_run(id, self.whole(id))
    }

    /// How long a job is taken to run, all its runs together.
    pub(super) fn whole(&self, id: JobId) -> SimDuration {
        self.told.get(&id).map_or_else(|| self.front.job(id).estimate, |told| told.estimate)
    }

    /// The same on the processors that it asked for.
    pub(super) fn whole_as_asked(&self, id: JobId) -> SimDuration {
        self.told.get(&id).map_or_else(|| self.front.jobs()[id.index()].estimate, |told| told.as_asked)
    }

    /// Takes a job to run for so long that has been given another size.
    pub(super) fn take_to_run(&mut self, id: JobId, estimate: SimDuration) {
        if let Some(told) = self.told.get_mut(&id) {
            told.estimate = estimate;
        }
    }

    /// How long a job has its processors in its present or next run, of so much work in all.
    pub(super) fn next_run(&self, id: JobId, work: SimDuration) -> SimDuration {
        let Some(checkpoint) = self.checkpoint else { return work };
        let rest = work.saturating_sub(self.kept.get(&id).copied().unwrap_or_default());
        // an estimate may be less than what is done already
        checkpoint.span(rest.max(SimDuration::from_nanos(1)))
    }

    /// A job has ended.
    pub(super) fn departs(&mut self, id: JobId) {
        let (job, start) = (self.front.job(id), self.front.start_time(id));
        self.leaves(id, &job, start);
        self.kept.remove(&id);
        if self.told.remove(&id).is_some() {
            // what it did again after an interruption is no run time
            let ran = self.checkpoint.map_or(now().since(start), |_| job.run_time);
            self.parts.estimates.ended(&job, ran);
        }
    }

    /// A node of a job has failed: it is lost, or waits again, in the place that its submission gives it.
    pub(super) fn interrupted(&mut self, one: &Interruption) {
        let job = self.front.job(one.job);
        self.leaves(one.job, &job, one.start);
        if one.then == Interrupted::Lost {
            self.told.remove(&one.job);
            self.kept.remove(&one.job);
            return;
        }
        self.kept.insert(one.job, one.kept);
        self.comes_to_wait(one.job, &job);
    }

    /// Processors have gone out of service or come back.
    pub(super) fn counts_anew(&mut self) {
        if self.parts.backfill.follows() {
            self.parts.backfill.note(Change::Processors);
        }
    }

    /// A job has left the processors that it has had since `start`.
    fn leaves(&mut self, id: JobId, job: &Job, start: SimTime) {
        let estimated_end = start.saturating_add(self.estimate(id));
        if self.tracks {
            self.running.remove(id, job.procs, estimated_end);
        }
        if let Some(vacancy) = &mut self.nodes {
            vacancy.give_back(id);
        }
        if self.parts.backfill.follows() {
            self.parts.backfill.note(Change::Ended { now: now(), procs: job.procs, estimated_end });
        }
        if let Some(ranking) = self.parts.discipline.ranking() {
            ranking.ended(now(), job);
        }
        if !self.parts.limits.is_empty() {
            self.parts.limits.ended(job, &mut self.turns);
            self.take_turns();
        }
    }

    /// A job is submitted.
    pub(super) fn arrives(&mut self, id: JobId) -> Result<(), PolicyError> {
        let job = self.front.job(id);
        if !self.could_fit(id) {
            debug!(at = now().as_secs_f64(), job = job.number, "rejected: no nodes have what it asks for");
            return self.front.refuse_for(id, Reason::NoSuchNodes);
        }
        if let Some(limit) = self.parts.limits.forbids(&job) {
            let queue = self.parts.limits.name(&job).unwrap_or_default();
            debug!(at = now().as_secs_f64(), job = job.number, queue, "rejected: {limit}");
            if let Some(mut told) = self.front.explanation().filter(|told| told.job() == id) {
                told.refuse(format!("{limit} ({queue})"));
            }
            return self.front.refuse_for(id, Reason::QueueLimit);
        }
        if !self.parts.estimates.as_requested() {
            let estimate = self.parts.estimates.estimate(&job, self.draws.as_mut());
            self.told.insert(id, Told { estimate, corrections: 0, as_asked: estimate });
        }
        self.mold_at_submission(id)?;
        self.comes_to_wait(id, &self.front.job(id));
        Ok(())
    }

    /// A job is considered from now on, unless a limit holds it back.
    fn comes_to_wait(&mut self, id: JobId, job: &Job) {
        if let Some(limit) = self.parts.limits.submitted(id, job) {
            let queue = self.parts.limits.name(job).unwrap_or_default();
            debug!(at = now().as_secs_f64(), job = job.number, queue, "held back: {limit}");
            return;
        }
        self.enqueue(id);
    }

    /// A job is considered from now on.
    fn enqueue(&mut self, id: JobId) {
        let (mut job, estimate) = (self.front.job(id), self.estimate(id));
        let key = match self.parts.discipline.ranking() {
            Some(ranking) => ranking.key(now(), &job, estimate, self.parts.limits.priority(&job)),
            None => {
                job.estimate = estimate;
                self.parts.discipline.key(&job)
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
        if self.parts.backfill.follows() {
            let run_time = self.next_run(id, self.front.job(id).run_time);
            self.parts.backfill.note(Change::Waits(waiting, run_time));
        }
    }

    /// Lets jobs into the queue, or takes them out of it, as limits say.
    fn take_turns(&mut self) {
        let mut turns = std::mem::take(&mut self.turns);
        for turn in turns.drain(..) {
            if turn.considered {
                self.lifted.push(turn.job);
                self.enqueue(turn.job);
            } else {
                self.take_out_of_queue(turn.job);
            }
        }
        self.turns = turns;
    }

    /// Takes a job out of the queue that is not started, if it is in it.
    fn take_out_of_queue(&mut self, id: JobId) {
        if let Some(waiting) = self.places.remove(&id) {
            self.take_out(&waiting);
        }
    }

    /// Takes a job that waits out of the queue.
    pub(super) fn take_out(&mut self, waiting: &Waiting) {
        self.queue.remove(waiting);
        if self.parts.backfill.follows() {
            self.parts.backfill.note(Change::Withdrawn(*waiting));
        }
    }

    /// A job that waits is cancelled by its user.
    pub(super) fn withdraws(&mut self, id: JobId) {
        self.take_out_of_queue(id);
        self.told.remove(&id);
        if !self.parts.limits.is_empty() {
            self.parts.limits.withdrawn(id, &self.front.job(id), &mut self.turns);
            self.take_turns();
        }
    }

    /// Starts whoever is to start now.
    pub(super) fn decide(&mut self) -> Result<(), PolicyError> {
        if self.reserves {
            self.front.planned(&mut self.planned);
        }
        self.serve()?;
        self.lifted.clear();
        self.explain();
        Ok(())
    }

    fn serve(&mut self) -> Result<(), PolicyError> {
        if self.parts.estimates.corrects() {
            self.correct();
        }
        if self.parts.discipline.moves() {
            self.sort_anew();
        }
        if let Some(mut vacancy) = self.nodes.take() {
            let served = self.serve_on_nodes(&mut vacancy);
            self.nodes = Some(vacancy);
            return served;
        }
        if !self.parts.backfill.leads() {
            while let Some(next) = self.next()? {
                let reason = why::next_starts(&self.queue, &next);
                self.start(next, None, reason)?;
            }
        }
        if !self.parts.backfill.overtakes() {
            return Ok(());
        }
        loop {
            let view = View {
                now: now(),
                free: self.free(),
                queue: &self.queue,
                running: &self.running,
                planned: &self.planned,
            };
            if self.queue.is_empty() {
                return Ok(());
            }
            let mut picked = std::mem::take(&mut self.picked);
            self.parts.backfill.pick(&view, &mut picked);
            let (mut started, mut refused) = (false, false);
            for Picked { waiting: job, reason } in picked.drain(..) {
                // the start of one job may be what keeps another back by a limit
                if !self.parts.limits.is_empty() && !self.places.contains_key(&job.job) {
                    refused = true;
                    continue;
                }
                let head = self.queue.head().is_some_and(|head| head.job == job.job);
                self.start(job, None, if head { Reason::Head } else { reason })?;
                started = true;
            }
            self.picked = picked;
            let again = started && self.parts.backfill.asks_again();
            if !refused && !again {
                return Ok(());
            }
        }
    }

    /// Who is next by the discipline.
    pub(super) fn next_by_discipline(&self) -> Option<Waiting> {
        if self.planned.is_empty() {
            return self.parts.discipline.next(&self.queue, self.free());
        }
        self.next_beside_reservations()
    }

    /// Starts a job that waits, on processors of `among`, or of all that are free.
    pub(super) fn start(
        &mut self,
        waiting: Waiting,
        among: Option<&IntervalSet>,
        reason: Reason,
    ) -> Result<(), PolicyError> {
        let id = waiting.job;
        let reason = if self.lifted.contains(&id) { Reason::LimitLifted } else { reason };
        let reason =
            if self.returned > 0 { self.after_reservation(&waiting).unwrap_or(reason) } else { reason };
        why::passes(&self.front, &self.queue, &waiting, 1);
        self.queue.remove(&waiting);
        self.front.start_among(id, among, &*self.parts.allocation, reason)?;
        if self.tracks {
            self.running.insert(id, waiting.procs, now().saturating_add(waiting.estimate));
        }
        if self.parts.backfill.follows() {
            self.parts.backfill.note(Change::Started(waiting));
        }
        if let Some(ranking) = self.parts.discipline.ranking() {
            ranking.started(now(), &self.front.job(id));
        }
        if self.places_kept {
            self.places.remove(&id);
        }
        if !self.parts.limits.is_empty() {
            let job = self.front.job(id);
            self.parts.limits.started(id, &job, &mut self.turns);
            self.take_turns();
        }
        Ok(())
    }

    /// Gives longer estimates to jobs that outlast theirs just now.
    fn correct(&mut self) {
        for (id, procs) in self.running.ending(now()) {
            let Some(told) = self.told.get_mut(&id) else { continue };
            let job = self.front.job(id);
            let Some(longer) = self.parts.estimates.corrected(&job, told.estimate, told.corrections) else {
                continue;
            };
            *told = Told { estimate: longer, corrections: told.corrections + 1, ..*told };
            let to = self.front.start_time(id).saturating_add(self.estimate(id));
            self.running.remove(id, procs, now());
            self.running.insert(id, procs, to);
            if self.parts.backfill.follows() {
                self.parts.backfill.note(Change::Extended { procs, from: now(), to });
            }
        }
    }

    /// Puts the queue into order anew, if it is time.
    fn sort_anew(&mut self) {
        let Some(ranking) = self.parts.discipline.ranking().filter(|_| !self.queue.is_empty()) else {
            return;
        };
        if !ranking.due(now()) {
            return;
        }
        let (front, limits) = (&self.front, &self.parts.limits);
        self.queue.sort_anew(|waiting| {
            let job = front.job(waiting.job);
            ranking.key(now(), &job, waiting.estimate, limits.priority(&job))
        });
        if self.places_kept {
            self.places = self.queue.iter().map(|&waiting| (waiting.job, waiting)).collect();
        }
        if self.parts.backfill.follows() {
            self.parts.backfill.note(Change::Sorted(&self.queue));
        }
    }

    /// Tells what keeps the job back that is asked about, if one is.
    fn explain(&mut self) {
        let held = why::waits(&self.front).map(|told| told.job()).and_then(|id| {
            let job = self.front.job(id);
            Some((self.parts.limits.holds_back(id, &job)?, self.parts.limits.name(&job)?.to_owned()))
        });
        if let (Some((limit, queue)), Some(mut told)) = (held, why::waits(&self.front)) {
            return told.tell(Cause::Limit(format!("{limit} ({queue})")), now());
        }
        if let Some(vacancy) = &self.nodes {
            return self.explain_on_nodes(vacancy);
        }
        let kept = if self.planned.is_empty() { None } else { self.kept_by_reservation() };
        if let (Some(cause), Some(mut told)) = (kept, why::waits(&self.front)) {
            return told.tell(cause, now());
        }
        let any = self.parts.discipline.overtakes();
        let free = why::Free { count: self.free(), of: Of::Processors, any };
        let view = View {
            now: now(),
            free: free.count,
            queue: &self.queue,
            running: &self.running,
            planned: &self.planned,
        };
        why::tell(&self.front, &self.queue, free, |_, own| self.parts.backfill.bar(&view, own));
    }

    /// Tells the record what only the desk knows.
    pub(super) fn close(&self) {
        if let Some(moved) = self.parts.backfill.moved() {
            self.front.reservations_moved(moved);
        }
    }
}
