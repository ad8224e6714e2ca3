//! Workloads of parallel jobs, from a scenario to its results.

use serde_json::Value;

use clustersim_testing::program::{Place, repository};

const HEAD: &str = "title = \"Test\"\n\n[cluster]\nnodes = 4\n\n[workload]\n";

/// The summary of a run of a scenario.
fn summary(place: &Place, scenario: &str) -> Value {
    let output = place.run(&["run", scenario, "--json", "--no-progress", "-o", "out", "--force"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    serde_json::from_str(&output.stdout).unwrap()
}

#[test]
fn the_example_scenarios_run_at_detail_job() {
    for (scenario, jobs) in [("parallel.toml", 400), ("task-trace.toml", 5)] {
        let place = Place::new();
        let path = repository("scenarios").join(scenario);
        summary(&place, path.to_str().unwrap());
        let rows = String::from_utf8(place.read("out/jobs.csv")).unwrap();
        assert_eq!(rows.lines().count(), jobs + 1, "{scenario}");
    }
}

#[test]
fn a_structure_changes_nothing_at_detail_job() {
    let place = Place::new();
    let job = |number| format!("{number} {} -1 100 2 -1 -1 2 200 -1 1 1 1 1 1 1 -1 -1\n", number * 30);
    let log: Vec<String> = (1..=20).map(job).collect();
    place.file("log.swf", log.concat());
    let swf = "kind = \"swf\"\nfile = \"log.swf\"\n";
    place.file("plain.toml", format!("{HEAD}{swf}"));
    place.file(
        "comm.toml",
        format!("{HEAD}{swf}structure = {{ kind = \"comm\", message-size = \"8 KiB\" }}\n"),
    );
    summary(&place, "plain.toml");
    let plain = place.read("out/jobs.csv");
    summary(&place, "comm.toml");
    assert_eq!(place.read("out/jobs.csv"), plain);
    let resolved = String::from_utf8(place.read("out/scenario.resolved.toml")).unwrap();
    assert!(resolved.contains("pattern"), "{resolved}");
}
