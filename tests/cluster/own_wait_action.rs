//! A wait action of a user's own crate: `examples/own_wait_action.rs`, as it stands there.

#[path = "../../examples/own_wait_action.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod example;

use std::path::Path;

use clustersim::registry::{Catalogue, Registry};
use clustersim::scenario::{Override, check, from_text};
use clustersim::system::cluster::{Finished, build, workload};

const SCENARIO: &str = "\
title = \"Test\"
[cluster]
nodes = 4
mpl = 3
detail = \"task\"
[workload]
kind = \"parallel\"
jobs = 6
class = [{ kind = \"comm-fine\", tasks = 4, iterations = 40 }]
[policy]
kind = \"coscheduling\"
";

/// Runs six jobs on four nodes with this wait action, or tells what is wrong.
fn run(registry: &Registry, wait: &str) -> Result<Finished, String> {
    let scheme = format!("policy.scheme={{ kind = 'actions', wait = {wait} }}");
    let written = from_text("test.toml", SCENARIO.to_owned(), Path::new("."), &[Override::set(&scheme)]);
    let scenario = check(registry, written).map_err(|rejected| rejected.complaints[0].message.clone())?;
    let source = workload(registry, &scenario).unwrap();
    Ok(build(registry, &scenario, source.as_ref())
        .unwrap()
        .run(&clustersim::scenario::Session::default())
        .unwrap())
}

#[test]
fn without_more_patience_it_is_spin_block() {
    let registry = example::registry();
    let own = run(&registry, "{ kind = 'attentive', threshold = '150us', patience = '150us' }").unwrap();
    let known = run(&registry, "{ kind = 'spin-block', threshold = '150us' }").unwrap();
    assert_eq!(own.outcomes.digest, known.outcomes.digest);
    assert!(own.outcomes.record.outcomes().all(|outcome| outcome.end > outcome.start));
}

#[test]
fn with_more_patience_tasks_block_less_often() {
    let blocks = |wait: &str| {
        let profile = run(&example::registry(), wait).unwrap().outcomes.profile.unwrap();
        profile.jobs.iter().map(|job| job.counts.blocks).sum::<u64>()
    };
    let [known, patient] = ["'spin-block'", "'attentive'"].map(blocks);
    assert!(patient < known, "{patient} blocks with patience, {known} without");
}

#[test]
fn it_is_known_and_its_contradictions_are_told() {
    let registry = example::registry();
    let rows = registry.find("wait-action").map(Catalogue::rows).unwrap();
    assert!(rows.iter().any(|row| row.name == "attentive"));
    let told = run(&registry, "{ kind = 'attentive', patience = '1us' }").unwrap_err();
    assert_eq!(told, "`patience` is less than `threshold`");
}
