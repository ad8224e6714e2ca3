//! Space sharing on nodes that have more than processors: the same decisions, with capacity of
//! nodes in place of counts.
//!
//! The discipline keeps its order, the backfilling rule sees the nodes, and [`FreeResources`] says
//! which jobs fit, and where.

use crate::batch::Queue;
use crate::batch::node_resources::{Asking, FreeResources, NodesOutlook, Reservation};
use crate::batch::planned::{Planned, before, begun};
use crate::batch::queue::Waiting;
use crate::instrument::Reason;
use crate::instrument::explanation::{Of, Shortage};
use crate::kernel::now;

use super::PolicyError;
use super::batch_scheduler::BatchScheduler;

impl BatchScheduler {
    pub(super) fn asking(&self, waiting: &Waiting) -> Asking {
        Asking { procs: waiting.procs, demand: self.front.job(waiting.job).demand }
    }

    /// Job that is next by the discipline, of those that fit if it passes over others.
    pub(super) fn next_on_nodes(&self, resources: &FreeResources) -> Option<Waiting> {
        let fits = |waiting: &&Waiting| {
            self.fits_in_pools(waiting.job) && resources.fits(self.asking(waiting), None)
        };
        if !self.components.discipline.overtakes() {
            return self.queue.head().filter(|head| fits(&head));
        }
        let mut fitting = Queue::new();
        self.queue.iter().filter(fits).for_each(|&waiting| fitting.put(waiting));
        self.components.discipline.next(&fitting, self.front.free_count())
    }

    /// The same where nodes are reserved: of the jobs that fit for as long as they are estimated to
    /// run; with the parts of nodes on which it does.
    pub(super) fn next_on_reserved_nodes(
        &self,
        resources: &FreeResources,
    ) -> Option<(Waiting, Option<Reservation>)> {
        self.queue.head()?;
        let jobs = self.front.jobs();
        let mut outlook = NodesOutlook::new(now(), &self.running, &self.planned, (resources, &jobs));
        let next = if self.components.discipline.overtakes() {
            let mut fitting = Queue::new();
            let in_pools = |waiting: &&Waiting| self.takes_of_pools(waiting);
            let takes = self.queue.iter().filter(in_pools).filter(|waiting| outlook.takes(waiting));
            takes.for_each(|&waiting| fitting.put(waiting));
            self.components.discipline.next(&fitting, self.front.free_count())
        } else {
            self.queue.head().filter(|head| self.takes_of_pools(head) && outlook.takes(head))
        };
        next.map(|next| (next, outlook.alongside(&next)))
    }

    /// The number of the reservation that keeps a job back which would fit without it.
    pub(super) fn reserved_nodes_for(&self, resources: &FreeResources, waiting: &Waiting) -> Option<u32> {
        let asking = self.asking(waiting);
        let to = now().saturating_add(waiting.estimate);
        if resources.fits(asking, None) {
            let around = resources.around(&self.planned, now(), to);
            let meets = |one: &&Planned| now() < one.from && one.from < to && !one.nodes.booked.is_empty();
            let first =
                before(&self.planned, to).iter().filter(meets).min_by_key(|one| (one.from, one.number))?;
            return (!resources.fits(asking, Some(&around))).then_some(first.number);
        }
        let begun = begun(&self.planned, now()).iter().find(|one| !one.nodes.closed.is_empty())?;
        resources.fits_without_reservations(asking).then_some(begun.number)
    }

    /// Starts a job that waits, next to a reservation if one is given.
    pub(super) fn start_on_nodes(
        &mut self,
        resources: &mut FreeResources,
        waiting: Waiting,
        reservation: Option<&Reservation>,
        reason: Reason,
    ) -> Result<(), PolicyError> {
        let (id, asking) = (waiting.job, self.asking(&waiting));
        if let Some(place) = resources.gpu_place(asking, reservation) {
            let among = self.front.with_free(|free| resources.processors_of(&place, free));
            self.take_processors(waiting, Some(&among), reason)?;
            resources.take_place(id, asking, place);
            let gpus = resources.gpus(id);
            if !gpus.is_empty() {
                self.front.holds_gpus(id, gpus);
            }
            self.has_started(id, Some(resources));
            return Ok(());
        }
        let lowest = self.components.allocation.takes_lowest();
        let among = self.front.with_free(|free| resources.among(asking, reservation, (free, lowest)));
        self.take_processors(waiting, Some(&among.unwrap_or_default()), reason)?;
        resources.take(id, asking, &self.front.processors(id));
        self.has_started(id, Some(resources));
        Ok(())
    }

    /// Shortage of what a job asks for.
    pub(super) fn shortage_on_nodes(&self, resources: &FreeResources, waiting: &Waiting) -> Shortage {
        let capacity = resources.capacity(self.asking(waiting).demand);
        let free = capacity.min(u64::from(waiting.procs.saturating_sub(1)));
        Shortage { need: u64::from(waiting.procs), free, of: Of::Asked }
    }
}
