//! The runs of jobs in slices: what each is due, when it starts, ends or is interrupted, and what
//! it holds of pools meanwhile.
//!
//! A run is due the work that is left of its job, with the checkpoints in it, within its limit. A
//! node that fails interrupts every job with a cell on it, in whatever row, that is not over at
//! that instant, and so does maintenance that takes processors; what such a job has been served
//! says what its checkpoints have written. Jobs have their licences from their starts to their
//! ends. The jobs that limits of queues hold back are not known: where there are limits, a job is
//! let in when its row says so, and has to fit then.

use crate::collections::{Interval, OrderedMap, OrderedSet};
use crate::judge::{Attempt, Interruptions};
use crate::kernel::{SimDuration, SimTime};
use crate::workload::resources::amounts_of_pools;

use super::gang::Replay;
use super::rows::Fate;
use super::run::JobRun;
use super::{GangRules, Order, Submitted};

/// Runs of a job so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Life {
    /// Number of those that were interrupted.
    runs: usize,
    /// Work that it need not do again.
    kept: SimDuration,
    /// Time for which it ran.
    ran: SimDuration,
    /// Instant since which it waits again, if that gives it its place.
    since: Option<u64>,
}

const TAKEN: &str = "maintenance takes processors of it";

/// Change of columns; in this order at one instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum ColumnChange {
    /// Repair of its processors, or the end of maintenance.
    Back,
    /// Their node fails.
    Fail,
    /// Maintenance takes them.
    Taken,
}

/// Runs of all jobs, and their amounts of pools.
pub(super) struct Lives<'a> {
    /// Interrupted runs of each job, in order.
    attempts: OrderedMap<usize, Vec<&'a Attempt>>,
    known: OrderedMap<usize, Life>,
    rules: Interruptions,
    /// Changes of columns that are to come, in order.
    pub(super) outages: OrderedSet<(u64, ColumnChange, Interval)>,
    /// Amounts of pools that each job asks for, by number.
    asked: Vec<Vec<(usize, u64)>>,
    /// Free amounts of them.
    free: Vec<u64>,
    /// Service due to jobs that have cells.
    due: OrderedMap<usize, u64>,
    /// Ends of them by their stretched estimates.
    ends: OrderedMap<usize, u64>,
    /// Time for which each interrupted run ran, by job and number, and of each job the last run.
    pub(super) ran: OrderedMap<(usize, usize), SimDuration>,
    pub(super) last: OrderedMap<usize, SimDuration>,
}

impl<'a> Lives<'a> {
    pub(super) fn new(run: &'a JobRun<'a>, submitted: &Submitted<'_>) -> Self {
        let mut attempts: OrderedMap<usize, Vec<&Attempt>> = OrderedMap::new();
        run.attempts.iter().for_each(|(place, one)| attempts.entry(*place).or_default().push(one));
        let away = run.away.iter().filter(|_| run.facts.fails_by.is_some());
        let failed = away.map(|away| (away.from, ColumnChange::Fail, away.to, away.on));
        let pieces = run.pieces.iter();
        let taken = pieces.map(|piece| (piece.from, ColumnChange::Taken, piece.to, piece.on));
        let outages = failed.chain(taken).flat_map(|(from, what, to, on)| {
            // what fails at the instant at which it is taken is back when it is repaired
            let ends = from < to && to < SimTime::MAX;
            let back = ends.then_some((to.as_nanos(), ColumnChange::Back, on));
            [(from.as_nanos(), what, on)].into_iter().chain(back)
        });
        let pools = run.facts.pools.as_deref().unwrap_or_default();
        let place_of = |name: &str| pools.iter().position(|(other, _)| other == name);
        let amounts = |place: usize| {
            let text = submitted.attributes.of(place).pools.and_then(amounts_of_pools).unwrap_or_default();
            let known = text.into_iter().filter_map(|(name, amount)| Some((place_of(name)?, amount.into())));
            known.filter(|(_, amount)| *amount > 0).collect()
        };
        let asks = |place: usize| if pools.is_empty() { Vec::new() } else { amounts(place) };
        Lives {
            attempts,
            known: OrderedMap::new(),
            rules: Interruptions { checkpoint: run.facts.checkpoint, ..Interruptions::default() },
            outages: outages.collect(),
            asked: (0..run.jobs.len()).map(asks).collect(),
            free: pools.iter().map(|(_, count)| u64::from(*count)).collect(),
            due: OrderedMap::new(),
            ends: OrderedMap::new(),
            ran: OrderedMap::new(),
            last: OrderedMap::new(),
        }
    }

    fn life(&self, job: usize) -> Life {
        self.known.get(&job).copied().unwrap_or_default()
    }

    /// The run of a job that is next, or under way, if that is interrupted.
    fn attempt(&self, job: usize) -> Option<&'a Attempt> {
        self.attempts.get(&job)?.get(self.life(job).runs).copied()
    }

    /// Returns true if as much of each pool is free as a job asks for.
    pub(super) fn finds_pools(&self, job: usize) -> bool {
        self.asked[job].iter().all(|&(pool, amount)| amount <= self.free[pool])
    }

    /// The first instant by the estimates at which pools have what a job asks for; `None` if they
    /// have it now.
    fn pools_from(&self, job: usize, soonest: u64) -> Option<u64> {
        let lacking = self.asked[job].iter().filter(|&&(pool, amount)| amount > self.free[pool]);
        let first = |&(pool, amount): &(usize, u64)| {
            let mut back: Vec<(u64, u64)> = self.holders(pool).collect();
            back.sort_unstable();
            let mut free = self.free[pool];
            let enough = back.into_iter().find(|(_, more)| {
                free += more;
                free >= amount
            });
            enough.map_or(u64::MAX, |(at, _)| at.max(soonest))
        };
        lacking.map(first).max()
    }

    /// Ends and amounts of the jobs that hold some of a pool.
    fn holders(&self, pool: usize) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.ends.iter().flat_map(move |(job, end)| {
            let own = self.asked[*job].iter().filter(move |(other, _)| *other == pool);
            own.map(|(_, amount)| (*end, *amount))
        })
    }

    /// Amounts that a job leaves at an instant of the pools that it asks for.
    fn left_of_pools(&self, job: usize, at: u64) -> Vec<(usize, u64)> {
        let left = |&(pool, amount): &(usize, u64)| {
            let back: u64 = self.holders(pool).filter(|(end, _)| *end <= at).map(|(_, amount)| amount).sum();
            (pool, (self.free[pool] + back).saturating_sub(amount))
        };
        self.asked[job].iter().map(left).collect()
    }
}

/// Takes what a job asks for from amounts; false, and nothing done, if they are less.
fn take(left: &mut [(usize, u64)], asked: &[(usize, u64)]) -> bool {
    let of = |pool: usize| asked.iter().find(|(other, _)| *other == pool).map_or(0, |(_, amount)| *amount);
    let enough = left.iter().all(|&(pool, left)| left >= of(pool));
    if enough {
        left.iter_mut().for_each(|(pool, left)| *left -= of(*pool));
    }
    enough
}

impl Replay<'_> {
    /// The place of a job in the queue.
    pub(super) fn stand(&self, job: usize) -> (u64, usize) {
        let of = &self.run.jobs[job];
        let key = match (self.rules.queue, Order::of(self.rules.queue)) {
            (_, Some(Order::Estimate)) => self.estimate(job).as_nanos(),
            ("worst-fit", _) | (_, Some(Order::Fewest)) => u64::from(of.procs),
            ("best-fit", _) | (_, Some(Order::Most)) => u64::MAX - u64::from(of.procs),
            _ => self.lives.life(job).since.unwrap_or(of.submit_time.as_nanos()),
        };
        (key, job)
    }

    /// Time for which the next run of a job is taken to last.
    pub(super) fn estimate(&self, job: usize) -> SimDuration {
        let (of, life) = (&self.run.jobs[job], self.lives.life(job));
        if !self.run.facts.interrupts() {
            return of.estimate;
        }
        self.lives.rules.plans(of.estimate, life.kept, self.run.facts.limit(of, life.ran))
    }

    /// A job arrives, or waits again; not one that was cancelled before.
    pub(super) fn arrive(&mut self, job: usize) {
        let outcome = self.run.outcomes[job].as_ref();
        let gone = outcome.is_some_and(|one| one.fate == Fate::Cancelled && one.end.as_nanos() <= self.now);
        if gone {
            return;
        }
        let mut life = self.lives.life(job);
        if life.runs > 0 && self.rules.behind {
            life.since = Some(self.now);
        }
        self.lives.known.insert(job, life);
        let stand = self.stand(job);
        self.queue.insert(stand);
    }

    /// Returns true if a limit does not hold a job back, as far as its row tells.
    pub(super) fn is_let(&self, job: usize) -> bool {
        !self.rules.limited || self.stated_start(job) == Some(SimTime::from_nanos(self.now))
    }

    /// Start of the present or next run of a job, as its row has it.
    fn stated_start(&self, job: usize) -> Option<SimTime> {
        let last = || self.run.outcomes[job].as_ref().and_then(|one| one.start);
        self.lives.attempt(job).map_or_else(last, |attempt| Some(attempt.start))
    }

    /// A job has come into the matrix.
    pub(super) fn start(&mut self, job: usize) {
        let stand = self.stand(job);
        self.queue.remove(&stand);
        self.is_changed = true;
        let (of, life, facts) = (&self.run.jobs[job], self.lives.life(job), self.run.facts);
        let lasts = self.lives.rules.lasts(of.run_time.saturating_sub(life.kept));
        let due = facts.limit(of, life.ran).map_or(lasts, |limit| lasts.min(limit)).as_nanos();
        let level = u64::from(facts.level);
        let end = self.now.saturating_add(self.estimate(job).as_nanos().saturating_mul(level));
        self.lives.due.insert(job, due);
        self.lives.ends.insert(job, end);
        self.left.insert(job, (due, 0));
        for &(pool, amount) in &self.lives.asked[job] {
            self.lives.free[pool] = self.lives.free[pool].saturating_sub(amount);
        }
        let stated = self.stated_start(job);
        if stated != Some(SimTime::from_nanos(self.now)) {
            let stated = stated.map_or("not at all".to_owned(), |at| format!("at {at}"));
            self.broken(job, format!("it finds its columns then, and starts {stated}"));
        }
        if self.rules.migration.is_none() {
            self.is_at(job);
        }
    }

    /// Compares the processors of a job with those of its row.
    fn is_at(&mut self, job: usize) {
        let last = || self.run.outcomes[job].as_ref().map(|one| &one.on[..]);
        let stated = self.lives.attempt(job).map_or_else(last, |attempt| Some(&attempt.on[..]));
        if stated != self.matrix.jobs.get(&job).map(|cells| &cells.on[..]) {
            self.broken(job, "it has other processors than the matrix gives it".to_owned());
        }
    }

    /// Time for which a job has run by now in its present run.
    fn ran(&self, job: usize) -> SimDuration {
        let due = self.lives.due.get(&job).copied().unwrap_or_default();
        let left = self.left.get(&job).map_or(0, |(left, _)| *left);
        SimDuration::from_nanos(due.saturating_sub(left))
    }

    /// Takes out the jobs that have had what they are due; returns true if there are any.
    pub(super) fn end_jobs(&mut self) -> bool {
        let is_over = |(job, (left, _)): &(&usize, &(u64, u64))| *left == 0 && self.serves(**job);
        let over: Vec<usize> = self.left.iter().filter(is_over).map(|(job, _)| *job).collect();
        for &job in &over {
            let outcome = self.run.outcomes[job].as_ref().filter(|_| self.lives.attempt(job).is_none());
            let stated = outcome.filter(|one| one.has_run()).map(|one| one.end);
            if stated != Some(SimTime::from_nanos(self.now)) {
                self.broken(job, "it has had its run time in slices, and does not end".to_owned());
            }
            self.is_at(job);
            self.take_out(job);
        }
        !over.is_empty()
    }

    /// A job leaves its cells and gives back its amounts of pools; nothing if it has none.
    pub(super) fn take_out(&mut self, job: usize) {
        let ran = self.ran(job);
        if self.lives.due.remove(&job).is_some() {
            self.lives.last.insert(job, ran);
            for &(pool, amount) in &self.lives.asked[job] {
                self.lives.free[pool] += amount;
            }
        }
        self.lives.ends.remove(&job);
        self.matrix.remove(job);
        self.left.remove(&job);
    }

    /// Changes of columns at this instant; returns true if there are any.
    pub(super) fn change_columns(&mut self) -> bool {
        let mut any = false;
        while let Some(&(at, change, part)) = self.lives.outages.first()
            && at == self.now
        {
            self.lives.outages.pop_first();
            any = true;
            if change == ColumnChange::Back {
                self.matrix.repair(part);
                continue;
            }
            let is_hit = |job: &usize| {
                self.matrix.is_on(*job, part) && self.left.get(job).is_some_and(|(left, _)| *left > 0)
            };
            let hit: Vec<usize> = self.matrix.jobs.keys().copied().filter(is_hit).collect();
            hit.into_iter().for_each(|job| self.interrupt(job, change));
            self.matrix.fail(part);
        }
        any
    }

    /// Columns of a job are taken from it.
    fn interrupt(&mut self, job: usize, change: ColumnChange) {
        let (now, ran) = (SimTime::from_nanos(self.now), self.ran(job));
        let mut life = self.lives.life(job);
        let outcome = self.run.outcomes[job].as_ref();
        let leaves = |fate| outcome.is_some_and(|one| one.fate == fate && one.end == now);
        let is_lost = leaves(Fate::Lost);
        let attempt = self.lives.attempt(job).filter(|attempt| attempt.end == now);
        if attempt.is_none() && leaves(Fate::Cancelled) {
            // before that it was cancelled
            return self.take_out(job);
        }
        if attempt.is_none() && !is_lost {
            let why = if change == ColumnChange::Fail { "a node of it fails" } else { TAKEN };
            return self.broken(job, format!("{why}, and it continues"));
        }
        self.is_at(job);
        self.take_out(job);
        let Some(attempt) = attempt else { return };
        let rest = self.run.jobs[job].run_time.saturating_sub(life.kept);
        let keeps = self.lives.rules.keeps(rest, ran);
        if keeps != attempt.kept {
            let what =
                format!("it keeps {} of its work, and not {keeps}, having run for {ran}", attempt.kept);
            self.broken(job, what);
        }
        self.lives.ran.insert((job, life.runs), ran);
        life.runs += 1;
        life.kept = life.kept.saturating_add(keeps);
        life.ran = life.ran.saturating_add(ran);
        self.lives.known.insert(job, life);
        let from = now.saturating_add(self.run.facts.delay);
        let until = self.stated_start(job).or(outcome.map(|one| one.end)).unwrap_or(from);
        self.arrivals.insert((self.run.waits_from(job, from, until).as_nanos(), job));
    }

    /// The job that comes in next, if one fits that may.
    pub(super) fn next_job(&self) -> Option<usize> {
        let jobs = || self.queue.iter().map(|(_, job)| *job).filter(|job| self.is_let(*job));
        let size = |job: &usize| self.run.jobs[*job].procs;
        let fits = |job: &usize| self.lives.finds_pools(*job) && self.matrix.fits(size(job));
        match self.rules.queue {
            // the queue has them in order of submission, or the smallest or the largest first
            "first-fit" | "worst-fit" | "best-fit" => jobs().find(fits),
            _ => jobs().next().filter(fits),
        }
    }

    /// Jobs in the order of the queue from the first on that could have cells on the columns in
    /// service, which is started if it fits.
    fn able_first(&mut self) -> Vec<usize> {
        loop {
            let waiting: Vec<usize> = self.queue.iter().map(|(_, job)| *job).collect();
            let size = |job: usize| self.run.jobs[job].procs;
            let able = waiting.iter().position(|job| self.matrix.could_hold(size(*job)));
            let Some(able) = able else { return Vec::new() };
            let head = waiting[able];
            if able == 0 || !self.lives.finds_pools(head) || !self.matrix.insert(head, size(head), None) {
                return waiting[able..].to_vec();
            }
            self.start(head);
        }
    }

    pub(super) fn backfill(&mut self) {
        let mut waiting = self.able_first().into_iter();
        let Some(head) = waiting.next() else { return };
        let (soonest, level) = (self.now + 1, u64::from(self.run.facts.level));
        let after = self.lives.pools_from(head, soonest);
        let ends = |job: usize| self.lives.ends[&job].max(soonest);
        let promise = self.matrix.promise(self.run.jobs[head].procs, after, ends);
        let Some((mut row, shadow, mut extra)) = promise else { return };
        let mut left = self.lives.left_of_pools(head, shadow);
        let short = (shadow - self.now) / level;
        for job in waiting {
            let (procs, estimate) = (self.run.jobs[job].procs, self.estimate(job));
            let (inside, alongside) = self.matrix.fits_in(procs, row);
            let is_short = estimate.as_nanos() <= short;
            let may_enter = inside && (is_short || u64::from(procs) <= extra);
            let finds = self.lives.finds_pools(job) && (may_enter || alongside);
            if !finds || !is_short && !take(&mut left, &self.lives.asked[job]) {
                continue;
            }
            self.matrix.insert(job, procs, (!may_enter).then_some(row));
            if self.matrix.jobs.get(&job).is_some_and(|cells| cells.row == row) {
                match may_enter {
                    true if is_short => {}
                    true => extra = extra.saturating_sub(self.matrix.booked(job)),
                    // the row that was to be opened is another's
                    false => row = self.matrix.opened,
                }
            }
            self.start(job);
        }
    }
}

/// Reason that starts cannot be gone through, if they cannot.
pub(super) fn unknown_by_limits(rules: &GangRules<'_>) -> Option<&'static str> {
    match () {
        () if rules.in_turns => {
            Some("limits of queues let jobs in one after another, in an order of their own")
        }
        () if rules.limited && rules.backfills => {
            Some("limits of queues hold jobs back, and which jobs overtake others is not known then")
        }
        () => None,
    }
}
