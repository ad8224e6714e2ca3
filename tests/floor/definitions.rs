//! Every word that results, warnings and files hold is defined: metrics, warnings, causes, reasons,
//! states, statuses.

use std::fs;
use std::path::{Path, PathBuf};

use clustersim::system::standard;
use clustersim_agents::{Operation, Outcome};
use clustersim_cli::definitions;
use clustersim_cluster::instrument::explanation::{Obstacle, WaitCause as Wait};
use clustersim_cluster::instrument::profile::Activity;
use clustersim_cluster::instrument::{Reason, State};
use clustersim_experiment::scenario::{load, root_keys, study};
use clustersim_jobs::workload::swf::Cause;
use clustersim_language::registry::definition::Definition;
use clustersim_language::registry::topic::{find, texts, topics};
use serde_json::Value;

use clustersim_testing::program::{Place, repository};
use clustersim_testing::sources::sources;

fn explained(name: &str) -> String {
    let output = Place::new().run(&["explain", name]);
    assert_eq!(output.status, 0, "{name}: {}", output.stderr);
    output.stdout
}

/// Every file below a directory with this extension.
fn files(directory: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|own| own == extension) {
            found.push(path);
        }
    }
    found.sort();
}

fn is_defined(all: &[Definition], sort: &str, name: &str) -> bool {
    all.iter().any(|definition| definition.sort == sort && definition.is_called(name))
}

#[test]
fn every_metric_of_every_shipped_scenario_is_defined_with_its_unit() {
    let (all, registry) = (definitions(&standard()), standard());
    let mut scenarios = Vec::new();
    files(&repository("scenarios"), "toml", &mut scenarios);
    assert!(scenarios.len() > 30, "only {} scenarios", scenarios.len());
    for path in scenarios {
        let written = load(&path, None, &[]);
        let study = study(&registry, written).unwrap_or_else(|_| panic!("{} is not valid", path.display()));
        for metric in study.metrics() {
            let unit = if metric.unit.is_empty() { "none: a count or a ratio" } else { metric.unit };
            let is_it = |definition: &&Definition| {
                definition.name == metric.name && definition.facts.contains(&("unit", unit.into()))
            };
            let found = all.iter().find(is_it);
            let found = found.unwrap_or_else(|| {
                panic!("{}: `{}` [{unit}] has no definition", path.display(), metric.name)
            });
            for label in ["of", "system"] {
                assert!(
                    found.facts.iter().any(|(own, _)| *own == label),
                    "`{}` has no `{label}`",
                    metric.name
                );
            }
        }
    }
}

#[test]
fn every_figure_that_a_run_or_a_study_writes_is_defined() {
    let all = definitions(&standard());
    let task_run = ["run", "s.toml", "--json", "--no-progress"];
    let study = ["run", "s.toml", "--vary", "policy=easy,fcfs", "--json", "--no-progress"];
    for (scenario, arguments) in [(CLASSES, &task_run[..]), (RING, &task_run[..]), (JOBS, &study[..])] {
        let place = Place::new();
        place.file("s.toml", scenario);
        let output = place.run(arguments);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let json: Value = serde_json::from_str(&output.stdout).unwrap();
        let names: Vec<&str> = match &json["metrics"] {
            Value::Object(metrics) => metrics.keys().map(String::as_str).collect(),
            metrics => {
                metrics.as_array().unwrap().iter().map(|metric| metric["name"].as_str().unwrap()).collect()
            }
        };
        assert!(names.len() > 8, "{names:?}");
        for name in names {
            assert!(is_defined(&all, "metric", name), "`{name}` has no definition");
        }
        for warning in json["warnings"].as_array().unwrap() {
            let code = warning["code"].as_str().unwrap();
            assert!(is_defined(&all, "warning", code), "`{code}` has no definition");
        }
    }
}

/// Two classes of tasks, the name of one with a dot in it.
const CLASSES: &str = r#"
title = "classes"
[cluster]
detail = "task"
nodes = 2
mpl = 2
[workload]
kind = "parallel"
jobs = 4
arrivals = { kind = "exponential", mean = "1s" }
[[workload.class]]
name = "a.b"
kind = "comm"
tasks = 2
iterations = 3
[[workload.class]]
name = "c"
kind = "io"
tasks = 1
iterations = 3
[policy]
kind = "gang"
"#;

const RING: &str = "title = 'ring'
[[platform.host]]
name = 'h'
speed = '1Mf'
[[agent]]
host = 'h'
role = 'ring-peer'
";

/// Random jobs in one run.
const JOBS: &str = r#"
title = "jobs"
[cluster]
procs = 8
[workload]
kind = "lublin-feitelson"
jobs = 100
"#;

/// The strings that follow `before` in the sources, without their tests.
fn strings_after(before: &str) -> Vec<String> {
    let mut found = Vec::new();
    for file in sources() {
        let text = file.text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for (at, _) in text.match_indices(before) {
            let rest = text[at + before.len()..].trim_start();
            found.extend(rest.strip_prefix('"').and_then(|rest| rest.split('"').next()).map(str::to_owned));
        }
    }
    found
}

#[test]
fn every_warning_that_the_sources_give_is_defined() {
    let all = definitions(&standard());
    let given =
        ["Warning::new(", "Warning::with(", "Warning { code:", "WarningKind = WarningKind {\n    code:"];
    let codes = given.map(strings_after).concat();
    assert!(codes.len() >= 8, "{codes:?}");
    for code in codes {
        assert!(is_defined(&all, "warning", &code), "the warning `{code}` has no definition");
    }
}

#[test]
fn every_cause_reason_state_and_status_is_defined() {
    let all = definitions(&standard());
    let words = [
        ("cause", Cause::ALL.map(Cause::name).to_vec()),
        ("reason", Reason::ALL.map(Reason::name).to_vec()),
        ("cause of waiting", Wait::WORDS.iter().map(|(name, _)| *name).collect()),
        ("bar to overtaking", Obstacle::WORDS.iter().map(|(name, _)| *name).collect()),
        ("state of a job", State::ALL.map(State::name).to_vec()),
        ("final state", State::ALL.into_iter().filter_map(State::final_state).collect()),
        ("activity", Activity::ALL.map(Activity::name).to_vec()),
        ("operation", Operation::ALL.map(Operation::name).to_vec()),
        ("outcome", Outcome::ALL.map(Outcome::name).to_vec()),
    ];
    for (sort, names) in words {
        for name in names {
            assert!(is_defined(&all, sort, name), "the {sort} `{name}` has no definition");
        }
    }
    let help = Place::new().run(&["--help"]).stdout;
    let statuses = help.split_once("Exit status:\n").unwrap().1;
    let numbers = statuses.lines().filter_map(|line| line.split_whitespace().next()?.parse::<u8>().ok());
    assert!(numbers.clone().count() >= 8);
    for status in numbers {
        assert!(is_defined(&all, "exit status", &format!("exit-status.{status}")), "{status}");
    }
}

#[test]
fn every_definition_can_be_asked_for_and_stands_in_the_reference() {
    let reference = Place::new().run(&["manual", "--format", "markdown"]).stdout;
    let mut seen = Vec::new();
    for definition in definitions(&standard()) {
        assert!(!definition.about.trim().is_empty(), "`{}` has no meaning", definition.name);
        let system = definition.facts.iter().find(|(label, _)| *label == "system").cloned();
        let own = (definition.sort, definition.name.clone(), system);
        assert!(!seen.contains(&own), "`{}` is defined twice", definition.name);
        seen.push(own);
        match definition.sort {
            // their families stand there, and their statuses as a table
            "metric" | "exit status" => {}
            _ => {
                let item = format!("- `{}`: ", definition.name);
                assert!(reference.contains(&item), "the reference has no `{}`", definition.name);
            }
        }
    }
    for name in ["wait-time", "steady-state.share", "profile", "jobs.rejected"] {
        assert!(reference.contains(&format!("- `{name}`: ")), "the reference has no `{name}`");
    }
}

#[test]
fn a_full_path_is_answered_first_and_exactly() {
    let asked = [
        ("policy.estimates", "policy[space-sharing].estimates\n"),
        ("policy[gang].quantum", "policy[gang].quantum\n"),
        ("policy.backfill.reservations", "backfill[easy].reservations\n"),
        ("policy.gang", "policy \"gang\"\n"),
        ("worker.request-data", "role[worker].request-data\n"),
        ("bounded-slowdown.mean", "bounded-slowdown.mean (metric)\n"),
        ("class.video.pace.mean", "class.NAME.pace.mean (metric)\n"),
        ("saturated", "saturated (warning)\n"),
        ("row-with-room", "row-with-room (reason)\n"),
        ("COMPLETED_FAILED", "COMPLETED_FAILED (final state)\n"),
    ];
    for (name, first) in asked {
        let text = explained(name);
        assert!(text.starts_with(first), "{name}: {text}");
        // an answer begins at the margin; nothing else is explained with it
        let answers = text.lines().filter(|line| !line.is_empty() && !line.starts_with(' ')).count();
        assert_eq!(answers, 1, "{name}: {text}");
    }
}

#[test]
fn a_part_of_a_name_lists_the_names_and_two_systems_may_have_one_name() {
    let near = explained("wait-time");
    assert!(near.starts_with("Names with `wait-time`"), "{near}");
    assert!(near.contains("  wait-time.p95 ") && !near.contains("held-time"), "{near}");
    assert!(explained("backfill").contains("\n  policy[gang].backfill "));
    let both = explained("throughput");
    assert!(both.contains("unit     jobs/h") && both.contains("unit     1/s"), "{both}");
    let both = explained("head");
    assert!(both.contains("head (reason)") && both.contains("head (cause of waiting)"), "{both}");
    let table = explained("cluster");
    assert!(table.contains("\n  procs "), "the keys of a table are listed: {table}");
}

/// Whatever components declare alike is told once, with all their names.
#[test]
fn a_key_that_components_share_is_one_paragraph_with_the_list_of_them() {
    let registry = standard();
    let topics = topics(&registry, root_keys(&registry));
    let plain = |path: &str| path.split_once('[').map(|(table, rest)| (table.to_owned(), rest.to_owned()));
    let mut asked: Vec<String> = Vec::new();
    for topic in &topics {
        let Some((table, rest)) = plain(topic.name()) else { continue };
        let (_, key) = rest.split_once(']').unwrap();
        asked.push(format!("{table}{key}"));
    }
    asked.sort();
    asked.dedup();
    let mut shared = 0;
    for name in &asked {
        let found = find(&topics, name).exact;
        let texts = texts(&found);
        let mut said: Vec<&str> = texts
            .iter()
            .map(|text| text.split("\n  components ").next().unwrap().split_once('\n').unwrap().1)
            .collect();
        said.sort_unstable();
        said.dedup();
        assert_eq!(said.len(), texts.len(), "`{name}` is told twice");
        for topic in found.iter().filter(|topic| topic.name().contains('[')) {
            let component = topic.name().split(['[', ']']).nth(1).unwrap();
            let names = |text: &String| text.split([' ', ',', '\n', '[', ']']).any(|word| word == component);
            assert!(texts.iter().any(names), "`{name}`: nothing tells of `{component}`");
        }
        shared += usize::from(texts.len() < found.len());
    }
    assert!(shared > 10, "{shared} names of {}", asked.len());
    let replan = explained("scheduler.replan");
    assert_eq!(replan.matches("when a plan is made again").count(), 1, "{replan}");
    assert!(
        replan.starts_with("scheduler.replan\n") && replan.contains("  components       cpop, dcp,"),
        "{replan}"
    );
    assert!(replan.lines().all(|line| line.chars().count() <= 130), "{replan}");
    assert_eq!(explained("workload.load").matches("workload.load\n").count(), 1);
    assert_eq!(
        explained("replan").matches("scheduler").count(),
        1,
        "the list of near names does not repeat itself"
    );
}

#[test]
fn the_schema_offers_the_metrics_of_expect_with_their_definitions() {
    let output = Place::new().run(&["schema"]);
    let schema: Value = serde_json::from_str(&output.stdout).unwrap();
    let expect = &schema["properties"]["expect"];
    let mean = expect["properties"]["wait-time.mean"]["description"].as_str().unwrap();
    assert!(mean.contains("start - submission"), "{mean}");
    assert_eq!(expect["additionalProperties"], false);
    assert!(expect["properties"]["steady-state.share"].is_object());
}
