//! A role of a user's own crate: `examples/own_role.rs`, as it stands there.

#[path = "../../examples/own_role.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod example;

use std::any::Any;

use clustersim::agents::Outcomes;
use clustersim::registry::{Catalogue, Registry};
use clustersim::scenario::{Override, Session, check, from_text};
use clustersim::system::agents::Ended;

/// Hosts of 1 Mf/s around a switch; all talk.
const SCENARIO: &str = "\
title = 'A rumour'

[[platform.cluster]]
name = 'village'
hosts = 40
speed = '1Mf'
bandwidth = '1MBps'

[[agent]]
hosts = ['*']
role = 'gossip'
";

/// Runs the scenario with these keys set, or tells what is wrong.
fn run(registry: &Registry, keys: &[&str]) -> Result<Outcomes, String> {
    let folder = tempfile::tempdir().unwrap();
    let overrides: Vec<Override> = keys.iter().map(|key| Override::set(key)).collect();
    let written = from_text("test.toml", SCENARIO.to_owned(), folder.path(), &overrides);
    let told = |complaints: &[clustersim::registry::Complaint]| {
        let first = &complaints[0];
        format!("{}; {}", first.message, first.help.clone().unwrap_or_default())
    };
    let scenario = check(registry, written).map_err(|rejected| told(&rejected.complaints))?;
    let ready = scenario.system.assemble(registry, &scenario);
    let ready = ready.map_err(|rejected| told(&rejected.complaints))?;
    let results: Box<dyn Any> = ready.run.run(&Session::default()).unwrap();
    Ok(results.downcast::<Ended>().expect("it has agents").outcomes)
}

#[test]
fn of_two_agents_each_hears_of_it_once_and_goes_home() {
    let outcomes =
        run(&example::registry(), &["platform.cluster.0.hosts=2", "agent.0.role.fanout=1"]).unwrap();
    assert_eq!((outcomes.tasks, outcomes.transfers), (1, 2), "the second reads it, and tells the first");
    // 1 ms over two cables at once, 1 s of reading, 1 ms back; the second has the time of its
    // patience from then on
    assert_eq!(outcomes.ended_at.as_nanos(), 61_002_000_000);
    assert!(outcomes.failures.is_empty() && outcomes.drew, "{outcomes:?}");
}

#[test]
fn most_of_a_village_hears_of_it_and_the_same_ones_in_every_run() {
    let registry = example::registry();
    let once = run(&registry, &["agent.0.role.fanout=4"]).unwrap();
    // of those told by 4 each, 2 of 100 are missed in the long run
    assert!((34..40).contains(&once.tasks), "{}", once.tasks);
    assert_eq!(once.digest, run(&registry, &["agent.0.role.fanout=4"]).unwrap().digest);
    assert_ne!(once.digest, run(&registry, &["agent.0.role.fanout=4", "seed=2"]).unwrap().digest);
}

#[test]
fn it_is_known_and_what_it_misses_is_told() {
    let registry = example::registry();
    let rows = registry.find("role").map(Catalogue::rows).unwrap();
    assert!(rows.iter().any(|row| row.name == "gossip"));
    let told = run(&registry, &["agent.0.role=gosip"]).unwrap_err();
    assert!(told.contains("did you mean `gossip`?"), "{told}");
    let told = run(&registry, &["platform.cluster.0.hosts=1"]).unwrap_err();
    assert!(told.contains("role `gossip` needs somebody to talk to"), "{told}");
}
