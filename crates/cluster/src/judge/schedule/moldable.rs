//! Moldable jobs: the sizes that they were given, and how long they run on them.
//!
//! The laws are written here once more, as times over that on one processor, and the bounds of
//! sizes, too. Computed by another method, a time may differ by a nanosecond, or by the last digits
//! of a floating-point number; that is let pass ([`near`]). Which jobs are moldable is asked of
//! the workload.

use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::SimDuration;
use crate::kernel::rng::math;
use crate::workload::{Job, Workload};

use super::{Facts, Requested, Row, ScheduledJobs, Violation, violation_of};

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
        span.as_nanos() as f64 * (self.share(procs, asked) / self.share(asked, asked))
    }
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
/// with the jobs as they were given, which the other judges ask for.
///
/// # Complexity
/// n log n in the jobs.
pub fn moldable(
    schedule: &ScheduledJobs,
    work: &Workload,
    rules: &Moldable,
    facts: &Facts<'_>,
) -> (Workload, Vec<Violation>) {
    let mut jobs = (*work.jobs).clone();
    let mut open: OrderedMap<(u64, u32), Vec<usize>> = OrderedMap::new();
    for (place, job) in jobs.iter().enumerate() {
        open.entry((job.number, job.procs)).or_default().push(place);
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
        let given = Given { row, asked, job: jobs[place], ran, moldable };
        let what = given.wrong(rules, facts);
        violations.extend(what.map(|what| violation_of(row, row.start, what)));
        given.take_over(&mut jobs[place], rules, facts);
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

    /// Mistakes of its size or its times.
    fn wrong(&self, rules: &Moldable, facts: &Facts<'_>) -> Option<String> {
        let (row, asked, job) = (self.row, self.asked, self.job);
        if asked.estimate != job.estimate {
            return Some(format!("it asked for {} and not for {}", job.estimate, asked.estimate));
        }
        let limit = facts.grace.map(|grace| job.estimate.saturating_add(grace));
        let alone = limit.map_or(job.run_time, |limit| job.run_time.min(limit));
        if asked.dedicated.is_some_and(|time| time != alone) && !row.cancelled {
            return Some(format!("it runs for {alone} alone on what it asked for"));
        }
        if !self.molded() {
            return (row.estimate != asked.estimate)
                .then(|| "it has another request for the same size".to_owned());
        }
        let (procs, law) = (row.procs, rules.law?);
        if !self.moldable {
            return Some(format!("it has {procs} processors, asked for {}, and is rigid", asked.procs));
        }
        if !rules.allows(procs, asked.procs) || procs > facts.procs {
            return Some(format!(
                "it has {procs} processors, asked for {}, and cannot run on so many",
                asked.procs
            ));
        }
        let (run_time, estimate) =
            (law.time(job.run_time, asked.procs, procs), law.time(job.estimate, asked.procs, procs));
        if !near(row.estimate, estimate) {
            return Some(format!(
                "its request of {} is {} on {procs} processors",
                job.estimate, row.estimate
            ));
        }
        let held = row.end.since(row.start);
        if self.has_run_time(facts) && !near(held, run_time) {
            return Some(format!(
                "it runs for {held} on {procs} processors, and for {} on {}",
                job.run_time, asked.procs
            ));
        }
        (row.killed && facts.rigid && (held.as_nanos() as f64) > run_time + 1.0)
            .then(|| format!("it is killed after {held}, when it would have been over"))
    }

    /// Puts the job as it was given in the place of that of the workload, with times to the
    /// nanosecond as the row has them where they are near enough.
    fn take_over(&self, job: &mut Job, rules: &Moldable, facts: &Facts<'_>) {
        if !self.molded() {
            return;
        }
        let (row, held) = (self.row, self.row.end.since(self.row.start));
        let run_time = rules.law.map(|law| law.time(job.run_time, job.procs, row.procs));
        // `as` saturates
        let computed = run_time.map_or(held, |nanos| SimDuration::from_nanos(nanos.ceil() as u64));
        (job.procs, job.estimate, job.run_time) = (row.procs, row.estimate, computed);
        if self.has_run_time(facts) && run_time.is_none_or(|nanos| near(held, nanos)) {
            job.run_time = held;
        } else if let Some(grace) = facts.grace {
            let limit = row.estimate.saturating_add(grace);
            if near(limit, computed.as_nanos() as f64) || rules.law.is_none() {
                let beyond = SimDuration::from_nanos(limit.as_nanos().saturating_add(1));
                job.run_time = if row.killed { beyond } else { computed.min(limit) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimTime;
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
            let (given, violations) = super::moldable(&schedule, &work, &rules, &facts);
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
}
