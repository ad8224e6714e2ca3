//! Workloads of parallel jobs, from a scenario to its results, and what wrong ones are told.
//!
//! `INSTA_UPDATE=always cargo test --test it parallel` writes the golden files anew; they are then reviewed.

use insta::assert_snapshot;
use serde_json::Value;

use crate::program::{Place, repository};

const HEAD: &str = "title = \"Test\"\n\n[cluster]\nnodes = 4\n\n[workload]\n";

fn validate(workload: &str) -> String {
    Place::new().file("scenario.toml", format!("{HEAD}{workload}")).told(&["validate", "scenario.toml"])
}

fn validate_trace(trace: &str) -> String {
    let place = Place::new();
    place.file("scenario.toml", format!("{HEAD}kind = \"task-trace\"\nfile = \"trace.jsonl\"\n"));
    place.file("trace.jsonl", trace);
    place.told(&["validate", "scenario.toml"])
}

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

#[test]
fn mistakes_in_classes_are_told_at_their_values() {
    assert_snapshot!(validate(
        "kind = \"parallel\"\njobs = 10\n\n[[workload.class]]\nkind = \"com\"\n\n[[workload.class]]\nkind = \"io\"\n\
         message-size = 5\niterations = 0\nskew = -1\npattern = { kind = \"explicit\", peers = [[1], [1]] }\n"
    ));
}

#[test]
fn two_classes_of_one_name() {
    assert_snapshot!(validate(
        "kind = \"parallel\"\njobs = 10\n\n[[workload.class]]\nkind = \"comm\"\n\n[[workload.class]]\nkind = \"comm\"\n"
    ));
}

#[test]
fn a_class_that_needs_more_than_the_machine_has() {
    assert_snapshot!(validate(
        "kind = \"parallel\"\njobs = 10\nclass = [{ kind = \"comm\", tasks = 2 }, { kind = \"io\", tasks = 5 }]\n"
    ));
}

#[test]
fn a_structure_whose_iterations_take_no_time() {
    let place = Place::new();
    place.file("log.swf", "1 0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n");
    let workload =
        "kind = \"swf\"\nfile = \"log.swf\"\nstructure = { kind = \"iterations\", compute = \"0s\" }\n";
    place.file("scenario.toml", format!("{HEAD}{workload}"));
    assert_snapshot!(place.told(&["validate", "scenario.toml"]));
}

#[test]
fn all_mistakes_of_a_trace_are_told_at_their_values() {
    assert_snapshot!(validate_trace(
        "{\"arrival\": 5, \"tasks\": 0, \"iteratons\": 3}\n\
         {\"arrival\": \"1s\", \"tasks\": 2, \"compute\": {\"kind\": \"uniform\", \"low\": \"2s\", \"high\": \"1s\"}}\n\
         {\"arrival\": \"1s\", \"tasks\": 5}\n\
         {\"arrival\": \"1s\", \"tasks\": 2\n"
    ));
}

#[test]
fn recorded_steps_that_cannot_be_played() {
    assert_snapshot!(validate_trace(
        "{\"arrival\": \"0s\", \"steps\": [[\"compute 5\", \"sleep 1s\"], []]}\n\
         {\"arrival\": \"0s\", \"steps\": [[\"receive 1\"], [\"send 2 1kB\"]]}\n\
         {\"arrival\": \"0s\", \"steps\": [[\"receive 1\", \"send 1 1B\"], [\"receive 0\", \"send 0 1B\"]]}\n"
    ));
}

#[test]
fn a_trace_that_is_not_there_or_empty() {
    assert_snapshot!(validate("kind = \"task-trace\"\nfile = \"absent.jsonl\"\n"));
    assert_snapshot!(validate_trace("\n"));
}

#[test]
fn a_parallel_workload_without_a_machine() {
    let place = Place::new();
    place.file(
        "scenario.toml",
        "title = \"Test\"\n[workload]\nkind = \"parallel\"\njobs = 1\nclass = [\"comm\"]\n",
    );
    assert_snapshot!(place.told(&["validate", "scenario.toml"]));
}
