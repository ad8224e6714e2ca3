//! `[[crossover]]`: from a scenario to the answer, its bound, and what is refused.

use serde_json::Value;

use clustersim_testing::program::Place;

/// A graph on loaded hosts: a plan by predictions of growing error, and a rule that predicts
/// nothing.
const SCENARIO: &str = r#"
title = "Test"
seed  = 12

[platform]
[[platform.cluster]]
name      = "grid"
topology  = "mesh"
hosts     = 4
speed     = { kind = "uniform", low = "0.7Gf", high = "1.4Gf" }
bandwidth = "10MBps"

[application]
kind  = "layered"
tasks = 30

[scheduler]
kind = "heft"

[prediction]
kind = "uniform"
error = "0%"

[[vary]]
"prediction.error" = ["0%", "45%", "90%"]

[[vary]]
scheduler = ["heft", "self-scheduling"]

[[vary]]
"application.tasks" = [20, 30]

[repeat]
replications = 10
"#;

const ASKED: &str = r#"
[[crossover]]
metric = "makespan"
along  = "prediction.error"
of     = "scheduler"
from   = "self-scheduling"
to     = "heft"
"#;

#[test]
fn a_crossover_is_found_at_every_combination_of_the_other_axes_and_held_to_its_bound() {
    let place = Place::new();
    place.file("study.toml", format!("{SCENARIO}{ASKED}expect = \"> 5 %\"\n"));
    let output = place.run(&["run", "study.toml", "--no-progress", "-o", "out"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(
        output.stdout.contains("makespan, self-scheduling -> heft (application.tasks = 20): at "),
        "{}",
        output.stdout
    );
    let study: Value = serde_json::from_slice(&place.read("out/study.json")).unwrap();
    let found = study["crossovers"].as_array().unwrap();
    assert_eq!(found.len(), 2);
    for one in found {
        let of = |name: &str| one[name].as_f64();
        assert!(of("low") > Some(0.05) && of("low") < of("value") && of("value") < Some(0.9), "{one}");
    }
    let report = String::from_utf8(place.read("out/report.html")).unwrap();
    assert!(report.contains("self-scheduling -\\u003e heft") || report.contains("self-scheduling -> heft"));
    // the resolved file asks the same
    let again = place.run(&["run", "out/scenario.resolved.toml", "--no-progress", "-q", "-o", "again"]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert_eq!(place.read("out/study.json"), place.read("again/study.json"));

    place.file("study.toml", format!("{SCENARIO}{ASKED}expect = \"< 5 %\"\n"));
    let output = place.run(&["run", "study.toml", "--no-progress", "-q", "-o", "broken"]);
    assert_eq!(output.status, 3, "{}", output.stderr);
    assert!(output.stderr.contains("expected crossover along prediction.error < 5 %"), "{}", output.stderr);
}

#[test]
fn what_cannot_cross_is_refused_at_its_place() {
    let place = Place::new();
    let refused = |from: &str, to: &str, message: &str| {
        place.file("study.toml", format!("{SCENARIO}{}", ASKED.replace(from, to)));
        let output = place.run(&["validate", "study.toml"]);
        assert_eq!(output.status, 2, "{message}: {}", output.stderr);
        assert!(output.stderr.contains(message), "{message}: {}", output.stderr);
    };
    refused("\"makespan\"", "\"makespam\"", "makespam");
    refused("\"prediction.error\"", "\"prediction.kind\"", "no axis varies `prediction.kind`");
    refused("= \"scheduler\"", "= \"prediction.error\"", "both keys are of one axis");
    refused("\"heft\"", "\"peft\"", "`peft` is no value of `scheduler`");
    refused("\"self-scheduling\"", "\"heft\"", "both settings are the same");
    refused("along  = \"prediction.error\"", "along = \"scheduler\"", "neither a number, a share nor a time");
    refused("[[crossover]]", "[crossover]", "expected an array of tables");
    refused("metric = \"makespan\"", "", "missing key `metric`");
    let bound = format!("{SCENARIO}{ASKED}expect = \"about 5\"\n");
    place.file("study.toml", bound);
    let output = place.run(&["validate", "study.toml"]);
    assert!(output.status == 2 && output.stderr.contains("is no bound"), "{}", output.stderr);
    place
        .file("study.toml", SCENARIO.replace("\"0%\", \"45%\", \"90%\"", "\"0%\", \"90%\", \"45%\"") + ASKED);
    let output = place.run(&["validate", "study.toml"]);
    assert!(output.status == 2 && output.stderr.contains("do not rise"), "{}", output.stderr);
}
