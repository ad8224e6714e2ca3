//! Metrics that `compare` shows and judges: useful work and no time held, response times where jobs
//! share processors, those asked for.

use serde_json::Value;

use clustersim_testing::program::Place;

const JOBS: &str = r#"
title = "Jobs"
seed = 8
[cluster]
procs = 16
[workload]
kind = "synthetic"
jobs = 60
load = 0.7
arrivals = { kind = "exponential", mean = "6min" }
sizes = { kind = "log-uniform", low = 1, high = 16 }
run-times = { kind = "exponential", mean = "1h" }
[[vary]]
policy = ["fcfs", "easy", { kind = "gang", quantum = "2min" }]
[repeat]
replications = 5
"#;

fn compared(place: &Place, more: &[&str]) -> Value {
    let output = place.run(&[&["compare", "jobs.toml", "--json", "--force", "-o", "out"], more].concat());
    assert_eq!(output.status, 0, "{}", output.stderr);
    serde_json::from_str(&output.stdout).unwrap()
}

/// The metrics of the families that were asked for, or of those that were not, and the pairs of
/// points.
fn judged(study: &Value, asked: bool) -> (Vec<&str>, Vec<(u64, u64)>) {
    let (mut metrics, mut pairs) = (Vec::new(), Vec::new());
    let families = study["comparisons"].as_array().unwrap().iter();
    let families = families.filter(|family| (family["role"] != "unasked") == asked);
    for one in families.flat_map(|family| family["pairs_list"].as_array().unwrap()) {
        let metric = one["metric"].as_str().unwrap();
        let pair = (one["from"].as_u64().unwrap(), one["to"].as_u64().unwrap());
        if !metrics.contains(&metric) {
            metrics.push(metric);
        }
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    (metrics, pairs)
}

#[test]
fn time_held_has_no_verdict_and_under_time_sharing_the_response_stands_for_the_wait() {
    let place = Place::new();
    place.file("jobs.toml", JOBS);
    let study = compared(&place, &[]);
    let (metrics, pairs) = judged(&study, true);
    let first = ["response-time.mean", "bounded-slowdown.mean", "useful-utilization", "makespan"];
    // in the order in which metrics are shown
    assert!(first.iter().all(|name| metrics.contains(name)) && metrics.len() == first.len(), "{metrics:?}");
    assert_eq!(pairs, [(0, 1), (0, 2)]);
    let others = judged(&study, false).0;
    assert!(others.contains(&"wait-time.p95") && !others.contains(&"utilization"), "{others:?}");
    let each = judged(&compared(&place, &["--baseline", "all"]), true).1;
    assert_eq!(each, [(0, 1), (0, 2), (1, 2)]);
    // every job is completed: the same work in the time of the run, however long processors were
    // held
    let values = |point: usize, metric: &str| study["points"][point]["metrics"][metric]["values"].clone();
    for replication in 0..5 {
        let of = |metric: &str| {
            let value = |point: usize| values(point, metric)[replication].as_f64().unwrap();
            (value(1), value(2))
        };
        let ((easy, gang), (long, longer)) = (of("useful-utilization"), of("makespan"));
        assert!((easy * long - gang * longer).abs() < 1e-9 * easy * long);
        let (held, shared) = of("utilization");
        assert!((held - easy).abs() < 1e-12 && shared >= gang - 1e-12, "{held} {easy} {shared} {gang}");
    }
    place.file("jobs.toml", JOBS.replace(", { kind = \"gang\", quantum = \"2min\" }", ""));
    let alone = compared(&place, &[]);
    assert!(judged(&alone, true).0.contains(&"wait-time.mean"));
}

#[test]
fn checkpoints_that_keep_work_are_no_loss() {
    let place = Place::new();
    let study = JOBS.split("[[vary]]").next().unwrap().replace(
        "procs = 16",
        "procs = 16\nfailures = { processors-per-node = 1, up = { kind = \"exponential\", mean = \"2d\" }, down = \"1min\" }",
    );
    place.file("jobs.toml", format!("{study}\n[policy]\nkind = \"easy\"\n[repeat]\nreplications = 5\n"));
    let metrics = "useful-utilization,utilization,makespan,processor-time.lost,processor-time.checkpoints";
    let vary = "cluster.failures.checkpoint.interval=10min,100h";
    let cost = "cluster.failures.checkpoint.cost=\"10s\"";
    let study = compared(&place, &["--set", cost, "--vary", vary, "--metric", metrics]);
    let mean =
        |point: usize, metric: &str| study["points"][point]["metrics"][metric]["mean"].as_f64().unwrap();
    let [lost, useful, held] = ["processor-time.lost", "useful-utilization", "utilization"];
    assert!(mean(0, lost) < mean(1, lost) && mean(0, useful) < mean(0, held));
    // all jobs are completed: what is held is useful, lost or spent on checkpoints
    for (point, replication) in [(0, 0), (0, 4), (1, 0), (1, 4)] {
        let all = metrics.split(',').map(|metric| &study["points"][point]["metrics"][metric]["values"]);
        let all: Vec<f64> = all.map(|values| values[replication].as_f64().unwrap()).collect();
        let whole = all[2] * 16.0;
        let [known, sum] = [all[1] * whole, all[0] * whole + all[3] + all[4]];
        assert!((known - sum).abs() < 1e-9 * sum, "{known} {sum}");
    }
}

#[test]
fn what_is_asked_for_is_shown_and_compared_with_the_point_that_is_named() {
    let place = Place::new();
    place.file("jobs.toml", JOBS);
    let ask = |more: &[&str]| place.run(&[&["compare", "jobs.toml", "--force", "-o", "out"], more].concat());
    let shown = ask(&["--metric", "wait-time.p95,throughput", "--baseline", "easy"]);
    assert_eq!(shown.status, 0, "{}", shown.stderr);
    let head = shown.stdout.lines().find(|line| line.contains("runs")).unwrap();
    assert!(head.contains("wait time p95 [") && head.contains("throughput [jobs/h]"), "{head}");
    assert!(!head.contains("makespan"), "{head}");
    for metric in ["wait-time.p95 against easy [", "throughput against easy ["] {
        assert!(shown.stdout.contains(metric), "{}", shown.stdout);
    }
    assert!(shown.stdout.contains("\nfcfs  ") || shown.stdout.contains("\nfcfs "), "{}", shown.stdout);
    // the number of a point is its row in the table
    let study = compared(&place, &["--baseline", "1"]);
    assert_eq!(judged(&study, true).1, [(1, 0), (1, 2)]);
    for (wrong, help) in [
        (["--metric", "makespan,wait-time.maen"], "wait-time.mean"),
        (["--baseline", "esay"], "did you mean `easy`?"),
        (["--baseline", "3"], "known: "),
    ] {
        let refused = ask(&wrong);
        assert!(refused.status == 2 && refused.stderr.contains(help), "{wrong:?}: {}", refused.stderr);
    }
}
