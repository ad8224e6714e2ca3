//! Space sharing on nodes that have more than processors: the same decisions, with room on nodes in place of counts.
//!
//! The discipline keeps its order, the backfilling rule tells by which published rule it lets jobs overtake ([`OnNodes`]), and
//! [`Vacancy`] tells who fits.

use crate::batch::Queue;
use crate::batch::backfill::OnNodes;
use crate::batch::node_resources::{Asking, Reservation, Vacancy};
use crate::batch::queue::Waiting;
use crate::ids::JobId;
use crate::instrument::Reason;
use crate::instrument::explanation::{Bar, Cause, Of, Room};
use crate::kernel::now;

use super::scheduler::Desk;
use super::{PolicyError, why};

impl Desk {
    fn asking(&self, waiting: &Waiting) -> Asking {
        Asking { procs: waiting.procs, demand: self.front.job(waiting.job).demand }
    }

    /// Starts whoever is to start now.
    pub(super) fn serve_on_nodes(&mut self, vacancy: &mut Vacancy) -> Result<(), PolicyError> {
        while let Some(next) = self.next_on_nodes(vacancy) {
            let reason = why::next_starts(&self.queue, &next);
            self.start_on_nodes(vacancy, next, None, reason)?;
        }
        if self.parts.backfill.on_nodes() == Some(OnNodes::BehindShadow) {
            self.backfill_on_nodes(vacancy)?;
        }
        Ok(())
    }

    /// Who is next by the discipline, of those that fit if it passes over others.
    fn next_on_nodes(&self, vacancy: &Vacancy) -> Option<Waiting> {
        let fits = |waiting: &&Waiting| vacancy.fits(self.asking(waiting), None);
        if !self.parts.discipline.overtakes() {
            return self.queue.head().filter(|head| fits(&head));
        }
        let mut fitting = Queue::new();
        self.queue.iter().filter(fits).for_each(|&waiting| fitting.put(waiting));
        self.parts.discipline.next(&fitting, self.front.free_count())
    }

    /// Lets jobs overtake a head that does not fit, if they do not delay it by the estimates.
    fn backfill_on_nodes(&mut self, vacancy: &mut Vacancy) -> Result<(), PolicyError> {
        let Some(head) = self.queue.head() else { return Ok(()) };
        let behind: Vec<Waiting> = self.queue.iter().skip(1).copied().collect();
        if !behind.iter().any(|waiting| vacancy.fits(self.asking(waiting), None)) {
            return Ok(());
        }
        let Some(mut reservation) = self.reservation(vacancy, &head) else { return Ok(()) };
        for waiting in behind {
            let asking = self.asking(&waiting);
            // the start of one job may be what keeps another back by a limit
            let held = !self.parts.limits.is_empty() && !self.places.contains_key(&waiting.job);
            if held || !vacancy.fits(asking, None) {
                continue;
            }
            if now().saturating_add(waiting.estimate) <= reservation.time {
                self.start_on_nodes(vacancy, waiting, None, Reason::BeforeShadow)?;
            } else if vacancy.fits(asking, Some(&reservation)) {
                self.start_on_nodes(vacancy, waiting, Some(&reservation), Reason::Extra)?;
            } else {
                continue;
            }
            // found anew: the head may have another place at the same time, that leaves more of what is free now
            let Some(again) = self.reservation(vacancy, &head) else { return Ok(()) };
            reservation = again;
        }
        Ok(())
    }

    fn reservation(&self, vacancy: &Vacancy, head: &Waiting) -> Option<Reservation> {
        vacancy.reserve(self.asking(head), self.running.jobs(now()))
    }

    fn start_on_nodes(
        &mut self,
        vacancy: &mut Vacancy,
        waiting: Waiting,
        beside: Option<&Reservation>,
        reason: Reason,
    ) -> Result<(), PolicyError> {
        let asking = self.asking(&waiting);
        let among = self.front.with_free(|free| vacancy.among(asking, beside, free));
        self.start(waiting, Some(&among.unwrap_or_default()), reason)?;
        vacancy.take(waiting.job, asking, &self.front.processors(waiting.job));
        Ok(())
    }

    /// Whether nodes could ever take a job.
    pub(super) fn could_fit(&self, id: JobId) -> bool {
        let job = self.front.job(id);
        let asking = Asking { procs: job.procs, demand: job.demand };
        self.nodes.as_ref().is_none_or(|vacancy| vacancy.could_fit(asking))
    }

    /// Tells what keeps the job back that is asked about, if it is in the queue.
    pub(super) fn explain_on_nodes(&self, vacancy: &Vacancy) {
        let Some(mut told) = why::waits(&self.front) else { return };
        let Some(head) = self.queue.head() else { return };
        let Some(own) = self.queue.iter().find(|waiting| waiting.job == told.job()).copied() else { return };
        let room = |waiting: &Waiting| Room {
            need: u64::from(waiting.procs),
            free: vacancy.room(self.asking(waiting).demand).min(u64::from(waiting.procs.saturating_sub(1))),
            of: Of::Asked,
        };
        let cause = if self.parts.discipline.overtakes() {
            Cause::NoRoom(room(&own))
        } else if own.job == head.job {
            let shadow = self.reservation(vacancy, &head).map(|found| Bar::Promised(found.time));
            Cause::First(room(&head), shadow.filter(|_| self.tracks).unwrap_or(Bar::Untold))
        } else if self.parts.backfill.on_nodes() == Some(OnNodes::InOrder) {
            Cause::Behind(head.job, room(&head), Bar::Order)
        } else if !vacancy.fits(self.asking(&own), None) {
            Cause::Behind(head.job, room(&head), Bar::Short)
        } else {
            let ends = now().saturating_add(own.estimate);
            let bar = self.reservation(vacancy, &head).map_or(Bar::Untold, |reservation| Bar::Shadow {
                shadow: reservation.time,
                ends,
                extra: vacancy.room_beside(self.asking(&own).demand, &reservation),
            });
            Cause::Behind(head.job, room(&head), bar)
        };
        told.tell(cause, now());
    }
}
