//! A backfilling rule of a user's own crate: `examples/own_backfill.rs`, as it stands there.

#[path = "../../examples/own_backfill.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod example;

use std::path::Path;

use clustersim::ids::JobId;
use clustersim::registry::{Catalogue, Registry};
use clustersim::scenario::{Override, check, from_text};
use clustersim::system::cluster::{Finished, build, workload};

/// Job 1 has 6 of 10 processors until 100 s. Job 2, of 10, is the head of the queue. Job 3 would
/// end at 102 s, job 4 at 153 s.
const LOG: &str = "\
; MaxProcs: 10
1 0 -1 100 6 -1 -1 6 100 -1 1 1 1 1 1 1 -1 -1
2 1 -1 10 10 -1 -1 10 10 -1 1 1 1 1 1 1 -1 -1
3 2 -1 100 2 -1 -1 2 100 -1 1 1 1 1 1 1 -1 -1
4 3 -1 150 2 -1 -1 2 150 -1 1 1 1 1 1 1 -1 -1
";

/// Runs the log under this rule, or answers with the first complaint.
fn run(registry: &Registry, backfill: &str) -> Result<Finished, String> {
    run_with(registry, backfill, "")
}

/// The same with more tables.
fn run_with(registry: &Registry, backfill: &str, more: &str) -> Result<Finished, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("log.swf"), LOG).unwrap();
    let text = "title = 't'\n[workload]\nkind = 'swf'\nfile = 'log.swf'\n[policy]\nkind = 'space-sharing'\n";
    let path = folder.path().join("test.toml");
    let set = Override::set(&format!("policy.backfill={backfill}"));
    let written =
        from_text(path.to_str().unwrap(), format!("{text}{more}"), Path::new(folder.path()), &[set]);
    let scenario = check(registry, written).map_err(|rejected| rejected.complaints[0].message.clone())?;
    let source = workload(registry, &scenario).unwrap();
    let built = build(registry, &scenario, source.as_ref());
    let built = built.map_err(|rejected| rejected.complaints[0].message.clone())?;
    Ok(built.run(&clustersim::scenario::Session::default()).unwrap())
}

fn starts(backfill: &str) -> Vec<f64> {
    let finished = run(&example::registry(), backfill).unwrap();
    finished.outcomes.record.outcomes().map(|outcome| outcome.start.as_secs_f64()).collect()
}

#[test]
fn a_job_overtakes_if_it_ends_within_the_slack() {
    assert_eq!(starts("{ kind = 'slack', slack = '1s' }"), [0.0, 100.0, 110.0, 110.0]);
    assert_eq!(starts("{ kind = 'slack', slack = '2s' }"), [0.0, 102.0, 2.0, 112.0]);
    assert_eq!(starts("{ kind = 'slack', slack = '60s' }"), [0.0, 153.0, 2.0, 3.0]);
}

#[test]
fn its_reason_stands_in_the_record() {
    let finished = run(&example::registry(), "slack").unwrap();
    let reason = |job| finished.outcomes.record.outcome(JobId(job)).reason;
    assert_eq!(["head", "within-slack", "within-slack"], [1, 2, 3].map(|job| reason(job).name()));
    assert!(reason(2).about().starts_with("it overtook"));
}

#[test]
fn it_is_refused_where_it_would_not_plan() {
    let reserved = "[[cluster.reservation]]\nat = '1h'\nfor = '1h'\nprocessors = 2\n";
    let complaint = run_with(&example::registry(), "slack", reserved).unwrap_err();
    assert!(complaint.contains("does not plan around reservations of processors"), "{complaint}");
    assert!(run_with(&example::registry(), "none", reserved).is_ok());
}

#[test]
fn it_is_known_and_its_slack_has_bounds() {
    let registry = example::registry();
    let rows = registry.find("backfill").map(Catalogue::rows).unwrap();
    assert!(rows.iter().any(|row| row.name == "slack"));
    let complaint = run(&registry, "{ kind = 'slack', slack = '-1s' }").unwrap_err();
    assert!(complaint.contains("-1s"), "{complaint}");
}
