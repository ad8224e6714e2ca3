//! Pools beside processors: a job holds its amounts while it has processors.

use std::sync::Arc;

use crate::batch::pools::{PoolShare, Pools};
use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::policy::error::Wrong;

use super::site::Site;
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

impl Site<'_> {
    /// Shares of pools that a job asks for.
    pub(in crate::policy) fn asked_of_pools(&self, id: JobId) -> Vec<PoolShare> {
        self.state.pools.as_ref().map_or_else(Vec::new, |pools| pools.pools().asked(id).to_vec())
    }

    /// Takes as much of a pool as is free for a reservation that lacks so much; returns how much.
    pub(in crate::policy) fn withhold(&mut self, pool: usize, lacks: u32) -> u32 {
        self.state.pools.as_mut().map_or(0, |pools| pools.withhold(pool, lacks))
    }

    /// Gives so much of a pool back that was withheld.
    pub(in crate::policy) fn release(&mut self, pool: usize, amount: u32) {
        self.state.pools.iter_mut().for_each(|pools| pools.release(pool, amount));
    }

    /// A job that the feature starts takes its amounts, which are free.
    pub(in crate::policy) fn starts_in_pools(&mut self, id: JobId) {
        let taken = self.state.take_from_pools(id);
        assert!(taken.is_ok(), "a job that a feature starts has its amounts of pools");
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
