//! A queue discipline of a user's own crate: `examples/own_discipline.rs`, as it stands there.

#[path = "../../examples/own_discipline.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod example;

use std::path::Path;

use clustersim::registry::{Catalogue, Registry};
use clustersim::scenario::{Override, check, from_text};
use clustersim::system::cluster::{build, workload};

/// Three jobs wait for all of ten processors, which job 1 has until 100 s: 2 needs 10 for 10 s, 3
/// needs 4 for 20 s, 4 needs 2 for 60 s.
const LOG: &str = "\
; MaxProcs: 10
1 0 -1 100 10 -1 -1 10 100 -1 1 1 1 1 1 1 -1 -1
2 1 -1 10 10 -1 -1 10 10 -1 1 1 1 1 1 1 -1 -1
3 2 -1 20 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1
4 3 -1 60 2 -1 -1 2 60 -1 1 1 1 1 1 1 -1 -1
";

/// When the jobs start under this queue, without backfilling [s].
fn starts(registry: &Registry, queue: &str) -> Result<Vec<f64>, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("log.swf"), LOG).unwrap();
    let text = "title = 't'\n[workload]\nkind = 'swf'\nfile = 'log.swf'\n[policy]\nkind = 'space-sharing'\nbackfill = 'none'\n";
    let path = folder.path().join("test.toml");
    let written = from_text(
        path.to_str().unwrap(),
        text.to_owned(),
        Path::new(folder.path()),
        &[Override::set(&format!("policy.queue={queue}"))],
    );
    let scenario = check(registry, written).map_err(|rejected| rejected.complaints[0].message.clone())?;
    let source = workload(registry, &scenario).unwrap();
    let finished = build(registry, &scenario, source.as_ref())
        .unwrap()
        .run(&clustersim::scenario::Session::default())
        .unwrap();
    Ok(finished.outcomes.record.outcomes().map(|outcome| outcome.start.as_secs_f64()).collect())
}

#[test]
fn the_job_of_least_work_starts_first() {
    let registry = example::registry();
    // work 100, 80 and 120 processor seconds
    assert_eq!(starts(&registry, "'least-work'").unwrap(), [0.0, 120.0, 100.0, 130.0]);
    // in whole minutes 10, 4 and 2 processor minutes
    assert_eq!(
        starts(&registry, "{ kind = 'least-work', grain = '1min' }").unwrap(),
        [0.0, 160.0, 100.0, 100.0]
    );
    assert_eq!(starts(&registry, "'fcfs'").unwrap(), [0.0, 100.0, 110.0, 110.0]);
}

#[test]
fn it_is_known_and_a_wrong_value_is_told() {
    let registry = example::registry();
    let rows = registry.find("queue").map(Catalogue::rows).unwrap();
    assert!(rows.iter().any(|row| row.name == "least-work"));
    let told = starts(&registry, "{ kind = 'least-work', grain = '0s' }").unwrap_err();
    assert!(told.contains("0s"), "{told}");
}
