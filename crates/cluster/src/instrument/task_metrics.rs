//! The metrics of a run at detail `task`, besides those of any run.
//!
//! Jobs are observed as in [`metrics`](super::metrics): submitted after the warm-up and completed.
//! Processors are observed from the end of the warm-up (without one, from the first submission) to
//! the end of the run. A warm-up that is found after the run cuts the jobs and not the processors,
//! whose earlier time is not kept apart.
//!
//! `FAMILIES` defines them.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, sections 2.2, 5.1 and 6. Classes are all
//! there are of a run, not a sample: their variation is divided by their number.

use crate::ids::JobId;
use crate::kernel::stats::{Table, ratio};
use crate::kernel::{SimDuration, SimTime};
use crate::measure::class::Class;
use crate::measure::family::{Family, Part, SPREAD, families};
use crate::measure::metric::{Metric, Value};
use crate::workload::parallel::Applications;

use super::execution::{Counts, Execution, ExecutionProfile};
use super::metrics::{FinishedRun, NANOS_PER_SEC, counted, real, times};
use super::observations::{CLUSTERSCHEDSIM, OBSERVED, SUBMITTED};
use super::profile::{Activity, Spent};
use super::{LossOfCapacity, State};

/// A run at detail `task` that is over, as its metrics and sinks see it.
#[derive(Clone, Copy, Debug)]
pub struct TaskRun<'a> {
    /// The run of its jobs.
    pub run: FinishedRun<'a>,
    /// Time of processors, by activity.
    pub profile: &'a ExecutionProfile,
    /// The slots that stayed free.
    pub capacity: &'a LossOfCapacity,
    /// Slots of the machine: processors times the multiprogramming level.
    pub slots: u64,
    /// Applications of the jobs, and their classes.
    pub applications: &'a Applications,
}

const PROCESSORS: &str = "all processors, from the end of the warm-up (without one, from the first submission) to the end \
                          of the run; a warm-up that is found after the run cuts off nothing here";
const TASKS_OF: &str = "tasks of the observed jobs";

/// Events of the tasks of jobs that are counted.
const COUNTED: &[Part] = &[
    ("messages", "messages sent"),
    ("dispatches", "times that a task was put on a processor"),
    ("switches", "dispatches before which another task had the processor, so that a context switch was made"),
    ("interrupts", "interrupts serviced for the tasks"),
    (
        "boosts",
        "times that a task was put at the front of its run queue, by a message or by the boost daemon",
    ),
    ("blocks", "times that a task gave up its processor until a message came"),
    ("yields", "times that a task that spun gave its processor to another"),
];

/// The metrics of detail `task`, in the order in which they are shown.
pub(super) const FAMILIES: &[Family] = &of_tasks(families! {
    "cpu-utilization" [share] Higher, PROCESSORS =>
        "time of computing and message overheads / (processors x time)";
    "loss-of-cpu" [share] Lower, PROCESSORS =>
        "time of neither computing nor message overheads / time in which processors did anything";
    "execution-time" ["s"] Lower, OBSERVED => "end - start, which is response time - wait time", parts SPREAD;
    "time-to-first-dispatch" ["s"] Lower, OBSERVED =>
        "first instant of a task of the job on a processor - submission", parts SPREAD;
    "scheduling-skewness" ["s"] Lower, TASKS_OF =>
        "mean time from the beginning of a wait for a message whose sender does not run to its dispatch";
    "pace.mean" ["s"] Higher, OBSERVED => "mean computing of a job in each whole window of `record.pace`";
    "pace.cv" [] Lower, OBSERVED => "coefficient of variation over the windows of `pace.mean`";
    "deadlines.missed" [share] Lower, TASKS_OF => "frames that were late / frames that were due";
    "deadlines.jitter" ["s"] Lower, TASKS_OF =>
        "mean difference of the response times of successive frames, without sign";
    "jobs.not-admitted" [] Lower, SUBMITTED =>
        "jobs that were rejected though the machine is large enough: the service that they ask for could \
         not be kept";
    "profile" [share] None, PROCESSORS =>
        "share of all processor time; all shares add up to 1", parts Activity::WORDS;
    "counts" [] None, TASKS_OF => "how often it happened", parts COUNTED;
});

const fn of_tasks<const N: usize>(mut families: [Family; N]) -> [Family; N] {
    let mut place = 0;
    while place < N {
        families[place] = families[place].shown("detail is `task`").source(CLUSTERSCHEDSIM);
        place += 1;
    }
    families
}

/// The metrics of a run in which nothing happens: their names and units.
pub fn of_nothing() -> Vec<Metric> {
    let record = super::Record::new(0);
    let run = FinishedRun::of_nothing(&record);
    let (profile, capacity) = (ExecutionProfile::default(), LossOfCapacity::new(SimTime::ZERO));
    let applications = Applications { classes: Vec::new(), of: Vec::new() };
    let run = TaskRun { run, profile: &profile, capacity: &capacity, slots: 1, applications: &applications };
    run.metrics()
}

/// A job that is observed, by its execution.
#[derive(Clone, Copy)]
struct Observed<'a> {
    submitted: SimTime,
    start: SimTime,
    end: SimTime,
    run_time: SimDuration,
    class: usize,
    execution: &'a Execution,
}

impl Observed<'_> {
    fn response(&self) -> SimDuration {
        self.end.since(self.submitted)
    }

    fn slowdown(&self) -> f64 {
        self.response().as_nanos() as f64 / self.run_time.as_nanos() as f64
    }
}

impl<'a> TaskRun<'a> {
    /// The class of a job, by its place in [`Applications::classes`].
    pub fn class(&self, job: JobId) -> usize {
        usize::from(self.applications.application(job).class)
    }

    /// The observed jobs in order of submission.
    fn observed(&self) -> Vec<Observed<'a>> {
        let mut executions: Vec<Option<&Execution>> = vec![None; self.run.jobs.len()];
        for execution in &self.profile.jobs {
            executions[execution.job.index()] = Some(execution);
        }
        let observed = self.run.observed().filter_map(|(id, job)| {
            let outcome = self.run.record.outcome(id);
            Some(Observed {
                submitted: job.submit_time,
                start: outcome.start,
                end: outcome.end,
                run_time: job.run_time,
                class: self.class(id),
                execution: executions[id.index()]?,
            })
        });
        observed.collect()
    }

    /// The metrics of any run, in the order in which they are shown: useful work is what tasks did.
    pub fn metrics_of_jobs(&self) -> Vec<Metric> {
        let mut useful = vec![0; self.run.jobs.len()];
        for execution in &self.profile.jobs {
            useful[execution.job.index()] = u128::from(execution.spent.useful());
        }
        self.run.metrics_by(&|job| useful[job.index()])
    }

    /// All of them, in the order in which they are shown.
    pub fn metrics(&self) -> Vec<Metric> {
        let jobs = self.observed();
        let mut metrics = Vec::new();
        self.processors(&mut metrics);
        times("execution-time", jobs.len(), jobs.iter().map(|job| job.end.since(job.start)), &mut metrics);
        let dispatched = jobs.iter().filter_map(|job| {
            let first = job.execution.first_dispatch?;
            Some(first.since(job.submitted))
        });
        times("time-to-first-dispatch", jobs.len(), dispatched, &mut metrics);
        let counts = counts(&jobs);
        let skewness = quotient(counts.skew, u128::from(counts.skewed_waits) * NANOS_PER_SEC);
        metrics.push(real("scheduling-skewness", skewness));
        pace(&jobs, &mut metrics);
        metrics.push(real("fairness", fairness(&jobs, self.applications.classes.len())));
        deadlines(&counts, &mut metrics);
        metrics.push(counted("jobs.not-admitted", self.refused()));
        let total = self.profile.total();
        for activity in Activity::ALL {
            let share = quotient(u128::from(total.of(activity)), u128::from(total.total()));
            metrics.push(real(&format!("profile.{}", activity.name()), share));
        }
        let of = [
            ("messages", counts.messages),
            ("dispatches", counts.dispatches),
            ("switches", counts.switches),
            ("interrupts", counts.interrupts),
            ("boosts", counts.boosts),
            ("blocks", counts.blocks),
            ("yields", counts.yields),
        ];
        metrics.extend(of.map(|(name, count)| {
            let counted = counted(&format!("counts.{name}"), count);
            if jobs.is_empty() { Metric { value: Value::Nothing, ..counted } } else { counted }
        }));
        metrics
    }

    /// Jobs that are not larger than the machine and were rejected: for the service that they ask
    /// for.
    fn refused(&self) -> u64 {
        let rejected = |id| self.run.record.state(id) == State::Rejected;
        let refused = self.run.submitted().filter(|&(id, job)| rejected(id) && job.procs <= self.run.procs);
        refused.count() as u64
    }

    /// Metrics of all processors.
    fn processors(&self, metrics: &mut Vec<Metric>) {
        let total = self.profile.total();
        let whole = |nanos: u64| u128::from(nanos);
        let useful = quotient(whole(total.useful()), whole(total.total()));
        metrics.push(real("cpu-utilization", useful));
        let lost = quotient(whole(total.busy() - total.useful()), whole(total.busy()));
        metrics.push(real("loss-of-cpu", lost));
        let capacity = |units| self.capacity.share(self.profile.to, units);
        metrics.push(real("loss-of-capacity", capacity(u64::from(self.run.procs))));
        metrics.push(real("loss-of-capacity.per-slot", capacity(self.slots)));
    }

    /// The classes in the order of the workload, each with what its observed jobs show.
    pub fn classes(&self) -> Vec<Class> {
        let jobs = self.observed();
        let class = |(place, name): (usize, &String)| {
            let jobs: Vec<Observed<'_>> = jobs.iter().filter(|job| job.class == place).copied().collect();
            Class { name: name.clone(), metrics: of_class(&jobs) }
        };
        self.applications.classes.iter().enumerate().map(class).collect()
    }
}

/// The figures of a class.
fn of_class(jobs: &[Observed<'_>]) -> Vec<Metric> {
    let mut metrics = vec![counted("jobs.completed", jobs.len() as u64)];
    let mean = |of: &dyn Fn(&Observed<'_>) -> SimDuration| {
        let sum: u128 = jobs.iter().map(|job| u128::from(of(job).as_nanos())).sum();
        quotient(sum, jobs.len() as u128 * NANOS_PER_SEC)
    };
    metrics.push(real("wait-time.mean", mean(&|job| job.start.since(job.submitted))));
    metrics.push(real("response-time.mean", mean(&|job| job.response())));
    metrics.push(real("execution-time.mean", mean(&|job| job.end.since(job.start))));
    let mut slowdowns = Table::new();
    jobs.iter().for_each(|job| slowdowns.record(job.slowdown()));
    metrics.push(real("slowdown.mean", slowdowns.mean()));
    pace(jobs, &mut metrics);
    deadlines(&counts(jobs), &mut metrics);
    let mut spent = Spent::default();
    jobs.iter().for_each(|job| spent.merge(&job.execution.spent));
    for activity in Activity::ALL.into_iter().filter(|activity| activity.is_of_a_task()) {
        let share = quotient(u128::from(spent.of(activity)), u128::from(spent.total()));
        metrics.push(real(&format!("profile.{}", activity.name()), share));
    }
    metrics
}

fn counts(jobs: &[Observed<'_>]) -> Counts {
    let mut counts = Counts::default();
    jobs.iter().for_each(|job| counts.merge(&job.execution.counts));
    counts
}

fn pace(jobs: &[Observed<'_>], metrics: &mut Vec<Metric>) {
    let mut windows = Table::new();
    jobs.iter().for_each(|job| windows.merge(&job.execution.pace));
    metrics.push(real("pace.mean", windows.mean()));
    metrics.push(real("pace.cv", windows.cv()));
}

fn deadlines(counts: &Counts, metrics: &mut Vec<Metric>) {
    let missed = quotient(u128::from(counts.missed), u128::from(counts.due));
    metrics.push(real("deadlines.missed", missed));
    let jitter = quotient(counts.jitter, u128::from(counts.pairs) * NANOS_PER_SEC);
    metrics.push(real("deadlines.jitter", jitter));
}

/// Spread of the mean response times of the classes; `None` for fewer than two of which
/// jobs are observed.
fn fairness(jobs: &[Observed<'_>], classes: usize) -> Option<f64> {
    let mut sums = vec![(0_u128, 0_u128); classes];
    for job in jobs {
        let (sum, count) = &mut sums[job.class];
        *sum += u128::from(job.response().as_nanos());
        *count += 1;
    }
    unevenness(sums)
}

/// The coefficient of variation of the mean times of classes, of each of which the sum [ns] and the
/// number are given; `None` for fewer than two that have any.
pub(super) fn unevenness(sums: impl IntoIterator<Item = (u128, u128)>) -> Option<f64> {
    let mut means = Table::new();
    for (sum, count) in sums.into_iter().filter(|&(_, count)| count > 0) {
        means.record(ratio(sum, count * NANOS_PER_SEC));
    }
    let classes = means.count() as f64;
    let variance = means.variance()? * (classes - 1.0) / classes;
    Some(variance.sqrt() / means.mean()?)
}

/// A quotient of whole numbers; `None` by 0.
fn quotient(sum: u128, count: u128) -> Option<f64> {
    (count > 0).then(|| ratio(sum, count))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::collections::Interval;
    use crate::instrument::execution::Mark;
    use crate::instrument::family;
    use crate::instrument::{Reason, Record};
    use crate::kernel::stats::WarmUp;
    use crate::units::Bytes;
    use crate::workload::Job;
    use crate::workload::parallel::{Application, Program, Quality};

    use super::*;
    use crate::measure::family::Aim;

    fn at(secs: u64) -> SimTime {
        SimTime::from_nanos(secs * 1_000_000_000)
    }

    fn secs(secs: u64) -> SimDuration {
        SimDuration::from_secs(secs)
    }

    /// Jobs as (submission, start, end, run time, class), each on one processor of two.
    fn jobs(rows: &[(u64, u64, u64, u64, u16)]) -> (Vec<Job>, Record, Applications) {
        let (mut jobs, mut record, mut of) = (Vec::new(), Record::new(rows.len()), Vec::new());
        for (place, &(submit, start, end, run_time, class)) in (0..).zip(rows) {
            jobs.push(Job::new(1, at(submit), 1, secs(run_time)));
            record.started(JobId(place), at(start), &[Interval::new(0, 0)], Reason::Head);
            record.ended(JobId(place), at(end));
            let program = Program::Recorded([Box::default()].into());
            let quality = Quality::BestEffort;
            of.push(Arc::new(Application { class, tasks: 1, program, memory: Bytes::new(0), quality }));
        }
        let classes = ["short", "long", "never"].map(str::to_owned).to_vec();
        (jobs, record, Applications { classes, of })
    }

    fn execution(job: u32, counts: Counts, paces: &[f64]) -> Execution {
        let mut pace = Table::new();
        paces.iter().for_each(|&one| pace.record(one));
        let mut spent = Spent::default();
        spent.add(Activity::Compute, secs(3));
        spent.add(Activity::Spin, secs(1));
        Execution { job: JobId(job), spent, counts, first_dispatch: Some(at(u64::from(job) + 4)), pace }
    }

    fn value(metrics: &[Metric], name: &str) -> Option<f64> {
        metrics.iter().find(|metric| metric.name == name).unwrap_or_else(|| panic!("no {name}")).number()
    }

    #[test]
    fn a_tiny_run_by_hand() {
        // responses 4, 8 of one class, 18 of the other: means 6 and 18, mean 12, deviation 6
        let (jobs, record, applications) = jobs(&[(0, 0, 4, 2, 0), (1, 2, 9, 4, 0), (2, 2, 20, 6, 1)]);
        let run = FinishedRun { jobs: &jobs, record: &record, procs: 2, until: None, warm_up: WarmUp::None };
        let mut spent = Spent::default();
        for (activity, span) in [
            (Activity::Compute, 8),
            (Activity::Message, 2),
            (Activity::Spin, 3),
            (Activity::Switch, 1),
            (Activity::Idle, 26),
        ] {
            spent.add(activity, secs(span));
        }
        let first = Counts { skewed_waits: 2, skew: 3_000_000_000, ..Counts::default() };
        let second = Counts { skewed_waits: 1, skew: 3_000_000_000, messages: 7, ..Counts::default() };
        let third = Counts { due: 4, missed: 1, pairs: 3, jitter: 600_000_000, ..Counts::default() };
        let executions =
            vec![execution(0, first, &[0.5]), execution(1, second, &[1.0, 1.5]), execution(2, third, &[])];
        let (processors, nodes) = (vec![spent], vec![0]);
        let profile = ExecutionProfile {
            processors,
            nodes,
            jobs: executions,
            to: at(40),
            ..ExecutionProfile::default()
        };
        let mut capacity = LossOfCapacity::new(at(0));
        capacity.update(at(10), true, 4);
        capacity.update(at(20), false, 4);
        let run =
            TaskRun { run, profile: &profile, capacity: &capacity, slots: 10, applications: &applications };
        let metrics = run.metrics();
        let close = |name: &str, expected: f64| {
            let found = value(&metrics, name).unwrap_or_else(|| panic!("{name} is observed"));
            assert!((found - expected).abs() < 1e-12, "{name}: {found}");
        };
        close("cpu-utilization", 0.25);
        close("loss-of-cpu", 4.0 / 14.0);
        close("loss-of-capacity", 40.0 / 80.0);
        close("loss-of-capacity.per-slot", 40.0 / 400.0);
        close("execution-time.mean", (4.0 + 7.0 + 18.0) / 3.0);
        close("time-to-first-dispatch.max", 4.0);
        close("scheduling-skewness", 2.0);
        close("pace.mean", 1.0);
        close("pace.cv", 0.5);
        close("fairness", 0.5);
        close("deadlines.missed", 0.25);
        close("deadlines.jitter", 0.2);
        close("profile.spin", 3.0 / 40.0);
        close("profile.idle", 26.0 / 40.0);
        close("counts.messages", 7.0);

        let classes = run.classes();
        let of = |class: usize, name: &str| value(&classes[class].metrics, name);
        assert_eq!((of(0, "response-time.mean"), of(1, "response-time.mean")), (Some(6.0), Some(18.0)));
        assert_eq!((of(0, "slowdown.mean"), of(0, "wait-time.mean")), (Some(2.0), Some(0.5)));
        assert_eq!((of(0, "deadlines.missed"), of(1, "deadlines.missed")), (None, Some(0.25)));
        assert_eq!((of(0, "profile.compute"), of(0, "profile.spin")), (Some(0.75), Some(0.25)));
        assert!(classes[2].metrics[1..].iter().all(|metric| metric.value == Value::Nothing));
        assert_eq!(classes[2].metrics[0].value, Value::Count(0));
    }

    #[test]
    fn what_a_warm_up_leaves_out_counts_in_no_share() {
        let (jobs, record, applications) = jobs(&[(0, 0, 4, 2, 0)]);
        let warm_up = WarmUp::Until(at(10));
        let run = FinishedRun { jobs: &jobs, record: &record, procs: 1, until: None, warm_up };
        let mut before = Spent::default();
        before.add(Activity::Compute, secs(10));
        let mut spent = before;
        spent.add(Activity::Spin, secs(4));
        spent.add(Activity::Idle, secs(6));
        let mark = Some(Mark { at: at(10), processors: vec![before] });
        let executions = vec![execution(0, Counts::default(), &[1.0])];
        let profile = ExecutionProfile {
            processors: vec![spent],
            nodes: vec![0],
            jobs: executions,
            to: at(20),
            mark,
            ..ExecutionProfile::default()
        };
        let capacity = LossOfCapacity::new(at(10));
        let run =
            TaskRun { run, profile: &profile, capacity: &capacity, slots: 1, applications: &applications };
        let metrics = run.metrics();
        assert_eq!(value(&metrics, "cpu-utilization"), Some(0.0));
        assert_eq!(value(&metrics, "profile.spin"), Some(0.4));
        // its job was submitted during the warm-up
        assert_eq!(value(&metrics, "execution-time.mean"), None);
        assert_eq!(value(&metrics, "counts.messages"), None);
    }

    #[test]
    fn nothing_observed_is_nothing_and_every_metric_has_its_aim() {
        let mut metrics = of_nothing();
        // jobs are counted, not observed
        let refused =
            metrics.iter().position(|metric| metric.name == "jobs.not-admitted").expect("it is counted");
        assert_eq!(metrics.remove(refused).value, Value::Count(0));
        assert!(metrics.iter().all(|metric| metric.value == Value::Nothing), "{metrics:?}");
        let aim = |name: &str| family(name).map(|family| family.aim);
        let shares: Vec<&Metric> =
            metrics.iter().filter(|metric| metric.name.starts_with("profile.")).collect();
        assert_eq!(shares.len(), Activity::ALL.len());
        assert_eq!((aim("pace.mean"), aim("pace.cv")), (Some(Aim::Higher), Some(Aim::Lower)));
    }
}
