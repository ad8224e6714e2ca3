//! What runs of global computing hand over besides their tables: the timeline, figures of the page,
//! and how a replay agrees.

use std::collections::BTreeMap;

use serde_json::Value;

use clustersim_testing::program::{Place, repository};
use clustersim_testing::trace::read;

fn run(text: &str, more: &[&str]) -> Place {
    let place = Place::new();
    place.file("s.toml", text).file("net.txt", SERIES).file("cpu.txt", "0 1\n60 0.5\n120 0.25\n180 0.8\n");
    let output = place.run(&[&["run", "s.toml", "--no-progress", "-q", "-o", "out"], more].concat());
    assert_eq!(output.status, 0, "{}", output.stderr);
    place
}

fn metrics(place: &Place) -> Value {
    let summary: Value = serde_json::from_slice(&place.read("out/summary.json")).unwrap();
    summary["metrics"].clone()
}

/// The rows of a table, each by the names of its columns.
fn rows(place: &Place, table: &str) -> Vec<BTreeMap<String, String>> {
    let text = String::from_utf8(place.read(&format!("out/{table}"))).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let head = lines.next().unwrap();
    lines.map(|row| head.iter().cloned().zip(row).collect()).collect()
}

const SERIES: &str = "0 100000\n60 200000\n120 50000\n180 150000\n";

/// Two clients, three servers, of which one fails, and probes that are lost now and then.
const RUN: &str = r#"
title = "Lanes"
seed = 7
[platform]
server = [
    { name = "s", count = 2, performance = "100Mop/s" },
    { name = "f", performance = "300Mop/s", failures = { after = "40s", repair = "10s" } },
]
queues = { bandwidth = "100kBps", latency = "50ms", packet = "20kB" }
[monitor]
network = { every = "30s", probe = "100kB", timeout = "1500ms", stagger = true }
[[client]]
name = "c"
count = 2
tasks = 12
arrivals = { kind = "exponential", mean = "10s" }
class = [{ send = "200kB", receive = "50kB", instructions = { kind = "exponential", mean = "1Gop" } }]
"#;

fn nanos(text: &str) -> u64 {
    (text.parse::<f64>().unwrap() * 1e9).round() as u64
}

#[test]
fn a_timeline_has_clients_servers_queues_and_probes() {
    let place = run(RUN, &["--trace"]);
    let trace = read(&place.read("out/trace.pftrace"));
    // a span that overlaps others of its lane is on a further one, which has a number in
    // parentheses
    let slices = |lane: &str| -> Vec<(u64, u64, String)> {
        let lanes = trace.slices.iter().filter(|(name, _)| name.split(" (").next() == Some(lane));
        let slices = lanes.flat_map(|(_, slices)| slices);
        slices.map(|slice| (slice.start, slice.end, slice.job.clone())).collect()
    };
    let tasks = rows(&place, "tasks.csv");
    for row in &tasks {
        let name = format!("task {}", row["task"]);
        let span = |from: &str, to: &str| (nanos(&row[from]), nanos(&row[to]), name.clone());
        let client = &row["client"];
        for (lane, span) in [
            (client.clone(), span("issued", "received")),
            (format!("{client} sends"), span("decided", "queued")),
            (row["server"].clone(), span("started", "ended")),
            (format!("{client} receives"), span("ended", "received")),
        ] {
            assert!(slices(&lane).contains(&span), "{lane}: {span:?}");
        }
    }
    // sent, executed, received: two arrows a task
    assert_eq!(trace.begins.len(), 2 * tasks.len());
    assert_eq!(trace.ends.len(), trace.begins.len());
    let queue = slices("c-0>s-0");
    assert!(queue.iter().any(|(.., name)| name.starts_with("task ")), "{queue:?}");
    assert!(queue.iter().any(|(.., name)| name == "probe"));
    let probes = slices("probes from c-0 to s-0");
    let lost = ["c-0", "c-1"].into_iter().flat_map(|client| {
        ["s-0", "s-1", "f"].map(|server| {
            let both = [(client, server), (server, client)];
            let lost = both.map(|(from, to)| slices(&format!("probes from {from} to {to}")));
            lost.iter().flatten().filter(|(.., name)| name == "probe, lost").count()
        })
    });
    let lost = lost.sum::<usize>() as u64;
    assert_eq!(metrics(&place)["probes.lost"]["value"].as_u64(), Some(lost));
    assert!(lost > 0 && probes.len() > 2, "{lost}: {probes:?}");
}

#[test]
fn a_timeline_changes_no_other_file() {
    let (plain, traced) = (run(RUN, &[]), run(RUN, &["--trace"]));
    for file in ["tasks.csv", "attempts.csv", "servers.csv", "queues.csv", "jobs.csv", "summary.json"] {
        let path = format!("out/{file}");
        assert_eq!(plain.read(&path), traced.read(&path), "{file}");
    }
    let names = traced.names("out");
    assert!(names.contains(&"trace.pftrace".to_owned()) && !names.contains(&"packets.csv".to_owned()));
    assert!(!plain.names("out").contains(&"trace.pftrace".to_owned()));
    // nothing is written, but asked for
    let without = run(RUN, &["--trace", "--set", "record.tasks=false"]);
    assert!(!without.path("out/tasks.csv").exists());
    assert_eq!(without.read("out/trace.pftrace"), traced.read("out/trace.pftrace"));
}

#[test]
fn the_page_has_what_decisions_cost_if_that_was_recorded() {
    let page = |place: &Place| String::from_utf8(place.read("out/report.html")).unwrap();
    let kept = run(RUN, &["--set", "record.regret=true"]);
    for title in ["What decisions cost", "Decisions that cost most"] {
        assert!(page(&kept).contains(title), "{title}");
        assert!(!page(&run(RUN, &[])).contains(title), "{title}");
    }
    // drawn again from its files, it is the same page
    let again = kept.run(&["report", "out"]);
    assert!(again.stderr.contains("drawn again, as it was"), "{}", again.stderr);
    let judged = kept.run(&["check", "out"]);
    assert_eq!(judged.status, 0, "{}{}", judged.stdout, judged.stderr);
    // the costs of a row add up, and have the mean of the summary
    let decisions = rows(&kept, "decisions.csv");
    let mut total = 0.0;
    for row in &decisions {
        let value = |name: &str| row[name].parse::<f64>().unwrap();
        let parts: f64 = ["rule", "forecast", "age", "estimate"].map(value).iter().sum();
        assert!((value("regret") - parts).abs() < 1e-9 && value("regret") >= 0.0, "{row:?}");
        total += value("regret");
    }
    let mean = metrics(&kept)["decision-regret.mean"]["value"].as_f64().unwrap();
    assert!((mean - total / decisions.len() as f64).abs() < 1e-9, "{mean} and {total}");
}

/// A path over one measured queue, one over two, and a measured server; monitors look when the
/// series have points.
const REPLAYED: &str = r#"
title = "Replayed"
[platform]
server = [{ name = "s", performance = "100Mop/s", availability = "cpu.txt" }]
queue = [
    { name = "up", model = { kind = "measured", file = "net.txt", unit = "Bps", curve = "step" } },
    { name = "down", model = { kind = "measured", file = "net.txt", unit = "Bps", curve = "linear" } },
    { name = "last", bandwidth = "1MBps" },
]
path = [{ send = ["up"], receive = ["down", "last"] }]
[monitor]
network = { every = "60s", probe = "300kB", latency = false }
server = { every = "60s" }
[predictor]
kind = "battery"
forecasters = ["last"]
[record]
agreement = true
measurements = true
[[client]]
name = "c"
tasks = 1
arrivals = "239s"
class = [{ instructions = "1Mop" }]
"#;

#[test]
fn a_replay_is_compared_with_the_series_that_it_replays() {
    let place = run(REPLAYED, &[]);
    let metrics = metrics(&place);
    let value = |name: &str| metrics[format!("agreement.{name}")]["value"].as_f64();
    // four points each; the path back leads over two queues and is not compared
    assert_eq!((value("instants.bandwidth"), value("instants.availability")), (Some(4.0), Some(4.0)));
    // 300 kB at 100, 200 and 150 kB/s are as fast as the step; at 50 kB/s too, as 60 s is enough
    for name in
        ["bandwidth-difference.max", "bandwidth-forecast-difference.max", "availability-difference.max"]
    {
        // packets end on whole nanoseconds
        assert!(value(name).unwrap() < 1e-7, "{name}");
    }
    for name in ["bandwidth", "bandwidth-forecast", "availability", "availability-forecast"] {
        assert!((value(&format!("correlation.{name}")).unwrap() - 1.0).abs() < 1e-9, "{name}");
    }
    // the last value is known by its error from the third on: 200 to 50, 50 to 150 kB/s
    assert_eq!(value("bandwidth-error.series"), Some(125_000.0));
    assert!((value("bandwidth-error.measured").unwrap() - 125_000.0).abs() < 0.1);
    let error = value("availability-error.series").unwrap();
    assert!((error - 0.4).abs() < 1e-12, "{error}");
    let said = place.run(&["run", "s.toml", "--no-progress", "-o", "said"]).stdout;
    assert!(said.contains("4 of bandwidth compared: 95 % within 0 %"), "{said}");
    // nothing else changes, and without the key there are no such metrics
    let without = run(&REPLAYED.replace("agreement = true", ""), &[]);
    assert_eq!(place.read("out/measurements.csv"), without.read("out/measurements.csv"));
    let (mut with, without) = (metrics.as_object().unwrap().clone(), self::metrics(&without));
    with.retain(|name, _| !name.starts_with("agreement."));
    assert_eq!(&with, without.as_object().unwrap());
}

/// Of what monitors measure nothing is in a series, or nothing forecasts.
#[test]
fn where_there_is_nothing_to_compare_metrics_are_empty() {
    let plain = metrics(&run(RUN, &["--set", "record.agreement=true"]));
    let last = metrics(&run(REPLAYED, &["--set", "predictor={ kind = \"last\" }"]));
    for (metrics, count) in [(plain, 0), (last, 4)] {
        assert_eq!(metrics["agreement.instants.bandwidth"]["value"].as_u64(), Some(count));
        for name in
            ["correlation.bandwidth-forecast", "bandwidth-forecast-difference.p95", "bandwidth-error.series"]
        {
            assert!(metrics[format!("agreement.{name}")]["value"].is_null(), "{name}");
        }
    }
}

/// Lost measurements of the footnote of HPDC 1999: forecasts differ, unless the replay loses the
/// same.
#[test]
fn a_replay_that_loses_the_same_measurements_has_nearer_forecasts() {
    let study = repository("scenarios/studies/replayed-days.toml");
    let largest = |point: &str| {
        let place = Place::new();
        let command =
            ["run", study.to_str().unwrap(), "--no-progress", "-q", "-o", "out", "--replication", "0"];
        let output = place.run(&[&command[..], &["--point", point]].concat());
        assert_eq!(output.status, 0, "{}", output.stderr);
        let metrics = metrics(&place);
        let value = |name: &str| metrics[format!("agreement.{name}")]["value"].as_f64().unwrap();
        assert!(value("correlation.bandwidth") >= 0.999 && value("bandwidth-difference.median") <= 0.003);
        assert!(value("bandwidth-difference.p95") <= 0.015);
        let of_node = ["availability-difference.max", "availability-forecast-difference.max"].map(value);
        assert!(of_node.iter().all(|difference| *difference <= 0.0), "{of_node:?}");
        let errors = ["series", "measured"].map(|side| value(&format!("bandwidth-error.{side}")));
        (value("bandwidth-forecast-difference.max"), errors[1] / errors[0] - 1.0)
    };
    // cubic curves through a whole day, one with holes, and the same where the monitor has the
    // holes too
    let [(whole, error), (all, _), (same, _)] = ["2", "11", "14"].map(largest);
    println!("{whole} {error} {all} {same}");
    assert!(error.abs() <= 0.01 && whole < 0.015, "{whole} {error}");
    assert!(all > 0.04 && same <= 0.03, "{all} {same}");
}
