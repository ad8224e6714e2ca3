//! The batch scheduler over divisions of the machine: which of them it has at hand, and which it
//! has to decide about.

use crate::batch::backfill::{Backfill, Change, Decides};
use crate::batch::queue::{Ranking, Waiting};
use crate::batch::{Queue, Running};
use crate::collections::Interval;
use crate::ids::JobId;
use crate::kernel::{SimTime, now};

use super::batch_scheduler::BatchScheduler;
use super::why;

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

    /// The division at hand is decided about: what happens in it from now on is news.
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

    /// Processors go out of service, or come back.
    pub(super) fn in_service(&mut self, part: Interval, is_there: bool) {
        if let Some(resources) = &mut self.nodes {
            resources.in_service(part, is_there);
        }
        self.note_processors();
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

/// Instant at which a rule is to be asked even if nothing happens; it has nothing to decide where
/// no job waits.
fn wakes(queue: &Queue, rule: &dyn Backfill) -> Option<SimTime> {
    if queue.is_empty() { None } else { rule.wakes() }
}
