//! Divisions of the machine under a batch scheduler: queues with nodes of their own.
//!
//! Each division has its own waiting and running jobs, its own order and its own rule of
//! backfilling, which know nothing of the others. The scheduler has one of them at hand at a time,
//! that of the job or decision that it is about, and keeps the others as they were. Without queues
//! that have nodes there is one division, and it is always at hand.

use crate::batch::backfill::{Backfill, Change, Decides};
use crate::batch::limits::{Divisions, JointQueues};
use crate::batch::queue::{Discipline, Machine, Ranking, Waiting};
use crate::batch::{Queue, Running};
use crate::ids::JobId;
use crate::kernel::{SimTime, now};

use super::batch_scheduler::BatchScheduler;
use super::components::Components;
use super::{FrontEnd, why};

/// Order and rule of a queue with nodes of its own.
#[derive(Debug)]
pub(super) struct QueueParts {
    /// Place of the queue in the list.
    pub(super) place: usize,
    /// Order of its jobs.
    pub(super) discipline: Box<dyn Discipline>,
    /// Rule by which they overtake.
    pub(super) backfill: Box<dyn Backfill>,
}

/// A division that is not at hand.
#[derive(Debug)]
struct Division {
    queue: Queue,
    running: Running,
    discipline: Box<dyn Discipline>,
    backfill: Box<dyn Backfill>,
}

/// The divisions of a run.
#[derive(Debug, Default)]
pub(super) struct RunDivisions {
    of_jobs: Divisions,
    /// The divisions by number, that at hand apart.
    others: Vec<Option<Division>>,
    at_hand: usize,
    /// Divisions in which something happened since they were decided about.
    touched: Vec<bool>,
}

impl RunDivisions {
    /// The divisions of a run; `components` have those of the first at hand from now on.
    pub(super) fn new(front: &FrontEnd, components: &mut Components) -> Self {
        let (jobs, resources) = (front.jobs(), front.resources());
        let of_jobs = Divisions::new(&components.limits, &jobs, resources.as_deref());
        let mut parts = std::mem::take(&mut components.queues);
        let mut others = Vec::new();
        for division in 0..of_jobs.count() {
            let first = of_jobs.places(division).next();
            let own = parts.iter().position(|one| Some(one.place) == first);
            let Some(QueueParts { discipline, backfill, .. }) = own.map(|place| parts.swap_remove(place))
            else {
                others.push(None);
                continue;
            };
            others.push(Some(Division {
                queue: Queue::new(),
                running: Running::new(),
                discipline,
                backfill,
            }));
        }
        // the parts of the policy are those of jobs without a queue that has nodes, if there are any
        let at_hand = others.iter().position(Option::is_none);
        let touched = vec![false; others.len()];
        let mut divisions = RunDivisions { of_jobs, others, at_hand: at_hand.unwrap_or(0), touched };
        if at_hand.is_none()
            && let Some(first) = divisions.others[0].take()
        {
            (components.discipline, components.backfill) = (first.discipline, first.backfill);
        }
        let machine = Machine { procs: front.procs() };
        let others = divisions.others.iter_mut().flatten().map(|one| &mut one.discipline);
        for discipline in others.chain([&mut components.discipline]) {
            discipline.ranking().into_iter().for_each(|ranking| ranking.begin(&jobs, machine));
        }
        divisions
    }

    /// Number of divisions.
    pub(super) fn count(&self) -> usize {
        self.others.len()
    }

    /// Division of a job.
    pub(super) fn of(&self, job: JobId) -> usize {
        self.of_jobs.of(job)
    }

    /// Returns true if a job waits in a division that is not at hand.
    pub(super) fn have_waiting(&self) -> bool {
        self.others.iter().flatten().any(|one| !one.queue.is_empty())
    }

    /// Something happened in all divisions.
    pub(super) fn touch_all(&mut self) {
        self.touched.iter_mut().for_each(|touched| *touched = true);
    }

    /// The queues of the division at hand, if it has several.
    pub(super) fn joint(&self) -> Option<JointQueues<'_>> {
        self.of_jobs.joint(self.at_hand)
    }
}

impl BatchScheduler {
    /// Takes the division of a number in hand; gives the number of the one that was.
    pub(super) fn enter(&mut self, division: usize) -> usize {
        let before = self.divisions.at_hand;
        if division == before {
            return before;
        }
        if let Some(mut other) = self.divisions.others[division].take() {
            std::mem::swap(&mut self.queue, &mut other.queue);
            std::mem::swap(&mut self.running, &mut other.running);
            std::mem::swap(&mut self.components.discipline, &mut other.discipline);
            std::mem::swap(&mut self.components.backfill, &mut other.backfill);
            self.divisions.others[before] = Some(other);
            self.divisions.at_hand = division;
        }
        before
    }

    /// Takes the division of a job in hand, to which something happens; gives the number of the one
    /// that was.
    pub(super) fn enter_of(&mut self, job: JobId) -> usize {
        let division = self.divisions.of(job);
        self.divisions.touched[division] = true;
        self.enter(division)
    }

    /// Takes the next division in hand that there is to decide about: one in which something has
    /// happened, or whose rule or estimates are due. Returns false if there is none.
    pub(super) fn enter_next(&mut self) -> bool {
        let next = self.divisions.touched.iter().position(|&touched| touched);
        next.is_some_and(|division| {
            self.enter(division);
            true
        })
    }

    /// Notes the divisions that are due at this instant, though nothing happened in them.
    pub(super) fn touch_due(&mut self) {
        let divisions = &self.divisions;
        if divisions.count() == 1 {
            // it is decided about whenever a policy asks
            return self.divisions.touch_all();
        }
        let corrects = self.components.estimates.corrects();
        let is_due = |(queue, running, rule): (&Queue, &Running, &dyn Backfill)| {
            wakes(queue, rule).is_some_and(|at| at <= now()) || corrects && !running.ending(now()).is_empty()
        };
        let due: Vec<bool> = self.each().map(is_due).collect();
        self.divisions.touched.iter_mut().zip(due).for_each(|(touched, due)| *touched |= due);
    }

    /// The division at hand has been decided about.
    pub(super) fn settled(&mut self) {
        self.divisions.touched[self.divisions.at_hand] = false;
    }

    /// Instants at which a division is due even if nothing happens in it: when its rule is, as long
    /// as a job waits, and at the next end by the estimates, where these are corrected.
    pub(super) fn due(&self) -> impl Iterator<Item = SimTime> {
        let corrects = self.components.estimates.corrects();
        self.each().flat_map(move |(queue, running, rule)| {
            let corrected = if corrects { running.next_end(now()) } else { None };
            corrected.into_iter().chain(wakes(queue, rule))
        })
    }

    /// The divisions by number.
    fn each(&self) -> impl Iterator<Item = (&Queue, &Running, &dyn Backfill)> {
        self.divisions.others.iter().map(|other| match other {
            Some(one) => (&one.queue, &one.running, &*one.backfill),
            None => (&self.queue, &self.running, &*self.components.backfill),
        })
    }

    /// Lets the orders of all divisions know something, where they move.
    pub(super) fn each_ranking(&mut self, note: impl Fn(&mut dyn Ranking)) {
        let others = self.divisions.others.iter_mut().flatten().map(|one| &mut one.discipline);
        for discipline in others.chain([&mut self.components.discipline]) {
            discipline.ranking().into_iter().for_each(&note);
        }
    }

    /// Reports a change of the machine to the rules of all divisions, where they follow changes.
    pub(super) fn note_processors(&mut self) {
        self.divisions.touch_all();
        if !self.rule.follows {
            return;
        }
        let others = self.divisions.others.iter_mut().flatten().map(|one| &mut one.backfill);
        for rule in others.chain([&mut self.components.backfill]) {
            rule.note(Change::Processors);
        }
    }

    /// Returns true if the division of the job that is asked about is at hand; others start no job
    /// that could overtake it.
    pub(super) fn explains_at_hand(&self) -> bool {
        let divisions = &self.divisions;
        divisions.count() == 1
            || why::waits(&self.front).is_some_and(|asked| divisions.of(asked.job()) == divisions.at_hand)
    }

    /// The jobs of the queue of the job that is asked about, of several in the division at hand;
    /// its name is noted, where it has a head of its own.
    pub(super) fn own_queue(&self, asked: Option<JobId>) -> Option<Queue> {
        let (job, limits) = (asked?, &self.components.limits);
        let name = self.divisions.of_jobs.queue_of(job).and_then(|place| limits.name(place));
        if let (Some(name), Some(mut explanation)) = (name, why::waits(&self.front)) {
            explanation.stands_in(name);
        }
        let queues = self.divisions.joint().filter(|_| self.rule.decides == Decides::Overtaking)?;
        let mut own = Queue::new();
        let same = |one: &&Waiting| queues.of(one.job) == queues.of(job);
        self.queue.iter().filter(same).for_each(|&waiting| own.put(waiting));
        Some(own)
    }
}

/// Instant at which a rule is to be asked even if nothing happens; it has nothing to decide where no
/// job waits.
fn wakes(queue: &Queue, rule: &dyn Backfill) -> Option<SimTime> {
    if queue.is_empty() { None } else { rule.wakes() }
}
