//! `compare RUN RUN …`: the first decision in which finished runs differ from the first, and their
//! metrics, in words, as JSON and drawn.

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
        "",
        "                              fcfs        easy",
        "───────────────────────────────────────────────",
        " wait-time.mean               99 s        33 s",
    ];
    assert_eq!(output.stdout.lines().take(10).collect::<Vec<_>>(), told);
    assert_eq!(output.stdout.lines().count(), 13, "{}", output.stdout);
    let page = String::from_utf8(place.read("both.html")).unwrap();
    assert!(page.contains("\"at\":2.0") && page.contains("timeline("), "{page}");
    let json = place.run(&["compare", "fcfs", "easy", "--json"]);
    let json: Json = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["schema"], "clustersim/two-runs/1");
    assert_eq!(
        (&json["difference"]["row"], &json["difference"]["other"]["start"]),
        (&"3".into(), &2.0.into())
    );
    assert_eq!(json["differences"][0], json["difference"]);
    assert_eq!(json["metrics"]["jobs.completed"]["values"], serde_json::json!([3, 3]));
    let same = place.run(&["compare", "easy", "easy"]);
    assert!(
        same.stdout.contains("no difference: every job starts at the same time in both"),
        "{}",
        same.stdout
    );
}

#[test]
fn of_several_runs_each_is_compared_with_the_first() {
    let place = Place::new();
    place.file("log.swf", JOBS);
    for policy in ["fcfs", "easy", "sjf"] {
        ran(&place, policy);
    }
    let output = place.run(&["compare", "fcfs", "easy", "fcfs", "sjf", "-o", "all.html"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    for line in [
        "easy: first difference at 2 s: job 3",
        "fcfs: no difference: every job starts at the same time as in fcfs",
        "sjf: first difference at 2 s: job 3",
    ] {
        assert!(output.stdout.lines().any(|told| told == line), "{line}: {}", output.stdout);
    }
    let page = String::from_utf8(place.read("all.html")).unwrap();
    let data = &page[page.find("id=\"data\">").unwrap() + 10..];
    let data: Json = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
    let figures = data["figures"].as_array().unwrap();
    let titles: Vec<&Json> = figures.iter().map(|figure| &figure["runs"][0]["title"]).collect();
    assert_eq!(titles, ["Utilization over time", "Queue length over time", "Jobs on processors"]);
    assert!(figures.iter().all(|figure| figure["runs"].as_array().unwrap().len() == 4));
    let json = place.run(&["compare", "fcfs", "easy", "sjf", "--json"]);
    let json: Json = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["schema"], "clustersim/several-runs/1");
    assert!(json.get("difference").is_none());
    assert_eq!(
        (&json["differences"][1]["row"], &json["started"]),
        (&"3".into(), &serde_json::json!([3, 3, 3]))
    );
    // more curves than can be told apart
    let many = [&["compare"][..], &["easy"; 9]].concat();
    let refused = place.run(&many);
    assert!(
        refused.status == 2 && refused.stderr.contains("9 runs are compared at once"),
        "{}",
        refused.stderr
    );
    assert_eq!(place.run(&many[..9]).status, 0);
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
    let graph = repository("scenarios/task-graph.toml");
    assert_eq!(place.run(&["run", graph.to_str().unwrap(), "-o", "graph", "-q"]).status, 0);
    let refused = place.run(&["compare", "easy", "graph", "-o", "page.html"]);
    let cause = "easy holds a run of jobs on a cluster, graph one of task graphs";
    assert!(refused.status == 2 && refused.stderr.contains(cause), "{}", refused.stderr);
    assert!(!place.path("page.html").exists());
    assert_eq!(place.run(&["compare", "easy", "nowhere"]).status, 2);
}
