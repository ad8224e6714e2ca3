//! Loss of capacity and the figures of classes at detail `job`.

use clustersim::instrument::metrics::Metric;
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::cluster::{jobs, policy, rows, run};
use crate::program::Place;

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Against a count at every second, from the schedule.
    #[test]
    fn loss_of_capacity_is_what_stays_free_while_somebody_waits(
        mut drawn in prop::collection::vec((0_u64..60, 1_u32..=8, 1_u64..50, 0_u64..30), 1..40),
    ) {
        drawn.sort_by_key(|row| row.0);
        let drawn: Vec<_> =
            drawn.into_iter().map(|(submit, procs, run, over)| (submit, procs, run, run + over)).collect();
        let all = jobs(&drawn);
        for name in ["'fcfs'", "'easy'", "'conservative'", "'first-fit'", "'sjf'"] {
            let outcomes = run(&all, 8, policy(name)).unwrap();
            let rows = rows(&outcomes);
            let secs = |time: clustersim::kernel::SimTime| time.as_nanos() / 1_000_000_000;
            let from = drawn[0].0;
            let to = rows.iter().map(|row| secs(row.end)).max().unwrap();
            let lost: u64 = (from..to)
                .map(|second| {
                    let waits = rows.iter().any(|row| secs(row.submit_time) <= second && second < secs(row.start));
                    let runs = |row: &&clustersim::check::Row| secs(row.start) <= second && second < secs(row.end);
                    let held: u32 = rows.iter().filter(runs).map(|row| row.procs).sum();
                    if waits { u64::from(8 - held) } else { 0 }
                })
                .sum();
            let metrics = outcomes.metrics();
            let found = metrics.iter().find(|metric| metric.name == "loss-of-capacity");
            let found = found.and_then(Metric::number).unwrap();
            let expected = lost as f64 / (8 * (to - from)) as f64;
            prop_assert!((found - expected).abs() < 1e-12, "{}: {} and not {}", name, found, expected);
        }
    }
}

const LOG: &str = "\
; MaxProcs: 4
1 0 -1 10 4 -1 -1 4 10 -1 1 7 1 -1 0 -1 -1 -1
2 0 -1 20 4 -1 -1 4 20 -1 1 8 1 -1 3 -1 -1 -1
3 0 -1 10 4 -1 -1 4 10 -1 1 7 1 -1 -1 -1 -1 -1
";

#[test]
fn users_and_queues_are_told_apart_where_that_is_asked_for() {
    let scenario = |classes: &str| {
        format!(
            "title = \"Classes\"\nworkload = {{ kind = \"swf\", file = \"log.swf\" }}\npolicy = \"fcfs\"\n\
                 record = {{ classes = \"{classes}\", report = false }}\n[expect]\nfairness = \"< 2\"\n"
        )
    };
    let summary = |classes: &str| -> Json {
        let place = Place::new();
        place.file("log.swf", LOG).file("scenario.toml", scenario(classes));
        place.run(&["run", "scenario.toml", "-o", "out", "-q"]);
        serde_json::from_slice(&place.read("out/summary.json")).unwrap()
    };
    let users = summary("user");
    // responses 10 and 40 of user 7, 30 of user 8: means 25 and 30, so 2.5 / 27.5
    let fairness = users["metrics"]["fairness"]["value"].as_f64().unwrap();
    assert!((fairness - 2.5 / 27.5).abs() < 1e-12, "{fairness}");
    assert_eq!(users["classes"]["user-7"]["wait-time.mean"]["value"], 15.0);
    let queues = summary("queue");
    let names: Vec<&String> = queues["classes"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["queue-0", "queue-3", "queue-unknown"]);
    assert_eq!(queues["classes"]["queue-3"]["response-time.mean"]["value"], 30.0);
    assert!(summary("none").get("classes").is_none());
}
