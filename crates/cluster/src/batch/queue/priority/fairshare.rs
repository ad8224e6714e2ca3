//! Usage of accounts, fading with a half-life, against their target shares.
//!
//! Usage is processor-seconds, each of which counts half after a half-life and a quarter after two;
//! where jobs are charged by a rule, its charges stand for processors. A running job adds to its
//! account all the time: with half-life h a rate of p processors over a span d adds
//! p h / ln 2 (1 - 2^(-d/h)), and what was there before is multiplied by 2^(-d/h). So
//! usage is exact at every instant and is brought up to date only when a job of the account starts
//! or ends, or when priorities are computed; nothing is added up in steps.
//!
//! The factor is 2^(-U/S), U the account's share of all usage and S its share of all target shares
//! ("Classic Fairshare Algorithm", SchedMD): 1 for an account that has used nothing, 1/2 for one
//! that has used exactly its share.

use std::f64::consts::LN_2;

use crate::kernel::rng::math::exp2;
use crate::kernel::{SimDuration, SimTime};

/// Usage of one account, as of an instant.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    /// Processor-seconds, faded.
    amount: f64,
    /// Charges of running jobs a second: processors in use.
    rate: f64,
    /// Number of running jobs.
    jobs: u64,
    at: SimTime,
}

impl Used {
    fn look(&mut self, now: SimTime, half_life: f64) {
        let span = now.since(self.at).as_secs_f64();
        if span > 0.0 {
            let kept = exp2(-span / half_life);
            self.amount = self.amount * kept + self.rate * half_life / LN_2 * (1.0 - kept);
        }
        self.at = now;
    }
}

#[derive(Debug)]
pub(super) struct Fairshare {
    /// In seconds.
    half_life: f64,
    /// Target shares that are given; of all others 1.
    given: Vec<(u32, f64)>,
    /// The accounts that the workload has, in order, each with its target share and what it has
    /// used.
    accounts: Vec<(u32, f64, Used)>,
    all_shares: f64,
    all_used: f64,
    looked: Option<SimTime>,
}

impl Fairshare {
    pub(super) fn new(half_life: SimDuration, given: Vec<(u32, f64)>) -> Self {
        let half_life = half_life.as_secs_f64();
        Fairshare { half_life, given, accounts: Vec::new(), all_shares: 0.0, all_used: 0.0, looked: None }
    }

    /// The accounts that there are, as often as they come: a site knows them before they submit
    /// anything.
    pub(super) fn begin(&mut self, accounts: impl Iterator<Item = u32>) {
        let mut known: Vec<u32> = Vec::new();
        for account in accounts {
            if let Err(place) = known.binary_search(&account) {
                known.insert(place, account);
            }
        }
        let share = |account| super::formula::of_account(&self.given, account).unwrap_or(1.0);
        self.accounts = known.iter().map(|&account| (account, share(account), Used::default())).collect();
        self.all_shares = self.accounts.iter().map(|&(_, share, _)| share).sum();
    }

    /// Usage of an account, brought up to date; it is about to change.
    fn changing(&mut self, now: SimTime, account: u32) -> Option<&mut Used> {
        self.looked = None;
        let place = self.accounts.binary_search_by_key(&account, |&(known, ..)| known).ok()?;
        let used = &mut self.accounts[place].2;
        used.look(now, self.half_life);
        Some(used)
    }

    pub(super) fn started(&mut self, now: SimTime, account: u32, rate: f64) {
        if let Some(used) = self.changing(now, account) {
            used.rate += rate;
            used.jobs += 1;
        }
    }

    pub(super) fn ended(&mut self, now: SimTime, account: u32, rate: f64) {
        if let Some(used) = self.changing(now, account) {
            used.jobs = used.jobs.saturating_sub(1);
            // what sums of fractions leave over is no use
            used.rate = if used.jobs == 0 { 0.0 } else { (used.rate - rate).max(0.0) };
        }
    }

    /// Brings all accounts up to date, once an instant.
    pub(super) fn look(&mut self, now: SimTime) {
        if self.looked == Some(now) {
            return;
        }
        self.looked = Some(now);
        self.all_used = 0.0;
        for (_, _, used) in &mut self.accounts {
            used.look(now, self.half_life);
            self.all_used += used.amount;
        }
    }

    /// The factor of an account, as of the last look: from 0 to 1.
    pub(super) fn factor(&self, account: u32) -> f64 {
        let place = self.accounts.binary_search_by_key(&account, |&(known, ..)| known);
        let Some(&(_, share, used)) = place.ok().map(|place| &self.accounts[place]) else { return 1.0 };
        if used.amount <= 0.0 {
            return 1.0;
        }
        if share <= 0.0 {
            // whatever it has used is more than its share
            return 0.0;
        }
        exp2(-(used.amount / self.all_used) / (share / self.all_shares))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(secs: u64) -> SimTime {
        SimTime::from_nanos(secs * 1_000_000_000)
    }

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() <= 1e-12 * other.abs().max(1.0)
    }

    #[test]
    fn usage_fades_by_half_in_a_half_life() {
        let mut usage = Fairshare::new(SimDuration::from_secs(100), Vec::new());
        usage.begin([3, 5, 3].into_iter());
        usage.started(at(0), 3, 4.0);
        usage.ended(at(100), 3, 4.0);
        // 4 processors over one half-life: 4 × 100 / ln 2 × (1 − 1/2)
        let used = 200.0 / LN_2;
        usage.look(at(100));
        assert!(near(usage.all_used, used));
        usage.look(at(300));
        assert!(near(usage.all_used, used / 4.0), "two half-lives later");
    }

    #[test]
    fn the_factor_is_one_half_for_a_user_of_just_the_share() {
        let mut usage = Fairshare::new(SimDuration::from_secs(100), vec![(5, 3.0)]);
        usage.begin([3, 5].into_iter());
        usage.look(at(0));
        assert!(near(usage.factor(3), 1.0));
        usage.started(at(0), 3, 1.0);
        usage.started(at(0), 5, 3.0);
        usage.look(at(1000));
        // used in the proportion 1 to 3, as are the shares
        assert!(near(usage.factor(3), 0.5) && near(usage.factor(5), 0.5));
        usage.ended(at(1000), 5, 3.0);
        usage.look(at(100_000));
        assert!(near(usage.factor(3), 1.0 / 16.0), "all that counts still, with a quarter of the shares");
        assert!(near(usage.factor(4), 1.0), "an unknown account has used nothing");
    }

    #[test]
    fn how_often_one_looks_changes_nothing() {
        let run = |looks: u64| {
            let mut usage = Fairshare::new(SimDuration::from_secs(100), Vec::new());
            usage.begin([1].into_iter());
            usage.started(at(0), 1, 7.0);
            (1..=looks).for_each(|look| usage.look(at(look * 1000 / looks)));
            usage.all_used
        };
        assert!(near(run(1) / run(1000), 1.0));
    }
}
