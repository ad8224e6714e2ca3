//! Space sharing on nodes that have more than processors: the same decisions, with capacity of
//! nodes in place of counts.
//!
//! The discipline keeps its order, the backfilling rule sees the nodes, and [`FreeResources`] says
//! which jobs fit, and where.

use crate::batch::Queue;
use crate::batch::node_resources::{Asking, FreeResources, Reservation};
use crate::batch::queue::Waiting;
use crate::instrument::Reason;
use crate::instrument::explanation::{Of, Shortage};

use super::PolicyError;
use super::batch_scheduler::BatchScheduler;

impl BatchScheduler {
    fn asking(&self, waiting: &Waiting) -> Asking {
        Asking { procs: waiting.procs, demand: self.front.job(waiting.job).demand }
    }

    /// Job that is next by the discipline, of those that fit if it passes over others.
    pub(super) fn next_on_nodes(&self, resources: &FreeResources) -> Option<Waiting> {
        let fits = |waiting: &&Waiting| resources.fits(self.asking(waiting), None);
        if !self.components.discipline.overtakes() {
            return self.queue.head().filter(|head| fits(&head));
        }
        let mut fitting = Queue::new();
        self.queue.iter().filter(fits).for_each(|&waiting| fitting.put(waiting));
        self.components.discipline.next(&fitting, self.front.free_count())
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

    /// Shortage of what a job asks for.
    pub(super) fn shortage_on_nodes(&self, resources: &FreeResources, waiting: &Waiting) -> Shortage {
        let capacity = resources.capacity(self.asking(waiting).demand);
        let free = capacity.min(u64::from(waiting.procs.saturating_sub(1)));
        Shortage { need: u64::from(waiting.procs), free, of: Of::Asked }
    }
}
