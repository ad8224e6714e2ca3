//! Rigid jobs whose features are independent: the plain queueing-theory workload.
//!
//! Inter-arrival times, sizes, run times and overestimation are each drawn from a distribution of
//! their own and independent of each other. Real workloads have correlations (wide jobs run longer,
//! users repeat themselves) that are left out here. The first job is submitted one inter-arrival
//! time after the start. Draws become whole: a size is rounded to the nearest number from 1 on,
//! times up to the next nanosecond, a run time is at least one.

use crate::kernel::rng::{Sampler, Stream, Streams};
use crate::kernel::{PAST_THE_END, SimDuration, SimTime};
use crate::workload::Job;

/// Jobs with independent features.
#[derive(Clone, Debug)]
pub struct Rigid {
    /// Number of jobs.
    pub jobs: u32,
    /// Time from one submission to the next, in seconds.
    pub arrivals: Sampler,
    /// Processors a job needs.
    pub sizes: Sampler,
    /// Run time of a job, in seconds.
    pub run_times: Sampler,
    /// Estimate over run time [no unit]; draws below 1 count as 1. `None`: estimates are exact.
    pub estimates: Option<Sampler>,
}

/// Reason that a workload cannot be drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DrawError {
    /// A job needs more processors than there are: in a workload that was made up, this is a
    /// mistake.
    #[error("job {number} needs {needed} processors, but the machine has {procs}")]
    TooLarge {
        /// The job, counted from 1.
        number: u64,
        /// Processors drawn.
        needed: u32,
        /// Processors of the machine.
        procs: u32,
    },
    /// A job is submitted, or runs, past the end of virtual time.
    #[error("job {number} would be submitted or end {PAST_THE_END}")]
    TooLate {
        /// The job, counted from 1.
        number: u64,
    },
}

impl Rigid {
    /// Draws the jobs for a machine of `procs` processors.
    ///
    /// # Errors
    /// A draw that such a run cannot have.
    pub fn draw(&self, streams: &Streams, procs: u32) -> Result<Vec<Job>, DrawError> {
        self.draw_counted(streams, procs).map(|(jobs, _)| jobs)
    }

    /// Draws the jobs as [`Rigid::draw`] does, and counts how many random numbers that took: none
    /// if every feature is a constant.
    ///
    /// # Errors
    /// As [`Rigid::draw`].
    pub fn draw_counted(&self, streams: &Streams, procs: u32) -> Result<(Vec<Job>, u64), DrawError> {
        let mut arrivals = streams.stream("workload/arrivals");
        let mut sizes = streams.stream("workload/sizes");
        let mut run_times = streams.stream("workload/run-times");
        let mut estimates = streams.stream("workload/estimates");
        let mut submit = SimTime::ZERO;
        let mut jobs = Vec::with_capacity(self.jobs as usize);
        for number in 1..=u64::from(self.jobs) {
            let gap = SimDuration::ceil_secs(self.arrivals.draw(&mut arrivals));
            let run_time = SimDuration::ceil_secs(self.run_times.draw(&mut run_times));
            let run_time = run_time.max(SimDuration::from_nanos(1));
            // `as` saturates, and not-a-number is 0
            let needed = (self.sizes.draw(&mut sizes).round() as u32).max(1);
            if needed > procs {
                return Err(DrawError::TooLarge { number, needed, procs });
            }
            submit = submit.checked_add(gap).ok_or(DrawError::TooLate { number })?;
            submit.checked_add(run_time).ok_or(DrawError::TooLate { number })?;
            let mut job = Job::new(number, submit, needed, run_time);
            if let Some(factors) = &self.estimates {
                let factor = factors.draw(&mut estimates);
                job.estimate = SimDuration::ceil_secs(run_time.as_secs_f64() * factor).max(run_time);
            }
            jobs.push(job);
        }
        let taken = [&arrivals, &sizes, &run_times, &estimates].map(Stream::draws).iter().sum();
        Ok((jobs, taken))
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::rng::distribution::{Constant, Exponential, Uniform};
    use crate::workload::load;

    use super::*;

    fn constant(value: f64) -> Sampler {
        Sampler::new(Constant::new(value).expect("finite"))
    }

    fn model() -> Rigid {
        Rigid {
            jobs: 1000,
            arrivals: Sampler::new(Exponential::new(60.0).expect("positive")),
            sizes: Sampler::new(Uniform::new(0.0, 8.4).expect("in order")),
            run_times: Sampler::new(Exponential::new(300.0).expect("positive")),
            estimates: Some(Sampler::new(Uniform::new(0.0, 3.0).expect("in order"))),
        }
    }

    #[test]
    fn jobs_are_in_order_and_within_their_bounds() {
        let jobs = model().draw(&Streams::new(7, 0), 8).expect("they fit");
        assert_eq!(jobs.len(), 1000);
        assert!(jobs.is_sorted_by_key(|job| job.submit_time));
        assert!(jobs.iter().all(|job| (1..=8).contains(&job.procs) && job.estimate >= job.run_time));
        assert!(jobs.iter().any(|job| job.estimate > job.run_time));
        assert!(load::offered(&jobs, 8).is_some_and(|load| (2.0..3.5).contains(&load)));
    }

    #[test]
    fn another_law_of_one_feature_moves_no_draw_of_the_others() {
        let streams = Streams::new(7, 0);
        let plain = model().draw(&streams, 8).expect("they fit");
        let sequential = Rigid { sizes: constant(1.0), estimates: None, ..model() };
        let other = sequential.draw(&streams, 8).expect("they fit");
        assert!(plain.iter().zip(&other).all(|(one, other)| {
            (one.submit_time, one.run_time) == (other.submit_time, other.run_time)
                && other.estimate == other.run_time
                && other.procs == 1
        }));
    }

    #[test]
    fn constants_take_no_random_number_and_laws_do() {
        let streams = Streams::new(7, 0);
        let fixed = Rigid {
            arrivals: constant(1.0),
            sizes: constant(1.0),
            run_times: constant(1.0),
            estimates: Some(constant(2.0)),
            ..model()
        };
        assert_eq!(fixed.draw_counted(&streams, 8).map(|(_, taken)| taken), Ok(0));
        let random = Rigid { arrivals: model().arrivals, ..fixed };
        assert!(random.draw_counted(&streams, 8).expect("they fit").1 >= 1000);
    }

    #[test]
    fn a_job_that_cannot_fit_or_end_is_an_error() {
        let wide = Rigid { sizes: constant(9.0), ..model() };
        assert_eq!(
            wide.draw(&Streams::new(7, 0), 8),
            Err(DrawError::TooLarge { number: 1, needed: 9, procs: 8 })
        );
        let endless = Rigid { run_times: constant(1e12), ..model() };
        assert_eq!(endless.draw(&Streams::new(7, 0), 8), Err(DrawError::TooLate { number: 1 }));
    }
}
