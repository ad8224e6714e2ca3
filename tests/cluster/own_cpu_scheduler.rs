//! A CPU scheduler of a user's own crate: `examples/own_cpu_scheduler.rs`, as it stands there.

#[path = "../../examples/own_cpu_scheduler.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod example;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use clustersim::registry::{Catalogue, Registry};
use clustersim::scenario::{Override, check, from_text};
use clustersim::system::cluster::{Finished, build, workload};

use clustersim_testing::chapters::column;
use clustersim_testing::program::repository;

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

fn run(registry: &Registry, scheduler: &str) -> Finished {
    let set = Override::set(&format!("cluster.node.scheduler={scheduler}"));
    let written = from_text("test.toml", SCENARIO.to_owned(), Path::new("."), &[set]);
    let scenario = check(registry, written).unwrap_or_else(|rejected| panic!("{:?}", rejected.complaints));
    let source = workload(registry, &scenario).unwrap();
    build(registry, &scenario, source.as_ref())
        .unwrap()
        .run(&clustersim::scenario::Session::default())
        .unwrap()
}

#[test]
fn jobs_run_under_it_and_the_quantum_counts() {
    let registry = example::registry();
    let digests = ["least-run", "{ kind = 'least-run', quantum = '1ms' }", "round-robin"].map(|scheduler| {
        let finished = run(&registry, scheduler);
        assert!(
            finished.outcomes.record.outcomes().all(|outcome| outcome.end > outcome.start),
            "{scheduler}"
        );
        assert_eq!(finished.outcomes.digest, run(&registry, scheduler).outcomes.digest, "{scheduler}");
        finished.outcomes.digest
    });
    assert!(digests[0] != digests[1] && digests[0] != digests[2]);
}

#[test]
fn it_is_known_like_any_other() {
    let rows = example::registry().find("cpu-scheduler").map(Catalogue::rows).unwrap();
    assert!(rows.iter().any(|row| row.name == "least-run"));
}

#[test]
fn the_chapter_has_every_method_of_a_run_queue() {
    let source = fs::read_to_string(repository("crates/cluster/src/node/os/cpu/mod.rs")).unwrap();
    let (_, methods) = source.split_once("\npub trait RunQueue").unwrap();
    let methods = methods.split("\n}\n").next().unwrap().lines();
    let methods = methods.filter_map(|line| line.strip_prefix("    fn ")?.split('(').next());
    let chapter = fs::read_to_string(repository("docs/coscheduling.md")).unwrap();
    let rows = column(&chapter, "| method of `RunQueue` | meaning |");
    let rows = rows.iter().filter_map(|row| row.split('(').next());
    assert_eq!(rows.collect::<BTreeSet<_>>(), methods.collect());
}
