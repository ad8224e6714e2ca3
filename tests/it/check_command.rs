//! `clustersim check`: every shipped policy keeps its promises, and a schedule that was tampered with does not.

use std::fs;

use serde_json::Value as Json;

use crate::program::{Output, Place};

const JOBS: &str = "\
title = \"Checked\"
cluster.nodes = 16
[workload]
kind = \"synthetic\"
jobs = 300
load = 0.9
arrivals = { kind = \"exponential\", mean = \"10min\" }
sizes = { kind = \"uniform\", low = 1, high = 16 }
run-times = { kind = \"exponential\", mean = \"1h\" }
";

fn ran(place: &Place, policy: &str) {
    let output =
        place.run(&["run", "jobs.toml", "--policy", policy, "-o", "out", "--force", "--no-progress"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
}

fn states(output: &Output) -> Vec<(String, String)> {
    let json: Json = serde_json::from_str(&output.stdout).unwrap();
    let text = |of: &Json, key: &str| of[key].as_str().unwrap().to_owned();
    let promises = json["promises"].as_array().unwrap().iter();
    promises.map(|promise| (text(promise, "promise"), text(promise, "state"))).collect()
}

#[test]
fn every_policy_keeps_its_promises() {
    let place = Place::new();
    place.file("jobs.toml", JOBS);
    // how many promises each makes
    for (policy, promises) in [
        ("fcfs", 4),
        ("easy", 4),
        ("sjf", 3),
        ("smallest", 3),
        ("conservative", 4),
        ("largest", 3),
        ("easy-plus-plus", 3),
        ("first-fit", 4),
        ("best-fit", 4),
        ("worst-fit", 4),
    ] {
        ran(&place, policy);
        let output = place.run(&["check", "out", "--json"]);
        assert_eq!(output.status, 0, "{policy}: {}{}", output.stdout, output.stderr);
        let states = states(&output);
        assert_eq!(states.len(), promises, "{policy}");
        assert!(states.iter().all(|(_, state)| state == "kept"), "{policy}: {states:?}");
    }
}

#[test]
fn a_schedule_of_another_policy_breaks_what_this_one_promises() {
    let place = Place::new();
    place.file("jobs.toml", JOBS);
    ran(&place, "easy");
    let overtaken = fs::read(place.path("out/jobs.csv")).unwrap();
    ran(&place, "fcfs");
    fs::write(place.path("out/jobs.csv"), overtaken).unwrap();
    let output = place.run(&["check", "out"]);
    assert_eq!(output.status, 1);
    assert!(output.stdout.contains(" BROKEN       nothing overtakes\n"), "{}", output.stdout);
    assert!(output.stdout.contains("it starts before a job submitted earlier"), "{}", output.stdout);
    assert!(output.stderr.contains("the schedule breaks a promise"), "{}", output.stderr);
}

#[test]
fn a_job_that_was_taken_out_is_missed() {
    let place = Place::new();
    place.file("jobs.toml", JOBS);
    ran(&place, "easy");
    let csv = fs::read_to_string(place.path("out/jobs.csv")).unwrap();
    let kept: Vec<&str> =
        csv.lines().enumerate().filter(|(line, _)| *line != 100).map(|(_, line)| line).collect();
    fs::write(place.path("out/jobs.csv"), kept.join("\n")).unwrap();
    let output = place.run(&["check", "out", "--json"]);
    assert_eq!((output.status, states(&output)[0].1.as_str()), (1, "broken"));
}

#[test]
fn a_run_that_was_stopped_is_checked_as_far_as_it_went() {
    let place = Place::new();
    place.file("jobs.toml", JOBS.to_owned() + "[run]\nuntil = \"10h\"\n");
    ran(&place, "fcfs");
    let output = place.run(&["check", "out", "--json"]);
    let states: Vec<String> = states(&output).into_iter().map(|(_, state)| state).collect();
    assert_eq!(
        (output.status, states),
        (0, ["not-checked", "kept", "kept", "not-checked"].map(str::to_owned).into())
    );
}

#[test]
fn what_holds_no_schedule_is_refused() {
    let place = Place::new();
    place.file("jobs.toml", JOBS);
    let nothing = place.run(&["check", "."]);
    assert_eq!(nothing.status, 2);
    assert!(nothing.stderr.contains(". holds no finished run or study"), "{}", nothing.stderr);
    ran(&place, "fcfs");
    place.file("out/jobs.csv", "a,b\n");
    let torn = place.run(&["check", "out"]);
    assert_eq!(torn.status, 2);
    assert!(torn.stderr.contains("line 1 names no column job_id"), "{}", torn.stderr);
    fs::remove_file(place.path("out/jobs.csv")).unwrap();
    assert_eq!(place.run(&["check", "out"]).status, 2);
    let study = place.run(&["run", "jobs.toml", "--replications", "2", "-o", "study", "--no-progress"]);
    assert_eq!(study.status, 0, "{}", study.stderr);
    let refused = place.run(&["check", "study"]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("a study keeps no schedules"), "{}", refused.stderr);
}
