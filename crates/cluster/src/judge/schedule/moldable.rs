//! Moldable jobs: the sizes that they were given, and how long they run on them.
//!
//! The laws are written here once more, as times over that on one processor, and the bounds of
//! sizes, too. Computed by another method, a time may differ by a nanosecond, or by the last digits
//! of a floating-point number; that is let pass ([`near`]). Which jobs are moldable is asked of
//! the workload.

use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::rng::math;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::{Job, Workload};

use super::{
    Attempt, Facts, Interruptions, Requested, Row, ScheduledJobs, SizedRun, Violation, violation_of,
};

/// Sizes that jobs may be given, and their run times.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Moldable {
    /// The dependence of times on sizes, if that is known.
    pub law: Option<Law>,
    /// The fewest processors.
    pub least: u32,
    /// The most processors.
    pub most: Option<u32>,
    /// The fewest over those asked for.
    pub least_factor: Option<f64>,
    /// The most over those asked for.
    pub most_factor: Option<f64>,
    /// True if sizes are powers of two.
    pub powers_of_two: bool,
    /// True if jobs that were interrupted keep their sizes.
    pub keeps_sizes: bool,
}

/// The dependence of times on sizes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Law {
    /// A part is serial.
    Amdahl {
        /// Serial part, from 0 to 1.
        serial: f64,
    },
    /// An average and a variance of parallelism.
    Downey {
        /// The average.
        parallelism: Parallelism,
        /// The variance over the square of the average.
        variance: f64,
    },
    /// Twice the processors, half the time.
    Linear,
    /// A power of the processors.
    Power {
        /// Exponent.
        exponent: f64,
    },
}

/// The average parallelism of a job.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Parallelism {
    /// So many times what it asks for.
    Factor(f64),
    /// This.
    Fixed(f64),
}

impl Law {
    /// The time of a job on `procs` processors over that on one.
    fn share(self, procs: u32, asked: u32) -> f64 {
        let n = f64::from(procs);
        match self {
            Law::Amdahl { serial } => serial + (1.0 - serial) / n,
            Law::Linear => 1.0 / n,
            Law::Power { exponent } => math::pow(n, -exponent),
            Law::Downey { parallelism, variance } => {
                let average = match parallelism {
                    Parallelism::Factor(factor) => (factor * f64::from(asked)).max(1.0),
                    Parallelism::Fixed(average) => average,
                };
                // beyond its highest parallelism a program is as fast as it gets
                let highest =
                    if variance <= 1.0 { 2.0 * average - 1.0 } else { average + variance * (average - 1.0) };
                if n >= highest {
                    1.0 / average
                } else if variance > 1.0 {
                    let rest = variance * (n - 1.0) / (average * (variance + 1.0) * n);
                    rest + 1.0 / n
                } else if n <= average {
                    1.0 / n + variance * (1.0 - 1.0 / n) / (2.0 * average)
                } else {
                    variance * (average - 0.5) / (average * n) + (1.0 - variance / 2.0) / average
                }
            }
        }
    }

    fn time(self, span: SimDuration, asked: u32, procs: u32) -> f64 {
        self.moved(span, asked, (asked, procs))
    }

    /// A time of a job that asks for `asked` on so many processors as it is on others.
    fn moved(self, span: SimDuration, asked: u32, (from, to): (u32, u32)) -> f64 {
        if from == to {
            return span.as_nanos() as f64;
        }
        span.as_nanos() as f64 * (self.share(to, asked) / self.share(from, asked))
    }
}

/// Part of a computed time that makes no difference to its rounding.
const SLACK: f64 = 2e-15;

/// A computed time, rounded up to a nanosecond.
fn rounded_up(nanos: f64) -> SimDuration {
    // `as` saturates
    SimDuration::from_nanos((nanos - nanos * SLACK).ceil() as u64)
}

/// The same, rounded down.
fn rounded_down(nanos: f64) -> SimDuration {
    SimDuration::from_nanos((nanos + nanos * SLACK).floor() as u64)
}

/// Returns true if a time is the one that was computed, rounded up.
fn near(span: SimDuration, computed: f64) -> bool {
    (span.as_nanos() as f64 - computed).abs() <= 1.0 + computed * 1e-12
}

impl Moldable {
    /// Returns true if a job that asks for `asked` may be given `procs`.
    fn allows(&self, procs: u32, asked: u32) -> bool {
        let over = f64::from(procs) / f64::from(asked);
        let enough = procs >= self.least && self.least_factor.is_none_or(|least| over >= least - 1e-12);
        let few = self.most.is_none_or(|most| procs <= most);
        let few = few && self.most_factor.is_none_or(|most| over <= most + 1e-12);
        enough && few && (!self.powers_of_two || procs.is_power_of_two())
    }
}

/// Judges every job that may have been given another size than it asked for, and gives the workload
/// with the jobs as they were given, which the other judges ask for; interrupted runs take over
/// their jobs as they were in them.
///
/// # Complexity
/// n log n in the jobs.
pub fn moldable(
    schedule: &ScheduledJobs,
    work: &Workload,
    (rules, known): (&Moldable, &mut Interruptions),
    facts: &Facts<'_>,
) -> (Workload, Vec<Violation>) {
    let mut jobs = (*work.jobs).clone();
    let mut open: OrderedMap<(u64, u32), Vec<usize>> = OrderedMap::new();
    for (place, job) in jobs.iter().enumerate() {
        open.entry((job.number, job.procs)).or_default().push(place);
    }
    let mut attempts: OrderedMap<(u64, SimTime), Vec<usize>> = OrderedMap::new();
    for (place, one) in known.attempts.iter().enumerate() {
        attempts.entry((one.number, one.submit_time)).or_default().push(place);
    }
    let mut violations = Vec::new();
    let cancelled = schedule.cancelled.iter().chain(&schedule.refused);
    for (row, ran) in schedule.ran.iter().map(|row| (row, true)).chain(cancelled.map(|row| (row, false))) {
        let Some(asked) = row.requested else { continue };
        let of_key = open.entry((row.number, asked.procs)).or_default();
        // one that follows another is submitted when that has left, and not as the workload has it
        let place = of_key.iter().position(|&place| jobs[place].submit_time == row.submit_time);
        // one without a job is reported by `complete`
        let Some(place) = place.or((!of_key.is_empty()).then_some(0)) else { continue };
        let place = of_key.remove(place);
        let moldable = work.moldable.as_ref().is_some_and(|all| all.concerns(JobId(place as u32)));
        let mut given = Given { row, asked, job: jobs[place], ran, moldable, before: Before::default() };
        if let Some(law) = rules.law {
            let key = (row.number, row.submit_time);
            let own = attempts.remove(&key).unwrap_or_default();
            for &one in &own {
                let run = &mut known.attempts[one];
                let what = given.wrong_size(run.held() as u32, rules, facts);
                violations.extend(what.map(|what| violation_of(row, run.start, what)));
                given.interrupted(run, law);
            }
            if !own.is_empty() {
                known.kept_to_the_last.insert(key, given.kept_on(row.procs, law));
            }
        }
        let what = given.wrong(rules, facts, known);
        violations.extend(what.map(|what| violation_of(row, row.start, what)));
        given.take_over(&mut jobs[place], rules, facts, known);
    }
    (Workload { jobs: Arc::new(jobs), ..work.clone() }, violations)
}

/// A job of the workload and its row.
struct Given<'a> {
    row: &'a Row,
    asked: Requested,
    job: Job,
    ran: bool,
    moldable: bool,
    before: Before,
}

/// Runs of a job so far.
#[derive(Clone, Copy, Default)]
struct Before {
    /// Number of them.
    runs: u32,
    /// Time for which it had processors.
    held: SimDuration,
    /// Processors of the last of them, and the work of all that it need not do again on these.
    last: Option<(u32, SimDuration)>,
}

impl Given<'_> {
    fn molded(&self) -> bool {
        self.row.procs != self.asked.procs
    }

    /// Returns true if the row has how long the job ran, and that is its run time.
    fn has_run_time(&self, facts: &Facts<'_>) -> bool {
        let row = self.row;
        self.ran && facts.rigid && !(row.killed || row.cancelled || row.lost)
    }

    /// Work of earlier runs that it need not do again on so many processors.
    fn kept_on(&self, procs: u32, law: Law) -> SimDuration {
        let moved = |(size, kept)| rounded_down(law.moved(kept, self.asked.procs, (size, procs)));
        self.before.last.map_or(SimDuration::ZERO, moved)
    }

    /// Takes in a run that was interrupted, which takes over the job as it was in it.
    fn interrupted(&mut self, run: &mut Attempt, law: Law) {
        let (procs, asked) = (run.held() as u32, self.asked.procs);
        let on = |span| rounded_up(law.time(span, asked, procs));
        let kept = self.kept_on(procs, law);
        let (work, estimate) = (on(self.job.run_time), on(self.job.estimate));
        run.sized = Some(SizedRun { work, estimate, kept });
        self.before.runs += 1;
        self.before.held = self.before.held.saturating_add(run.end.since(run.start));
        self.before.last = Some((procs, kept.saturating_add(run.kept)));
    }

    /// Time for which its last run lasts, where it runs for so long on its processors.
    fn lasts(&self, run_time: SimDuration, rules: &Moldable, known: &Interruptions) -> SimDuration {
        let kept = rules.law.map_or(SimDuration::ZERO, |law| self.kept_on(self.row.procs, law));
        known.lasts(run_time.saturating_sub(kept))
    }

    /// Returns true if a time of its last run is the one that was computed: each run rounds.
    fn near(&self, span: SimDuration, computed: SimDuration) -> bool {
        let slack = 2.0 * f64::from(self.before.runs);
        (span.as_nanos() as f64 - computed.as_nanos() as f64).abs()
            <= 1.0 + slack + computed.as_nanos() as f64 * 1e-12
    }

    /// Mistake of the size of a run.
    fn wrong_size(&self, procs: u32, rules: &Moldable, facts: &Facts<'_>) -> Option<String> {
        let asked = self.asked.procs;
        if procs != asked && !self.moldable {
            return Some(format!("it has {procs} processors, asked for {asked}, and is rigid"));
        }
        if procs != asked && (!rules.allows(procs, asked) || procs > facts.procs) {
            return Some(format!("it has {procs} processors, asked for {asked}, and cannot run on so many"));
        }
        let (had, _) = self.before.last.filter(|&(had, _)| rules.keeps_sizes && had != procs)?;
        Some(format!("it has {procs} processors where it waited again, and keeps its {had}"))
    }

    /// Mistakes of its size or its times.
    fn wrong(&self, rules: &Moldable, facts: &Facts<'_>, known: &Interruptions) -> Option<String> {
        let (row, asked, job) = (self.row, self.asked, self.job);
        if asked.estimate != job.estimate {
            return Some(format!("it asked for {} and not for {}", job.estimate, asked.estimate));
        }
        let limit = facts.grace.map(|grace| job.estimate.saturating_add(grace));
        let alone = limit.map_or(job.run_time, |limit| job.run_time.min(limit));
        let is_again = self.before.runs > 0;
        // all runs together may do more than the limit of each
        let whole = is_again && self.ran && !(row.killed || row.lost);
        let alone = if whole { job.run_time } else { alone };
        // what a job has done that is killed may be less than its limit, or more
        let is_cut = row.cancelled || known.acts.ended(row);
        let is_known = !(is_cut || row.killed && (is_again || known.checkpoint.is_some()));
        if asked.dedicated.is_some_and(|time| time != alone) && is_known {
            return Some(format!("it runs for {alone} alone on what it asked for"));
        }
        if let Some(what) = self.wrong_size(row.procs, rules, facts).filter(|_| rules.law.is_some()) {
            return Some(what);
        }
        if !self.molded() {
            return (row.estimate != asked.estimate)
                .then(|| "it has another request for the same size".to_owned());
        }
        let (procs, law) = (row.procs, rules.law?);
        let estimate = law.time(job.estimate, asked.procs, procs);
        if !near(row.estimate, estimate) {
            return Some(format!(
                "its request of {} is {} on {procs} processors",
                job.estimate, row.estimate
            ));
        }
        let run_time = rounded_up(law.time(job.run_time, asked.procs, procs));
        let (held, lasts) = (row.end.since(row.start), self.lasts(run_time, rules, known));
        if self.has_run_time(facts) && !self.near(held, lasts) {
            return Some(format!(
                "it runs for {held} on {procs} processors, and for {} on {}",
                job.run_time, asked.procs
            ));
        }
        (row.killed && facts.rigid && held > lasts && !self.near(held, lasts))
            .then(|| format!("it is killed after {held}, when it would have been over"))
    }

    /// Puts the job as it was given in the place of that of the workload, with times to the
    /// nanosecond as the row has them where they are near enough.
    fn take_over(&self, job: &mut Job, rules: &Moldable, facts: &Facts<'_>, known: &Interruptions) {
        if !self.molded() && self.before.runs == 0 {
            return;
        }
        let (row, held) = (self.row, self.row.end.since(self.row.start));
        let computed = rules.law.map(|law| rounded_up(law.time(job.run_time, job.procs, row.procs)));
        (job.procs, job.estimate, job.run_time) = (row.procs, row.estimate, computed.unwrap_or(held));
        let kept = rules.law.map_or(SimDuration::ZERO, |law| self.kept_on(row.procs, law));
        let (rest, lasts) = (job.run_time.saturating_sub(kept), self.lasts(job.run_time, rules, known));
        let rest = if self.has_run_time(facts) && self.near(held, lasts) {
            known.work(held)
        } else if let Some(may) = facts.limit(row.estimate, self.before.held)
            && (rules.law.is_none() || self.near(may, lasts))
        {
            let within = known.work(may);
            if row.killed { within.saturating_add(SimDuration::from_nanos(1)) } else { rest.min(within) }
        } else {
            return;
        };
        job.run_time = kept.saturating_add(rest);
    }
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;
    use crate::workload::moldable::{Moldable as Rules, Sizes};
    use crate::workload::speedup;

    use super::super::row;
    use super::*;

    #[test]
    fn times_over_that_on_one_processor_are_those_of_the_papers() {
        let near = |law: Law, procs, expected: f64| {
            let found = law.share(procs, 8);
            assert!((found - expected).abs() < 1e-15, "{law:?} on {procs}: {found} and not {expected}");
        };
        near(Law::Linear, 5, 0.2);
        near(Law::Amdahl { serial: 0.25 }, 5, 0.4);
        near(Law::Power { exponent: 0.5 }, 16, 0.25);
        let downey = |factor, variance| Law::Downey { parallelism: Parallelism::Factor(factor), variance };
        // A = 8, sigma = 1/2: A n / (A + sigma (n - 1) / 2) up to 8, then A n / (sigma (A - 1/2) +
        // n (1 - sigma / 2)) up to 15
        near(downey(1.0, 0.5), 4, 8.75 / 32.0);
        near(downey(1.0, 0.5), 8, 9.75 / 64.0);
        near(downey(1.0, 0.5), 12, 12.75 / 96.0);
        near(downey(1.0, 0.5), 15, 1.0 / 8.0);
        // A = 16, sigma = 2: n A (sigma + 1) / (sigma (n + A - 1) + A) up to 46
        near(downey(2.0, 2.0), 4, 54.0 / 192.0);
        near(downey(2.0, 2.0), 46, 1.0 / 16.0);
        near(downey(2.0, 2.0), 99, 1.0 / 16.0);
        near(Law::Downey { parallelism: Parallelism::Fixed(1.0), variance: 0.3 }, 7, 1.0);
    }

    /// The law of the workload, which is not asked.
    #[derive(Debug)]
    struct Unasked;

    impl speedup::Law for Unasked {
        fn speedup(&self, _: u32, _: u32) -> f64 {
            1.0
        }
    }

    #[test]
    fn sizes_and_times_that_cannot_be_are_found() {
        let nanos = SimDuration::from_nanos;
        let mut job = Job::new(1, SimTime::ZERO, 4, nanos(100));
        job.estimate = nanos(300);
        let rules = Moldable {
            law: Some(Law::Linear),
            least: 2,
            most: Some(8),
            least_factor: None,
            most_factor: None,
            powers_of_two: true,
            keeps_sizes: false,
        };
        let facts = Facts { moldable: Some(&rules), ..Facts::of_space_sharing(16) };
        let found = |procs: u32, run, estimate, asked: Requested, which: bool| {
            let of = (!which).then(Vec::new);
            let moldable = Some(Arc::new(Rules::new(Arc::new(Unasked), Sizes::ANY, of)));
            let work = Workload { jobs: Arc::new(vec![job]), moldable, ..Workload::default() };
            let row = Row {
                estimate: nanos(estimate),
                requested: Some(asked),
                ..row(1, 0, 5, run, (0, procs - 1))
            };
            let schedule = ScheduledJobs { ran: vec![row], ..ScheduledJobs::default() };
            let (given, violations) = {
                let known = &mut Interruptions::default();
                super::moldable(&schedule, &work, (&rules, known), &facts)
            };
            (given.jobs[0].procs, given.jobs[0].run_time.as_nanos(), violations.len())
        };
        let asked = Requested { procs: 4, estimate: nanos(300), dedicated: Some(nanos(100)) };
        assert_eq!(found(8, 50, 150, asked, true), (8, 50, 0));
        assert_eq!(found(4, 100, 300, asked, true), (4, 100, 0));
        assert_eq!(found(2, 200, 600, asked, true), (2, 200, 0));
        // one nanosecond is let pass, two are not
        assert_eq!(found(8, 51, 150, asked, true), (8, 51, 0));
        assert_eq!(found(8, 52, 150, asked, true), (8, 50, 1));
        assert_eq!(found(8, 50, 153, asked, true).2, 1);
        assert_eq!(found(6, 67, 200, asked, true).2, 1, "no power of two");
        assert_eq!(found(1, 400, 1200, asked, true).2, 1, "too few");
        assert_eq!(found(16, 25, 75, asked, true).2, 1, "too many");
        assert_eq!(found(8, 50, 150, asked, false).2, 1, "rigid");
        assert_eq!(found(4, 100, 301, asked, true).2, 1, "the same size and another request");
        assert_eq!(found(8, 50, 150, Requested { estimate: nanos(301), ..asked }, true).2, 1);
        assert_eq!(found(8, 50, 150, Requested { dedicated: Some(nanos(99)), ..asked }, true).2, 1);
    }

    #[test]
    fn runs_on_other_processors_do_what_earlier_ones_have_left() {
        let nanos = SimDuration::from_nanos;
        let mut job = Job::new(1, SimTime::ZERO, 4, nanos(100));
        job.estimate = nanos(100);
        // of 50 on eight processors 30 are kept, which are 60 of 100 on four, and 120 of 200 on two
        let found = |procs: u32, run: u64, last: u32, keeps_sizes: bool| {
            let rules = Moldable {
                law: Some(Law::Linear),
                least: 2,
                most: Some(8),
                least_factor: None,
                most_factor: None,
                powers_of_two: true,
                keeps_sizes,
            };
            let facts = Facts { moldable: Some(&rules), ..Facts::of_space_sharing(16) };
            let attempt = Attempt {
                number: 1,
                submit_time: SimTime::ZERO,
                start: SimTime::ZERO,
                end: SimTime::from_nanos(40),
                on: vec![Interval::new(0, procs - 1)],
                kept: nanos(30),
                gpus: Vec::new(),
                sized: None,
            };
            let mut known = Interruptions { attempts: vec![attempt], ..Interruptions::default() };
            let moldable = Some(Arc::new(Rules::new(Arc::new(Unasked), Sizes::ANY, None)));
            let work = Workload { jobs: Arc::new(vec![job]), moldable, ..Workload::default() };
            let asked = Requested { procs: 4, estimate: nanos(100), dedicated: Some(nanos(100)) };
            let estimate = nanos(400 / u64::from(last));
            let row = Row { estimate, requested: Some(asked), ..row(1, 0, 50, run, (0, last - 1)) };
            let schedule = ScheduledJobs { ran: vec![row], ..ScheduledJobs::default() };
            let (given, violations) = super::moldable(&schedule, &work, (&rules, &mut known), &facts);
            let what = violations.into_iter().map(|one| one.what).collect::<Vec<_>>();
            (given.jobs[0].run_time.as_nanos(), known.kept_to_the_last[&(1, SimTime::ZERO)].as_nanos(), what)
        };
        assert_eq!(found(8, 80, 2, false), (200, 120, Vec::new()));
        assert_eq!(found(8, 40, 4, false), (100, 60, Vec::new()));
        assert_eq!(found(8, 20, 8, true), (50, 30, Vec::new()));
        assert_eq!(found(8, 100, 2, false).2.len(), 1, "it does again what it has kept");
        assert_eq!(found(8, 80, 2, true).2, ["it has 2 processors where it waited again, and keeps its 8"]);
        assert_eq!(found(1, 80, 2, false).2.len(), 2, "the first run was on too few, and did less");
    }
}
