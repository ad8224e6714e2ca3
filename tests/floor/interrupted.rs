//! A run that is stopped from outside: the status shells report as 130 and 143, and what stays on
//! disk.
//!
//! The program prints one line and leaves the signal to the system, which ends it and reports the
//! signal to its parent: a shell makes 128 and the signal's number of that. Nothing has to be
//! tidied up for it, because results stand in `DIR.partial` until they are complete.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use clustersim_testing::program::{Place, heeding};

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

/// Starts the run of a scenario, waits until it has `begun`, sends it a signal, and gives the
/// signal that it ended by and what it printed on stderr.
fn interrupted(
    signal: &str,
    place: &Place,
    words: &[&str],
    begun: impl Fn() -> bool,
) -> (Option<i32>, String) {
    let mut child = heeding()
        .args(["run", "-o", "results"])
        .args(words)
        .current_dir(place.path("."))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !begun() {
        assert_eq!(child.try_wait().unwrap(), None, "the run ended before it began");
        sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), None, "the run was over before it could be interrupted");
    (ended.status.signal(), String::from_utf8(ended.stderr).unwrap())
}

/// The same for the long run, which prints one line.
fn interrupted_by(signal: &str, place: &Place, more: &[&str]) -> Option<i32> {
    let begun = || place.path("results.partial").exists();
    let (ended_by, stderr) = interrupted(signal, place, &[&["long.toml"], more].concat(), begun);
    assert_eq!(stderr, "error: interrupted: no result is kept; the same command makes the run again\n");
    ended_by
}

/// Rows in the journals of the study.
fn rows(place: &Place) -> usize {
    let Ok(parts) = std::fs::read_dir(place.path("results.partial/parts")) else { return 0 };
    let text = parts.map(|part| std::fs::read_to_string(part.unwrap().path()).unwrap_or_default());
    text.map(|text| text.lines().count()).sum()
}

/// A study of many short runs.
fn study(place: &Place) {
    let repeated = LONG.replace("1000000", "300") + "[repeat]\nreplications = 10000\n";
    place.file("study.toml", repeated);
}

#[test]
fn an_interrupted_study_says_what_is_kept_and_the_same_command_continues_it() {
    for (signal, number) in [("-INT", 2), ("-TERM", 15), ("-HUP", 1)] {
        let place = Place::new();
        study(&place);
        let words = ["study.toml", "-j", "2"];
        let (ended_by, stderr) = interrupted(signal, &place, &words, || rows(&place) > 3);
        assert_eq!(ended_by, Some(number));
        // on a machine that is busy its cost stands before it
        let line = stderr.lines().last().and_then(|line| line.strip_prefix("error: interrupted: ")).unwrap();
        let (count, rest) = line.split_once(' ').unwrap();
        assert_eq!(rest, "runs are kept in results.partial/parts; the same command continues the study");
        // each of the two threads may have written a row that is not counted yet, and runs may end
        // between the count and the signal
        let count: usize = count.replace(',', "").parse().unwrap();
        assert!((2..=rows(&place)).contains(&count), "{count} of {}", rows(&place));
        let (_, again) = interrupted("-TERM", &place, &words, || rows(&place) > count + 3);
        assert!(again.contains("note: the study is continued: "), "{again}");
    }
}

#[test]
fn a_study_whose_directory_vanishes_stops_at_the_next_row() {
    let place = Place::new();
    study(&place);
    let mut child = heeding()
        .args(["run", "study.toml", "-o", "results", "-j", "2"])
        .current_dir(place.path("."))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while rows(&place) < 3 {
        assert_eq!(child.try_wait().unwrap(), None, "the study ended before it began");
        sleep(Duration::from_millis(5));
    }
    std::fs::rename(place.path("results.partial"), place.path("elsewhere")).unwrap();
    let ended = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("the study in results cannot go on"), "{stderr}");
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
