//! Space sharing with reservations of processors and pools: the same decisions, of jobs that delay
//! no reservation that is known.
//!
//! The discipline keeps its order. Where nothing overtakes, a head that would delay one keeps all
//! others waiting, as one does that does not fit; where whatever fits starts, a job fits if enough
//! is free as long as its estimate. Backfilling rules have the reservations in their view and plan
//! around them.

use crate::batch::Queue;
use crate::batch::backfill::Decides;
use crate::batch::planned::{Outlook, begun};
use crate::batch::queue::Waiting;
use crate::ids::JobId;
use crate::instrument::Reason;
use crate::instrument::explanation::WaitCause;
use crate::kernel::now;

use super::batch_scheduler::BatchScheduler;
use super::why;

impl BatchScheduler {
    /// Returns true if a reservation lacked processors at the last decision: it takes those that
    /// become free before any job.
    pub(super) fn lacks_reserved(&self) -> bool {
        begun(&self.planned, now()).iter().any(|one| one.lacks() > 0)
    }

    /// The machine as it is now.
    pub(super) fn outlook(&self) -> Outlook<'_> {
        Outlook::new((now(), self.free()), &self.running, &self.planned)
    }

    /// Job that is next by the discipline, of those that may start.
    pub(super) fn next_around_reservations(&self) -> Option<Waiting> {
        let outlook = self.outlook();
        let takes =
            |one: &&Waiting| self.takes_of_pools(one) && outlook.takes(u64::from(one.procs), one.estimate);
        if !self.components.discipline.overtakes() {
            return self.queue.head().filter(|head| takes(&head));
        }
        let mut fitting = Queue::new();
        self.queue.iter().filter(takes).for_each(|&waiting| fitting.put(waiting));
        self.components.discipline.next(&fitting, outlook.free)
    }

    /// Reason of a start that is possible only because a reservation ended at this instant.
    pub(super) fn after_reservation(&mut self, waiting: &Waiting) -> Option<Reason> {
        let (need, free) = (u64::from(waiting.procs), self.free());
        let others = free.saturating_sub(self.returned);
        self.returned = self.returned.min(free.saturating_sub(need));
        (need > others).then_some(Reason::ReservationOver)
    }

    /// The reservation that keeps the job back that is asked about, if one does: the job would
    /// delay it, or it has processors that the job needs; where nothing overtakes, so it is for
    /// jobs behind a head that is kept back.
    pub(super) fn kept_by_reservation(&self) -> Option<WaitCause> {
        let explanation = why::waits(&self.front)?;
        let (head, asked) = (self.queue.head()?, explanation.job());
        let own = *self.queue.iter().find(|waiting| waiting.job == asked)?;
        let in_order = !self.components.discipline.overtakes() && self.rule.decides == Decides::Nothing;
        let candidate = if in_order { head } else { own };
        let of_pools = self
            .pools
            .as_ref()
            .and_then(|pools| pools.obstructing_reservation(candidate.job, candidate.estimate, now()));
        if let Some(number) = of_pools {
            return self.kept_by(number, (candidate.job != own.job).then_some(candidate.job));
        }
        if let Some(resources) = &self.nodes {
            let number = self.reserved_nodes_for(resources, &candidate)?;
            return self.kept_by(number, (candidate.job != own.job).then_some(candidate.job));
        }
        let outlook = self.outlook();
        let need = u64::from(candidate.procs);
        let begun = || begun(&self.planned, now()).iter().filter(|one| one.taken > 0);
        let number = if need > outlook.free {
            let taken: u64 = begun().map(|one| one.taken).sum();
            begun().next().filter(|_| need <= outlook.free + taken).map(|one| one.number)?
        } else {
            outlook.obstructing_reservation(need, candidate.estimate)?
        };
        self.kept_by(number, (candidate.job != own.job).then_some(candidate.job))
    }

    fn kept_by(&self, number: u32, behind: Option<JobId>) -> Option<WaitCause> {
        // of one that is repeated the first time
        let one = self.planned.iter().filter(|one| one.number == number).min_by_key(|one| one.from)?;
        Some(WaitCause::Reserved { number, from: one.from, to: one.to, behind })
    }
}
