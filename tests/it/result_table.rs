//! The result on a terminal: golden tables of a few jobs, of none, and in narrow places.

use std::path::Path;

use clustersim::scenario::{Override, Scenario, check, from_text};
use clustersim::system::cluster::{Finished, build, text, workload};
use clustersim::system::standard;
use insta::assert_snapshot;

use crate::program::{Place, repository};

/// Thirty jobs, one a minute, of which two can run at once.
const THIRTY: &str = "\
title = \"Thirty jobs\"
cluster.nodes = 4

[workload]
kind = \"synthetic\"
jobs = 30
arrivals = \"1min\"
sizes = 2
run-times = \"1h\"
";

fn run(text: &str, base: &Path, set: &[&str]) -> (Scenario, Finished) {
    let registry = standard();
    let overrides: Vec<Override> = set.iter().map(|set| Override::set(set)).collect();
    let scenario = check(&registry, from_text("test.toml", text.to_owned(), base, &overrides)).unwrap();
    let source = workload(&registry, &scenario).unwrap();
    let finished = build(&registry, &scenario, source.as_ref())
        .unwrap()
        .run(&clustersim::scenario::Session::default())
        .unwrap();
    (scenario, finished)
}

fn shown(text: &str, set: &[&str]) -> String {
    let (scenario, finished) = run(text, Path::new(""), set);
    text::text(&scenario, &finished, None)
}

#[test]
fn thirty_jobs() {
    assert_snapshot!(shown(THIRTY, &[]));
}

#[test]
fn no_job_ends() {
    assert_snapshot!(shown(THIRTY, &["run.until='40min'"]));
}

#[test]
fn no_job_fits() {
    let place = Place::new();
    place.file("log.swf", "1 0 -1 60 12 -1 -1 12 60 -1 1 1 1 1 1 1 -1 -1\n");
    let text = "title = \"Too large\"\ncluster.procs = 4\n[workload]\nkind = \"swf\"\nfile = \"log.swf\"\n";
    let (scenario, finished) = run(text, &place.path(""), &[]);
    assert_snapshot!(text::text(&scenario, &finished, None));
}

#[test]
fn a_narrow_terminal_is_not_overrun() {
    let quickstart = std::fs::read_to_string(repository("scenarios/quickstart.toml")).unwrap();
    let (scenario, finished) = run(&quickstart, &repository("scenarios"), &[]);
    for (width, most) in [(Some(60), 60), (Some(80), 76), (Some(120), 76), (None, 76)] {
        let text = text::text(&scenario, &finished, width);
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(most), "{width:?}: {widest:?}\n{text}");
    }
}
