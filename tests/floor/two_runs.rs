//! `compare RUN RUN`: the first decision in which two finished runs differ, in words, as JSON and
//! drawn.

use serde_json::Value as Json;

use clustersim_testing::program::{Place, repository};

/// A wide job holds back the head; a narrow one may overtake it.
const JOBS: &str = "\
; MaxProcs: 4
1 0 -1 100 3 -1 -1 3 100 -1 1 1 1 1 1 1 -1 -1
2 1 -1 100 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1
3 2 -1 50 1 -1 -1 1 50 -1 1 1 1 1 1 1 -1 -1
";

fn ran(place: &Place, policy: &str) {
    let output = place.run(&["run", "log.swf", "--policy", policy, "-o", policy, "-q"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
}

#[test]
fn the_first_decision_that_differs_is_named_with_both_reasons() {
    let place = Place::new();
    place.file("log.swf", JOBS);
    ran(&place, "fcfs");
    ran(&place, "easy");
    let output = place.run(&["compare", "fcfs", "easy", "-o", "both.html"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let told = [
        "fcfs: 3 jobs started",
        "easy: 3 jobs started",
        "",
        "first difference at 2 s: job 3",
        "  fcfs: starts at 200 s, reason head",
        "  easy: starts at 2 s, reason before-shadow",
    ];
    assert_eq!(output.stdout.lines().collect::<Vec<_>>(), told);
    let page = String::from_utf8(place.read("both.html")).unwrap();
    assert!(page.contains("\"at\":2.0") && page.contains("timeline("), "{page}");
    let json = place.run(&["compare", "fcfs", "easy", "--json"]);
    let json: Json = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["schema"], "clustersim/two-runs/1");
    assert_eq!(
        (&json["difference"]["row"], &json["difference"]["other"]["start"]),
        (&"3".into(), &2.0.into())
    );
    let same = place.run(&["compare", "easy", "easy"]);
    assert!(
        same.stdout.contains("no difference: every job starts at the same time in both"),
        "{}",
        same.stdout
    );
}

#[test]
fn a_page_replaces_no_file_unasked_and_keys_of_runs_are_refused() {
    let place = Place::new();
    place.file("log.swf", JOBS);
    ran(&place, "easy");
    place.file("mine.html", "mine");
    let refused = place.run(&["compare", "easy", "easy", "-o", "mine.html"]);
    assert!(refused.status == 2 && refused.stdout.is_empty(), "{}{}", refused.stdout, refused.stderr);
    assert_eq!(place.read("mine.html"), b"mine");
    assert_eq!(place.run(&["compare", "easy", "easy", "-o", "mine.html", "--force"]).status, 0);
    assert_ne!(place.read("mine.html"), b"mine");
    for more in [["--metric", "makespan"], ["--vary", "seed=1,2"], ["--set", "seed=1"], ["--policy", "fcfs"]]
    {
        let refused = place.run(&["compare", "easy", "easy", more[0], more[1]]);
        assert!(refused.status == 2 && refused.stderr.contains(more[0]), "{}", refused.stderr);
    }
}

#[test]
fn lanes_of_any_number_are_drawn_at_once() {
    let place = Place::new();
    place.file("log.swf", JOBS);
    ran(&place, "easy");
    let jobs = String::from_utf8(place.read("easy/jobs.csv")).unwrap();
    place.file("easy/jobs.csv", jobs.replacen(",0-2,", ",0-4294967295,", 1));
    let output = place.run(&["compare", "easy", "easy", "-o", "page.html"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    // as many processors as a machine may have, and a page of them
    let output = place.run(&["run", "log.swf", "--procs", "4294967295", "-o", "wide", "-q"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(place.read("wide/report.html").len() < 1_000_000);
}

#[test]
fn what_has_no_schedule_is_refused() {
    let place = Place::new();
    place.file("log.swf", JOBS);
    ran(&place, "easy");
    let agents = repository("scenarios/agents.toml");
    assert_eq!(place.run(&["run", agents.to_str().unwrap(), "-o", "agents", "-q"]).status, 0);
    let refused = place.run(&["compare", "easy", "agents"]);
    assert_eq!(refused.status, 2);
    assert!(
        refused.stderr.contains("without a table that has a start, an end and lanes"),
        "{}",
        refused.stderr
    );
    place.file(
        "other.swf",
        JOBS.replace("\n1 0 ", "\n11 0 ").replace("\n2 1 ", "\n12 1 ").replace("\n3 2 ", "\n13 2 "),
    );
    assert_eq!(place.run(&["run", "other.swf", "-o", "other", "-q"]).status, 0);
    let refused = place.run(&["compare", "easy", "other"]);
    assert!(refused.status == 2 && refused.stderr.contains("of different workloads"), "{}", refused.stderr);
    assert_eq!(place.run(&["compare", "easy", "nowhere"]).status, 2);
}
