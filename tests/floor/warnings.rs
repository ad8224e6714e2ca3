//! Warnings through the built program: jobs that are missing from the figures are said wherever the
//! figures stand, a replayed log is not called cold, and widths are judged of the metrics that were
//! asked for.

use serde_json::Value;

use clustersim_testing::program::{Output, Place, repository};

/// A machine of 4 nodes with 4 processors and 8 GiB each, and the log beside it.
const SITE: &str = "title = \"A site\"\n[[cluster.group]]\nnodes = 4\nprocessors = 4\nmemory = \"8GiB\"\n\
                    [workload]\nkind = \"swf\"\nfile = \"log.swf\"\nmemory = \"requested\"\n";

/// A log of 300 jobs of which two thirds have the memory of field 10 in bytes, as if it had been
/// written in kilobytes; of the others the last so many have no run time.
fn misread(dropped: u32) -> String {
    let line = |job: u32| {
        let memory = if job.is_multiple_of(3) { 1 << 20 } else { 1 << 30 };
        let run_time = if job.is_multiple_of(3) && job > 300 - 3 * dropped { 0 } else { 200 + job };
        format!("{job} {} -1 {run_time} 4 -1 -1 4 900 {memory} 1 -1 -1 -1 -1 -1 -1 -1\n", job * 100)
    };
    (1..=300).map(line).collect()
}

fn place(dropped: u32) -> Place {
    let place = Place::new();
    place.file("log.swf", misread(dropped)).file("site.toml", SITE);
    place
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

fn codes(warnings: &Value) -> Vec<&str> {
    warnings.as_array().unwrap().iter().map(|warning| warning["code"].as_str().unwrap()).collect()
}

fn ran(output: Output) -> Output {
    assert_eq!(output.status, 0, "{}", output.stderr);
    output
}

#[test]
fn a_run_says_that_most_jobs_were_rejected() {
    let place = place(0);
    let run = ran(place.run(&["run", "site.toml", "-o", "out"]));
    let text = " warning: 66.7 % of the observed jobs were rejected: every figure is of the others\n";
    assert!(run.stdout.contains(text), "{}", run.stdout);
    assert_eq!(codes(&json(&place.read("out/summary.json"))["warnings"]), ["rejected-jobs"]);
    let printed = ran(place.run(&["run", "site.toml", "-o", "out", "--json"]));
    assert_eq!(codes(&json(printed.stdout.as_bytes())["warnings"]), ["rejected-jobs"]);
    let page = String::from_utf8(place.read("out/report.html")).unwrap();
    assert!(page.contains("66.7 % of the observed jobs were rejected"));
}

#[test]
fn a_comparison_shows_the_counts_and_says_where_they_differ() {
    let place = place(0);
    let compare = |more: &[&str]| ran(place.run(&[&["compare", "site.toml"], more].concat()));
    let both = compare(&["--vary", "policy=fcfs,easy", "-o", "both"]).stdout;
    assert!(both.lines().any(|line| line.contains("makespan") && line.ends_with("rejected")), "{both}");
    assert!(both.contains("rejected-jobs  all points  66.7 % of the observed jobs"), "{both}");
    assert!(!both.contains("different-jobs"), "the same jobs are missing on both sides: {both}");
    let summary = json(&place.read("both/study.json"));
    assert_eq!(codes(&summary["warnings"]), ["rejected-jobs"]);
    assert_eq!(codes(&summary["points"][1]["warnings"]), ["rejected-jobs"]);
    assert_eq!(summary["points"][0]["log"], serde_json::json!({ "jobs": 300, "dropped": 0, "repaired": 0 }));
    assert!(String::from_utf8(place.read("both/report.html")).unwrap().contains("rejected-jobs"));

    let vary = ["--vary", "workload.memory=ignored,requested", "-o", "memory"];
    let differ = compare(&vary).stdout;
    assert!(
        differ.contains(
            "different-jobs  all points  1 of 1 compared pairs leave out different jobs, by up to 66.7 %"
        ),
        "{differ}"
    );
    // where no job is rejected, more comes from the 200th on than can be done: 4 × 400 processor
    // seconds every 100 s, on 16 processors
    assert_eq!(
        codes(&json(&place.read("memory/study.json"))["warnings"]),
        ["saturated", "rejected-jobs", "different-jobs"]
    );
}

#[test]
fn jobs_that_the_reader_dropped_are_said_beside_the_figures() {
    let place = place(4);
    let run = ran(place.run(&["run", "site.toml", "-o", "out"]));
    assert!(run.stdout.contains(" warning: 1.3 % of the jobs of the log were dropped"), "{}", run.stdout);
    let study = ran(place.run(&["run", "site.toml", "--vary", "policy=fcfs,easy", "-o", "study"])).stdout;
    assert!(study.lines().any(|line| line.ends_with("rejected   dropped")), "{study}");
    assert_eq!(codes(&json(&place.read("study/study.json"))["warnings"]), ["rejected-jobs", "dropped-jobs"]);
}

#[test]
fn a_replayed_log_is_never_called_cold() {
    let place = Place::new();
    // the machine is empty, then twice as much comes as it can do
    let line = |job: u32| format!("{job} {} -1 100 1 -1 -1 1 100 -1 1 -1 -1 -1 -1 -1 -1 -1\n", job * 50);
    place.file("log.swf", (1..=2000).map(line).collect::<String>());
    let log = ["log.swf", "--procs", "1"];
    let run = ran(place.run(&[&["run"], &log[..], &["-o", "out"]].concat())).stdout;
    assert!(
        run.contains(" note: the recorded workload changes over time: waits at the beginning differ"),
        "{run}"
    );
    assert!(!run.contains("warm-up not over"), "{run}");
    let summary = json(&place.read("out/summary.json"));
    assert_eq!(
        (codes(&summary["warnings"]), codes(&summary["notes"])),
        (vec!["saturated"], vec!["warm-up-not-over"])
    );
    let study =
        ran(place.run(&[&["compare"], &log[..], &["--vary", "policy=fcfs,easy", "-o", "study"]].concat()));
    assert!(!study.stdout.contains("warm-up-not-over"), "{}", study.stdout);

    let real = repository("scenarios/data/KTH-SP2-1996-2.1-cln-4-weeks.swf.gz");
    let drawn =
        ran(place.run(&["run", real.to_str().unwrap(), "--set", "workload.randomize=weeks", "-o", "real"]));
    assert!(!drawn.stdout.contains("warm-up not over"), "{}", drawn.stdout);
}

#[test]
fn widths_are_judged_of_what_was_asked_for() {
    let place = Place::new();
    let queue = "title = \"A queue\"\ncluster.nodes = 1\n[workload]\nkind = \"synthetic\"\njobs = 100\nsizes = 1\n\
                 arrivals = { kind = \"exponential\", mean = \"2min\" }\n\
                 run-times = { kind = \"exponential\", mean = \"1min\" }\n[repeat]\nreplications = 5\n";
    place.file("plain.toml", queue);
    place.file("expects.toml", format!("{queue}[expect]\n\"wait-time.mean\" = \"< 1h\"\n"));
    let compared = |file: &str, more: &[&str]| {
        let vary = ["compare", file, "--vary", "policy=fcfs,easy", "-o"];
        ran(place.run(&[&vary[..], more].concat())).stdout
    };
    assert!(!compared("plain.toml", &["plain"]).contains("wide-interval"));
    assert!(!compared("plain.toml", &["all", "--metric", "all"]).contains("wide-interval"));
    for asked in [
        compared("expects.toml", &["expects"]),
        compared("plain.toml", &["named", "--metric", "wait-time.mean"]),
    ] {
        let wide = "95 % intervals wider than ±10 %: wait-time.mean";
        assert!(
            asked.contains("wide-interval")
                && (asked.contains(wide) || asked.contains("the widest that of wait-time.mean")),
            "{asked}"
        );
    }
}
