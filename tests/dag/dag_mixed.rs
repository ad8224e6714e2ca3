//! Streams of several kinds of workflows.

use serde_json::Value;

use clustersim_testing::program::Place;

const SCENARIO: &str = r#"
title = "Test"
seed  = 4

[platform]
[[platform.cluster]]
name      = "site"
topology  = "mesh"
hosts     = 4
speed     = "1Gf"
bandwidth = "10MBps"

[application]
kind     = "mixed"
of       = ["chain", { kind = "fork-join", stages = 1, width = 3 }]
weights  = [3, 1]
count    = 40
arrivals = { kind = "exponential", mean = "10min" }
"#;

fn run(place: &Place, more: &[&str]) -> Value {
    place.file("scenario.toml", SCENARIO);
    let command = ["run", "scenario.toml", "--json", "--no-progress", "--force", "-o", "out"];
    let output = place.run(&[&command, more].concat());
    assert_eq!(output.status, 0, "{}", output.stderr);
    serde_json::from_str(&output.stdout).unwrap()
}

/// The applications of `tasks.csv`, in the order of their arrival.
fn applications(place: &Place) -> Vec<String> {
    let text = String::from_utf8(place.read("out/tasks.csv")).unwrap();
    let mut names: Vec<String> =
        text.lines().skip(1).map(|row| row.split(',').nth(1).unwrap().to_owned()).collect();
    names.dedup();
    names
}

#[test]
fn each_copy_is_of_one_kind_drawn_by_weight_and_each_kind_has_its_figures() {
    let place = Place::new();
    let summary = run(&place, &[]);
    let names = applications(&place);
    let chains = names.iter().filter(|name| name.starts_with("chain")).count();
    assert_eq!(names.len(), 40);
    assert!((20..40).contains(&chains), "{names:?}");
    let text = serde_json::to_string(&summary).unwrap();
    assert!(text.contains("chain") && text.contains("fork-join"), "{text}");
    let judged = place.run(&["check", "out"]);
    assert_eq!(judged.status, 0, "{}{}", judged.stdout, judged.stderr);
    // another law of arrivals moves no kind
    run(&place, &["--set", "application.arrivals.mean=1min"]);
    assert_eq!(applications(&place), names);
    let study = ["run", "scenario.toml", "--no-progress", "-q", "--replications", "2", "-o", "study"];
    assert_eq!(place.run(&study).status, 0);
    let rows = String::from_utf8(place.read("study/results.csv")).unwrap();
    let header = rows.lines().next().unwrap();
    for name in ["class.chain.slowdown.mean", "class.fork-join.response-time.mean"] {
        assert!(header.contains(name), "{header}");
    }
}

#[test]
fn what_says_copies_and_arrivals_twice_is_refused() {
    let place = Place::new();
    for (from, to, message) in [
        ("\"chain\",", "{ kind = \"chain\", count = 2 },", "`count` of one kind of a mix"),
        ("\"chain\",", "\"mixed\",", "mix"),
        ("[3, 1]", "[3]", "1 weights of 2 kinds"),
        ("[3, 1]", "[3, 0]", "0"),
        (
            "of       = [\"chain\", { kind = \"fork-join\", stages = 1, width = 3 }]",
            "of = []",
            "a mix of nothing",
        ),
    ] {
        place.file("scenario.toml", SCENARIO.replace(from, to));
        let output = place.run(&["validate", "scenario.toml"]);
        assert_eq!(output.status, 2, "{to}: {}", output.stderr);
        assert!(output.stderr.contains(message), "{to}: {}", output.stderr);
    }
}
