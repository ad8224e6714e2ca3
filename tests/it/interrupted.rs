//! A run that is stopped from outside: the status shells report as 130 and 143, and what stays on disk.
//!
//! The program leaves both signals to the system, which ends it at once and tells its parent which signal it was: a
//! shell makes 128 and the signal's number of that. Nothing has to be tidied up for it, because results stand in
//! `DIR.partial` until they are complete.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::program::Place;

/// Three times more work than the machine can do: the queue grows, and the run takes its time.
const LONG: &str = "\
title = \"Too much to do\"
cluster.nodes = 64

[workload]
kind = \"synthetic\"
jobs = 1000000
arrivals = { kind = \"exponential\", mean = \"1min\" }
sizes = { kind = \"log-uniform\", low = 1, high = 64 }
run-times = { kind = \"exponential\", mean = \"1h\" }
estimates = { kind = \"uniform\", low = 1, high = 5 }
load = 3
";

/// A place with a run that takes long, and one that does not.
fn place() -> Place {
    let place = Place::new();
    place.file("long.toml", LONG).file("short.toml", LONG.replace("1000000", "100"));
    place
}

/// The program, heeding signals even where the tests run in the background of a script: such a shell has its children
/// ignore interrupts, and they hand that on.
fn heeding() -> Command {
    let program = env!("CARGO_BIN_EXE_clustersim");
    let reset = ["--default-signal=INT,TERM"];
    let tried = Command::new("env").args(reset).arg("true").stderr(Stdio::null()).status();
    if !tried.is_ok_and(|status| status.success()) {
        return Command::new(program);
    }
    let mut command = Command::new("env");
    command.args(reset).arg(program);
    command
}

/// Starts the long run, sends it a signal once it has begun, and gives the signal that it ended by.
fn interrupted_by(signal: &str, place: &Place, more: &[&str]) -> Option<i32> {
    let mut child = heeding()
        .args(["run", "long.toml", "-o", "results"])
        .args(more)
        .current_dir(place.path("."))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !place.path("results.partial").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "the run ended before it began");
        sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), None, "the run was over before it could be interrupted");
    status.signal()
}

#[test]
fn an_interrupted_run_leaves_nothing_that_looks_complete_and_the_next_one_clears_it() {
    let place = place();
    assert_eq!(interrupted_by("-INT", &place, &[]), Some(2));
    assert_eq!(place.names("."), ["long.toml", "results.partial", "results.partial.lock", "short.toml"]);
    assert!(!place.path("results.partial/manifest.json").exists());
    place.file("results.partial/jobs.csv", "half a row");
    let next = place.run(&["run", "short.toml", "-o", "results"]);
    assert_eq!(next.status, 0, "{}", next.stderr);
    assert_eq!(place.names("."), ["long.toml", "results", "short.toml"]);
    assert_eq!(String::from_utf8(place.read("results/jobs.csv")).unwrap().lines().count(), 101);
}

#[test]
fn a_terminated_run_leaves_the_complete_one_it_was_to_replace() {
    let place = place();
    place.run(&["run", "short.toml", "-o", "results"]);
    let before = place.read("results/manifest.json");
    assert_eq!(interrupted_by("-TERM", &place, &["--force"]), Some(15));
    assert_eq!(place.read("results/manifest.json"), before);
    let again = place.run(&["run", "short.toml", "-o", "results"]);
    assert!(again.status == 0 && again.stderr.contains("identical"), "{}", again.stderr);
    assert_eq!(place.names("."), ["long.toml", "results", "short.toml"]);
}
