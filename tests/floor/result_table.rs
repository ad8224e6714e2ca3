//! The result on a terminal: golden tables of a few jobs, of none, and in narrow places.

use std::path::Path;

use clustersim::system::standard;
use clustersim_cluster::system::{Finished, build, workload};
use clustersim_experiment::report::terminal;
use clustersim_experiment::scenario::{Override, Scenario, Session, check, from_text, load};
use clustersim_language::registry::Registry;
use insta::assert_snapshot;

use crate::own_system::example;
use clustersim_testing::program::{Place, repository};

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
    let finished = build(&registry, &scenario, source.as_ref()).unwrap().run(&Session::default()).unwrap();
    (scenario, finished)
}

fn shown(text: &str, set: &[&str]) -> String {
    let (scenario, finished) = run(text, Path::new(""), set);
    terminal::text(&scenario, &finished, None)
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
    assert_snapshot!(terminal::text(&scenario, &finished, None));
}

#[test]
fn a_narrow_terminal_is_not_overrun() {
    let quickstart = std::fs::read_to_string(repository("scenarios/quickstart.toml")).unwrap();
    let (scenario, finished) = run(&quickstart, &repository("scenarios"), &[]);
    for (width, most) in [(Some(60), 60), (Some(80), 76), (Some(120), 76), (None, 76)] {
        let text = terminal::text(&scenario, &finished, width);
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(most), "{width:?}: {widest:?}\n{text}");
    }
}

/// What a run of a shipped scenario of a system prints.
fn printed(registry: &Registry, file: &str) -> String {
    let scenario = check(registry, load(&repository(file), None, &[])).unwrap();
    let run = scenario.system.assemble(registry, &scenario).unwrap().run;
    let results = Session::of(&scenario).make(&scenario, run).unwrap();
    terminal::text(&scenario, results.as_ref(), None)
}

#[test]
fn a_run_of_every_system_has_the_layout_of_jobs() {
    let files = [
        "parallel",
        "agents",
        "given-flows",
        "failing-hosts",
        "task-graph",
        "parameter-sweep",
        "global-computing",
    ];
    for name in files {
        assert_snapshot!(name, printed(&standard(), &format!("scenarios/{name}.toml")));
    }
    assert_snapshot!("own-system", printed(&example::registry(), "examples/own_system.toml"));
}
