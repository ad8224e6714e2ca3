//! Pools beside processors: a job holds its amounts while it has processors.

use std::sync::Arc;

use crate::batch::pools::Pools;
use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::policy::error::Wrong;

use super::{FrontEnd, State};

impl FrontEnd {
    /// The pools beside processors with what jobs ask of them, if there are any.
    pub fn pools(&self) -> Option<Arc<Pools>> {
        self.0.pools.clone()
    }

    /// Returns true if as much of each pool is free as a job asks for.
    pub fn fits_in_pools(&self, job: JobId) -> bool {
        self.0.state.borrow().fits_in_pools(job)
    }
}

impl State {
    /// Returns true if as much of each pool is free as a job asks for.
    pub(super) fn fits_in_pools(&self, job: JobId) -> bool {
        self.pools.as_ref().is_none_or(|pools| pools.fits(job))
    }

    /// A job that starts takes its amounts.
    ///
    /// # Errors
    /// Too little is free of a pool.
    pub(super) fn take_from_pools(&mut self, job: JobId) -> Result<(), Wrong> {
        let Some(pools) = &mut self.pools else { return Ok(()) };
        if let Some((share, free)) = pools.shortage(job) {
            let pool = pools.pools().pool(share.pool).0.to_owned();
            return Err(Wrong::TooLittleInPool { pool, asked: share.amount, free });
        }
        // when it will end is the business of policies
        pools.starts(job, SimTime::MAX);
        Ok(())
    }

    /// A job that leaves its processors gives its amounts back.
    pub(super) fn give_back_to_pools(&mut self, job: JobId) {
        self.pools.iter_mut().for_each(|pools| pools.leaves(job, SimTime::MAX));
    }
}
