//! Space sharing on nodes that have more than processors: the same decisions, with capacity of
//! nodes in place of counts.
//!
//! The discipline keeps its order, the backfilling rule says by which published rule it lets jobs
//! overtake ([`OnNodes`]), and [`FreeResources`] says which jobs fit.

use crate::batch::Queue;
use crate::batch::backfill::OnNodes;
use crate::batch::node_resources::{Asking, FreeResources, Reservation};
use crate::batch::queue::Waiting;
use crate::instrument::Reason;
use crate::instrument::explanation::{Obstacle, Of, Shortage, WaitCause};
use crate::kernel::now;

use super::batch_scheduler::BatchScheduler;
use super::{PolicyError, why};

impl BatchScheduler {
    fn asking(&self, waiting: &Waiting) -> Asking {
        Asking { procs: waiting.procs, demand: self.front.job(waiting.job).demand }
    }

    /// Starts the jobs that are to start now.
    pub(super) fn serve_on_nodes(&mut self, resources: &mut FreeResources) -> Result<(), PolicyError> {
        while let Some(next) = self.next_on_nodes(resources) {
            let reason = self.queue.reason(next.job);
            self.start_on_nodes(resources, next, None, reason)?;
        }
        if self.rule.on_nodes == Some(OnNodes::BehindShadow) {
            self.backfill_on_nodes(resources)?;
        }
        Ok(())
    }

    /// Job that is next by the discipline, of those that fit if it passes over others.
    fn next_on_nodes(&self, resources: &FreeResources) -> Option<Waiting> {
        let fits = |waiting: &&Waiting| resources.fits(self.asking(waiting), None);
        if !self.components.discipline.overtakes() {
            return self.queue.head().filter(|head| fits(&head));
        }
        let mut fitting = Queue::new();
        self.queue.iter().filter(fits).for_each(|&waiting| fitting.put(waiting));
        self.components.discipline.next(&fitting, self.front.free_count())
    }

    /// Lets jobs overtake a head that does not fit, if they do not delay it by the estimates.
    fn backfill_on_nodes(&mut self, resources: &mut FreeResources) -> Result<(), PolicyError> {
        let Some(head) = self.queue.head() else { return Ok(()) };
        let behind: Vec<Waiting> = self.queue.iter().skip(1).copied().collect();
        if !behind.iter().any(|waiting| resources.fits(self.asking(waiting), None)) {
            return Ok(());
        }
        let Some(mut reservation) = self.reservation(resources, &head) else { return Ok(()) };
        for waiting in behind {
            let asking = self.asking(&waiting);
            // the start of one job may be what keeps another back by a limit
            let held = !self.components.limits.is_empty() && !self.places.contains_key(&waiting.job);
            if held || !resources.fits(asking, None) {
                continue;
            }
            if now().saturating_add(waiting.estimate) <= reservation.time {
                self.start_on_nodes(resources, waiting, None, Reason::BeforeShadow)?;
            } else if resources.fits(asking, Some(&reservation)) {
                self.start_on_nodes(resources, waiting, Some(&reservation), Reason::Extra)?;
            } else {
                continue;
            }
            // found again: the head may have another place at the same time, that leaves more of
            // what is free now
            let Some(again) = self.reservation(resources, &head) else { return Ok(()) };
            reservation = again;
        }
        Ok(())
    }

    fn reservation(&self, resources: &FreeResources, head: &Waiting) -> Option<Reservation> {
        resources.reserve(self.asking(head), self.running.jobs(now()))
    }

    fn start_on_nodes(
        &mut self,
        resources: &mut FreeResources,
        waiting: Waiting,
        reservation: Option<&Reservation>,
        reason: Reason,
    ) -> Result<(), PolicyError> {
        let (id, asking) = (waiting.job, self.asking(&waiting));
        if let Some(place) = resources.gpu_place(asking, reservation) {
            let among = self.front.with_free(|free| resources.processors_of(&place, free));
            self.start(waiting, Some(&among), reason)?;
            resources.take_place(id, asking, place);
            let gpus = resources.gpus(id);
            if !gpus.is_empty() {
                self.front.holds_gpus(id, gpus);
            }
            return Ok(());
        }
        let among = self.front.with_free(|free| resources.among(asking, reservation, free));
        self.start(waiting, Some(&among.unwrap_or_default()), reason)?;
        resources.take(id, asking, &self.front.processors(id));
        Ok(())
    }

    /// Reports what keeps the job back that is asked about, if it is in the queue.
    pub(super) fn explain_on_nodes(&self, resources: &FreeResources) {
        let Some(mut explanation) = why::waits(&self.front) else { return };
        let Some(head) = self.queue.head() else { return };
        let Some(own) = self.queue.iter().find(|waiting| waiting.job == explanation.job()).copied() else {
            return;
        };
        let shortage = |waiting: &Waiting| Shortage {
            need: u64::from(waiting.procs),
            free: resources
                .capacity(self.asking(waiting).demand)
                .min(u64::from(waiting.procs.saturating_sub(1))),
            of: Of::Asked,
        };
        let cause = if self.components.discipline.overtakes() {
            WaitCause::NoRoom(shortage(&own))
        } else if own.job == head.job {
            let shadow = self.reservation(resources, &head).map(|found| Obstacle::Promised(found.time));
            WaitCause::First(shortage(&head), shadow.filter(|_| self.tracks).unwrap_or(Obstacle::Unknown))
        } else if self.rule.on_nodes == Some(OnNodes::InOrder) {
            WaitCause::Behind(head.job, shortage(&head), Obstacle::Order)
        } else if !resources.fits(self.asking(&own), None) {
            WaitCause::Behind(head.job, shortage(&head), Obstacle::Short)
        } else {
            let ends = now().saturating_add(own.estimate);
            let obstacle = self.reservation(resources, &head).map_or(Obstacle::Unknown, |reservation| {
                Obstacle::Shadow {
                    shadow: reservation.time,
                    ends,
                    extra: resources.capacity_alongside(self.asking(&own).demand, &reservation),
                }
            });
            WaitCause::Behind(head.job, shortage(&head), obstacle)
        };
        explanation.note(cause, now());
    }
}
