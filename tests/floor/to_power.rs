//! Studies whose replications follow from a pilot: the same bytes whatever the threads and
//! interruptions, and combinations that cannot be are refused.

use serde_json::Value as Json;

use clustersim_testing::program::Place;

const STUDY: &str = "\
title = \"Power\"
cluster.nodes = 16
[workload]
kind = \"synthetic\"
jobs = 60
arrivals = { kind = \"exponential\", mean = \"6min\" }
sizes = { kind = \"uniform\", low = 1, high = 16 }
run-times = { kind = \"exponential\", mean = \"1h\" }
estimates = 2
load = 0.6
[policy]
kind = \"space-sharing\"
[[vary]]
\"policy.backfill\" = [\"none\", \"easy\", \"conservative\"]
";

/// The question, and a bound that is met: a pilot of 10 asks for many more.
const ASKED: [&str; 8] = [
    "--to-power",
    "--replications",
    "10",
    "--set",
    "repeat.at-most=40",
    "--metric",
    "response-time.mean",
    "-q",
];

fn place() -> Place {
    let place = Place::new();
    place.file("s.toml", STUDY);
    place
}

#[test]
fn threads_and_interruptions_leave_no_trace_and_points_have_what_the_pilot_asks_for() {
    let place = place();
    let begin = |to: &'static str, threads: &'static str| {
        [&["compare", "s.toml", "-o", to, "-j", threads][..], &ASKED].concat()
    };
    for (to, threads) in [("one", "1"), ("two", "2")] {
        let made = place.run(&begin(to, threads));
        assert_eq!(made.status, 0, "{}", made.stderr);
    }
    // the disk is full in the pilot, and then behind it
    for blocks in [24, 110] {
        let stopped = place.squeezed(blocks, &begin("cut", "2"));
        assert_eq!(stopped.status, 1, "{}", stopped.stderr);
    }
    let last = place.run(&begin("cut", "1"));
    assert_eq!(last.status, 0, "{}", last.stderr);
    for name in ["results.csv", "study.json", "scenario.resolved.toml"] {
        let one = place.read(&format!("one/{name}"));
        for other in ["two", "cut"] {
            assert!(place.read(&format!("{other}/{name}")) == one, "{other}/{name} differs");
        }
    }
    let summary: Json = serde_json::from_slice(&place.read("one/study.json")).unwrap();
    let points = summary["points"].as_array().unwrap();
    let counts: Vec<u64> = points.iter().map(|point| point["replications"].as_u64().unwrap()).collect();
    assert!(counts.iter().all(|count| (10..=40).contains(count)), "{counts:?}");
    // the baseline is in every pair
    assert_eq!(counts.iter().max(), counts.first());
    assert!(counts[0] > 10, "{counts:?}");
    let resolved = String::from_utf8(place.read("one/scenario.resolved.toml")).unwrap();
    for line in ["to-power = true", "replications = 10", "at-most = 40", "response-time.mean"] {
        assert!(resolved.contains(line), "{resolved}");
    }
    // as it is resolved it is the same study, and another question is another one
    let again = place.run(&["run", "one/scenario.resolved.toml", "-o", "one"]);
    assert!(again.status == 0 && again.stderr.contains("identical"), "{}", again.stderr);
    let told = again.stderr.lines().find(|line| line.contains("replications of each point"));
    assert!(
        told.is_some_and(|line| line.contains("a change of 10 % is found in four studies of five")),
        "{told:?}"
    );
    let other = [&begin("one", "1")[..], &["--detect", "50%"]].concat();
    assert_eq!(place.run(&other).status, 2);
}

#[test]
fn what_cannot_be_drawn_to_power_is_refused_with_the_reason() {
    let place = place();
    let until = "repeat.until={ metric = \"wait-time.mean\", half-width = 0.1 }";
    for (arguments, words) in [
        (&["run", "s.toml", "--to-power", "--set", until][..], "both say when there are enough"),
        (&["run", "s.toml", "--to-power", "--replications", "4"], "a pilot of 4 is too small"),
        (
            &["run", "s.toml", "--to-power", "--replications", "20", "--set", "repeat.at-most=11"],
            "a pilot of 20 is more than the 11",
        ),
        (&["run", "s.toml", "--set", "repeat.at-most=11"], "nothing asks for more than `replications`"),
        (&["compare", "s.toml", "--to-power", "--metric", "all"], "`all` has none"),
        (&["run", "s.toml", "--to-power", "--vary", "policy.backfill=easy"], "there is nothing to compare"),
        (&["sweep", "plan", "t.toml", "-o", "wide"], "cannot draw `to-power`"),
    ] {
        place.file("t.toml", format!("{STUDY}[repeat]\nto-power = true\n"));
        let told = place.run(arguments);
        assert_eq!((told.status, told.stdout.as_str()), (2, ""), "{arguments:?}: {}", told.stderr);
        assert!(told.stderr.contains(words), "{arguments:?}: {}", told.stderr);
    }
    assert_eq!(place.names("."), ["s.toml", "t.toml"]);
}
