//! Divisions of the machine under a batch scheduler: queues with nodes of their own.
//!
//! Each division has its own waiting and running jobs, its own order and its own rule of
//! backfilling, which know nothing of the others. The scheduler has one of them at hand at a time,
//! that of the job or decision that it is about, and keeps the others as they were. Without queues
//! that have nodes there is one division, and it is always at hand.

use crate::batch::backfill::Backfill;
use crate::batch::limits::{Divisions, JointQueues};
use crate::batch::queue::{Discipline, Machine};
use crate::batch::{Queue, Running};
use crate::ids::JobId;

use super::FrontEnd;
use super::components::{Components, QueueParts};

/// A division that is not at hand.
#[derive(Debug)]
pub(super) struct Division {
    pub(super) queue: Queue,
    pub(super) running: Running,
    pub(super) discipline: Box<dyn Discipline>,
    pub(super) backfill: Box<dyn Backfill>,
}

/// The divisions of a run.
#[derive(Debug, Default)]
pub(super) struct RunDivisions {
    pub(super) of_jobs: Divisions,
    /// The divisions by number, that at hand apart.
    pub(super) others: Vec<Option<Division>>,
    pub(super) at_hand: usize,
    /// Divisions in which something happened since they were decided about.
    pub(super) touched: Vec<bool>,
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
        // the parts of the policy are those of jobs that may have all nodes, if there are any
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
