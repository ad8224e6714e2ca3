//! Jobs that features of another crate took over, where they are due: they start before all that
//! wait, whatever those were promised, or are handed back.
//!
//! A due job has no privilege but its turn. It is rejected where any job would be, and starts if
//! its processors, what it asks for of nodes, and its amounts of pools are free, no limit of its
//! queue holds it back, and no reservation of processors is delayed. A rule that promises starts to
//! all makes its promises anew.

use crate::batch::node_resources::{NodesOutlook, Reservation};
use crate::batch::queue::Waiting;
use crate::ids::JobId;
use crate::instrument::Reason;
use crate::kernel::now;

use super::PolicyError;
use super::batch_scheduler::BatchScheduler;

impl BatchScheduler {
    /// Starts the jobs that are due, in order, and hands those back that cannot start.
    pub(super) fn serve_due(&mut self) -> Result<(), PolicyError> {
        for id in std::mem::take(&mut self.due_now) {
            self.enter_of(id);
            let waiting = self.places.get(&id).copied();
            let room = waiting.map_or((false, None), |waiting| self.room_now(&waiting));
            match (waiting, room) {
                (Some(waiting), (true, alongside)) => {
                    if self.launch(waiting, alongside.as_ref(), Reason::ByFeature)? {
                        self.note_processors();
                    } else {
                        self.gives_back(id)?;
                    }
                }
                _ if self.front.is_due(id) => self.gives_back(id)?,
                // it was rejected, or cancelled
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns true if there is room for a job now; where nodes are reserved, with the parts of
    /// nodes that it may have.
    fn room_now(&self, waiting: &Waiting) -> (bool, Option<Reservation>) {
        if !self.takes_of_pools(waiting) {
            return (false, None);
        }
        let Some(resources) = &self.nodes else {
            return (self.outlook().takes(u64::from(waiting.procs), waiting.estimate), None);
        };
        if self.planned.is_empty() {
            return (resources.fits(self.asking(waiting), None), None);
        }
        let jobs = self.front.jobs();
        let mut outlook = NodesOutlook::new(now(), &self.running, &self.planned, (resources, &jobs));
        let takes = outlook.takes(waiting);
        (takes, if takes { outlook.alongside(waiting) } else { None })
    }

    /// Hands back a job that cannot start.
    fn gives_back(&mut self, id: JobId) -> Result<(), PolicyError> {
        self.take_out_of_queue(id);
        if !self.components.limits.is_empty() {
            self.components.limits.withdrawn(id, &self.front.job(id), &mut self.turns);
            self.release();
        }
        self.front.hand_back(id)
    }
}
