//! The metrics of a run of a parameter sweep.
//!
//! Source: F. Berman, H. Casanova, A. Legrand, D. Zagorodnov, LIP RR1999-46, 1999 (makespan,
//! correctness of plans).

use crate::collections::OrderedSet;
use crate::estimate::predictions::SubTask;
use crate::kernel::{SimDuration, SimTime};
use crate::measure::cohort::{ListedCohort, Subject};
use crate::measure::family::{Aim, Family, Part, metrics_of};
use crate::measure::metric::{Metric, Value};
use crate::results::bounds::{SweepBounds, least_seconds};
use crate::results::host_time::{self, HostTimeAccount};
use crate::results::record::SweepOutcomes;
use crate::run::copies::discarded_time;

const RUN: &str = "the whole run; nothing if a task was not completed";
const WHOLE: &str = "the whole run";
const PLANNED: &str = "runs whose first plan holds all tasks";
const TEMPLATE: &str = "F. Berman, H. Casanova, A. Legrand, D. Zagorodnov, LIP RR1999-46, 1999";
const LIMITED: &str = "runs in which a storage has a limit";
const JOINED: &str = "runs in which links lie between clusters";
const MEAN: &[Part] = &[("mean", "the arithmetic mean")];
const BOUNDS: &[Part] = &[
    ("compute", "the least times of all tasks over all processors, by their speeds and availabilities"),
    ("link", "each input that is read once, and all outputs, over the bandwidth of all links"),
    ("task", "the task that takes longest with its files if each has the grid to itself"),
];

/// The families, in the order in which they are shown.
pub const FAMILIES: [Family; 23] = [
    Family::new(
        "makespan",
        "s",
        Aim::Lower,
        "arrival of the last output at the origin, or end of the last task that has none, from the beginning of the run",
        RUN,
    )
    .source(TEMPLATE),
    Family::count("tasks.completed", Aim::Higher, "tasks that were computed, and whose outputs arrived", WHOLE),
    Family::new("gap", "", Aim::Lower, "`makespan` / `lower-bound` - 1", RUN).signed(),
    Family::new("lower-bound", "s", Aim::None, "the greatest of the parts of `bound`", WHOLE),
    Family::new("bound", "s", Aim::None, "what no run ends before", WHOLE).parts(BOUNDS),
    Family::new("plan-makespan", "s", Aim::None, "end of the last task in the first plan", PLANNED),
    Family::new("plan-error", "", Aim::None, "`makespan` / `plan-makespan` - 1", PLANNED).signed(),
    Family::count("transfers", Aim::Lower, "transfers that arrived, to clusters and to the origin", WHOLE),
    Family::new("bytes.sent", "B", Aim::Lower, "their sizes added up", WHOLE),
    Family::new(
        "bytes.saved",
        "B",
        Aim::Higher,
        "sizes of the inputs that were not sent for the task that read them, as they were on its cluster",
        "tasks whose computations ended",
    ),
    Family::new(
        "copies",
        "",
        Aim::Lower,
        "clusters that a file reached",
        "inputs of two tasks or more; nothing if there are none",
    )
    .parts(MEAN),
    Family::share(
        "link-utilization",
        Aim::None,
        "time of links with transfers that arrived / (links x `makespan`)",
        RUN,
    ),
    Family::share("utilization", Aim::None, "time of processors in use / (processors x `makespan`); slow hosts and lost work are in use too", RUN),
    Family::share(
        "processor-time",
        Aim::None,
        "share of the time of all processors, up to `makespan` or the end of the run",
        WHOLE,
    )
    .parts(host_time::PARTS),
    Family::count("plans", Aim::None, "plans that were made", WHOLE),
    Family::count("looks", Aim::Lower, "pairs of a task and a host that plans looked at", WHOLE),
    Family::share(
        "correctness",
        Aim::Higher,
        "sub-tasks that run as predicted by the plan before / sub-tasks that were predicted to run",
        "plans before which some were predicted",
    )
    .parts(MEAN)
    .source(TEMPLATE),
    Family::count("steals", Aim::None, "tasks that a host took from the queue of another of its cluster", WHOLE),
    Family::count(
        "failed-works",
        Aim::Lower,
        "computations that were lost with hosts, or their outputs with clusters",
        WHOLE,
    ),
    Family::new("lost-time", "s", Aim::Lower, "time of processors in these", WHOLE),
    Family::count("duplicates", Aim::None, "second copies of tasks that were started on other hosts", WHOLE),
    Family::new(
        "discarded-time",
        "s",
        Aim::Lower,
        "time of processors in computations that were thrown away, as their tasks had ended on other hosts",
        WHOLE,
    ),
    Family::count("hosts.unused", Aim::None, "hosts that computed no task to its end", WHOLE),
];

/// The families of runs in which a storage has a limit.
pub(crate) const OF_STORAGES: [Family; 2] = [
    Family::count("evictions", Aim::Lower, "inputs that were removed from storages", LIMITED),
    Family::new(
        "bytes.again",
        "B",
        Aim::Lower,
        "sizes of the inputs that arrived in a storage which they had been removed from",
        LIMITED,
    ),
];

/// The families of runs in which links lie between clusters.
pub(crate) const OF_LINKS_BETWEEN: [Family; 2] = [
    Family::count("transfers.between", Aim::None, "transfers that arrived from other clusters", JOINED),
    Family::new("bytes.between", "B", Aim::None, "their sizes added up", JOINED),
];

/// The values of the families, in their order.
pub fn metrics(outcomes: &SweepOutcomes, bounds: &SweepBounds) -> Vec<Metric> {
    let makespan = outcomes.makespan().map(SimTime::as_secs_f64);
    let count = |count: usize| Value::Count(count as u64);
    let real =
        |value: Option<f64>| value.filter(|value| value.is_finite()).map_or(Value::Nothing, Value::Real);
    let grid = &outcomes.grid;
    let arrived: Vec<(u64, f64)> = outcomes
        .transfers
        .iter()
        .filter_map(|run| Some((run.bytes, run.end?.since(run.start).as_secs_f64())))
        .collect();
    let busy: f64 = outcomes.busy.iter().map(|busy| busy.as_secs_f64()).sum();
    let processors: f64 = grid.hosts.iter().map(|host| f64::from(host.processors)).sum();
    let links = grid.link_count() as f64;
    let carrying: f64 = arrived.iter().map(|(_, seconds)| seconds).sum();
    let plan = outcomes.plans.first().filter(|plan| plan.tasks == outcomes.tasks.len() as u64);
    let plan = plan.map(|plan| plan.end.as_secs_f64());
    let shares = HostTimeAccount::of(outcomes).shares();
    let part = |place: usize| real(shares.map(|shares| shares[place]));
    let unused = outcomes.by_host().iter().filter(|(tasks, _)| *tasks == 0).count();
    let completed = outcomes.tasks.iter().filter(|task| task.completed.is_some()).count();
    let values = [
        real(makespan),
        count(completed),
        real(makespan.and_then(|makespan| bounds.gap(makespan))),
        real(bounds.lower()),
        real(bounds.compute),
        real(bounds.link),
        real(bounds.longest),
        real(plan),
        real(makespan.zip(plan).map(|(makespan, plan)| makespan / plan - 1.0)),
        count(arrived.len()),
        real(Some(arrived.iter().map(|(bytes, _)| *bytes as f64).sum())),
        real(Some(saved(outcomes))),
        real(copies(outcomes)),
        real(makespan.map(|makespan| carrying / (links * makespan))),
        real(makespan.map(|makespan| busy / (processors * makespan))),
        part(0),
        part(1),
        part(2),
        part(3),
        part(4),
        part(5),
        count(outcomes.plans.len()),
        Value::Count(outcomes.plans.iter().map(|plan| plan.looks).sum()),
        real(mean(outcomes.plans.iter().filter_map(|plan| plan.correctness))),
        Value::Count(outcomes.steals),
        Value::Count(outcomes.failed),
        real(Some(outcomes.lost.as_secs_f64())),
        Value::Count(outcomes.duplicates),
        real(Some(discarded_time(&outcomes.discarded).as_secs_f64())),
        count(unused),
    ];
    let mut metrics = metrics_of(&FAMILIES, values);
    if outcomes.has_removals() {
        let of_storages = [count(outcomes.removals.len()), real(Some(sent_again(outcomes)))];
        metrics.extend(metrics_of(&OF_STORAGES, of_storages));
    }
    if grid.has_links_between() {
        let arrived = outcomes.transfers.iter().filter(|run| run.end.is_some());
        let between = arrived.filter(|run| outcomes.source_of(run).is_some());
        let bytes: Vec<f64> = between.map(|run| run.bytes as f64).collect();
        let values = [count(bytes.len()), real(Some(bytes.iter().sum()))];
        metrics.extend(metrics_of(&OF_LINKS_BETWEEN, values));
    }
    metrics
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0_u64, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / count as f64)
}

/// Bytes of inputs of tasks that computed which were not sent for them.
fn saved(outcomes: &SweepOutcomes) -> f64 {
    let sent: OrderedSet<_> = outcomes
        .transfers
        .iter()
        .filter(|run| run.end.is_some())
        .map(|run| (run.transfer.task, run.transfer.cluster, run.transfer.file))
        .collect();
    let mut bytes = 0.0;
    for task in outcomes.sweep.task_numbers() {
        let record = &outcomes.tasks[task.index()];
        let Some(host) = record.host.filter(|_| record.end.is_some()) else { continue };
        let cluster = outcomes.grid.host(host).cluster;
        let inputs = outcomes.sweep.task(task).inputs.iter();
        let found = inputs.filter(|file| !sent.contains(&(task, cluster, SubTask::Input(**file))));
        bytes += found.map(|file| outcomes.sweep.file(*file).bytes as f64).sum::<f64>();
    }
    bytes
}

/// Bytes of the inputs that arrived in a storage again.
fn sent_again(outcomes: &SweepOutcomes) -> f64 {
    let mut arrived = OrderedSet::new();
    let inputs = outcomes.transfers.iter().filter_map(|run| match run.transfer.file {
        SubTask::Input(file) if run.end.is_some() => Some((run.transfer.cluster, file, run.bytes)),
        _ => None,
    });
    let stored = inputs.filter(|(cluster, ..)| outcomes.grid.cluster(*cluster).has_storage);
    let again = stored.filter(|(cluster, file, _)| !arrived.insert((*cluster, *file)));
    again.map(|(.., bytes)| bytes as f64).sum()
}

/// Number of clusters a shared input reached, on the mean.
fn copies(outcomes: &SweepOutcomes) -> Option<f64> {
    let mut readers = vec![0_u32; outcomes.sweep.files.len()];
    for file in outcomes.sweep.tasks.iter().flat_map(|task| &*task.inputs) {
        readers[file.index()] += 1;
    }
    let mut reached = OrderedSet::new();
    for run in outcomes.transfers.iter().filter(|run| run.end.is_some()) {
        if let SubTask::Input(file) = run.transfer.file
            && readers[file.index()] > 1
        {
            reached.insert((file, run.transfer.cluster));
        }
    }
    let shared = readers.iter().filter(|readers| **readers > 1).count();
    (shared > 0).then(|| reached.len() as f64 / shared as f64)
}

impl SweepOutcomes {
    /// The tasks that arrived before the run ended, in their order.
    ///
    /// Work is seconds of a processor of speed 1, of a task by the least of its times; hosts count
    /// with their mean availabilities. The service of a task begins when it would have to on a host
    /// of the greatest speed, all available, with its files there.
    pub fn cohort(&self) -> ListedCohort {
        let grid = &self.grid;
        let fastest = grid.hosts.iter().map(|host| host.speed).fold(0.0, f64::max);
        let capacity =
            grid.hosts.iter().map(|host| host.speed * f64::from(host.processors) * host.availability.mean());
        let came = self.sweep.tasks.iter().zip(&self.tasks).filter(|(task, _)| task.arrival <= self.ended_at);
        let subjects = came.map(|(task, executed)| {
            let area = least_seconds(task, grid).unwrap_or(0.0);
            let alone = SimDuration::ceil_secs(if fastest > 0.0 { area / fastest } else { 0.0 });
            (Subject::shared(task.arrival, executed.completed, alone, area), [])
        });
        ListedCohort::of(Some(capacity.sum()), &[], subjects)
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "worked out by hand, and exact")]
mod tests {
    use super::*;
    use crate::heuristic::MinMinHeuristic;
    use crate::platform::Trace;
    use crate::tests::{grid, run, run_with, shared_files, sweep, workqueue};

    fn value(metrics: &[Metric], name: &str) -> Option<f64> {
        metrics.iter().find(|metric| metric.name == name).expect("it is declared").number()
    }

    #[test]
    fn every_family_has_its_values() {
        let (grid, sweep) = shared_files();
        let bounds = SweepBounds::new(&sweep, &grid);
        let metrics = metrics(&run(grid, sweep, Box::new(MinMinHeuristic)), &bounds);
        assert_eq!(metrics.len(), FAMILIES.iter().map(|family| family.names().len()).sum::<usize>());
        let is = |name: &str| value(&metrics, name);
        // links take what is ready, so the run is ahead of its plan
        assert_eq!(
            (is("makespan"), is("plan-makespan"), is("plan-error")),
            (Some(146.0), Some(167.0), Some(146.0 / 167.0 - 1.0))
        );
        assert_eq!((is("lower-bound"), is("gap")), (Some(97.0), Some(146.0 / 97.0 - 1.0)));
        // file 0 goes to the first and the last cluster, file 1 to the first two
        assert_eq!((is("copies.mean"), is("transfers")), (Some(2.0), Some(4.0 + 6.0 + 6.0)));
        let shares = host_time::PARTS.iter().map(|(part, _)| is(&format!("processor-time.{part}")));
        assert!((shares.map(Option::unwrap_or_default).sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_shared_file_is_saved_for_the_second_task() {
        let sweep = sweep(&[100_000], &[(&[0], 50.0, 10_000), (&[0], 50.0, 10_000)]);
        let grid = grid(&[(10e3, &[1.0, 1.0])]);
        let bounds = SweepBounds::new(&sweep, &grid);
        let metrics = metrics(&run_with(grid, sweep, workqueue()), &bounds);
        let is = |name: &str| value(&metrics, name).expect("it has a value");
        assert_eq!((is("bytes.sent"), is("bytes.saved"), is("copies.mean")), (120e3, 100e3, 1.0));
        // of 2 x 62 s: 10 s each for the file, 50 s each, and the outputs
        assert_eq!(is("link-utilization"), 12.0 / 62.0);
        let parts = ["computing", "waiting", "idle", "lost", "absent"];
        let parts = parts.map(|part| is(&format!("processor-time.{part}")) * 124.0);
        assert!(
            parts.iter().zip([100.0, 20.0, 4.0, 0.0, 0.0]).all(|(part, is)| (part - is).abs() < 1e-9),
            "{parts:?}"
        );
    }

    #[test]
    fn what_was_removed_is_counted_where_a_storage_has_a_limit() {
        let sweep = sweep(&[100_000, 70_000], &[(&[0], 5.0, 0), (&[1], 5.0, 0), (&[0], 5.0, 0)]);
        let mut grid = grid(&[(10e3, &[1.0])]);
        grid.clusters[0].capacity = Some(150_000);
        let bounds = SweepBounds::new(&sweep, &grid);
        let metrics = metrics(&run_with(grid, sweep, workqueue()), &bounds);
        let is = |name: &str| value(&metrics, name).expect("it has a value");
        assert_eq!((is("evictions"), is("bytes.again"), is("bytes.sent")), (2.0, 100e3, 270e3));
    }

    #[test]
    fn what_is_lost_and_absent_is_counted() {
        let mut grid = grid(&[(1e9, &[1.0, 1.0])]);
        let at = |secs| SimTime::from_secs(secs).expect("it is soon");
        grid.hosts[1].present = Trace::new(&[(at(0), 1.0), (at(5), 0.0)], None).expect("a trace");
        let sweep = sweep(&[], &[(&[] as &[u32], 10.0, 0); 2]);
        let bounds = SweepBounds::new(&sweep, &grid);
        let metrics = metrics(&run_with(grid, sweep, workqueue()), &bounds);
        let is = |name: &str| value(&metrics, name).expect("it has a value");
        assert_eq!((is("makespan"), is("failed-works"), is("lost-time")), (20.0, 1.0, 5.0));
        assert_eq!(is("hosts.unused"), 1.0);
        let shares = ["computing", "lost", "absent"].map(|part| is(&format!("processor-time.{part}")));
        assert_eq!(shares, [0.5, 0.125, 0.375]);
    }
}
