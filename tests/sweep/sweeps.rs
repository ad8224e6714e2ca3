//! Parameter sweeps: figure 11 of the report of the Parameter Sweep Template, and runs of the
//! program.
//!
//! The planned makespans of figure 11 were computed independently twice; the orders among
//! heuristics bind.

use std::collections::BTreeMap;

use serde_json::Value;

use clustersim_testing::evidence;
use clustersim_testing::program::{Place, repository};

/// Heuristics of the study, in the order of its axis.
const HEURISTICS: [&str; 7] = ["h0", "h1", "h2", "h3", "h4", "h9", "xsufferage"];

/// Planned makespans in seconds, a row for each size of the shared file: means of ten seeds.
const PLANNED: [[f64; 7]; 6] = [
    [3728.0, 3450.0, 3451.0, 3522.0, 3479.0, 3502.0, 3524.0],
    [4192.0, 3512.0, 3760.0, 3586.0, 3552.0, 3569.0, 3580.0],
    [4847.0, 3889.0, 4521.0, 4042.0, 3856.0, 3797.0, 3769.0],
    [5772.0, 4482.0, 5634.0, 5152.0, 4468.0, 4343.0, 4410.0],
    [7797.0, 5396.0, 7254.0, 7709.0, 5392.0, 5321.0, 5328.0],
    [11637.0, 6936.0, 8690.0, 11549.0, 6768.0, 6762.0, 6783.0],
];

#[test]
fn figure_11_has_the_planned_makespans_and_the_orders_of_the_report() {
    let place = Place::new();
    let path = repository("scenarios/studies/figure-11.toml");
    let output = place.run(&["run", path.to_str().unwrap(), "--no-progress", "-q", "-o", "out"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let study: Value = serde_json::from_slice(&place.read("out/study.json")).unwrap();
    let points = study["points"].as_array().unwrap();
    assert_eq!(points.len(), 42);
    let means: Vec<BTreeMap<&str, f64>> = points
        .chunks(7)
        .map(|row| {
            let mean = |point: &Value| point["metrics"]["plan-makespan"]["mean"].as_f64().unwrap();
            HEURISTICS.iter().copied().zip(row.iter().map(mean)).collect()
        })
        .collect();
    for (row, expected) in means.iter().zip(PLANNED) {
        for (heuristic, expected) in HEURISTICS.iter().zip(expected) {
            let tolerance = if ["h0", "h2", "h3"].contains(heuristic) { 0.08 } else { 0.05 };
            let found = row[heuristic];
            assert!((found / expected - 1.0).abs() <= tolerance, "{heuristic}: {found} for {expected}");
        }
    }
    for row in &means[1..] {
        let others = HEURISTICS[1..].iter().map(|heuristic| row[heuristic]);
        assert!(others.into_iter().all(|other| other <= row["h0"]), "the workqueue is the worst: {row:?}");
    }
    for row in &means[4..] {
        assert!((row["h3"] / row["h0"] - 1.0).abs() <= 0.1, "Sufferage by hosts is as bad: {row:?}");
        assert!(row["h4"] <= 1.01 * row["h1"] && row["h9"] <= 1.01 * row["h1"], "{row:?}");
        assert!(row["h1"] < row["h2"] && row["h2"] < row["h3"], "Max-min lies between: {row:?}");
    }
    for row in &means[3..] {
        assert!(row["xsufferage"] <= 1.03 * row["h4"].min(row["h9"]), "XSufferage is robust: {row:?}");
    }
    for heuristic in HEURISTICS {
        let grows = means.windows(2).all(|pair| pair[1][heuristic] >= 0.98 * pair[0][heuristic]);
        assert!(grows, "larger files take longer: {heuristic}");
    }
}

/// Four tasks on one cluster.
const SMALL: &str = r#"title = "small"
[platform]
[[platform.cluster]]
name = "a"
hosts = 2
link = { bandwidth = "10kBps" }
[application]
kind = "generated"
tasks = 4
time = { kind = "uniform", low = "10s", high = "90s" }
output = "10kB"
files = [{ name = "own", sharing = "private", size = "10kB" }]
[scheduler]
kind = "plan"
[record]
transfers = true
loads = true
"#;

#[test]
fn a_workqueue_may_be_compared_with_plans_but_has_none_of_its_own() {
    let place = Place::new();
    place.file("small.toml", SMALL.replace("kind = \"plan\"\n", "kind = \"plan\"\nfill = \"horizon\"\n"));
    for set in ["scheduler.heuristic=h0", "scheduler={kind=\"plan\",heuristic=\"h0\",links=\"in-order\"}"] {
        let done = place.run(&["run", "small.toml", "--dry-run", "--set", set]);
        assert_eq!(done.status, 0, "{set}: {}", done.stderr);
    }
    let axis = ["run", "small.toml", "--dry-run", "--vary", "scheduler.heuristic=h0,h1"];
    assert_eq!(place.run(&axis).status, 0);
    let own = "scheduler={kind=\"plan\",heuristic=\"h0\",subset=\"random\"}";
    let done = place.run(&["run", "small.toml", "--dry-run", "--set", own]);
    assert!(done.status == 2 && done.stderr.contains("`subset` contradict"), "{}", done.stderr);
}

#[test]
fn a_host_without_anything_available_is_left_out() {
    let place = Place::new();
    place.file("small.toml", SMALL);
    let none = ["run", "small.toml", "--set", "platform.cluster.a.availability=0", "-o", "out"];
    let done = place.run(&none);
    assert!(done.status == 1 && done.stderr.contains("4 tasks are not completed"), "{}", done.stderr);
}

#[test]
fn prices_budget_and_deadline_are_counted_and_judged() {
    let place = Place::new();
    place.file("small.toml", SMALL);
    let sets = [
        "platform.cluster.a.price=0.5",
        "platform.cluster.a.price-per-byte=0.001",
        "platform.cluster.a.capacity=20kB",
        "run.budget=300",
        "run.deadline=1min",
    ];
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    let done = place.run(&[&["run", "small.toml", "-o", "out"], &sets[..]].concat());
    assert_eq!(done.status, 0, "{}", done.stderr);
    let summary: Value = serde_json::from_slice(&place.read("out/summary.json")).unwrap();
    let value = |name: &str| summary["metrics"][name]["value"].as_f64().unwrap();
    // four inputs and four outputs of 10 kB
    assert!((value("sending-cost") - 80.0).abs() < 1e-9);
    assert!((value("cost") + value("budget-left") - 300.0).abs() < 1e-9);
    assert!(value("deadline-missed") >= 1.0 && value("evictions") >= 2.0);
    let judged = place.run(&["check", "out"]);
    assert!(judged.status == 0 && !judged.stdout.contains("broken"), "{}", judged.stdout);
    // a run without them has none of their metrics and columns
    let done = place.run(&["run", "small.toml", "-o", "plain"]);
    assert_eq!(done.status, 0, "{}", done.stderr);
    let summary = String::from_utf8(place.read("plain/summary.json")).unwrap();
    assert!(!summary.contains("cost") && !summary.contains("deadline") && !summary.contains("evictions"));
    let clusters = String::from_utf8(place.read("plain/clusters.csv")).unwrap();
    let files = String::from_utf8(place.read("plain/files.csv")).unwrap();
    assert!(!clusters.contains("cost") && !files.contains("removed"), "{clusters}{files}");
}

#[test]
fn runs_are_judged_and_studies_have_the_same_bytes_on_any_number_of_threads() {
    let place = Place::new();
    place.file("small.toml", SMALL);
    for (number, heuristic) in ["h0", "h1", "h4", "h5", "h9", "h11", "h12", "xsufferage"].iter().enumerate() {
        let (set, out) = (format!("scheduler.heuristic={heuristic}"), format!("out-{number}"));
        let availability = "platform.cluster.a.availability={kind=\"uniform\",low=0.2,high=1,every=\"5s\"}";
        let done = place.run(&["run", "small.toml", "--set", &set, "--set", availability, "-o", &out]);
        assert_eq!(done.status, 0, "{heuristic}: {}", done.stderr);
        let judged = place.run(&["check", &out]);
        assert!(judged.status == 0 && !judged.stdout.contains("broken"), "{heuristic}: {}", judged.stdout);
    }
    for threads in ["1", "8"] {
        let done = place.run(&["run", "small.toml", "--replications", "6", "-j", threads, "-o", threads]);
        assert_eq!(done.status, 0, "{}", done.stderr);
    }
    for file in ["results.csv", "study.json"] {
        assert_eq!(place.read(&format!("1/{file}")), place.read(&format!("8/{file}")), "{file}");
    }
}

/// Two tasks on a fast host and a slow one, which gets the longer task.
const UNEVEN: &str = r#"title = "uneven"
[[platform.cluster]]
name = "fast"
hosts = 1
link = { bandwidth = "10kBps" }
[[platform.cluster]]
name = "slow"
hosts = 1
availability = 0.1
link = { bandwidth = "10kBps" }
[application]
kind = "generated"
tasks = 2
time = "50s"
output = "10kB"
files = [{ name = "own", sharing = "private", size = "10kB" }]
[scheduler]
kind = "plan"
heuristic = "h0"
duplicate = true
[record]
transfers = true
"#;

#[test]
fn second_copies_are_counted_named_and_judged() {
    let place = Place::new();
    place.file("uneven.toml", UNEVEN);
    let done = place.run(&["run", "uneven.toml", "--explain", "1", "-o", "out"]);
    assert_eq!(done.status, 0, "{}", done.stderr);
    // inputs are there at 1 s; the fast host is idle at 51 s, sends the output for 1 s and the
    // input, and ends at 103 s
    let explained = "host `slow-0` computed it before, from 00:00:01 to 00:01:43, and was cancelled";
    assert!(done.stdout.contains(explained), "{}", done.stdout);
    let summary: Value = serde_json::from_slice(&place.read("out/summary.json")).unwrap();
    let is = |metric: &str| summary["metrics"][metric]["value"].as_f64();
    assert_eq!(
        (is("makespan"), is("duplicates"), is("discarded-time")),
        (Some(104.0), Some(1.0), Some(102.0))
    );
    let row = "task,cluster,host,start,end\n1,slow,slow-0,1,103\n";
    assert_eq!(String::from_utf8(place.read("out/duplicates.csv")).unwrap(), row);
    let judged = place.run(&["check", "out"]);
    assert!(judged.status == 0 && !judged.stdout.contains("broken"), "{}", judged.stdout);
    let of_host = place.run(&["run", "uneven.toml", "--explain", "slow-0", "--json"]);
    let of_host: Value = serde_json::from_str(&of_host.stdout).unwrap();
    let spans = of_host["explanation"]["spans"].as_array().unwrap();
    let spans: Vec<_> =
        spans.iter().map(|span| (span["use"].as_str().unwrap(), span["to"].as_f64().unwrap())).collect();
    assert_eq!(spans, [("waits-for-file", 1.0), ("discarded", 103.0), ("nothing-left", 104.0)]);
    place.file("out/duplicates.csv", row.replace("103", "102"));
    let judged = place.run(&["check", "out"]);
    assert!(judged.status == 1 && judged.stdout.contains("not as its task ends"), "{}", judged.stdout);
}

/// A grid whose host behaves like a series of measurements, one every five minutes.
const MEASURED: &str = r#"title = "measured"
[platform]
file = "grid.txt"
behaviour = { cpu = "cpu.csv" }
step = "5min"
[application]
kind = "generated"
tasks = 1
time = "8000s"
[record]
transfers = true
"#;

/// When a task of 8000 s ends on a host of which so much is available for five minutes each.
fn end_by_hand(available: &[f64]) -> f64 {
    let (mut left, mut at) = (8000.0, 0.0);
    for share in available.iter().cycle() {
        if share * 300.0 >= left {
            return at + left / share;
        }
        left -= share * 300.0;
        at += 300.0;
    }
    at
}

/// What PlanetLab nodes and a machine of Bitbrains had available decides how long a task takes.
#[test]
fn hosts_behave_like_series_that_were_measured() {
    let (Some(planetlab), Some(bitbrains)) = (
        evidence::needed("timeseries/planetlab-cpu-20110303-200hosts.csv"),
        evidence::needed("timeseries/bitbrains-excerpt.csv"),
    ) else {
        return;
    };
    let free = |used: &str| 1.0 - used.trim().parse::<f64>().unwrap() / 100.0;
    let mut series: Vec<Vec<f64>> = Vec::new();
    for row in evidence::text(&planetlab).lines().skip(1).step_by(60) {
        series.push(row.split(',').skip(1).map(free).collect());
    }
    let rows = evidence::text(&bitbrains);
    series.push(rows.lines().skip(1).map(|row| free(row.split(';').nth(4).unwrap())).collect());
    assert_eq!(series.iter().map(Vec::len).collect::<Vec<_>>(), [288, 288, 288, 288, 60]);
    let place = Place::new();
    place.file("measured.toml", MEASURED);
    let grid = "GridDescription 1\n0:ADD_CLUSTER <c> <stable_1Mb> <0>\n0:ADD_HOST <c> <h> <cpu> <0> <0>\n";
    place.file("grid.txt", grid);
    for (number, available) in series.iter().enumerate() {
        let rows = available.iter().enumerate().map(|(row, share)| format!("{},{share}\n", row * 300));
        place.file("cpu.csv", format!("time,value\n{}", rows.collect::<String>()));
        let out = format!("out-{number}");
        let done = place.run(&["run", "measured.toml", "-o", &out]);
        assert_eq!(done.status, 0, "{}", done.stderr);
        let summary: Value = serde_json::from_slice(&place.read(&format!("{out}/summary.json"))).unwrap();
        let makespan = summary["metrics"]["makespan"]["value"].as_f64().unwrap();
        let by_hand = end_by_hand(available);
        assert!((makespan - by_hand).abs() < 1e-6, "{number}: {makespan} for {by_hand}");
        let judged = place.run(&["check", &out]);
        assert!(judged.status == 0 && !judged.stdout.contains("broken"), "{number}: {}", judged.stdout);
    }
}

/// Four tasks on two hosts that take them in different times.
const UNLIKE: &str = r#"title = "unlike"
[[platform.cluster]]
name = "a"
hosts = 1
link = { bandwidth = "10kBps" }
[[platform.cluster]]
name = "b"
hosts = 1
architecture = 1
link = { bandwidth = "10kBps" }
[application]
kind = "pst"
file = "app.txt"
[scheduler]
kind = "plan"
[record]
gap = {}
"#;

#[test]
fn the_optimum_of_few_tasks_without_files_is_in_the_gap_report() {
    let place = Place::new();
    place.file("unlike.toml", UNLIKE);
    let times = [(40, 50), (50, 80), (60, 70), (90, 40)];
    let work = |(number, (one, other)): (usize, &(u32, u32))| {
        let times = format!("<2 : {one} {other}>");
        format!("Work: <{number}> <0 :> <0 :> {times} {times}\n")
    };
    let works: String = times.iter().enumerate().map(work).collect();
    place.file("app.txt", format!("WorkDescription 1 0 4\n{works}"));
    let summary = |more: &[&str]| -> Value {
        let done = place.run(
            &[&["run", "unlike.toml", "--json", "--no-progress", "--force", "-o", "out"], more].concat(),
        );
        assert_eq!(done.status, 0, "{}", done.stderr);
        serde_json::from_str(&done.stdout).unwrap()
    };
    let is = |summary: &Value, name: &str| summary["metrics"][name]["value"].as_f64();
    for (heuristic, makespan) in [("h1", 110.0), ("h2", 120.0), ("h3", 110.0)] {
        let found = summary(&["--set", &format!("scheduler.heuristic={heuristic}")]);
        assert_eq!(is(&found, "makespan"), Some(makespan), "{heuristic}");
        let of = ["optimum.best", "optimum.bound", "optimum.proven"].map(|name| is(&found, name));
        assert_eq!(of, [Some(110.0), Some(110.0), Some(1.0)]);
        assert!((is(&found, "gap.optimal").unwrap() - (makespan / 110.0 - 1.0)).abs() < 1e-12);
    }
    let few = summary(&["--set", "record.gap={most-tasks=3}"]);
    assert_eq!((is(&few, "optimum.best"), is(&few, "gap.optimal")), (None, None));
    let cut = ["--set", "record.gap={nodes=4}", "--set", "scheduler.heuristic=h2"];
    let found = summary(&cut);
    assert_eq!((is(&found, "optimum.proven"), is(&found, "gap.optimal")), (Some(0.0), None));
    let done = place.run(&[&["run", "unlike.toml", "--force", "-o", "out"], &cut[..]].concat());
    assert!(done.stdout.contains("not proven, as the search met its limit"), "{}", done.stdout);
}
