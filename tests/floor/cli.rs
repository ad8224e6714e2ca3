//! The command line from the outside: results, run directories, repetition, exit status.

use serde_json::Value;

use clustersim_testing::program::{Place, program, repository};

const LOG: &str = "\
; MaxProcs: 10
1 0 -1 100 6 -1 -1 6 100 -1 1 1 1 1 1 1 -1 -1
2 1 -1 50 8 -1 -1 8 50 -1 1 1 1 1 1 1 -1 -1
3 2 -1 90 4 -1 -1 4 90 -1 1 1 1 1 1 1 -1 -1
4 3 -1 200 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1
5 4 -1 300 2 -1 -1 2 300 -1 1 1 1 1 1 1 -1 -1
6 5 -1 60 2 -1 -1 2 60 -1 1 1 1 1 1 1 -1 -1
7 6 -1 60 12 -1 -1 12 60 -1 1 1 1 1 1 1 -1 -1
";

const SCENARIO: &str =
    "title = \"Six jobs\"\npolicy = \"fcfs\"\n\n[workload]\nkind = \"swf\"\nfile = \"log.swf\"\n";

fn place() -> Place {
    let place = Place::new();
    place.file("log.swf", LOG).file("scenario.toml", SCENARIO);
    place
}

fn metric(json: &Value, name: &str) -> f64 {
    json["metrics"][name]["value"].as_f64().unwrap()
}

#[test]
fn json_is_one_object_with_the_promised_names() {
    let place = place();
    let output = place.run(&["run", "scenario.toml", "--json"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let json: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(json["schema"], "clustersim/run-summary/1");
    assert_eq!((json["title"].as_str(), json["seed"].as_u64()), (Some("Six jobs"), Some(1)));
    for name in ["wait-time", "response-time", "slowdown", "bounded-slowdown"] {
        for part in ["mean", "median", "p95", "max"] {
            assert!(json["metrics"][format!("{name}.{part}")]["value"].is_number(), "{name}.{part}");
        }
    }
    assert_eq!(metric(&json, "jobs.completed") as u64, 6);
    assert_eq!(metric(&json, "jobs.rejected") as u64, 1);
    assert_eq!(metric(&json, "wait-time.max") as u64, 235);
    assert_eq!(metric(&json, "makespan") as u64, 450);
}

#[test]
fn the_flags_of_a_log_need_no_scenario() {
    let place = place();
    let output = place.run(&["run", "--policy", "easy", "log.swf", "--nodes", "12", "--json", "-o", "out"]);
    let json: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(metric(&json, "jobs.completed") as u64, 7);
    assert_eq!(
        place.names("out"),
        [
            "jobs.csv",
            "manifest.json",
            "report.html",
            "scenario.resolved.toml",
            "scenario.toml",
            "summary.json"
        ]
    );
}

#[test]
fn equal_runs_in_two_directories_give_equal_bytes() {
    let (one, two) = (place(), place());
    for place in [&one, &two] {
        assert_eq!(place.run(&["run", "scenario.toml", "-o", "results"]).status, 0);
    }
    for name in ["jobs.csv", "report.html", "scenario.resolved.toml", "scenario.toml", "summary.json"] {
        assert_eq!(one.read(&format!("results/{name}")), two.read(&format!("results/{name}")), "{name}");
    }
    let manifest = |place: &Place| {
        let mut manifest: Value = serde_json::from_slice(&place.read("results/manifest.json")).unwrap();
        assert_eq!(manifest.as_object().unwrap().keys().next_back().map(String::as_str), Some("invocation"));
        manifest.as_object_mut().unwrap().remove("invocation");
        manifest
    };
    assert_eq!(manifest(&one), manifest(&two));
}

#[test]
fn a_run_that_is_there_is_repeated_and_found_identical() {
    let place = place();
    let first = place.run(&["run", "scenario.toml", "-o", "results"]);
    let before = place.read("results/manifest.json");
    let second = place.run(&["run", "scenario.toml", "-o", "results"]);
    assert_eq!((second.status, &second.stdout), (0, &first.stdout));
    assert!(second.stderr.contains("identical"), "{}", second.stderr);
    assert_eq!(place.read("results/manifest.json"), before);
    assert_eq!(place.names("."), ["log.swf", "results", "scenario.toml"]);
}

#[test]
fn results_that_were_changed_are_a_mistake_of_somebody() {
    let place = place();
    place.run(&["run", "scenario.toml", "-o", "results"]);
    let manifest = String::from_utf8(place.read("results/manifest.json")).unwrap();
    let digest = &serde_json::from_str::<Value>(&manifest).unwrap()["digest"];
    place.file("results/manifest.json", manifest.replace(digest.as_str().unwrap(), "0000000000000000"));
    let output = place.run(&["run", "scenario.toml", "-o", "results"]);
    assert_eq!(output.status, 1);
    assert!(output.stderr.contains("differs"), "{}", output.stderr);
}

#[test]
fn another_run_needs_force_to_take_a_directory() {
    let place = place();
    place.run(&["run", "scenario.toml", "-o", "results"]);
    let other = ["run", "scenario.toml", "-o", "results", "--policy", "easy"];
    assert_eq!(place.run(&other).status, 2);
    let forced: Vec<&str> = other.into_iter().chain(["--force"]).collect();
    assert_eq!(place.run(&forced).status, 0);
    assert!(String::from_utf8(place.read("results/scenario.resolved.toml")).unwrap().contains("backfill"));
}

#[test]
fn the_resolved_scenario_and_the_manifest_run_again() {
    let place = place();
    place.run(&["run", "scenario.toml", "-o", "results"]);
    let again = place.run(&["run", "results/scenario.resolved.toml", "-o", "again"]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    for name in ["jobs.csv", "report.html", "summary.json", "scenario.resolved.toml"] {
        assert_eq!(place.read(&format!("results/{name}")), place.read(&format!("again/{name}")), "{name}");
    }
    let replayed = place.run(&["run", "results/manifest.json"]);
    assert!(replayed.status == 0 && replayed.stderr.contains("identical"), "{}", replayed.stderr);
    place.file("log.swf", LOG.replace("1 0 -1 100", "1 0 -1 101"));
    let changed = place.run(&["run", "results/manifest.json"]);
    assert_eq!(changed.status, 2);
    assert!(changed.stderr.contains("CS0032"), "{}", changed.stderr);
}

#[test]
fn the_schedule_as_a_log_replays_to_the_same_schedule() {
    let place = place();
    let log =
        LOG.replace("; MaxProcs: 10", "; MaxProcs: 10\n; UnixStartTime: 1000\n; Acknowledge: A. Author");
    place.file("log.swf", log.replace(" 1 1 1 1 1 1 -1 -1\n", " 1 3 4 5 6 7 -1 -1\n"));
    let first = place.run(&["run", "scenario.toml", "-o", "results", "--set", "record.swf=true"]);
    assert_eq!(first.status, 0, "{}", first.stderr);
    let written = String::from_utf8(place.read("results/jobs.swf")).unwrap();
    let (head, jobs): (Vec<&str>, Vec<&str>) = written.lines().partition(|line| line.starts_with(';'));
    for entry in ["; Version: 2.2", "; Acknowledge: A. Author", "; UnixStartTime: 1000", "; MaxProcs: 10"] {
        assert!(head.contains(&entry), "{entry}: {head:?}");
    }
    assert!(head.iter().any(|line| line.starts_with("; Note: simulated by clustersim")));
    // the second job waits for the first to end; the last is larger than the machine
    assert_eq!(jobs[1], "2 1 99 50 8 -1 -1 8 50 -1 1 3 4 5 6 7 -1 -1");
    assert_eq!(jobs[6], "7 6 -1 60 12 -1 -1 12 60 -1 1 3 4 5 6 7 -1 -1");

    place.file("jobs.swf", &written);
    let again = place.run(&["run", "jobs.swf", "--policy", "fcfs", "-o", "again", "--json"]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    let rows = |directory| String::from_utf8(place.read(&format!("{directory}/jobs.csv"))).unwrap();
    assert_eq!(rows("again"), rows("results").replace(",log,", ",jobs,"));
    let json: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(json["metrics"]["recorded-wait-time.mean"], json["metrics"]["wait-time.mean"]);
}

#[test]
fn a_dry_run_prints_the_resolved_scenario_and_writes_nothing() {
    let place = place();
    let output = place.run(&["run", "scenario.toml", "--dry-run", "--set", "run.until=1h"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stdout.contains("until = \"1h\"") && output.stdout.contains("kind = \"space-sharing\""));
    assert_eq!(place.names("."), ["log.swf", "scenario.toml"]);
}

#[test]
fn a_run_stopped_early_counts_the_unfinished() {
    let place = place();
    let output = place.run(&["run", "scenario.toml", "--json", "--set", "run.until=120s", "-o", "out"]);
    let json: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(metric(&json, "jobs.completed") as u64, 1);
    assert_eq!(metric(&json, "jobs.unfinished") as u64, 5);
}

#[test]
fn a_run_in_which_no_job_ends_has_no_statistics() {
    let place = place();
    let output = place.run(&["run", "scenario.toml", "--json", "--set", "run.until=50s", "-o", "out"]);
    let json: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(metric(&json, "jobs.completed") as u64, 0);
    for name in ["wait-time.mean", "slowdown.max", "recorded-wait-time.mean", "throughput", "makespan"] {
        assert!(json["metrics"][name]["value"].is_null(), "{name}: {}", json["metrics"][name]);
    }
    assert_eq!(String::from_utf8(place.read("out/jobs.csv")).unwrap().lines().count(), 2, "the rejected job");
}

#[test]
fn four_lines_are_a_scenario_and_its_policy_is_easy() {
    let place = place();
    place.file("least.toml", "title = \"Least\"\n[workload]\nkind = \"swf\"\nfile = \"log.swf\"\n");
    let resolved = place.run(&["run", "least.toml", "--dry-run"]);
    assert_eq!(resolved.status, 0, "{}", resolved.stderr);
    assert!(resolved.stdout.contains("[policy.backfill]\nkind = \"easy\""), "{}", resolved.stdout);
}

#[test]
fn init_writes_a_scenario_that_is_valid_and_runs() {
    let place = Place::new();
    assert_eq!(place.run(&["init", "demo"]).status, 0);
    assert_eq!(place.names("demo"), ["clustersim.schema.json", "scenario.toml"]);
    assert_eq!(place.run(&["validate", "demo/scenario.toml"]).stdout, "demo/scenario.toml: valid\n");
    let output = place.run(&["run", "demo/scenario.toml"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(place.names("out")[0].starts_with("my-first-cluster-"));
    assert_eq!(place.run(&["init", "demo"]).status, 2, "nothing is overwritten");
}

#[test]
fn lists_schema_explanations_and_completions_go_to_stdout() {
    let place = Place::new();
    let list = place.run(&["list", "policies"]).stdout;
    assert!(list.contains("easy") && list.contains("fcfs") && list.contains("space-sharing"), "{list}");
    let json: Value = serde_json::from_str(&place.run(&["list", "--json"]).stdout).unwrap();
    assert!(json["tables"]["backfills"]["components"].is_array());
    let schema: Value = serde_json::from_str(&place.run(&["schema"]).stdout).unwrap();
    assert_eq!(schema["required"], serde_json::json!(["title"]));
    assert!(place.run(&["explain", "policy.backfill"]).stdout.contains("default"));
    assert!(place.run(&["explain", "cs0005"]).stdout.starts_with("CS0005: a key is not known"));
    for shell in ["bash", "zsh", "fish"] {
        assert!(place.run(&["completions", shell]).stdout.contains("clustersim"), "{shell}");
    }
}

#[test]
fn the_built_program_draws_the_golden_numbers() {
    let golden = std::fs::read_to_string(repository("crates/kernel/src/rng/samplers.txt")).unwrap();
    assert_eq!(Place::new().run(&["debug", "samplers"]).stdout, golden);
}

#[test]
fn a_pipe_that_closes_early_is_success() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(program()).arg("schema").stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_a_failure_and_one_that_nobody_reads_is_not() {
    use std::fs::File;
    use std::process::{Command, Stdio};

    for arguments in
        [&["--help"][..], &["--version"], &["run", "--help"], &["list"], &["completions", "bash"]]
    {
        let mut program = Command::new(program());
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = program.args(arguments).stdout(full).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
        assert!(stderr.contains("cannot write the result"), "{arguments:?}: {stderr}");

        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let gone = program.stdout(Stdio::from(writer)).output().unwrap();
        assert_eq!((gone.status.code(), gone.stderr), (Some(0), vec![]), "{arguments:?}");
    }
}
