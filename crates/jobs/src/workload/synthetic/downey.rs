//! The model of Downey: sizes and times whose logarithms are uniform, and how fast a program runs
//! on fewer processors than it could use.
//!
//! Sources: A. B. Downey, "Predicting queue times on space-sharing parallel computers", IPPS 1997,
//! section 3 (run times; the fit to 24,906 jobs of 1995 on the Paragon of SDSC: the distribution
//! function of run times t is -0.18 + 0.10 ln t, from e^1.8 s to e^11.8 s); "A parallel workload
//! model and its implications for processor allocation", HPDC 1997 (sizes, total work); "A model
//! for speedup of parallel programs", UCB/CSD-97-933, 1997.
//!
//! It is offered next to the model of Lublin and Feitelson because it makes the opposite choices,
//! all of them in closed form: no preference for powers of two, no correlation of size and run time
//! but the one that a law of speed-up gives, arrivals without memory, in the first part of each day
//! only.
//!
//! - *Size*: the probability that a job needs less than n processors is proportional to ln n, from
//!   1 to the machine.
//! - *Time*, by `times`: the logarithm of the run time is uniform (`run-time`, the published fit);
//!   or that of the work, the processor time of a run on one processor (`work`). Then the size is
//!   the program's average parallelism A, and the run time is work / S(A) by the law of speed-up
//!   ([`speedup`]) with the variance of parallelism `variance`.
//! - *Arrivals*: without memory during `day`, the first part of every 24 hours; none in the rest.
//!
//! Deviations: the published limits of time are those of run times; where `times = "work"` limits
//! for work should be written. The mean gap is that of 24,906 jobs a year within the first 12 hours
//! of its days.

use crate::kernel::rng::distribution::{Exponential, Law, LogUniform};
use crate::kernel::rng::{Sampler, Streams, math};
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Bounds, Complaint, Entry, Kind, Params, Span, choices, code, keys};
use crate::workload::cancellation::PATIENCE;
use crate::workload::dependency::table::DEPENDENCIES;
use crate::workload::moldable::MOLDABLE;
use crate::workload::resources::DEMAND;
use crate::workload::source::{LOAD, Source};
use crate::workload::{Job, speedup};

use super::model::{Drawn, ESTIMATES, JOBS, Model};

const PREDICTING: &str = "A. B. Downey, IPPS 1997, section 3";
const MODEL: &str = "A. B. Downey, HPDC 1997";
const SPEEDUP: &str = "A. B. Downey, UCB/CSD-97-933, 1997";

choices! {
    /// The times that the limits bound.
    enum Times {
        RunTime = "run-time", "the run time of a job";
        Work = "work", "the run time of its program on one processor; a law of speed-up gives that of the job";
    }
}

pub(in crate::workload) const DOWNEY: Entry<dyn Source> = Entry::published(
    "downey",
    "rigid jobs whose sizes and times have uniform logarithms, arriving without memory by day",
    "A. B. Downey, IPPS 1997 and HPDC 1997",
    &keys! {
        ..JOBS;
        "gap" Kind::Duration(Bounds::Positive), or "633s" =>
            "mean time from one submission to the next, by day",
            source "24,906 jobs in 1995, A. B. Downey, IPPS 1997";
        "day" Kind::Duration(Bounds::Within(1.0, 86_400.0)), or "12h" =>
            "the first part of every 24 hours, in which jobs are submitted; \"24h\" for always", source MODEL;
        "largest" Kind::Count { least: 1, most: u32::MAX as u64 }, absent "the machine" =>
            "the largest size", source MODEL;
        "times" Times::CHOICES, or "run-time" => "what `shortest` and `longest` bound", source MODEL;
        "shortest" Kind::Duration(Bounds::Positive), or "6.049647464s" =>
            "the least time; the default is e^1.8 s", source PREDICTING;
        "longest" Kind::Duration(Bounds::Positive), or "133252.352946s" =>
            "the largest time; the default is e^11.8 s, some 37 hours", source PREDICTING;
        "variance" Kind::Number(Bounds::NotNegative), absent "1 if times are of work" =>
            "the variance of parallelism, for times of work; 0 runs as fast as it has processors",
            source SPEEDUP;
        ..ESTIMATES;
        ..LOAD;
        ..DEMAND;
        ..DEPENDENCIES;
        ..PATIENCE;
        ..MOLDABLE;
    },
    |params| Ok(Box::new(Drawn::read(params, Downey::read(params)?)?)),
);

/// Seconds of a day.
const DAY: f64 = 86_400.0;

#[derive(Debug)]
struct Downey {
    gaps: Exponential,
    /// The part of each day in which jobs arrive [s].
    day: f64,
    largest: Option<u32>,
    times: Sampler,
    /// The variance of parallelism, if times are of work.
    variance: Option<f64>,
    at_largest: Span,
}

impl Downey {
    fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let (shortest, longest) = (params.read("shortest")?, params.read("longest")?);
        let refused = |bad: crate::kernel::rng::InvalidParameter| {
            let message = format!("`longest` {}", bad.rule.replace("`low`", "`shortest`"));
            Complaint::new(code::RANGE, message, params.span("longest")).label("not with this value")
        };
        let times = LogUniform::new(shortest, longest).map_err(refused)?;
        let gap: f64 = params.read("gap")?;
        let gaps = Exponential::new(gap).map_err(|bad| params.complaint("gap", bad.to_string()))?;
        let work = params.read::<Times>("times")? == Times::Work;
        let variance: Option<f64> = params.read("variance")?;
        if !work && variance.is_some() {
            let complaint = params.complaint("variance", "`variance` means nothing to run times");
            return Err(complaint.help("write times = \"work\", or take it out"));
        }
        Ok(Downey {
            gaps,
            day: params.read("day")?,
            largest: params.read("largest")?,
            times: Sampler::new(times),
            variance: work.then_some(variance.unwrap_or(1.0)),
            at_largest: params.span("largest"),
        })
    }

    /// The size that a uniform number gives: less than n with probability ln n / ln (largest + 1).
    fn size(largest: u32, uniform: f64) -> u32 {
        let size = math::exp(uniform * math::ln(f64::from(largest) + 1.0)).floor() as u32;
        size.clamp(1, largest)
    }

    /// The time of day and night [s] at which `by_day` seconds of days have passed.
    fn clock(&self, by_day: f64) -> f64 {
        let days = (by_day / self.day).floor();
        days * DAY + (by_day - days * self.day)
    }
}

impl Model for Downey {
    const NAME: &'static str = "downey";

    fn draw(&self, jobs: u32, streams: &Streams, procs: u32) -> Result<(Vec<Job>, u64), Complaint> {
        let largest = self.largest.unwrap_or(procs);
        if largest > procs {
            let message = format!("jobs of up to {largest} processors, but the machine has {procs}");
            return Err(Complaint::new(code::CONTRADICTION, message, self.at_largest));
        }
        let mut gaps = streams.stream("workload/arrivals");
        let mut sizes = streams.stream("workload/sizes");
        let mut times = streams.stream("workload/run-times");
        let mut by_day = 0.0;
        let mut drawn = Vec::with_capacity(jobs as usize);
        for number in 1..=u64::from(jobs) {
            by_day += self.gaps.draw(&mut gaps);
            let submit = SimDuration::ceil_secs(self.clock(by_day));
            let size = Self::size(largest, sizes.uniform01());
            let time = self.times.draw(&mut times);
            let run_time = match self.variance {
                Some(variance) => time / speedup::downey(f64::from(size), f64::from(size), variance),
                None => time,
            };
            let submit = SimTime::ZERO.checked_add(submit).unwrap_or(SimTime::MAX);
            let run_time = SimDuration::ceil_secs(run_time).max(SimDuration::from_nanos(1));
            drawn.push(Job::new(number, submit, size, run_time));
        }
        Ok((drawn, gaps.draws() + sizes.draws() + times.draws()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_from_one_to_the_largest() {
        assert_eq!([0.0, 0.999_999_999].map(|uniform| Downey::size(100, uniform)), [1, 100]);
        // ln 2 / ln 8: less than two with probability one third
        assert_eq!([0.333, 0.334].map(|uniform| Downey::size(7, uniform)), [1, 2]);
        assert_eq!(Downey::size(1, 0.9), 1);
    }
}
