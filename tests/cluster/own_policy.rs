//! A policy of a user's own crate: `examples/own_policy.rs`, as it stands there.

#[path = "../../examples/own_policy.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod example;

use std::path::Path;

use clustersim::instrument::State;
use clustersim::registry::{Catalogue, Registry};
use clustersim::scenario::{Override, check, from_text};
use clustersim::system::cluster::{Finished, build, workload};

use clustersim_testing::program::Place;

/// Jobs of 4, 6, 3 and 1 of 6 processors; the second cannot start beside the first.
const LOG: &str = "\
; MaxProcs: 6
1 0 -1 100 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1
2 1 -1 100 6 -1 -1 6 100 -1 1 1 1 1 1 1 -1 -1
3 2 -1 100 3 -1 -1 3 100 -1 1 1 1 1 1 1 -1 -1
4 3 -1 100 1 -1 -1 1 100 -1 1 1 1 1 1 1 -1 -1
";

/// Runs the log under this policy, or tells what is wrong.
fn run(registry: &Registry, policy: &str) -> Result<Finished, String> {
    let place = Place::new();
    place.file("log.swf", LOG);
    let text = "title = \"Test\"\n[workload]\nkind = \"swf\"\nfile = \"log.swf\"\n";
    let overrides = [Override::set(&format!("policy={policy}"))];
    let written = from_text("test.toml", text.to_owned(), Path::new(&place.path("")), &overrides);
    let scenario =
        check(registry, written).map_err(|rejected| rejected.complaints[0].help.clone().unwrap())?;
    let source = workload(registry, &scenario).unwrap();
    Ok(build(registry, &scenario, source.as_ref())
        .unwrap()
        .run(&clustersim::scenario::Session::default())
        .unwrap())
}

fn starts(finished: &Finished) -> Vec<u64> {
    let outcomes = finished.outcomes.record.outcomes();
    outcomes.map(|outcome| outcome.start.as_nanos() / 1_000_000_000).collect()
}

#[test]
fn it_starts_the_smallest_job_that_waits() {
    let finished = run(&example::registry(), "smallest-first").unwrap();
    // 4 and 1 of 6 processors run; then 3; the job that needs all of them comes last
    assert_eq!(starts(&finished), [0, 200, 100, 3]);
    let reasons = finished.outcomes.record.outcomes().map(|outcome| outcome.reason.name());
    assert_eq!(reasons.collect::<Vec<_>>(), ["head", "head", "smallest", "smallest"]);
}

#[test]
fn a_job_that_has_lost_its_patience_goes_first() {
    let finished = run(&example::registry(), "{ kind = 'smallest-first', patience = '90s' }").unwrap();
    assert_eq!(starts(&finished), [0, 103, 203, 3]);
}

#[test]
fn a_job_that_its_user_cancels_is_not_started() {
    let place = Place::new();
    // the second and the third job wait for the first one for longer than their users do
    place.file("log.swf", LOG);
    let text = "title = \"Test\"\npolicy = \"smallest-first\"\n[workload]\nkind = \"swf\"\nfile = \"log.swf\"\n\
                patience = \"50s\"\n";
    let written = from_text("test.toml", text.to_owned(), Path::new(&place.path("")), &[]);
    let registry = example::registry();
    let scenario =
        check(&registry, written).map_err(|rejected| format!("{:?}", rejected.complaints)).unwrap();
    let source = workload(&registry, &scenario).unwrap();
    let finished = build(&registry, &scenario, source.as_ref())
        .unwrap()
        .run(&clustersim::scenario::Session::default())
        .unwrap();
    let states: Vec<State> = finished.outcomes.record.outcomes().map(|outcome| outcome.state).collect();
    assert_eq!(states, [State::Completed, State::Cancelled, State::Cancelled, State::Completed]);
}

#[test]
fn it_is_known_and_suggested_like_any_other() {
    let registry = example::registry();
    let rows = registry.find("policy").map(Catalogue::rows).unwrap();
    assert!(rows.iter().any(|row| row.name == "smallest-first"));
    let help = run(&registry, "smalest-first").unwrap_err();
    assert!(help.starts_with("did you mean `smallest-first`?"), "{help}");
}
