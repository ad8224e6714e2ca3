//! Usage of accounts, which fades by half in a half-life, and their factors.
//!
//! With C = h / ln 2 a run that is charged p processors from s to e has used, at an instant t
//! behind both, p C (2^(-(t-e)/h) - 2^(-(t-s)/h)), and while it runs p C (1 - 2^(-(t-s)/h)). So of
//! each account two numbers are kept: what it holds, and a sum that a start lowers by p, an end
//! raises by p, and time lets fade. Together, times C, they are its usage.

use crate::collections::{OrderedMap, StableSort as _};
use crate::kernel::rng::math::exp2;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::Job;

use super::super::Row;
use super::held_back::Submitted;

/// Beginning or end of a charge.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::judge::schedule) struct Charge {
    at: SimTime,
    place: usize,
    /// More that the account holds from then on.
    more: f64,
}

/// Charges of all runs in order of time; rows are all runs of all jobs, the accounts are in order,
/// and each run is charged so much while it has its processors.
pub(in crate::judge::schedule) fn charges(
    rows: &[Row],
    jobs: Submitted<'_>,
    account: impl Fn(&Job) -> u32,
    (accounts, charged): (&[(u32, f64)], impl Fn(&Row) -> f64),
) -> Vec<Charge> {
    let mut all = Vec::new();
    for row in rows.iter().filter(|row| row.start < row.end) {
        let Some((_, job)) = jobs.of(row) else { continue };
        let own = account(job);
        let Ok(place) = accounts.binary_search_by_key(&own, |&(known, _)| known) else { continue };
        let more = charged(row);
        all.push(Charge { at: row.start, place, more });
        all.push(Charge { at: row.end, place, more: -more });
    }
    all.stable_sort_by_key(|charge| charge.at);
    all
}

/// The accounts of a workload in order, each with its target share.
pub(super) fn accounts(
    jobs: &[Job],
    account: impl Fn(&Job) -> u32,
    shares: &OrderedMap<u32, f64>,
) -> Vec<(u32, f64)> {
    let known: OrderedMap<u32, f64> = jobs
        .iter()
        .map(|job| {
            let account = account(job);
            (account, shares.get(&account).copied().unwrap_or(1.0))
        })
        .collect();
    known.into_iter().collect()
}

/// Usage of all accounts, as of an instant.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Usage {
    half_life: f64,
    now: SimTime,
    /// Number of charges so far.
    next: usize,
    /// Amount that each holds, and the sum that fades.
    of: Vec<(f64, f64)>,
}

impl Usage {
    pub(super) fn new(half_life: SimDuration, accounts: usize) -> Self {
        let half_life = half_life.as_secs_f64();
        Usage { half_life, now: SimTime::ZERO, next: 0, of: vec![(0.0, 0.0); accounts] }
    }

    fn fade(&mut self, now: SimTime) {
        let kept = exp2(-now.since(self.now).as_secs_f64() / self.half_life);
        if now > self.now {
            self.of.iter_mut().for_each(|(_, sum)| *sum *= kept);
        }
        self.now = now;
    }

    /// Brings all up to an instant, at which a start or an end makes no difference yet.
    pub(super) fn advance(&mut self, now: SimTime, charges: &[Charge]) {
        while let Some(&charge) = charges.get(self.next).filter(|charge| charge.at < now) {
            self.fade(charge.at);
            let (holds, sum) = &mut self.of[charge.place];
            (*holds, *sum) = (*holds + charge.more, *sum - charge.more);
            self.next += 1;
        }
        self.fade(now);
    }

    /// Factor of the account at a place: 2 to the power of minus its share of usage over that of
    /// target shares.
    pub(super) fn factor(&self, place: usize, accounts: &[(u32, f64)]) -> f64 {
        let used = |(holds, sum): (f64, f64)| (holds + sum).max(0.0);
        let own = used(self.of[place]);
        if own <= 0.0 {
            return 1.0;
        }
        let all: f64 = self.of.iter().map(|&one| used(one)).sum();
        let shares: f64 = accounts.iter().map(|&(_, share)| share).sum();
        let share = accounts[place].1;
        if share <= 0.0 { 0.0 } else { exp2(-(own / all) * shares / share) }
    }
}

#[cfg(test)]
mod tests {
    use crate::ids::JobId;

    use super::super::super::row;
    use super::*;

    #[test]
    fn usage_fades_and_accounts_that_use_their_shares_have_one_half() {
        let secs = |secs: u64| secs * 1_000_000_000;
        let run = |place: u32, start, lasts, procs: u32| Row {
            job: Some(JobId(place)),
            ..row(1, 0, secs(start), secs(lasts), (0, procs - 1))
        };
        let rows = [run(0, 0, 100, 4), run(1, 0, 100, 4)];
        let job = |user| {
            let mut job = Job::new(1, SimTime::ZERO, 4, SimDuration::from_secs(100));
            job.user = user;
            job
        };
        let jobs = [job(5), job(3)];
        let shares = OrderedMap::new();
        let all = accounts(&jobs, |job| job.user, &shares);
        assert_eq!(all, [(3, 1.0), (5, 1.0)]);
        let charged = charges(
            &rows,
            Submitted { jobs: &jobs, ids: None },
            |job| job.user,
            (&all, |row: &Row| row.procs.into()),
        );
        let mut usage = Usage::new(SimDuration::from_secs(100), 2);
        let at = |time| SimTime::from_nanos(secs(time));
        usage.advance(at(0), &charged);
        assert!((usage.factor(0, &all) - 1.0).abs() < 1e-12);
        usage.advance(at(300), &charged);
        // 4 (1 - 1/2) C over one half-life, and a quarter of that two later
        assert!((usage.of[0].0 + usage.of[0].1 - 0.5).abs() < 1e-12, "{usage:?}");
        assert!((usage.factor(1, &all) - 0.5).abs() < 1e-12);
        let all = [(3, 1.0), (5, 3.0)];
        assert!((usage.factor(0, &all) - 0.25).abs() < 1e-12);
    }
}
