//! A CPU scheduler of a user's own crate: `examples/own_cpu_scheduler.rs`, as it stands there.

#[path = "../../examples/own_cpu_scheduler.rs"]
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

fn run(registry: &Registry, scheduler: &str) -> Finished {
    let set = Override::set(&format!("cluster.node.scheduler={scheduler}"));
    let written = from_text("test.toml", SCENARIO.to_owned(), Path::new("."), &[set]);
    let scenario = check(registry, written).unwrap_or_else(|rejected| panic!("{:?}", rejected.complaints));
    let source = workload(registry, &scenario).unwrap();
    build(registry, &scenario, source.as_ref()).unwrap().run(None).unwrap()
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
