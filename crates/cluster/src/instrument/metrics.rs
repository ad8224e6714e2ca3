//! The metrics of a run of rigid jobs.
//!
//! Every count is of *observed jobs* (module `counts`). The *observations*, of which all times and
//! ratios are, are the observed jobs that ran and left ([`FinishedRun::observed`]): completed, or
//! killed at their limits, whose run time is what the limit leaves of it. The window runs from the
//! end of the warm-up (without one, from the origin) to the last end of a job, or to the end of the
//! run if it was stopped. Rejected jobs leave no trace in any figure but their count.
//!
//! `FAMILIES` defines them.
//!
//! Source: D. G. Feitelson, L. Rudolph, U. Schwiegelshohn, K. Sevcik, P. Wong, "Theory and practice
//! in parallel job scheduling", JSSPP 1997 (bounded slowdown). Quantiles are nearest-rank and
//! exact. Means of times and utilization are quotients of whole numbers, rounded once; means of
//! slowdowns are compensated sums in order of submission.

use crate::batch::record::State;
use crate::ids::JobId;
use crate::kernel::stats::ratio;
use crate::measure::family::{Family, SPREAD, families};
use crate::measure::metric::Metric;

use super::metric::ratios;
use super::observations::{EVERY_JOB, FEITELSON, OBSERVED, WINDOW};
use super::{
    energy, gpu_metrics, molding, outages, pool_metrics, reservations, resource_metrics, useful, users,
};

pub(super) use super::metric::{NANOS_PER_SEC, counted, real, times};
pub use super::run::{BOUND, FinishedRun, Window};

/// The metrics of every run of jobs, in the order in which they are shown.
pub(super) const FAMILIES: &[Family] = &families! {
    "wait-time" ["s"] Lower, OBSERVED =>
        "start - submission; of a job that was interrupted, last start - submission - the time for which it \
         had processors before",
        parts SPREAD, source FEITELSON;
    "response-time" ["s"] Lower, OBSERVED => "end - submission", parts SPREAD, source FEITELSON;
    "slowdown" [] Lower, OBSERVED =>
        "response time / run time; of a moldable job, the run time on the processors that it asked for",
        parts SPREAD, source FEITELSON;
    "bounded-slowdown" [] Lower, OBSERVED =>
        "max(1, response time / max(run time, 10 s)), with the run time as in `slowdown`",
        parts SPREAD, source FEITELSON;
    "useful-utilization" [share] Higher, WINDOW =>
        "work of completed jobs / (processors x length of the window): of a job its processors x its run time \
         alone, as it asked for them, and at detail `task` the time of computing and message overheads of its \
         tasks; it counts once, by the share of its time that lies in the window, and neither what was lost to \
         interruptions nor checkpoints nor the time for which others shared its processors does. Above 1 only where \
         moldable jobs run on fewer processors than they asked for",
        source FEITELSON;
    "utilization" [share] None, WINDOW =>
        "processor time that jobs held / (processors x length of the window); a processor that jobs share \
         counts once. Waste holds processors too: `useful-utilization` is what is better or worse",
        source FEITELSON;
    "throughput" ["jobs/h"] Higher, WINDOW => "observed jobs that ended by themselves / length of the window";
    "makespan" ["s"] Lower, EVERY_JOB =>
        "last end of a job that was not cancelled - first submission of an accepted job", source FEITELSON;
    "recorded-wait-time" ["s"] None, "observed jobs whose wait is recorded" =>
        "wait that the log records (field 3), for comparison; it is no result of the simulated \
         policy", parts SPREAD;
    "reservations.moved" [] Lower, EVERY_JOB =>
        "reservations of waiting jobs that came due and could not be kept",
        shown "the policy gives each waiting job a reservation (conservative backfilling)";
};

impl FinishedRun<'_> {
    /// All metrics, in the order in which they are shown.
    pub fn metrics(&self) -> Vec<Metric> {
        self.metrics_by(&|id| self.asked(id).area())
    }

    /// The same, where `needed` gives the work that a job needs [processor ns].
    pub(super) fn metrics_by(&self, needed: &dyn Fn(JobId) -> u128) -> Vec<Metric> {
        // passed over again and again, for a list of what is observed would cost more memory than
        // the jobs
        let observed = || self.observed().map(|(id, job)| self.observe(id, job));
        let window = self.window();
        let length = window.to.since(window.from);
        let (mut all, mut completed) = (0, 0_u64);
        for (id, _) in self.observed() {
            all += 1;
            completed += u64::from(self.record.state(id) == State::Completed);
        }
        let mut metrics = self.counts();
        times("wait-time", all, observed().map(|job| job.wait), &mut metrics);
        times("response-time", all, observed().map(|job| job.response), &mut metrics);
        ratios("slowdown", all, observed().map(|job| job.slowdown()), &mut metrics);
        ratios("bounded-slowdown", all, observed().map(|job| job.bounded_slowdown()), &mut metrics);
        let span = u128::from(length.as_nanos());
        let share = |work: u128| (span > 0).then(|| ratio(work, span * u128::from(self.procs)));
        metrics.push(real("useful-utilization", share(useful::work(self, window, needed))));
        metrics.push(real("utilization", share(self.allocated(window))));
        let rate = (span > 0 && all > 0).then(|| ratio(u128::from(completed) * 3600 * NANOS_PER_SEC, span));
        metrics.push(real("throughput", rate));
        let makespan = self.last_end().map(|end| end.since(self.origin()).as_secs_f64());
        metrics.push(real("makespan", makespan));
        times("recorded-wait-time", all, observed().filter_map(|job| job.recorded_wait), &mut metrics);
        metrics.extend(self.record.moved().map(|moved| counted("reservations.moved", moved)));
        metrics.extend(outages::metrics(self));
        metrics.extend(reservations::metrics(self));
        metrics.extend(energy::metrics(self));
        metrics.extend(resource_metrics::metrics(self));
        metrics.extend(gpu_metrics::metrics(self));
        metrics.extend(pool_metrics::metrics(self));
        metrics.extend(users::metrics(self));
        metrics.extend(molding::metrics(self));
        metrics
    }
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;
    use crate::instrument::Reason;
    use crate::instrument::Record;
    use crate::instrument::family;
    use crate::kernel::stats::WarmUp;
    use crate::kernel::{SimDuration, SimTime};
    use crate::workload::Job;

    use super::*;
    use crate::measure::family::Aim;
    use crate::measure::metric::Value;

    fn at(secs: u64) -> SimTime {
        SimTime::from_nanos(secs * 1_000_000_000)
    }

    /// Jobs on 10 processors as (submission, processors, run time, start); no start means rejected.
    fn run(rows: &[(u64, u32, u64, Option<u64>)]) -> (Vec<Job>, Record) {
        let (mut jobs, mut record) = (Vec::new(), Record::new(rows.len()));
        for (place, &(submit, procs, run_time, start)) in (0..).zip(rows) {
            jobs.push(Job::new(1, at(submit), procs, SimDuration::from_secs(run_time)));
            match start {
                Some(start) => {
                    record.started(JobId(place), at(start), &[Interval::new(0, procs - 1)], Reason::Head);
                    record.ended(JobId(place), at(start + run_time));
                }
                None => record.rejected(JobId(place), at(submit), Reason::TooLarge),
            }
        }
        (jobs, record)
    }

    fn metric(run: &FinishedRun<'_>, name: &str) -> Option<f64> {
        run.metrics().iter().find(|metric| metric.name == name).expect("a known metric").number()
    }

    #[test]
    fn example_a_under_fcfs_worked_by_hand() {
        let rows = [
            (0, 6, 100, 0),
            (1, 8, 50, 100),
            (2, 4, 90, 150),
            (3, 4, 200, 150),
            (4, 2, 300, 150),
            (5, 2, 60, 240),
        ];
        let (jobs, record) = run(&rows.map(|(submit, procs, run, start)| (submit, procs, run, Some(start))));
        let run = FinishedRun { jobs: &jobs, record: &record, procs: 10, until: None, warm_up: WarmUp::None };
        // waits 0 99 148 147 146 235
        let close = |name, expected: f64| {
            let value = metric(&run, name).expect("observed");
            assert!((value - expected).abs() < 1e-12 * expected, "{name}: {value}");
        };
        close("wait-time.mean", 775.0 / 6.0);
        close("wait-time.median", 146.0);
        close("wait-time.p95", 235.0);
        close("response-time.max", 446.0);
        close("makespan", 450.0);
        close("utilization", 2880.0 / 4500.0);
        close("throughput", 48.0);
        close("slowdown.max", 295.0 / 60.0);
        assert_eq!(metric(&run, "recorded-wait-time.mean"), None);
    }

    #[test]
    fn short_jobs_count_as_ten_seconds_in_the_bounded_slowdown() {
        let (jobs, record) = run(&[(0, 1, 1, Some(19)), (0, 1, 1, Some(0))]);
        let run = FinishedRun { jobs: &jobs, record: &record, procs: 1, until: None, warm_up: WarmUp::None };
        assert_eq!(metric(&run, "bounded-slowdown.max"), Some(2.0));
        assert_eq!(metric(&run, "bounded-slowdown.median"), Some(1.0));
    }

    #[test]
    fn a_rejected_job_is_counted_and_moves_nothing_else() {
        let (jobs, record) = run(&[(0, 99, 1, None), (10, 1, 5, Some(10))]);
        let run = FinishedRun { jobs: &jobs, record: &record, procs: 10, until: None, warm_up: WarmUp::None };
        assert_eq!(metric(&run, "jobs.rejected"), Some(1.0));
        assert_eq!(metric(&run, "jobs.completed"), Some(1.0));
        assert_eq!(metric(&run, "makespan"), Some(5.0));
        assert_eq!(metric(&run, "utilization"), Some(0.1));
    }

    #[test]
    fn warm_up_cuts_by_time_or_by_count_and_moves_the_window() {
        let (jobs, record) = run(&[(0, 5, 20, Some(0)), (10, 5, 20, Some(10)), (20, 5, 10, Some(20))]);
        let by_time = FinishedRun {
            jobs: &jobs,
            record: &record,
            procs: 10,
            until: None,
            warm_up: WarmUp::Until(at(10)),
        };
        let by_count = FinishedRun { warm_up: WarmUp::Count(1), ..by_time };
        assert_eq!(by_time.window(), Window { from: at(10), to: at(30) });
        assert_eq!(by_time.metrics(), by_count.metrics());
        // 5 × (10 + 20 + 10) of 10 × 20: the job of the warm-up still uses its processors
        assert_eq!(metric(&by_time, "utilization"), Some(1.0));
        assert_eq!(metric(&by_time, "jobs.completed"), Some(2.0));
    }

    #[test]
    fn every_metric_of_a_run_has_its_aim() {
        let run =
            FinishedRun { jobs: &[], record: &Record::new(0), procs: 10, until: None, warm_up: WarmUp::None };
        let with = |wanted| -> Vec<String> {
            let names = run.metrics().into_iter().map(|metric| metric.name);
            names.filter(|name| family(name).is_some_and(|family| family.aim == wanted)).collect()
        };
        assert_eq!(with(Aim::Higher), ["jobs.completed", "useful-utilization", "throughput"]);
        let parts = ["mean", "median", "p95", "max"].map(|part| format!("recorded-wait-time.{part}"));
        let counted = ["jobs.submitted", "utilization"].map(ToOwned::to_owned);
        let none: Vec<String> = counted.into_iter().chain(parts).collect();
        assert_eq!(with(Aim::None), none);
        assert_eq!(with(Aim::Lower).len(), 2 + 4 * 4 + 1);
    }

    #[test]
    fn nothing_observed_is_nothing_not_zero() {
        let run =
            FinishedRun { jobs: &[], record: &Record::new(0), procs: 10, until: None, warm_up: WarmUp::None };
        for metric in run.metrics() {
            let expected = if metric.name.starts_with("jobs.") { Value::Count(0) } else { Value::Nothing };
            assert_eq!(metric.value, expected, "{}", metric.name);
        }
    }
}
