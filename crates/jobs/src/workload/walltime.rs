//! Limits on run times: a job that is still running when the time it requested is over is killed.
//!
//! The limit of a job is its own [`Job::estimate`], what its user requested, and a grace that is
//! the same for all. It is never what a scheduler predicts. How long a job runs is known to the
//! simulator, so the end of a run is known when it begins. No event is added, and a job that is
//! over exactly at its limit has ended by itself. A limit is on the time for which a job has its
//! processors, checkpoints included, and counts anew in each run of a job that was interrupted, or
//! goes on ([`LimitOf`]). Where a job has its processors in slices, its run time is the service
//! that it gets, and so is its limit: gang schedulers charge a job for the time in which it runs,
//! and not for that of the others.

use crate::kernel::SimDuration;

use super::Job;

/// The runs of a job that a limit is of. It matters for jobs that are interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LimitOf {
    /// Each run by itself.
    #[default]
    Run,
    /// All runs of the job together.
    Job,
}

/// The rule by which jobs are killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Walltime {
    /// Time for which a job may go on after the time it requested.
    pub grace: SimDuration,
    /// The runs that the limit of a job is of.
    pub of: LimitOf,
}

impl Walltime {
    /// Time for which a job may run: its request and the grace.
    pub fn limit(self, job: &Job) -> SimDuration {
        job.estimate.saturating_add(self.grace)
    }

    /// Cuts the run times of jobs that would run longer than they may in one run without
    /// checkpoints, and marks those jobs.
    pub fn cut(self, jobs: &mut [Job]) {
        for job in jobs {
            let limit = self.limit(job);
            if job.run_time > limit {
                job.run_time = limit;
                job.killed = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimTime;

    use super::*;

    #[test]
    fn only_a_job_that_would_run_longer_than_it_may_is_cut() {
        let job = |run, estimate| {
            let mut job = Job::new(1, SimTime::ZERO, 1, SimDuration::from_nanos(run));
            job.estimate = SimDuration::from_nanos(estimate);
            job
        };
        let mut jobs = [job(9, 10), job(10, 10), job(12, 10), job(13, 10), job(99, 10)];
        Walltime { grace: SimDuration::from_nanos(2), ..Walltime::default() }.cut(&mut jobs);
        let runs = jobs.map(|job| (job.run_time.as_nanos(), job.killed));
        assert_eq!(runs, [(9, false), (10, false), (12, false), (12, true), (12, true)]);
        assert!(jobs.iter().all(|job| job.estimate.as_nanos() == 10));
    }
}
