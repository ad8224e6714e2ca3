//! What is measured of a run at detail `task`: cases worked by hand, and the account under every
//! scheme.

use std::sync::Arc;

use clustersim_cluster::instrument::profile::{Activity, Spent};
use clustersim_cluster::policy::Outcomes;
use clustersim_jobs::workload::parallel::{Application, RecordedStep, Times};
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimDuration, SimTime};
use clustersim_language::units::Bytes;

use super::support::{
    application, iterations, law, layout, node, pattern, published, recorded, run, simulate, simulate_after,
};

const fn ms(millis: u64) -> RecordedStep {
    RecordedStep::Compute(SimDuration::from_millis(millis))
}

/// A job of `tasks` tasks that only wait for their I/O.
fn sleeps(tasks: usize, secs: u64) -> Arc<Application> {
    let io = [RecordedStep::Io(SimDuration::from_secs(secs))];
    recorded(&vec![&io[..]; tasks])
}

fn value(outcomes: &Outcomes, name: &str) -> Option<f64> {
    let metrics = outcomes.metrics();
    metrics.iter().find(|metric| metric.name == name).unwrap_or_else(|| panic!("no {name}")).number()
}

fn close(outcomes: &Outcomes, name: &str, expected: f64) {
    let found = value(outcomes, name).unwrap_or_else(|| panic!("{name} is observed"));
    assert!((found - expected).abs() < 1e-12, "{name}: {found}, not {expected}");
}

/// Experiment A13: 8 nodes of level 2; of 50 s, 20 s with a job waiting and 3 slots free, 10 s with
/// 1 free.
#[test]
fn a_whole_run_loses_the_capacity_of_the_published_example() {
    let jobs = vec![
        (0, sleeps(8, 50)),
        (0, sleeps(5, 25)),
        // four slots are not free before 25 s
        (5_000, sleeps(4, 25)),
        (30_000, sleeps(3, 10)),
        // of two slots one is free until 40 s
        (30_000, sleeps(2, 10)),
    ];
    let layout = layout(8, &node("context-switch = \"0us\""), "");
    let outcomes = simulate(&layout, 2, "policy = \"local\"", 1, jobs);
    assert_eq!(outcomes.run().window().to, SimTime::from_nanos(50_000_000_000));
    assert_eq!(value(&outcomes, "loss-of-capacity"), Some(0.175));
    assert_eq!(value(&outcomes, "loss-of-capacity.per-slot"), Some(0.0875));
    assert_eq!(value(&outcomes, "wait-time.max"), Some(20.0));
    // nobody computes, so there is no busy time to have lost any of
    assert_eq!((value(&outcomes, "cpu-utilization"), value(&outcomes, "loss-of-cpu")), (Some(0.0), None));
    assert_eq!(value(&outcomes, "profile.io-wait"), Some(1.0), "every node has a task of the first job");
}

/// Experiment A1 once more: 20 20 | 40 40 | 40 40 ms with a switch of 0.2 ms between, 201 ms in
/// all.
#[test]
fn two_tasks_that_compute_have_the_measures_of_the_schedule_by_hand() {
    let jobs = vec![(0, recorded(&[&[ms(100)]])), (0, recorded(&[&[ms(100)]]))];
    let outcomes = simulate(&layout(1, &node(""), ""), 2, "policy = \"local\"", 1, jobs);
    close(&outcomes, "cpu-utilization", 200.0 / 201.0);
    close(&outcomes, "loss-of-cpu", 1.0 / 201.0);
    close(&outcomes, "profile.switch", 1.0 / 201.0);
    close(&outcomes, "execution-time.max", 0.201);
    close(&outcomes, "execution-time.mean", 0.1809);
    close(&outcomes, "time-to-first-dispatch.max", 0.0202);
    close(&outcomes, "time-to-first-dispatch.mean", 0.0101);
    assert_eq!(value(&outcomes, "counts.switches"), Some(5.0));
    assert_eq!(value(&outcomes, "counts.dispatches"), Some(6.0));
    assert_eq!(value(&outcomes, "scheduling-skewness"), None, "nobody waits for anybody");
    assert_eq!(value(&outcomes, "pace.mean"), None, "no job lasts a second");
    assert_eq!(value(&outcomes, "fairness"), None, "there is one class");
    assert_eq!(value(&outcomes, "deadlines.missed"), None, "nothing is due");
}

#[test]
fn pace_is_the_computing_of_a_job_by_second() {
    let alone = simulate(
        &layout(1, &node(""), ""),
        2,
        "policy = \"local\"",
        1,
        vec![(0, recorded(&[&[ms(1500), RecordedStep::Io(SimDuration::from_millis(500)), ms(1900)]]))],
    );
    // 1.0, 0.5, 1.0 and nine tenths of a second that are no whole window
    close(&alone, "pace.mean", 2.5 / 3.0);
    let deviation = (0.25_f64 / 3.0).sqrt();
    close(&alone, "pace.cv", deviation / (2.5 / 3.0));
}

/// The receiver waits from the start; its sender gets the processor when the first quantum of the
/// other job, 20 ms, is over and the switch of 0.2 ms is made.
#[test]
fn skewness_lasts_from_the_wait_to_the_dispatch_of_the_counterpart() {
    let size = Bytes::new(0);
    let (receiver, sender) = ([RecordedStep::Receive { from: 1 }], [RecordedStep::Send { to: 0, size }]);
    let jobs = vec![(0, recorded(&[&[ms(50)]]), vec![1]), (0, recorded(&[&receiver, &sender]), vec![0, 1])];
    let came = run(&layout(2, &node(""), ""), published("local"), 1, jobs);
    let job = came.profile.jobs.iter().find(|execution| execution.job.index() == 1).expect("it has ended");
    assert_eq!((job.counts.skewed_waits, job.counts.skew), (1, 20_200_000));
    assert_eq!((job.counts.messages, job.counts.switches), (1, 1));
}

#[test]
fn the_warm_up_leaves_processors_and_jobs_out() {
    let at = |warm_up| {
        let jobs = vec![(0, recorded(&[&[ms(100)]])), (200, recorded(&[&[ms(50)]]))];
        let node = node("context-switch = \"0us\"");
        simulate_after(warm_up, (&layout(1, &node, ""), 1), "policy = \"fcfs\"", 1, jobs)
    };
    close(&at(WarmUp::None), "cpu-utilization", 150.0 / 250.0);
    let by_time = at(WarmUp::Until(SimTime::from_nanos(150_000_000)));
    close(&by_time, "cpu-utilization", 0.5);
    close(&by_time, "profile.idle", 0.5);
    close(&by_time, "execution-time.max", 0.05);
    close(&at(WarmUp::Count(1)), "cpu-utilization", 1.0);
    let never = at(WarmUp::Until(SimTime::from_nanos(999_000_000)));
    assert_eq!((value(&never, "cpu-utilization"), value(&never, "loss-of-capacity")), (None, None));
    assert_eq!((value(&never, "profile.compute"), value(&never, "counts.switches")), (None, None));
}

/// Jobs that communicate and jobs with I/O, coming while others run.
fn mixed() -> Vec<(u64, Arc<Application>)> {
    let job = |place: u64| {
        let io = if place.is_multiple_of(2) { Times::None } else { law(0.006, 0.1) };
        let program = iterations(12, law(0.003, 0.1), io, pattern("nn"), 1024);
        (place * 7, application(4, program))
    };
    (0..9).map(job).collect()
}

#[test]
fn every_nanosecond_is_accounted_for_under_every_scheme() {
    let schemes =
        ["local", "sb", "sy", "dcs", "dcs-sb", "dcs-sy", "pb", "pb-sb", "pb-sy", "ics", "gang", "fcfs"];
    for (name, processors) in schemes.into_iter().flat_map(|name| [(name, 1), (name, 2)]) {
        let node = node(&format!("processors = {processors}\nphase = \"random\"\nqueue-operation = \"3us\""));
        let layout = layout(4, &node, "");
        let outcomes = simulate(&layout, 3, &format!("policy = \"{name}\""), 5, mixed());
        let profile = outcomes.profile.as_ref().expect("detail `task`");
        let length = profile.to.since(profile.from).as_nanos();
        assert!(profile.processors.iter().all(|spent| spent.total() == length), "{name} on {processors}");
        // what tasks do is charged to their jobs, to the nanosecond
        for activity in [Activity::Compute, Activity::Message, Activity::Spin] {
            let sum =
                |spent: &mut dyn Iterator<Item = Spent>| -> u64 { spent.map(|one| one.of(activity)).sum() };
            let (by_cpu, by_job) = (
                sum(&mut profile.processors.iter().copied()),
                sum(&mut profile.jobs.iter().map(|job| job.spent)),
            );
            assert_eq!(by_cpu, by_job, "{name} on {processors}: {}", activity.name());
        }
        let share = |activity: Activity| value(&outcomes, &format!("profile.{}", activity.name()));
        let sum: f64 = Activity::ALL.into_iter().map(|activity| share(activity).expect("observed")).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{name}: {sum}");
        let useful = share(Activity::Compute).zip(share(Activity::Message)).map(|(one, other)| one + other);
        close(&outcomes, "cpu-utilization", useful.expect("observed"));
        // 4 tasks with 2 peers each, 12 times, 9 jobs
        assert_eq!(value(&outcomes, "counts.messages"), Some(864.0), "{name} on {processors}");
        let capacity = value(&outcomes, "loss-of-capacity.per-slot").expect("observed");
        assert!((0.0..1.0).contains(&capacity), "{name}: {capacity}");
        let blocks = value(&outcomes, "counts.blocks").expect("observed");
        assert_eq!(blocks > 0.0, name.contains("sb") || name == "ics", "{name} blocks {blocks} times");
    }
}
