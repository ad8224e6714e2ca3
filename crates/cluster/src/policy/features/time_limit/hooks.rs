//! The limit of a run, when it begins and for plans before that.

use crate::kernel::SimDuration;
use crate::policy::front_end::{Run, RunEnd, Site, SiteFeature};
use crate::workload::{Job, LimitOf, Walltime};

/// Limits by the rule of the site, if it has one, and by the walltimes of single jobs.
#[derive(Debug)]
pub(super) struct TimeLimit(pub(super) Option<Walltime>);

impl SiteFeature for TimeLimit {
    fn limits(&self) -> bool {
        true
    }

    fn limit(&self, job: &Job, held: SimDuration) -> Option<SimDuration> {
        let own = job.killed.then_some(job.run_time);
        let limit = own.into_iter().chain(self.0.map(|rule| rule.limit(job))).min()?;
        let used = if self.0.is_some_and(|rule| rule.of == LimitOf::Job) { held } else { SimDuration::ZERO };
        Some(limit.saturating_sub(used))
    }

    fn run(&mut self, _: &mut Site<'_>, run: &mut Run) {
        if let Some(limit) = self.limit(&run.job, run.held) {
            run.ends_after(limit, RunEnd::Limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimTime;

    use super::*;

    #[test]
    fn a_limit_is_of_each_run_or_of_all_and_a_walltime_of_the_jobs_own_has_no_grace() {
        let nanos = SimDuration::from_nanos;
        let mut job = Job::new(1, SimTime::ZERO, 1, nanos(100));
        job.estimate = nanos(60);
        let limit = |job: &Job, of, held| {
            let feature = TimeLimit(Some(Walltime { grace: nanos(5), of }));
            feature.limit(job, nanos(held)).map(SimDuration::as_nanos)
        };
        assert_eq!([0, 20].map(|held| limit(&job, LimitOf::Run, held)), [Some(65); 2]);
        assert_eq!([0, 20].map(|held| limit(&job, LimitOf::Job, held)), [Some(65), Some(45)]);
        (job.run_time, job.killed) = (nanos(40), true);
        assert_eq!(limit(&job, LimitOf::Run, 0), Some(40));
        assert_eq!(TimeLimit(None).limit(&job, nanos(10)), Some(nanos(40)));
        job.killed = false;
        assert_eq!(TimeLimit(None).limit(&job, nanos(10)), None);
    }
}
