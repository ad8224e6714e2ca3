//! Space sharing beside pools: what jobs that wait find free of them.

use crate::batch::Obstacle;
use crate::batch::queue::Waiting;
use crate::ids::JobId;
use crate::instrument::explanation::{Of, Shortage};

use super::batch_scheduler::BatchScheduler;

impl BatchScheduler {
    /// Returns true if as much of each pool is free as a job asks for.
    pub(super) fn fits_in_pools(&self, job: JobId) -> bool {
        self.pools.as_ref().is_none_or(|pools| pools.fits(job))
    }

    /// Shortage of a job that would fit on the machine, and of which a pool has too little free.
    pub(super) fn shortage_in_pools(&self, waiting: &Waiting) -> Option<Shortage> {
        let on_machine = match &self.nodes {
            Some(resources) => resources.fits(self.asking(waiting), None),
            None => u64::from(waiting.procs) <= self.free(),
        };
        let (share, free) = self.pools.as_ref().filter(|_| on_machine)?.shortage(waiting.job)?;
        Some(Shortage { need: share.amount.into(), free, of: Of::Pool(share.pool) })
    }

    /// The same as an obstacle to overtaking.
    pub(super) fn short_of_pool(&self, waiting: &Waiting) -> Option<Obstacle> {
        let Shortage { need, free, of: Of::Pool(pool) } = self.shortage_in_pools(waiting)? else {
            return None;
        };
        Some(Obstacle::Pool { pool, need, free })
    }
}
