//! Gap reports of runs of task graphs: `record.gap` from a scenario to its files.

use serde_json::Value;

use clustersim_testing::program::Place;

/// A small graph on three hosts.
const SCENARIO: &str = r#"
title = "Test"
seed  = 3

[platform]
[[platform.cluster]]
name      = "grid"
topology  = "mesh"
hosts     = 3
speed     = { kind = "uniform", low = "0.7Gf", high = "1.4Gf" }
bandwidth = "1MBps"
load      = { kind = "uniform", low = 0, high = 0.5, every = "100s" }

[application]
kind  = "random"
tasks = 7

[scheduler]
kind = "round-robin"
"#;

fn run(place: &Place, more: &[&str]) -> Value {
    place.file("scenario.toml", SCENARIO);
    let command = ["run", "scenario.toml", "--json", "--no-progress", "--force", "-o", "out"];
    let output = place.run(&[&command, more].concat());
    assert_eq!(output.status, 0, "{}", output.stderr);
    serde_json::from_str(&output.stdout).unwrap()
}

fn metric(summary: &Value, name: &str) -> Option<f64> {
    summary["metrics"][name]["value"].as_f64()
}

#[test]
fn a_run_is_compared_with_every_scheduler_and_with_the_optimum() {
    let place = Place::new();
    let plain = run(&place, &[]);
    assert_eq!(metric(&plain, "gap.best"), None, "nothing was asked");
    let asked = run(&place, &["--set", "record.gap=all"]);
    assert_eq!(asked["digest"], plain["digest"], "the run is the same");
    let text = String::from_utf8(place.read("out/schedulers.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][..2], ["scheduler", "makespan"]);
    assert_eq!(rows[1][0], "round-robin", "its own comes first");
    let names: Vec<&str> = rows[2..].iter().map(|row| row[0]).collect();
    assert!(names.is_sorted() && names.len() > 15 && !names.contains(&"round-robin"), "{names:?}");
    assert!(!names.contains(&"fixed") && !names.contains(&"optimal"), "{names:?}");
    let makespans: Vec<f64> = rows[1..].iter().filter_map(|row| row[1].parse().ok()).collect();
    let [own, best] = [makespans[0], makespans.iter().copied().fold(f64::INFINITY, f64::min)];
    assert!((metric(&asked, "gap.best").unwrap() - (own / best - 1.0)).abs() < 1e-12);
    let optimum = metric(&asked, "optimum.best").unwrap();
    assert_eq!(
        (metric(&asked, "optimum.bound"), metric(&asked, "optimum.proven")),
        (Some(optimum), Some(1.0))
    );
    assert!(optimum <= best && metric(&asked, "lower-bound").unwrap() <= optimum);
    assert!((metric(&asked, "gap.optimal").unwrap() - (own / optimum - 1.0)).abs() < 1e-12);
}

#[test]
fn a_search_that_meets_its_limit_is_marked() {
    let place = Place::new();
    let gap = "record.gap={ with = \"none\", nodes = 1 }";
    let summary = run(&place, &["--set", gap]);
    let [best, bound] = ["optimum.best", "optimum.bound"].map(|name| metric(&summary, name).unwrap());
    assert!(bound < best, "{bound} {best}");
    assert_eq!((metric(&summary, "gap.optimal"), metric(&summary, "optimum.proven")), (None, Some(0.0)));
    let output = place.run(&["run", "scenario.toml", "--no-progress", "--force", "-o", "out", "--set", gap]);
    assert!(output.stdout.contains("the search met its limit"), "{}", output.stdout);
    let none = run(&place, &["--set", "record.gap={ schedulers = [\"heft\"], most-tasks = 0 }"]);
    assert_eq!((metric(&none, "optimum.best"), metric(&none, "gap.best").is_some()), (None, true));
}

#[test]
fn what_contradicts_itself_is_refused_at_its_place() {
    let place = Place::new();
    place.file(
        "scenario.toml",
        format!("{SCENARIO}[record]\ngap = {{ with = \"all\", schedulers = [\"heft\"] }}\n"),
    );
    let output = place.run(&["run", "scenario.toml", "--no-progress", "-o", "out"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(output.stderr.contains("`with` and `schedulers` both say"), "{}", output.stderr);
}
