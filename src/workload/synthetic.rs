//! Synthetic rigid jobs: arrivals, sizes, run times and estimates, each from a distribution.
//!
//! Every quantity has a random stream of its own (`"workload/arrivals"`, …), so that another distribution of sizes
//! moves no run time. Draws become whole: a time is rounded up to the next nanosecond, and is at least one; a size
//! is rounded to the nearest whole number, and is at least 1. An estimate is the run time times a drawn factor, and
//! never below the run time.
//!
//! Left out: correlation between size and run time, and daily cycles; published models that have them stand beside.

use crate::kernel::rng::{Sampler, Streams};
use crate::kernel::{SimDuration, SimTime};
use crate::workload::Job;

/// Jobs drawn from distributions.
#[derive(Clone, Debug)]
pub struct Rigid {
    /// How many jobs.
    pub jobs: u32,
    /// From one submission to the next [s].
    pub arrivals: Sampler,
    /// Processors a job needs.
    pub sizes: Sampler,
    /// Run times [s].
    pub run_times: Sampler,
    /// Estimate over run time [no unit].
    pub estimates: Sampler,
}

/// A draw that cannot be a job's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DrawError {
    /// The submissions pass the end of virtual time.
    #[error("job {0} would be submitted after 584 years")]
    TooLate(u32),
    /// A size that no machine has.
    #[error("job {0} needs more than 4294967295 processors")]
    TooLarge(u32),
}

impl Rigid {
    /// Draws the jobs, in order of submission; the first is submitted at time 0.
    ///
    /// # Errors
    /// Submissions past the end of time, or sizes past the end of counting.
    pub fn draw(&self, streams: &Streams) -> Result<Vec<Job>, DrawError> {
        let mut arrivals = streams.stream("workload/arrivals");
        let mut sizes = streams.stream("workload/sizes");
        let mut run_times = streams.stream("workload/run-times");
        let mut estimates = streams.stream("workload/estimates");
        let mut submit = SimTime::ZERO;
        let mut jobs = Vec::with_capacity(self.jobs as usize);
        for number in 1..=self.jobs {
            if number > 1 {
                let gap = SimDuration::ceil_secs(self.arrivals.draw(&mut arrivals));
                submit = submit.checked_add(gap).ok_or(DrawError::TooLate(number))?;
            }
            let size = self.sizes.draw(&mut sizes).round().max(1.0);
            if size > f64::from(u32::MAX) {
                return Err(DrawError::TooLarge(number));
            }
            let run_time =
                SimDuration::ceil_secs(self.run_times.draw(&mut run_times)).max(SimDuration::from_nanos(1));
            let factor = self.estimates.draw(&mut estimates).max(1.0);
            let estimate = SimDuration::ceil_secs(run_time.as_secs_f64() * factor).max(run_time);
            let mut job = Job::new(u64::from(number), submit, size as u32, run_time);
            job.estimate = estimate;
            jobs.push(job);
        }
        Ok(jobs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::distribution::{Constant, Exponential, Uniform};

    fn constant(value: f64) -> Sampler {
        Sampler::new(Constant::new(value).expect("finite"))
    }

    fn rigid() -> Rigid {
        Rigid {
            jobs: 3,
            arrivals: constant(1.5),
            sizes: constant(3.6),
            run_times: constant(10.0),
            estimates: constant(2.0),
        }
    }

    #[test]
    fn draws_become_whole_jobs() {
        let jobs = rigid().draw(&Streams::new(1, 0)).expect("in range");
        let submits: Vec<u64> = jobs.iter().map(|job| job.submit_time.as_nanos()).collect();
        assert_eq!(submits, [0, 1_500_000_000, 3_000_000_000]);
        assert_eq!((jobs[0].procs, jobs[0].run_time), (4, SimDuration::from_secs(10)));
        assert_eq!(jobs[0].estimate, SimDuration::from_secs(20));
    }

    #[test]
    fn another_distribution_of_sizes_moves_no_run_time() {
        let exponential = Sampler::new(Exponential::new(100.0).expect("positive"));
        let one = Rigid { run_times: exponential, jobs: 50, ..rigid() };
        let two = Rigid { sizes: Sampler::new(Uniform::new(1.0, 9.0).expect("in order")), ..one.clone() };
        let times = |rigid: &Rigid| -> Vec<SimDuration> {
            let jobs = rigid.draw(&Streams::new(7, 0)).expect("in range");
            jobs.iter().map(|job| job.run_time).collect()
        };
        assert_eq!(times(&one), times(&two));
    }

    #[test]
    fn what_cannot_be_held_is_told() {
        let late = Rigid { arrivals: constant(1e18), ..rigid() };
        assert_eq!(late.draw(&Streams::new(1, 0)), Err(DrawError::TooLate(3)));
        let large = Rigid { sizes: constant(1e10), ..rigid() };
        assert_eq!(large.draw(&Streams::new(1, 0)), Err(DrawError::TooLarge(1)));
        let none = Rigid { run_times: constant(0.0), sizes: constant(0.0), ..rigid() };
        let jobs = none.draw(&Streams::new(1, 0)).expect("raised to the least");
        assert_eq!((jobs[0].procs, jobs[0].run_time.as_nanos()), (1, 1));
    }
}
