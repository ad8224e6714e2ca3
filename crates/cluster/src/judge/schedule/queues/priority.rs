//! Priorities that move with the time that jobs have waited and with what their accounts have used:
//! the formula of the manual, and the instants at which it is computed.

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::{Job, UNKNOWN_ID};

use super::super::Row;
use super::held_back::Submitted;
use super::limits::{LimitedQueues, QueueNumber};
use super::usage::{Charge, Usage, accounts, charges};

/// Rule by which a running job is charged.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum ChargeRule {
    /// Processors of the run.
    #[default]
    ProcessorTime,
    /// Sum over nodes of the largest share of processors, memory and GPUs, in processors of each.
    Dominant,
    /// Sum over nodes of the largest of weight times amount, and pools on top.
    Weights {
        /// Weight of a processor.
        processor: f64,
        /// Weight of a GPU.
        gpu: f64,
        /// Weight of a GiB of memory.
        memory_gib: f64,
        /// Weights of pools by name.
        pools: Vec<(String, f64)>,
    },
}

/// Weights of an order by priority, and what they weigh.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PriorityRule {
    /// Weight of the time that a job has waited, as a share of `max_age`.
    pub age: f64,
    /// Weight of its processors, as a share of the machine.
    pub size: f64,
    /// Weight of the factor of its account.
    pub fairshare: f64,
    /// Weights of the priorities of its queue, its partition and its quality of service.
    pub queues: [f64; 3],
    /// Weight of its estimate, as a share of `longest`.
    pub run_time: f64,
    /// Wait from which on age counts no more.
    pub max_age: SimDuration,
    /// Estimate from which on it counts no more.
    pub longest: SimDuration,
    /// Time in which usage comes to count half.
    pub half_life: SimDuration,
    /// Time for which priorities stand before a decision computes them again.
    pub interval: SimDuration,
    /// True if accounts are groups, and not users.
    pub by_group: bool,
    /// Target shares that are stated.
    pub shares: OrderedMap<u32, f64>,
    /// Priority that accounts have by themselves.
    pub grant: OrderedMap<u32, f64>,
    /// Rule by which running jobs are charged.
    pub charge: ChargeRule,
}

impl PriorityRule {
    fn account(&self, job: &Job) -> u32 {
        if self.by_group { job.group } else { job.user }
    }

    /// Returns true if priorities change while jobs wait.
    fn moves(&self) -> bool {
        self.age.abs() > 0.0 || self.fairshare.abs() > 0.0
    }
}

/// An order by priority over the jobs of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct PriorityOrder<'a> {
    rule: &'a PriorityRule,
    jobs: Submitted<'a>,
    queues: Option<&'a LimitedQueues>,
    procs: u32,
    accounts: Vec<(u32, f64)>,
    charges: Vec<Charge>,
    /// Instants at which the policy decides, in order.
    pub(super) decisions: Vec<SimTime>,
}

/// Place of a waiting job by its priority, and what that is made of.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Rank {
    /// Key that falls as the priority rises.
    pub(super) key: u64,
    waited: SimDuration,
    estimate: SimDuration,
    procs: u32,
    account: u32,
    factor: f64,
    /// Instant as of which it is the place.
    at: SimTime,
    /// The job: of equal ones the earlier is first, also where it waits again.
    pub(super) id: Option<JobId>,
    /// True if it is not known as of when it is.
    pub(super) is_open: bool,
}

/// Steps between numbers by which two ways to compute a priority may differ.
const NEAR: u64 = 1 << 24;

/// Returns true if two keys are so close that another way to compute them may turn them.
pub(super) fn are_near(one: u64, other: u64) -> bool {
    one.abs_diff(other) <= NEAR
}

impl Rank {
    /// Returns true if it is sure which of two stands first: the first one, or both are equal by
    /// all that priorities are made of, and it came first.
    pub(super) fn is_clear(&self, behind: &Rank, rule: &PriorityRule) -> bool {
        if self.is_open || behind.is_open {
            return false;
        }
        if !are_near(self.key, behind.key) {
            return true;
        }
        let same_share = (self.account, self.at) == (behind.account, behind.at)
            || rule.fairshare.abs() <= 0.0
            || (self.factor, behind.factor) == (1.0, 1.0);
        let parts = |one: &Rank| (one.key, one.waited, one.estimate, one.procs);
        same_share && parts(self) == parts(behind) && self.id <= behind.id
    }
}

impl<'a> PriorityOrder<'a> {
    /// The order of jobs by a rule; rows are all runs of all jobs of a machine of so many
    /// processors, each with its charge, and the decisions are in order.
    pub(in crate::judge::schedule) fn new(
        rule: &'a PriorityRule,
        rows: &[Row],
        (jobs, queues): (Submitted<'a>, Option<&'a LimitedQueues>),
        (procs, charged): (u32, impl Fn(&Row) -> f64),
        decisions: Vec<SimTime>,
    ) -> Self {
        let accounts = accounts(jobs.jobs, |job| rule.account(job), &rule.shares);
        let charges = charges(rows, jobs, |job| rule.account(job), (&accounts, charged));
        PriorityOrder { rule, jobs, queues, procs, accounts, charges, decisions }
    }

    /// Returns true if priorities change while jobs wait.
    pub(super) fn moves(&self) -> bool {
        self.rule.moves()
    }

    pub(super) fn rule(&self) -> &PriorityRule {
        self.rule
    }

    pub(super) fn usage(&self) -> Usage {
        Usage::new(self.rule.half_life, self.accounts.len())
    }

    /// Returns true if priorities are computed again at a decision, if they last were then.
    pub(super) fn is_due(&self, now: SimTime, computed: Option<SimTime>) -> bool {
        let old = |at| now > at && now.since(at) >= self.rule.interval;
        self.rule.moves() && computed.is_none_or(old)
    }

    /// Rank of a job as of an instant.
    pub(super) fn rank(&self, now: SimTime, row: &Row, usage: &mut Usage) -> Rank {
        let Some((id, job)) = self.jobs.of(row) else { return Rank::default() };
        let rule = self.rule;
        let part = |span: SimDuration, whole: SimDuration| span.as_secs_f64() / whole.as_secs_f64();
        let waited = now.since(row.submit_time.min(now)).min(rule.max_age);
        let estimate = row.estimate.min(rule.longest);
        let account = rule.account(job);
        let place = self.accounts.binary_search_by_key(&account, |&(known, _)| known);
        let factor = match place {
            Ok(place) if rule.fairshare.abs() > 0.0 => {
                usage.advance(now, &self.charges);
                usage.factor(place, &self.accounts)
            }
            _ => 1.0,
        };
        let fair = if rule.fairshare.abs() > 0.0 { factor } else { 0.0 };
        let lists = [QueueNumber::Queue, QueueNumber::Partition, QueueNumber::Qos];
        let of_queues = rule.queues.iter().zip(lists).filter(|(weight, _)| weight.abs() > 0.0);
        let of_queues: f64 = of_queues
            .map(|(weight, list)| weight * self.queues.map_or(0.0, |queues| queues.priority(list, job)))
            .sum();
        let granted = rule.grant.get(&account).filter(|_| account != UNKNOWN_ID);
        let priority = rule.age * part(waited, rule.max_age)
            + rule.run_time * part(estimate, rule.longest)
            + rule.size * f64::from(row.procs) / f64::from(self.procs)
            + rule.fairshare * fair
            + of_queues
            + granted.copied().unwrap_or(0.0);
        // what has no weight makes no difference
        let weighs = |weight: f64| weight.abs() > 0.0;
        Rank {
            key: falling(priority),
            waited: if weighs(rule.age) { waited } else { SimDuration::ZERO },
            estimate: if weighs(rule.run_time) { estimate } else { SimDuration::ZERO },
            procs: if weighs(rule.size) { row.procs } else { 0 },
            account,
            factor,
            at: now,
            id: Some(id),
            is_open: false,
        }
    }
}

/// A key that falls as a number rises.
fn falling(number: f64) -> u64 {
    // the bits of numbers from zero on rise with them, those of others fall
    let bits = (number + 0.0).to_bits();
    if number < 0.0 { bits } else { i64::MAX.cast_unsigned() - bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_fall_as_numbers_rise_and_near_ones_are_equal() {
        let rising = [f64::NEG_INFINITY, -2.0, -1e-300, -0.0, 1e-300, 0.5, 1.0, 1e300];
        assert!(rising.windows(2).all(|pair| falling(pair[0]) > falling(pair[1])), "{rising:?}");
        assert_eq!(falling(-0.0), falling(0.0));
        let rule = PriorityRule { fairshare: 1.0, ..PriorityRule::default() };
        let rank =
            |priority, account, factor| Rank { key: falling(priority), account, factor, ..Rank::default() };
        let clear = |one: Rank, other: Rank| one.is_clear(&other, &rule);
        assert!(clear(rank(0.7, 1, 0.7), rank(0.6, 2, 0.6)));
        assert!(!clear(rank(0.7 + 1e-15, 1, 0.7), rank(0.7, 2, 0.7)));
        assert!(!clear(rank(0.7, 1, 0.7), rank(0.7, 2, 0.7)));
        let earlier = rank(0.7, 1, 0.7);
        let later = Rank { id: Some(JobId(1)), ..earlier };
        assert!(clear(earlier, later) && !clear(later, earlier), "one that waits again stands before it");
        assert!(clear(earlier, earlier) && clear(rank(1.0, 1, 1.0), rank(1.0, 2, 1.0)));
    }
}
