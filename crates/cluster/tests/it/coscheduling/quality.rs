//! Real-time jobs beside best effort: what a reservation does for deadlines, and what it costs the
//! others.

use std::sync::Arc;

use clustersim_cluster::instrument::execution::Counts;
use clustersim_jobs::workload::parallel::{Application, Quality, Times};
use clustersim_kernel::SimDuration;

use super::support::{application, iterations, law, layout, node, pattern, published, run};

/// A task that computes for 5 ms, forty times, released every 40 ms and due 20 ms after.
fn real_time() -> Arc<Application> {
    let program = iterations(40, law(0.005, 0.0), Times::None, pattern("none"), 0);
    let quality = Quality::RealTime {
        period: SimDuration::from_millis(40),
        deadline: SimDuration::from_millis(20),
        share: 0.15,
    };
    Arc::new(Application { quality, ..(*application(1, program)).clone() })
}

/// The real-time task beside three that compute for 500 ms each, on one node; its counts, and when
/// the others end [ms].
fn beside_others(scheduler: &str) -> (Counts, Vec<f64>) {
    let others = || application(1, iterations(1, law(0.5, 0.0), Times::None, pattern("none"), 0));
    let jobs = vec![
        (0, real_time(), vec![0]),
        (0, others(), vec![0]),
        (0, others(), vec![0]),
        (0, others(), vec![0]),
    ];
    let came = run(&layout(1, &node(&format!("scheduler = {scheduler}")), ""), published("local"), 1, jobs);
    let counts = came.profile.jobs.iter().find(|execution| execution.job.index() == 0);
    (counts.expect("it has run").counts, came.jobs[1..].to_vec())
}

#[test]
fn a_reservation_lets_no_deadline_be_missed() {
    let turns = "{ kind = \"round-robin\", quantum = \"20ms\" }";
    let (plain, before) = beside_others(turns);
    let (reserved, after) = beside_others(&format!("{{ kind = \"two-level\", best-effort = {turns} }}"));
    println!("misses of {}: {} in turns, {} with a reservation", plain.due, plain.missed, reserved.missed);
    println!("the others end at {before:.1?} in turns, at {after:.1?} ms beside a reservation");
    // without one it waits for up to three turns of 20 ms
    assert_eq!((plain.due, reserved.due), (40, 40));
    assert!(plain.missed > 20, "{} misses", plain.missed);
    assert_eq!(reserved.missed, 0);
    // the others get all the rest: they end after their 1500 ms, the 190 ms or so of the task
    // beside them, and the switches between
    assert!(after.iter().all(|&end| end < 1.1 * before.iter().fold(0.0, |last: f64, &end| last.max(end))));
}
