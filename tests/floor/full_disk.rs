//! No room left: a study, a shard, a collector and a run say which file could not be written and
//! why, nothing that is half written is taken for finished, and with room again the bytes are those
//! of one that never lacked any.
//!
//! A limit on the length of files stands for the full disk (a write past it fails half way, as
//! there), and `/dev/full` where a file of known name is written.

use std::fs;
use std::os::unix::fs::symlink;

use clustersim_testing::program::{Output, Place};

const STUDY: &str = "\
title = \"Full\"
cluster.nodes = 16
[workload]
kind = \"synthetic\"
jobs = 60
arrivals = { kind = \"exponential\", mean = \"10min\" }
sizes = { kind = \"uniform\", low = 1, high = 16 }
run-times = { kind = \"exponential\", mean = \"1h\" }
[[vary]]
policy = [\"fcfs\", \"easy\"]
[repeat]
replications = 12
";

const FINAL: [&str; 5] =
    ["results.csv", "study.json", "report.html", "scenario.toml", "scenario.resolved.toml"];

fn place() -> Place {
    let place = Place::new();
    place.file("s.toml", STUDY);
    let whole = place.run(&["run", "s.toml", "-o", "whole"]);
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    place
}

fn assert_same(place: &Place, directory: &str) {
    for name in FINAL {
        let whole = place.read(&format!("whole/{name}"));
        assert!(place.read(&format!("{directory}/{name}")) == whole, "{directory}/{name} differs");
    }
}

/// The file that could not be written, from what was told.
fn lost(output: &Output) -> Option<&str> {
    let line = output
        .stderr
        .lines()
        .find(|line| line.contains("cannot go on: ") || line.contains("cannot write "))?;
    assert!(line.contains("File too large (os error"), "{line}");
    line.rsplit(": ").nth(1)
}

#[test]
fn a_study_goes_on_from_any_file_that_found_no_room() {
    let place = place();
    let mut files: Vec<String> = Vec::new();
    let mut blocks = 2;
    loop {
        let session = place.squeezed(blocks, &["run", "s.toml", "-o", "full", "-j", "1"]);
        if session.status == 0 {
            break;
        }
        assert_eq!(session.status, 1, "{}", session.stderr);
        assert!(!place.path("full").exists() && !place.path("full.partial/manifest.json").exists());
        let file = lost(&session).unwrap_or_else(|| panic!("no file: {}", session.stderr)).to_owned();
        assert!(session.stderr.contains("the same command continues it"), "{}", session.stderr);
        // a journal that is full is followed by another one, any other file needs more room
        if !file.contains("/parts/part-") || blocks < 6 {
            blocks += 1 + blocks / 4;
        }
        files.push(file);
        assert!(files.len() < 200, "{files:?}");
    }
    let met = |name: &str| {
        files.iter().filter(|file| file.starts_with("full.partial/") && file.contains(name)).count()
    };
    assert!(met("/plan.json") > 0 && met("/results.csv") > 0 && met("/study.json") > 0, "{files:?}");
    assert!(met("/parts/part-00000.") > 2, "{files:?}");
    assert_same(&place, "full");
    assert_eq!(place.names("."), ["full", "s.toml", "whole"]);
}

#[test]
fn a_torn_line_is_there_and_is_made_again() {
    let place = place();
    let session = place.squeezed(16, &["run", "s.toml", "-o", "torn", "-j", "2"]);
    assert_eq!(session.status, 1, "{}", session.stderr);
    let journal = place.read("torn.partial/parts/part-00000.0.jsonl");
    assert!(journal.len() > 4096 && !journal.ends_with(b"\n"), "no torn line in {} bytes", journal.len());
    let whole = journal.split(|&byte| byte == b'\n').count() - 1;
    let next = place.run(&["run", "s.toml", "-o", "torn"]);
    assert_eq!(next.status, 0, "{}", next.stderr);
    assert!(next.stderr.contains(&format!("continued: {whole} runs were done")), "{whole}: {}", next.stderr);
    assert_same(&place, "torn");
}

#[test]
fn a_device_that_is_full_is_told_with_its_reason() {
    let place = place();
    place.squeezed(16, &["run", "s.toml", "-o", "full"]);
    symlink("/dev/full", place.path("full.partial/results.csv")).unwrap();
    let session = place.run(&["run", "s.toml", "-o", "full"]);
    assert_eq!(session.status, 1, "{}", session.stderr);
    let told = "the study in full cannot go on: full.partial/results.csv: No space left on device";
    assert!(session.stderr.contains(told), "{}", session.stderr);
    fs::remove_file(place.path("full.partial/results.csv")).unwrap();
    assert_eq!(place.run(&["run", "s.toml", "-o", "full"]).status, 0);
    assert_same(&place, "full");
}

#[test]
fn a_shard_asks_for_another_try_and_a_collector_is_called_again() {
    let place = place();
    let plan = ["sweep", "plan", "s.toml", "-o", "wide", "--shards", "3"];
    assert_eq!(place.squeezed(1, &plan).status, 1);
    assert!(!place.path("wide/plan.json").exists());
    fs::remove_dir_all(place.path("wide")).unwrap();
    assert_eq!(place.run(&plan).status, 0);
    for index in ["0", "1", "2"] {
        let shard = ["sweep", "shard", "wide", "--index", index];
        let full = place.squeezed(8, &shard);
        assert_eq!(full.status, 75, "{}", full.stderr);
        let told = format!("shard {index} cannot go on: wide/parts/part-0000{index}.0.jsonl: File too large");
        assert!(full.stderr.contains(&told), "{}", full.stderr);
        assert!(!place.path(&format!("wide/parts/part-0000{index}.json")).exists(), "sealed");
        assert_eq!(place.run(&["sweep", "collect", "wide"]).status, 4);
        let again = place.run(&shard);
        assert_eq!(again.status, 0, "{}", again.stderr);
        assert!(again.stderr.contains("8 runs") && !again.stderr.contains("8 made now"), "{}", again.stderr);
    }
    let full = place.squeezed(16, &["sweep", "collect", "wide"]);
    assert!(full.status == 1 && full.stderr.contains("wide.partial/"), "{}", full.stderr);
    assert!(!place.path("wide/manifest.json").exists());
    let collected = place.run(&["sweep", "collect", "wide"]);
    assert_eq!(collected.status, 0, "{}", collected.stderr);
    assert_same(&place, "wide");
    assert_eq!(place.names("wide"), place.names("whole"));
    assert_eq!(place.names("."), ["s.toml", "whole", "wide"]);
}

#[test]
fn a_single_run_says_so_and_leaves_nothing() {
    let place = Place::new();
    place.file("s.toml", STUDY);
    let one = ["run", "s.toml", "--point", "0", "--replication", "0", "-o", "one"];
    let full = place.squeezed(4, &one);
    assert_eq!(full.status, 1, "{}", full.stderr);
    assert!(full.stderr.contains("cannot write one: one.partial/"), "{}", full.stderr);
    assert!(full.stderr.contains("File too large"), "{}", full.stderr);
    assert_eq!(place.names("."), ["s.toml"]);
    assert_eq!(place.run(&one).status, 0);
}
