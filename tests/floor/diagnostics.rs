//! What wrong input looks like to its author where it cannot stand in the tables of `mistakes.rs`:
//! bytes that are no text, diagnostics as JSON, and a run whose results are not as expected.
//!
//! `INSTA_UPDATE=always cargo test --test floor diagnostics` writes the golden files anew; they are
//! then reviewed.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use insta::assert_snapshot;

use clustersim_testing::program::Place;

const SCENARIO: &str = "\
title = \"Test\"

[cluster]
nodes = 4

[workload]
kind = \"synthetic\"
jobs = 10
arrivals = \"1min\"
sizes = 1
run-times = \"1h\"
";

/// One log line.
const JOB: &str = "1 0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n";

fn run_log(name: &str, bytes: &[u8]) -> String {
    Place::new().file(name, bytes).transcript(&["run", name, "--procs", "4"])
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_scenario_that_is_no_text() {
    assert_snapshot!(
        Place::new().file("scenario.toml", b"title = \"\xff\"").transcript(&["validate", "scenario.toml"])
    );
}

#[test]
fn a_log_that_is_binary_garbage() {
    let garbage: Vec<u8> = (0..2000_u32).map(|index| ((index * 7919) >> 3) as u8).collect();
    assert_snapshot!(run_log("garbage.swf", &garbage));
}

#[test]
fn a_truncated_gzip_file() {
    let whole = gzip(&JOB.repeat(100));
    assert_snapshot!(run_log("cut.swf.gz", &whole[..whole.len() - 20]));
}

#[test]
fn a_damaged_gzip_file() {
    let mut whole = gzip(&JOB.repeat(100));
    let checksum = whole.len() - 8;
    whole[checksum] ^= 0xff;
    assert_snapshot!(run_log("damaged.swf.gz", &whole));
}

#[test]
fn a_broken_expectation() {
    let place = Place::new();
    place.file("scenario.toml", format!("{SCENARIO}\n[expect]\n\"wait-time.mean\" = \"<= 1min\"\n"));
    let output = place.run(&["run", "scenario.toml", "--quiet"]);
    assert_snapshot!(format!("{}exit status: {}\n", output.stderr, output.status));
}

#[test]
fn diagnostics_as_json_have_one_object_a_line() {
    let place = Place::new();
    place.file("scenario.toml", format!("{SCENARIO}lod = 1\nload = \"x\"\n"));
    let told = place.transcript(&["validate", "scenario.toml", "--message-format", "json"]);
    for line in told.lines().filter(|line| line.starts_with('{')) {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    assert_snapshot!(told);
}
