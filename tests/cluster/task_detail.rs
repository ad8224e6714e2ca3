//! Clusters at detail `task` from a scenario to its results.

use serde_json::Value;

use clustersim_testing::program::{Place, repository};

/// A scenario that is right, up to its workload.
const HEAD: &str = "title = \"Test\"\n\n[cluster]\nnodes = 4\ndetail = \"task\"\n";

const WORKLOAD: &str = "
[workload]
kind = \"parallel\"
jobs = 3
class = [{ kind = \"comm-fine\", tasks = 4, iterations = 5 }]
";

fn scenario(more: &str) -> String {
    format!("{HEAD}{more}{WORKLOAD}")
}

fn is_valid(scenario: &str) -> bool {
    Place::new().file("scenario.toml", scenario).run(&["validate", "scenario.toml"]).status == 0
}

/// The summary of a run of the shipped scenario with these further arguments.
fn shipped(place: &Place, arguments: &[&str]) -> Value {
    let path = repository("scenarios/coscheduling.toml");
    let command = ["run", path.to_str().unwrap(), "--json", "--no-progress", "--force", "-o", "out"];
    let output = place.run(&[&command, arguments].concat());
    assert_eq!(output.status, 0, "{}", output.stderr);
    serde_json::from_str(&output.stdout).unwrap()
}

fn metric(summary: &Value, name: &str) -> f64 {
    summary["metrics"][name]["value"].as_f64().unwrap_or_else(|| panic!("no {name} in {summary}"))
}

/// Most jobs that `jobs.csv` puts on one processor at one time; a task that ends before its job
/// counts until its job ends.
fn most_at_once(place: &Place) -> usize {
    let text = String::from_utf8(place.read("out/jobs.csv")).unwrap();
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let [start, end, on] = ["starting_time", "finish_time", "allocated_resources"].map(column);
    let mut changes: Vec<(u32, u64, bool)> = Vec::new();
    for row in text.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let nanos = |cell: usize| (cells[cell].parse::<f64>().unwrap() * 1e9).round() as u64;
        for interval in cells[on].split(' ') {
            let (first, last) = interval.split_once('-').unwrap_or((interval, interval));
            for processor in first.parse::<u32>().unwrap()..=last.parse().unwrap() {
                changes.extend([(processor, nanos(start), true), (processor, nanos(end), false)]);
            }
        }
    }
    // who leaves at an instant has left before who comes at it
    changes.sort_unstable();
    let (mut now, mut most) = (0_usize, 0);
    for (_, _, comes) in changes {
        now = if comes { now + 1 } else { now - 1 };
        most = most.max(now);
    }
    most
}

#[test]
fn the_shipped_scenario_runs_under_every_policy() {
    let place = Place::new();
    let mut digests = Vec::new();
    for policy in ["pb", "sb", "dcs", "cc", "ics", "local", "gang", "fcfs", "easy", "sjf"] {
        let summary = shipped(&place, &["--policy", policy]);
        assert_eq!(metric(&summary, "jobs.completed") as u64, 40, "{policy}");
        // alone and by itself a job is never faster than among others
        assert!(metric(&summary, "slowdown.median") >= 1.0, "{policy}");
        let most = most_at_once(&place);
        match policy {
            "fcfs" | "easy" | "sjf" => assert_eq!(most, 1, "{policy}"),
            "gang" => assert!((2..=5).contains(&most), "{most} at once"),
            // a task that ends before its job has made room for another
            _ => assert!(most >= 2, "{policy}: {most} at once"),
        }
        digests.push(summary["digest"].as_str().unwrap().to_owned());
    }
    digests.sort();
    digests.dedup();
    // fcfs, easy and sjf may well start the jobs in the same order
    assert!(digests.len() >= 8, "{digests:?}");
}

#[test]
fn a_run_is_repeated_to_the_byte_from_its_manifest_and_from_its_resolved_scenario() {
    let place = Place::new();
    let first = shipped(&place, &["--policy", "dcs-sb", "--trace", "--set", "record.swf=true"]);
    let files = ["jobs.csv", "jobs.swf", "summary.json", "report.html", "trace.pftrace"];
    for from in ["out/manifest.json", "out/scenario.resolved.toml"] {
        let output = place.run(&["run", from, "-o", "again", "--force", "--no-progress", "--json"]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let again: Value = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(again["digest"], first["digest"], "{from}");
        for file in &files[..3] {
            assert!(
                place.read(&format!("out/{file}")) == place.read(&format!("again/{file}")),
                "{from}: {file}"
            );
        }
    }
    for file in files {
        assert!(!place.read(&format!("out/{file}")).is_empty(), "{file}");
    }
}

#[test]
fn a_study_of_schemes_meets_the_same_jobs_at_every_point() {
    let place = Place::new();
    let path = repository("scenarios/coscheduling.toml");
    let output = place.run(&[
        "compare",
        path.to_str().unwrap(),
        "--vary",
        "policy=gang,pb,sb",
        "--replications",
        "2",
        "--set",
        "workload.jobs=6",
        "--metric",
        "response-time.mean",
        "--no-progress",
        "-o",
        "out",
    ]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stdout.contains("response-time.mean against gang ["), "{}", output.stdout);
    let rows = String::from_utf8(place.read("out/results.csv")).unwrap();
    assert_eq!(rows.lines().filter(|row| row.contains(",done,")).count(), 6, "{rows}");
}

#[test]
fn an_end_and_a_warm_up_leave_jobs_out() {
    let place = Place::new();
    let summary = shipped(&place, &["--set", "run.until=4s", "--set", "run.warm-up=1s"]);
    assert!(metric(&summary, "jobs.unfinished") > 0.0);
    assert!(metric(&summary, "jobs.completed") < 40.0);
}

#[test]
fn groups_of_nodes_differ() {
    let place = Place::new();
    let groups = "cluster.group=[{ nodes = 8 }, { nodes = 8, speed = 2, processors = 2 }]";
    let alike = shipped(&place, &[]);
    let mixed = shipped(&place, &["--set", groups]);
    assert_ne!(alike["digest"], mixed["digest"]);
    assert!(metric(&mixed, "makespan") < metric(&alike, "makespan"));
}

#[test]
fn the_first_run_of_each_study_that_is_small_works() {
    let place = Place::new();
    for name in ["figure-8c", "figure-9", "table-1-io", "mpl"] {
        let path = repository("scenarios/studies").join(format!("{name}.toml"));
        let output = place.run(&[
            "run",
            path.to_str().unwrap(),
            "--replications",
            "1",
            "--set",
            "workload.jobs=4",
            "--no-progress",
            "-o",
            name,
        ]);
        assert_eq!(output.status, 0, "{name}: {}", output.stderr);
    }
}

#[test]
fn jobs_on_a_fat_tree_of_flows_run_and_are_repeated() {
    let tree = "interconnect = { kind = \"flow\", topology = \"fat-tree\", down = [2, 2], up = [1, 2] }\n";
    let digest = |interconnect: &str| {
        let place = Place::new();
        place.file("scenario.toml", scenario(interconnect));
        let output = place.run(&["run", "scenario.toml", "--json", "--no-progress", "-o", "out"]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let summary: Value = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(metric(&summary, "jobs.completed") as u64, 3, "{interconnect}");
        summary["digest"].as_str().unwrap().to_owned()
    };
    assert_eq!(digest(tree), digest(tree));
    let narrow = tree.replace("up = [1, 2]", "up = [1, 1], bandwidth = \"1MB/s\"");
    assert_ne!(digest(tree), digest(&narrow));
}

/// The next smaller or larger value of each is in the tables of `mistakes.rs`.
#[test]
fn what_is_barely_possible_is_valid() {
    let boost = "group = [{ nodes = 2 }, { nodes = 2, boost-cost = \"1ms\" }]\n";
    let torus = "interconnect = { kind = \"flow\", topology = \"torus\", dimensions = [4] }\n";
    for (nodes, policy) in [
        // a look costs nothing where there is no daemon, and less than its period is enough
        (boost, "kind = \"sb\"\n"),
        ("node = { boost-cost = \"50us\" }\n", "kind = \"pb\"\n"),
        ("mpl = 2\n", "kind = \"gang\"\nreserved = 0.5\n"),
        (torus, "kind = \"gang\"\n"),
    ] {
        assert!(is_valid(&format!("{}\n[policy]\n{policy}", scenario(nodes))), "{nodes}{policy}");
    }
}
