//! Free amounts of pools, and the jobs that hold the rest by estimated end.

use std::sync::Arc;

use crate::batch::Running;
use crate::batch::running::NEXT_NANO;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::{PoolShare, Pools};

/// What is free of each pool, and who holds the rest.
#[derive(Clone, Debug)]
pub struct FreePools {
    pools: Arc<Pools>,
    each: Vec<FreePool>,
}

/// One pool.
#[derive(Clone, Debug, Default)]
pub(in crate::batch) struct FreePool {
    /// Amount that is free.
    pub(in crate::batch) free: u64,
    /// Jobs that hold some, with their amounts in place of processors.
    pub(in crate::batch) running: Running,
}

impl FreePools {
    /// All of these pools.
    pub fn new(pools: Arc<Pools>) -> Self {
        let whole = |(_, count): (&str, u32)| FreePool { free: count.into(), running: Running::new() };
        FreePools { each: pools.each().map(whole).collect(), pools }
    }

    /// The pools, and what jobs ask of them.
    pub fn pools(&self) -> &Arc<Pools> {
        &self.pools
    }

    /// What is free of each, and who holds the rest, in the order of the pools.
    pub(in crate::batch) fn each(&self) -> &[FreePool] {
        &self.each
    }

    /// Shares that a job asks for.
    pub(in crate::batch) fn asked(&self, job: JobId) -> &[PoolShare] {
        self.pools.asked(job)
    }

    /// Returns true if as much is free as a job asks for.
    pub fn fits(&self, job: JobId) -> bool {
        self.asked(job).iter().all(|share| u64::from(share.amount) <= self.each[share.pool].free)
    }

    /// The first share of a job of which less is free than it asks for, and what is free.
    pub fn shortage(&self, job: JobId) -> Option<(PoolShare, u64)> {
        let free = |share: &PoolShare| self.each[share.pool].free;
        let share = self.asked(job).iter().find(|share| u64::from(share.amount) > free(share))?;
        Some((*share, free(share)))
    }

    /// A job starts, which fits, and is taken to end then.
    ///
    /// # Panics
    /// If it does not fit.
    pub fn starts(&mut self, job: JobId, end: SimTime) {
        for share in self.pools.asked(job) {
            let pool = &mut self.each[share.pool];
            let left = pool.free.checked_sub(share.amount.into());
            pool.free = left.expect("a job starts only where enough of each pool is free");
            pool.running.insert(job, share.amount, end);
        }
    }

    /// A job leaves that was taken to end then.
    pub fn leaves(&mut self, job: JobId, end: SimTime) {
        for share in self.pools.asked(job) {
            let pool = &mut self.each[share.pool];
            pool.free += u64::from(share.amount);
            pool.running.remove(job, share.amount, end);
        }
    }

    /// A running job is taken to end later than it was.
    pub fn extends(&mut self, job: JobId, from: SimTime, to: SimTime) {
        for share in self.pools.asked(job) {
            let running = &mut self.each[share.pool].running;
            running.remove(job, share.amount, from);
            running.insert(job, share.amount, to);
        }
    }
}

impl FreePool {
    /// Instants at which amounts come back, in order: jobs past their estimates go on for `late`, a
    /// nanosecond at least, and those of `known` end as that says.
    pub(in crate::batch) fn releases(
        &self,
        (now, late): (SimTime, SimDuration),
        known: &[(JobId, SimTime)],
    ) -> Vec<(SimTime, u32)> {
        if known.is_empty() {
            return self.running.releases_by(now, late);
        }
        let late = now.saturating_add(late.max(NEXT_NANO));
        let end = |end: SimTime, job: JobId| match known.iter().find(|one| one.0 == job) {
            Some(&(_, known)) => known,
            None if end <= now => late,
            None => end,
        };
        let each = self.running.each().map(|(by, job, amount)| (end(by, job), amount));
        let mut all: Vec<(SimTime, u32)> = each.collect();
        all.sort_by_key(|&(end, _)| end);
        all
    }
}
