//! Free amounts of pools, and the jobs that hold the rest by estimated end.

use std::sync::Arc;

use crate::batch::Running;
use crate::batch::planned::{Outlook, Planned};
use crate::batch::running::NEXT_NANO;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::{PoolShare, Pools};

/// What is free of each pool, and who holds the rest.
#[derive(Clone, Debug)]
pub struct FreePools {
    pools: Arc<Pools>,
    each: Vec<FreePool>,
    /// Number of changes so far.
    changes: u64,
}

/// One pool.
#[derive(Clone, Debug, Default)]
pub(in crate::batch) struct FreePool {
    /// Amount that is free.
    pub(in crate::batch) free: u64,
    /// Jobs that hold some, with their amounts in place of processors.
    pub(in crate::batch) running: Running,
    /// The reservations that are known and not over and need some, with their amounts in place of
    /// processors; what they have is not free.
    pub(in crate::batch) planned: Vec<Planned>,
}

impl FreePools {
    /// All of these pools.
    pub fn new(pools: Arc<Pools>) -> Self {
        let whole = |(_, count): (&str, u32)| FreePool { free: count.into(), ..FreePool::default() };
        FreePools { each: pools.each().map(whole).collect(), pools, changes: 0 }
    }

    /// The pools, and what jobs ask of them.
    pub fn pools(&self) -> &Arc<Pools> {
        &self.pools
    }

    /// What is free of each, and who holds the rest, in the order of the pools.
    pub(in crate::batch) fn each(&self) -> &[FreePool] {
        &self.each
    }

    /// Number of changes so far: what is free, held and reserved is the same while it is.
    pub(in crate::batch) fn changes(&self) -> u64 {
        self.changes
    }

    /// Shares that a job asks for.
    pub(in crate::batch) fn asked(&self, job: JobId) -> &[PoolShare] {
        self.pools.asked(job)
    }

    /// Returns true if a job asks for some of a pool.
    pub(in crate::batch) fn asks(&self, job: JobId) -> bool {
        !self.asked(job).is_empty()
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

    /// Returns true if a job may start that fits, which is taken to run so long: it leaves
    /// reservations what they need.
    pub fn leaves_reserved(&self, job: JobId, estimate: SimDuration, now: SimTime) -> bool {
        self.asked(job).iter().all(|share| self.outlook(share, now).takes(share.amount.into(), estimate))
    }

    fn outlook(&self, share: &PoolShare, now: SimTime) -> Outlook<'_> {
        let pool = &self.each[share.pool];
        Outlook::new((now, pool.free), &pool.running, &pool.planned)
    }

    /// The number of the reservation that keeps a job from starting, which is taken to run so long:
    /// it has what the job lacks, or will need what it would hold.
    pub fn obstructing_reservation(&self, job: JobId, estimate: SimDuration, now: SimTime) -> Option<u32> {
        self.asked(job).iter().find_map(|share| {
            let (pool, amount) = (&self.each[share.pool], u64::from(share.amount));
            if amount <= pool.free {
                return self.outlook(share, now).obstructing_reservation(amount, estimate);
            }
            let taken: u64 = pool.planned.iter().map(|one| one.taken).sum();
            let begun = pool.planned.iter().find(|one| one.taken > 0);
            begun.filter(|_| amount <= pool.free + taken).map(|one| one.number)
        })
    }

    /// These reservations are known and not over.
    pub fn plan(&mut self, planned: &[Planned]) {
        let taken = |all: &[Planned]| all.iter().map(|one| one.taken).sum::<u64>();
        for (number, pool) in self.each.iter_mut().enumerate() {
            let own: Vec<Planned> = planned.iter().filter_map(|one| one.in_pool(number)).collect();
            self.changes += u64::from(own != pool.planned);
            pool.free = (pool.free + taken(&pool.planned)).saturating_sub(taken(&own));
            pool.planned = own;
        }
    }

    /// A reservation takes as much of a pool as is free, and not more than it lacks; returns how
    /// much.
    pub fn withhold(&mut self, pool: usize, lacks: u32) -> u32 {
        let free = &mut self.each[pool].free;
        let taken = u32::try_from(*free).unwrap_or(u32::MAX).min(lacks);
        *free -= u64::from(taken);
        self.changes += 1;
        taken
    }

    /// A reservation gives so much of a pool back.
    pub fn release(&mut self, pool: usize, amount: u32) {
        self.each[pool].free += u64::from(amount);
        self.changes += 1;
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
            self.changes += 1;
        }
    }

    /// A job leaves that was taken to end then.
    pub fn leaves(&mut self, job: JobId, end: SimTime) {
        for share in self.pools.asked(job) {
            let pool = &mut self.each[share.pool];
            pool.free += u64::from(share.amount);
            pool.running.remove(job, share.amount, end);
            self.changes += 1;
        }
    }

    /// A running job is taken to end later than it was.
    pub fn extends(&mut self, job: JobId, from: SimTime, to: SimTime) {
        for share in self.pools.asked(job) {
            let running = &mut self.each[share.pool].running;
            running.remove(job, share.amount, from);
            running.insert(job, share.amount, to);
            self.changes += 1;
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
