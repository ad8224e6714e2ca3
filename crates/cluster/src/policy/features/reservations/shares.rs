//! Amounts of pools that reservations hold: they take what is free when they begin, and what they
//! lack as it comes back, before any job; no job is interrupted for them.
//!
//! Jobs inside a reservation take theirs from its share, and from nothing else.

use crate::batch::planned::PlannedShare;
use crate::batch::pools::{PoolShare, Pools};
use crate::collections::OrderedMap;
use crate::policy::front_end::Site;

/// Shares of pools of a reservation that has begun.
#[derive(Debug, Default)]
pub(super) struct HeldShares(Vec<HeldShare>);

#[derive(Debug)]
struct HeldShare {
    pool: usize,
    /// All that it needs.
    amount: u32,
    /// Amount that it has and no job inside uses.
    idle: u32,
    /// Amount that jobs inside use.
    used: u32,
}

/// The shares that each reservation is to have, by its number.
#[derive(Debug, Default)]
pub(super) struct ReservedShares(OrderedMap<u32, Vec<PoolShare>>);

impl ReservedShares {
    /// Those of these names and amounts in the pools of a run.
    pub(super) fn new(of: &OrderedMap<u32, Vec<(String, u32)>>, pools: &Pools) -> Self {
        let share = |(name, amount): &(String, u32)| {
            let pool = pools.each().position(|(other, _)| other == name)?;
            Some(PoolShare { pool, amount: *amount })
        };
        let shares =
            |(&number, list): (&u32, &Vec<(String, u32)>)| (number, list.iter().filter_map(share).collect());
        ReservedShares(of.iter().map(shares).collect())
    }

    fn of(&self, number: u32) -> &[PoolShare] {
        self.0.get(&number).map_or(&[], Vec::as_slice)
    }

    /// What a reservation that has not begun needs.
    pub(super) fn planned(&self, number: u32) -> Vec<PlannedShare> {
        let planned = |share: &PoolShare| PlannedShare { pool: share.pool, amount: share.amount, taken: 0 };
        self.of(number).iter().map(planned).collect()
    }

    /// Returns true if a reservation is to have what a job inside it asks for.
    pub(super) fn suffice(&self, number: u32, asked: &[PoolShare]) -> bool {
        let own = self.of(number);
        asked.iter().all(|share| own.iter().any(|one| one.pool == share.pool && share.amount <= one.amount))
    }

    /// Those of a reservation that begins: it has none so far.
    pub(super) fn begin(&self, number: u32) -> HeldShares {
        let none = |share: &PoolShare| {
            let PoolShare { pool, amount } = *share;
            HeldShare { pool, amount, idle: 0, used: 0 }
        };
        HeldShares(self.of(number).iter().map(none).collect())
    }
}

impl HeldShares {
    pub(super) fn planned(&self) -> Vec<PlannedShare> {
        let planned =
            |one: &HeldShare| PlannedShare { pool: one.pool, amount: one.amount, taken: one.idle + one.used };
        self.0.iter().map(planned).collect()
    }

    /// Takes what is free of what it lacks.
    pub(super) fn feed(&mut self, site: &mut Site<'_>) {
        for one in &mut self.0 {
            let lacks = one.amount - one.idle - one.used;
            if lacks > 0 {
                one.idle += site.withhold(one.pool, lacks);
            }
        }
    }

    /// Returns true if it has what a job asks for, and no other job uses it.
    pub(super) fn hold(&self, asked: &[PoolShare]) -> bool {
        asked.iter().all(|share| self.0.iter().any(|one| one.pool == share.pool && share.amount <= one.idle))
    }

    /// A job inside that asks for this starts: it takes what is given back here.
    pub(super) fn job_starts(&mut self, site: &mut Site<'_>, asked: &[PoolShare]) {
        for share in asked {
            site.release(share.pool, share.amount);
            for one in self.0.iter_mut().filter(|one| one.pool == share.pool) {
                one.idle -= share.amount;
                one.used += share.amount;
            }
        }
    }

    /// A job inside that asks for this has left, and given it back.
    pub(super) fn job_leaves(&mut self, asked: &[PoolShare]) {
        for share in asked {
            self.0.iter_mut().filter(|one| one.pool == share.pool).for_each(|one| one.used -= share.amount);
        }
    }

    /// The reservation is over: it gives back what no job uses.
    pub(super) fn end(&self, site: &mut Site<'_>) {
        self.0.iter().for_each(|one| site.release(one.pool, one.idle));
    }
}
