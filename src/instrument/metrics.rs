//! The metrics of a run of rigid jobs.
//!
//! Observations are the jobs submitted after the warm-up that ran and left: completed, or killed at their limits, whose run
//! time is what the limit leaves of it. Others are only counted. The window runs
//! from the end of the warm-up (without one, from the origin) to the last end of a job, or to the end of the run if
//! it was stopped. Rejected jobs leave no trace in any figure but their count.
//!
//! | metric | definition |
//! |---|---|
//! | wait time | start − submission; of a job that was interrupted, last start − submission − what it had processors before |
//! | response time | end − submission |
//! | slowdown | response time / run time; of a moldable job that on the processors it asked for |
//! | bounded slowdown | max(1, response time / max(run time, 10 s)) |
//! | utilization | allocated processor time in the window / (processors × window) |
//! | throughput | observations that were completed / window, per hour |
//! | makespan | last end of a job − origin |
//! | moved reservations | those of conservative backfilling that came due and could not be kept |
//!
//! Source: D. G. Feitelson, L. Rudolph, U. Schwiegelshohn, K. Sevcik, P. Wong, "Theory and practice in parallel job
//! scheduling", JSSPP 1997 (bounded slowdown). Quantiles are nearest-rank and exact. Means of times and utilization
//! are quotients of whole numbers, rounded once; means of slowdowns are compensated sums in order of submission.

use crate::ids::JobId;
use crate::kernel::stats::{WarmUp, nearest_rank, ratio};
use crate::kernel::{SimDuration, SimTime};
use crate::workload::Job;

use super::record::{Record, State};
use super::{class, energy, molding, outages, reservations, resource_metrics, task_metrics, users};

/// Run times below this count as this in the bounded slowdown.
pub const BOUND: SimDuration = SimDuration::from_secs(10);

pub(super) const NANOS_PER_SEC: u128 = 1_000_000_000;

/// A run that is over, as the metrics see it.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The jobs, in order of submission.
    pub jobs: &'a [Job],
    /// What became of them.
    pub record: &'a Record,
    /// Processors of the machine.
    pub procs: u32,
    /// When the run was stopped, if it was before all jobs ended.
    pub until: Option<SimTime>,
    /// What is not observed, because the system was still filling: jobs submitted before an instant, or the first
    /// accepted ones.
    pub warm_up: WarmUp,
}

/// What a metric amounts to; in JSON a number, or null.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A number of things.
    Count(u64),
    /// A measured figure.
    Real(f64),
    /// Nothing was observed.
    Nothing,
}

/// A named figure with its unit; in JSON `{"value": …, "unit": …}`, to stand under its name.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Metric {
    /// Its name, such as `wait-time.mean`.
    #[serde(skip)]
    pub name: String,
    /// Its value.
    pub value: Value,
    /// Its unit; empty for ratios and counts.
    pub unit: &'static str,
}

impl Metric {
    /// The value as a number, if there is one.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            Value::Count(count) => Some(count as f64),
            Value::Real(value) => Some(value),
            Value::Nothing => None,
        }
    }
}

/// Which way a metric is better.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Aim {
    /// Less is better, as of a wait.
    Lower,
    /// More is better, as of the share of the machine in use.
    Higher,
    /// Neither: a property of the workload, or what no policy can claim.
    None,
}

/// Which way a metric is better, by its name; what is not known has no aim.
///
/// Throughput has none where jobs arrive from outside, but a policy that lets them wait shows in it, so more is better.
/// The waits that the log records belong to the log.
pub fn aim(metric: &str) -> Aim {
    let metric = class::metric(metric).unwrap_or(metric);
    let family = metric.split_once('.').map_or(metric, |(family, _)| family);
    match family {
        "wait-time" | "response-time" | "slowdown" | "bounded-slowdown" | "makespan" | "energy"
        | "processor-time" => Aim::Lower,
        "utilization" | "throughput" | "memory" | "gpus" => Aim::Higher,
        _ if matches!(
            metric,
            "jobs.killed"
                | "jobs.cancelled"
                | "jobs.lost"
                | "jobs.interrupted"
                | "interruptions"
                | "jobs.unfinished"
                | "jobs.rejected"
                | "jobs.refused"
                | "reservations.moved"
                | "reservations.late"
                | "reservations.lateness"
                | "agents.failed"
                | "transfers.failed"
        ) =>
        {
            Aim::Lower
        }
        _ if matches!(metric, "jobs.completed" | "tasks.completed" | "steady-state.share") => Aim::Higher,
        _ => task_metrics::aim(metric).unwrap_or(Aim::None),
    }
}

/// The window of a run in which its machine is observed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// End of the warm-up.
    pub from: SimTime,
    /// Last end of a job, or end of the run; not before `from`.
    pub to: SimTime,
}

impl Run<'_> {
    /// The first submission of a job that was not rejected: where the run begins.
    pub fn origin(&self) -> SimTime {
        self.accepted().next().map_or(SimTime::ZERO, |(_, job)| job.submit_time)
    }

    fn accepted(&self) -> impl Iterator<Item = (JobId, &Job)> + Clone {
        self.ids().filter(|&(id, _)| self.record.outcome(id).state != State::Rejected)
    }

    fn ids(&self) -> impl Iterator<Item = (JobId, &Job)> + Clone {
        (0..).map(JobId).zip(self.jobs)
    }

    /// The window in which the machine is observed.
    pub fn window(&self) -> Window {
        let from = match self.warm_up {
            WarmUp::None => self.origin(),
            WarmUp::Until(end) => self.origin().max(end),
            WarmUp::Count(_) => self.kept().next().map_or(SimTime::MAX, |(_, job)| job.submit_time),
        };
        let to = self.until.unwrap_or_else(|| self.last_end().unwrap_or(from));
        Window { from, to: to.max(from) }
    }

    fn last_end(&self) -> Option<SimTime> {
        let outcomes = self.record.outcomes();
        outcomes.filter(|outcome| outcome.state.is_over()).map(|outcome| outcome.end).max()
    }

    /// The accepted jobs that the warm-up leaves.
    pub(super) fn kept(&self) -> impl Iterator<Item = (JobId, &Job)> + Clone {
        let numbered = (0..).zip(self.accepted());
        numbered.filter(|&(number, (_, job))| self.warm_up.keeps(number, job.submit_time)).map(|(_, job)| job)
    }

    /// The observed jobs: submitted after the warm-up, and completed or killed.
    pub fn observed(&self) -> impl Iterator<Item = (JobId, &Job)> + Clone {
        self.kept().filter(|&(id, _)| self.record.outcome(id).state.has_run())
    }

    /// Processor time allocated in the window [processor ns].
    ///
    /// A processor that several jobs share is allocated once.
    pub(super) fn allocated(&self, window: Window) -> u128 {
        let usage = self.record.usage();
        if !usage.is_empty() {
            let ends = usage.iter().skip(1).map(|&(at, _)| at).chain([window.to]);
            let spans = usage.iter().zip(ends).map(|(&(from, count), to)| {
                let span = to.min(window.to).since(from.max(window.from));
                u128::from(span.as_nanos()) * u128::from(count)
            });
            return spans.sum();
        }
        self.spans_held(window)
            .map(|(start, end, procs)| {
                u128::from(end.min(window.to).since(start.max(window.from)).as_nanos()) * u128::from(procs)
            })
            .sum()
    }

    /// The spans in which jobs have processors, of all their runs, each from its start to its end, or to that of the window
    /// if it has none; and how many processors.
    pub(super) fn spans_held(&self, window: Window) -> impl Iterator<Item = (SimTime, SimTime, u32)> {
        let last = move |(id, job): (JobId, &Job)| {
            let outcome = self.record.outcome(id);
            let end = match outcome.state {
                State::Completed | State::Killed | State::Cancelled | State::Lost => outcome.end,
                State::Running => window.to,
                State::Expected | State::Rejected => return None,
            };
            Some((outcome.start, end, job.procs))
        };
        let attempts = self.record.outages().attempts().iter();
        let earlier = attempts.map(|one| (one.start, one.end, self.jobs[one.job.index()].procs));
        self.ids().filter_map(last).chain(earlier)
    }

    /// All metrics, in the order in which they are shown.
    pub fn metrics(&self) -> Vec<Metric> {
        // passed over again and again, for a list of what is observed would cost more memory than the jobs
        let observed = || self.observed().map(|(id, job)| self.observe(id, job));
        let window = self.window();
        let length = window.to.since(window.from);
        let count = |state| self.record.outcomes().filter(|outcome| outcome.state == state).count() as u64;

        let (all, killed) = (observed().count(), observed().filter(|job| job.killed).count());
        let completed = all - killed;
        let mut metrics = vec![counted("jobs.completed", completed as u64)];
        metrics.extend(self.record.site().walltime.map(|_| counted("jobs.killed", killed as u64)));
        let cancels = self.record.site().users.cancels;
        metrics.extend(cancels.then(|| counted("jobs.cancelled", count(State::Cancelled))));
        metrics.extend([
            counted("jobs.rejected", count(State::Rejected)),
            counted("jobs.unfinished", count(State::Expected) + count(State::Running)),
        ]);
        times("wait-time", observed().map(|job| job.wait), &mut metrics);
        times("response-time", observed().map(|job| job.response), &mut metrics);
        ratios("slowdown", observed().map(|job| job.slowdown()), &mut metrics);
        ratios("bounded-slowdown", observed().map(|job| job.bounded_slowdown()), &mut metrics);
        let span = u128::from(length.as_nanos());
        let share = (span > 0).then(|| ratio(self.allocated(window), span * u128::from(self.procs)));
        metrics.push(real("utilization", share, ""));
        let rate = (span > 0 && all > 0).then(|| ratio(completed as u128 * 3600 * NANOS_PER_SEC, span));
        metrics.push(real("throughput", rate, "jobs/h"));
        let makespan = self.last_end().map(|end| end.since(self.origin()).as_secs_f64());
        metrics.push(real("makespan", makespan, "s"));
        times("recorded-wait-time", observed().filter_map(|job| job.recorded_wait), &mut metrics);
        metrics.extend(self.record.moved().map(|moved| counted("reservations.moved", moved)));
        metrics.extend(outages::metrics(self));
        metrics.extend(reservations::metrics(self));
        metrics.extend(energy::metrics(self));
        metrics.extend(resource_metrics::metrics(self));
        metrics.extend(users::metrics(self));
        metrics.extend(molding::metrics(self));
        metrics
    }

    /// How long a job that has started waited: from its submission to its last start, but for what it had processors before.
    pub fn waited(&self, id: JobId) -> SimDuration {
        let (start, submit_time) = (self.record.outcome(id).start, self.jobs[id.index()].submit_time);
        start.since(submit_time).saturating_sub(self.record.outages().held(id))
    }

    pub(super) fn observe(&self, id: JobId, job: &Job) -> Observed {
        let outcome = self.record.outcome(id);
        Observed {
            wait: self.waited(id),
            response: outcome.end.since(job.submit_time),
            run: self.dedicated_time(id),
            recorded_wait: job.recorded_wait(),
            killed: outcome.state == State::Killed,
        }
    }
}

/// The times of one observed job.
#[derive(Clone, Copy)]
pub(super) struct Observed {
    pub(super) wait: SimDuration,
    pub(super) response: SimDuration,
    run: SimDuration,
    recorded_wait: Option<SimDuration>,
    pub(super) killed: bool,
}

impl Observed {
    pub(super) fn slowdown(&self) -> f64 {
        self.response.as_nanos() as f64 / self.run.as_nanos() as f64
    }

    pub(super) fn bounded_slowdown(&self) -> f64 {
        (self.response.as_nanos() as f64 / self.run.max(BOUND).as_nanos() as f64).max(1.0)
    }
}

pub(super) fn counted(name: &str, count: u64) -> Metric {
    Metric { name: name.to_owned(), value: Value::Count(count), unit: "" }
}

pub(super) fn real(name: &str, value: Option<f64>, unit: &'static str) -> Metric {
    Metric { name: name.to_owned(), value: value.map_or(Value::Nothing, Value::Real), unit }
}

/// The values in a list that has room for no more: lists that grow take twice as much for a while.
fn exactly<T>(values: impl Iterator<Item = T> + Clone) -> Vec<T> {
    let mut list = Vec::with_capacity(values.clone().count());
    list.extend(values);
    list
}

/// Mean, median, 95th percentile and maximum of times [s].
pub(super) fn times(
    name: &str,
    values: impl Iterator<Item = SimDuration> + Clone,
    metrics: &mut Vec<Metric>,
) {
    let mut nanos = exactly(values.map(SimDuration::as_nanos));
    let sum: u128 = nanos.iter().map(|&nanos| u128::from(nanos)).sum();
    let mean = (!nanos.is_empty()).then(|| ratio(sum, nanos.len() as u128 * NANOS_PER_SEC));
    metrics.push(real(&format!("{name}.mean"), mean, "s"));
    for (part, percent) in [("median", 50), ("p95", 95), ("max", 100)] {
        let value =
            percentile(&mut nanos, percent, u64::cmp).map(|nanos| ratio(u128::from(nanos), NANOS_PER_SEC));
        metrics.push(real(&format!("{name}.{part}"), value, "s"));
    }
}

/// Mean, median, 95th percentile and maximum of ratios.
fn ratios(name: &str, values: impl Iterator<Item = f64> + Clone, metrics: &mut Vec<Metric>) {
    let mut values = exactly(values);
    let mean = (!values.is_empty()).then(|| compensated_sum(&values) / values.len() as f64);
    metrics.push(real(&format!("{name}.mean"), mean, ""));
    for (part, percent) in [("median", 50), ("p95", 95), ("max", 100)] {
        metrics.push(real(&format!("{name}.{part}"), percentile(&mut values, percent, f64::total_cmp), ""));
    }
}

/// The least value that at least `percent` of a hundred values do not exceed.
fn percentile<T: Copy>(
    values: &mut [T],
    percent: u64,
    order: impl FnMut(&T, &T) -> std::cmp::Ordering,
) -> Option<T> {
    let rank = nearest_rank(values.len() as u64, percent, 100)?;
    Some(*values.select_nth_unstable_by(rank as usize - 1, order).1)
}

/// Neumaier's sum: as if added with twice the digits.
fn compensated_sum(values: &[f64]) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for &value in values {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        sum = next;
    }
    sum + lost
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;
    use crate::instrument::Reason;

    use super::*;

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

    fn metric(run: &Run<'_>, name: &str) -> Option<f64> {
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
        let run = Run { jobs: &jobs, record: &record, procs: 10, until: None, warm_up: WarmUp::None };
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
        let run = Run { jobs: &jobs, record: &record, procs: 1, until: None, warm_up: WarmUp::None };
        assert_eq!(metric(&run, "bounded-slowdown.max"), Some(2.0));
        assert_eq!(metric(&run, "bounded-slowdown.median"), Some(1.0));
    }

    #[test]
    fn a_rejected_job_is_counted_and_moves_nothing_else() {
        let (jobs, record) = run(&[(0, 99, 1, None), (10, 1, 5, Some(10))]);
        let run = Run { jobs: &jobs, record: &record, procs: 10, until: None, warm_up: WarmUp::None };
        assert_eq!(metric(&run, "jobs.rejected"), Some(1.0));
        assert_eq!(metric(&run, "jobs.completed"), Some(1.0));
        assert_eq!(metric(&run, "makespan"), Some(5.0));
        assert_eq!(metric(&run, "utilization"), Some(0.1));
    }

    #[test]
    fn warm_up_cuts_by_time_or_by_count_and_moves_the_window() {
        let (jobs, record) = run(&[(0, 5, 20, Some(0)), (10, 5, 20, Some(10)), (20, 5, 10, Some(20))]);
        let by_time =
            Run { jobs: &jobs, record: &record, procs: 10, until: None, warm_up: WarmUp::Until(at(10)) };
        let by_count = Run { warm_up: WarmUp::Count(1), ..by_time };
        assert_eq!(by_time.window(), Window { from: at(10), to: at(30) });
        assert_eq!(by_time.metrics(), by_count.metrics());
        // 5 × (10 + 20 + 10) of 10 × 20: the job of the warm-up still uses its processors
        assert_eq!(metric(&by_time, "utilization"), Some(1.0));
        assert_eq!(metric(&by_time, "jobs.completed"), Some(2.0));
    }

    #[test]
    fn every_metric_of_a_run_has_its_aim() {
        let run = Run { jobs: &[], record: &Record::new(0), procs: 10, until: None, warm_up: WarmUp::None };
        let with = |wanted| -> Vec<String> {
            let names = run.metrics().into_iter().map(|metric| metric.name);
            names.filter(|name| aim(name) == wanted).collect()
        };
        assert_eq!(with(Aim::Higher), ["jobs.completed", "utilization", "throughput"]);
        let parts = ["mean", "median", "p95", "max"].map(|part| format!("recorded-wait-time.{part}"));
        assert_eq!(with(Aim::None), parts);
        assert_eq!(with(Aim::Lower).len(), 2 + 4 * 4 + 1);
        assert_eq!(aim("no-such-metric"), Aim::None);
    }

    #[test]
    fn nothing_observed_is_nothing_not_zero() {
        let run = Run { jobs: &[], record: &Record::new(0), procs: 10, until: None, warm_up: WarmUp::None };
        for metric in run.metrics() {
            let expected = if metric.name.starts_with("jobs.") { Value::Count(0) } else { Value::Nothing };
            assert_eq!(metric.value, expected, "{}", metric.name);
        }
    }
}
