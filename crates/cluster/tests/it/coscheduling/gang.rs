//! Gang scheduling on nodes: the closed form, and against dynamic schemes as published.

use clustersim_cluster::instrument::profile::{Activity, Spent};
use clustersim_jobs::workload::parallel::{RecordedStep, Times};
use clustersim_kernel::SimDuration;

use super::support::{application, ends, iterations, law, layout, node, pattern, recorded, simulate};

/// MODELS 2.1, experiment B3: K = 3 jobs of D = 1000 ms, Q = 200, c = 2.
#[test]
fn full_jobs_end_as_the_closed_form_says() {
    let compute: &[RecordedStep] = &[RecordedStep::Compute(SimDuration::from_millis(1000))];
    let job = || (0, recorded(&[compute, compute, compute, compute]));
    let outcomes = simulate(&layout(4, &node(""), ""), 5, "policy = \"gang\"", 1, vec![job(), job(), job()]);
    assert_eq!(ends(&outcomes), [2624.0, 2826.0, 3028.0]);
    let profile = outcomes.profile.expect("detail task");
    // 14 switches, all of 2 ms; whoever has ended leaves the rest of its slice
    assert_eq!(profile.processors[0].of(Activity::Compute), 3_000_000_000);
    assert_eq!(profile.processors[0].of(Activity::Switch), 28_000_000);
    assert_eq!(profile.processors[0].of(Activity::Idle), 0);
    // the first job is there before anybody else; each has five slices, on four nodes
    let switches: Vec<u64> = profile.jobs.iter().map(|job| job.counts.switches).collect();
    assert_eq!(switches, [16, 20, 20]);
}

/// A row holds two jobs of one task, the other a job of two: at a switch a processor goes on with
/// another task, or with none.
#[test]
fn a_switch_counts_where_another_task_ran_before() {
    let long: &[RecordedStep] = &[RecordedStep::Compute(SimDuration::from_millis(250))];
    let io: &[RecordedStep] = &[
        RecordedStep::Compute(SimDuration::from_millis(150)),
        RecordedStep::Io(SimDuration::from_millis(900)),
        RecordedStep::Compute(SimDuration::from_millis(10)),
    ];
    let jobs = vec![(0, recorded(&[long])), (0, recorded(&[io])), (0, recorded(&[long, long]))];
    let policy = "policy = { kind = \"gang\", replicas = false }";
    let outcomes = simulate(&layout(2, &node(""), ""), 5, policy, 1, jobs);
    // slices run from 0, 202, 404, 606 and 808 ms; the last belongs to the job with I/O, which is
    // over at 1050 ms
    assert_eq!(ends(&outcomes), [454.0, 1060.0, 656.0]);
    let counts = outcomes.profile.expect("detail task").jobs;
    let of = |job: usize| {
        let counts = counts.iter().find(|execution| execution.job.index() == job).expect("it ran").counts;
        (counts.switches, counts.dispatches)
    };
    // beside the first job nobody runs in the third slice; so on that node the fourth goes on with
    // the task of the second
    assert_eq!((of(0), of(1), of(2)), ((1, 2), (1, 2), (3, 4)));
}

#[test]
fn a_job_alone_runs_through_without_a_switch() {
    let compute: &[RecordedStep] = &[RecordedStep::Compute(SimDuration::from_millis(1000))];
    let outcomes = simulate(
        &layout(2, &node(""), ""),
        5,
        "policy = \"gang\"",
        1,
        vec![(7, recorded(&[compute, compute]))],
    );
    assert_eq!(ends(&outcomes), [1007.0]);
}

#[test]
fn a_job_beside_another_in_its_row_starts_at_once_and_one_in_another_row_at_its_turn() {
    let compute: &[RecordedStep] = &[RecordedStep::Compute(SimDuration::from_millis(100))];
    let jobs =
        vec![(0, recorded(&[compute])), (10, recorded(&[compute])), (10, recorded(&[compute, compute]))];
    let outcomes = simulate(&layout(2, &node(""), ""), 5, "policy = \"gang\"", 1, jobs);
    assert_eq!(ends(&outcomes), [100.0, 110.0, 302.0]);
}

/// Mean end of 5 jobs of 16 tasks, nearest neighbours, all submitted at time 0 [ms].
fn batch(policy: &str, count: u32, compute: f64, io: &Times) -> (f64, f64, f64) {
    let job = || application(16, iterations(count, law(compute, 0.1), io.clone(), pattern("nn"), 1024));
    let jobs = (0..5).map(|_| (0, job())).collect();
    let outcomes = simulate(&layout(16, &node(""), ""), 5, &format!("policy = \"{policy}\""), 1, jobs);
    let ends = ends(&outcomes);
    let profile = outcomes.profile.expect("detail task");
    let total: u64 = profile.processors.iter().map(Spent::total).sum();
    let of = |activity| {
        profile.processors.iter().map(|spent| spent.of(activity)).sum::<u64>() as f64 / total as f64
    };
    (ends.iter().sum::<f64>() / 5.0, of(Activity::Spin), of(Activity::Idle) + of(Activity::IoWait))
}

/// Experiments A6 to A8: the computed means are GS 5574 ms with communication, 20604 ms with I/O,
/// where spin is 0.05, idle 0.70.
#[test]
fn slices_are_best_with_much_communication_and_worst_with_much_io() {
    let (fine, ..) = batch("gang", 1000, 0.001, &Times::None);
    let (dcs, ..) = batch("dcs", 1000, 0.001, &Times::None);
    println!("A6: GS {fine:.0}, DCS {dcs:.0} ms");
    assert!(dcs < 1.25 * fine);
    for other in ["sb", "pb", "pb-sb", "dcs-sb"] {
        let (mean, ..) = batch(other, 1000, 0.001, &Times::None);
        assert!(fine < 1.1 * mean, "{other}: {mean} ms");
    }
    let (io, spin, idle) = batch("gang", 200, 0.005, &law(0.015, 0.1));
    let (pb, pb_spin, pb_idle) = batch("pb", 200, 0.005, &law(0.015, 0.1));
    let (dcs, ..) = batch("dcs", 200, 0.005, &law(0.015, 0.1));
    println!(
        "A7: GS {io:.0} (spin {spin:.2}, idle {idle:.2}), PB {pb:.0} (spin {pb_spin:.2}, idle {pb_idle:.2}), DCS {dcs:.0} ms"
    );
    assert!(dcs < io && io > 2.0 * pb);
    assert!(spin < pb_spin && idle > 0.5 && pb_idle < 0.5);
}
