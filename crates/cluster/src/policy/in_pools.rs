//! Space sharing beside pools: what jobs that wait find free of them.

use crate::batch::Obstacle;
use crate::batch::planned::begun;
use crate::batch::pools::FreePools;
use crate::batch::queue::Waiting;
use crate::ids::JobId;
use crate::instrument::explanation::{Of, Shortage};
use crate::kernel::now;

use super::batch_scheduler::BatchScheduler;

impl BatchScheduler {
    /// Looks at the reservations that are known now.
    pub(super) fn plan_around(&mut self) {
        self.front.list_planned(&mut self.planned);
        let begun = begun(&self.planned, now());
        self.nodes.iter_mut().for_each(|nodes| nodes.close(begun));
        self.pools.iter_mut().for_each(|pools| pools.plan(&self.planned));
    }

    /// Returns true if as much of each pool is free as a job asks for.
    pub(super) fn fits_in_pools(&self, job: JobId) -> bool {
        self.pools.as_ref().is_none_or(|pools| pools.fits(job))
    }

    /// Returns true if as much of each pool is free as a job asks for, and for its estimate it
    /// leaves reservations what they need.
    pub(super) fn takes_of_pools(&self, waiting: &Waiting) -> bool {
        let leaves = |pools: &FreePools| pools.leaves_reserved(waiting.job, waiting.estimate, now());
        self.fits_in_pools(waiting.job) && self.pools.as_ref().is_none_or(leaves)
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
