//! Every figure of the report of every scenario that comes with the simulator agrees with the
//! metrics of its run.

use std::sync::Mutex;
use std::thread;

use clustersim_experiment::report::html::contradictions;

use clustersim_testing::program::{Place, repository};

/// A run that figures are drawn of, with the arguments that make it harder to draw.
struct Drawn {
    name: String,
    arguments: Vec<String>,
}

fn drawn(name: &str, scenario: &str, more: &[&str]) -> Drawn {
    let first = ["run", scenario, "--point", "0", "-o", name];
    Drawn { name: name.to_owned(), arguments: first.iter().chain(more).map(ToString::to_string).collect() }
}

/// The names of the scenarios that come with the simulator.
fn scenarios() -> Vec<String> {
    let files = std::fs::read_dir(repository("scenarios")).unwrap();
    let names = files.filter_map(|file| file.unwrap().file_name().into_string().ok());
    let mut names: Vec<String> =
        names.filter_map(|name| name.strip_suffix(".toml").map(ToOwned::to_owned)).collect();
    names.sort_unstable();
    names
}

/// Contradictions between the figures of these runs and their metrics, also on the pages that are
/// drawn again from the files.
fn contradicted(place: &Place, runs: Vec<Drawn>) -> Vec<String> {
    let (left, found) = (Mutex::new(runs), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let Some(Drawn { name, arguments }) = left.lock().unwrap().pop() else { return };
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let output = place.run(&arguments);
            // a bound that a scenario expects of other settings may be broken
            assert!([0, 3].contains(&output.status), "{name}: {}", output.stderr);
            let page = String::from_utf8(place.read(&format!("{name}/report.html"))).unwrap();
            let wrong = contradictions(&page).unwrap();
            found.lock().unwrap().extend(wrong.into_iter().map(|what| format!("{name}: {what}")));
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    found.into_inner().unwrap()
}

/// Studies whose first points are quick.
const STUDIES: [&str; 8] = [
    "deadlines",
    "failing-hosts",
    "forecasters",
    "gang-mpl",
    "limited-storage",
    "mixed-workflows",
    "scheduling-events",
    "transient-hosts",
];

#[test]
fn every_figure_of_every_scenario_agrees_with_the_metrics() {
    let run = |name: &str, more: &[&str]| {
        let scenario = repository(&format!("scenarios/{name}.toml"));
        drawn(&name.replace('/', "-"), scenario.to_str().unwrap(), more)
    };
    let studies = STUDIES.iter().map(|name| run(&format!("studies/{name}"), &["--replication", "0"]));
    let runs = scenarios().iter().map(|name| run(name, &[])).chain(studies).collect();
    let place = Place::new();
    assert_eq!(contradicted(&place, runs), [""; 0]);
}

const JOBS: &str = r#"
title = "Jobs"
seed = 3
[cluster]
procs = 16
[workload]
kind = "synthetic"
jobs = 200
load = 0.7
arrivals = { kind = "exponential", mean = "6min" }
sizes = { kind = "log-uniform", low = 1, high = 16 }
run-times = { kind = "exponential", mean = "1h" }
estimates = { kind = "uniform", low = 1, high = 3 }
"#;

const CALLS: &str = r#"
title = "Calls"
seed = 5
[[platform.server]]
name = "s"
count = 3
performance = { kind = "log-uniform", low = "50Mop/s", high = "500Mop/s" }
load = { kind = "extraneous", utilization = 0.3, size = { kind = "exponential", mean = "200Mop" } }
[platform.queues]
bandwidth = "1MBps"
latency = "20ms"
[[client]]
name = "c"
count = 2
tasks = 60
arrivals = { load = 0.5 }
class = [{ send = "500kB", receive = "200kB", instructions = { kind = "exponential", mean = "1Gop" } }]
[monitor]
server = { every = "10s" }
[scheduler]
kind = "greedy"
[record]
regret = true
[run]
warm-up = "1min"
"#;

#[test]
fn figures_agree_where_runs_are_shared_stopped_warmed_up_and_broken() {
    let place = Place::new();
    place.file("jobs.toml", JOBS).file("calls.toml", CALLS);
    let gang = "policy={ kind = \"gang\", quantum = \"2min\" }";
    let failing = "cluster.failures={ processors-per-node = 4, up = { kind = \"exponential\", mean = \"1d\" }, \
                   down = \"30min\", checkpoint = { interval = \"20min\", cost = \"1min\" } }";
    let runs = vec![
        drawn("gang", "jobs.toml", &["--set", gang]),
        drawn("gang-stopped", "jobs.toml", &["--set", gang, "--set", "run.until=10h"]),
        drawn("gang-warm", "jobs.toml", &["--set", gang, "--set", "run.warm-up=50"]),
        drawn("warm", "jobs.toml", &["--policy", "easy", "--set", "run.warm-up=5h"]),
        drawn("stopped", "jobs.toml", &["--policy", "easy", "--set", "run.until=10h"]),
        drawn("failing", "jobs.toml", &["--policy", "easy", "--set", failing]),
        drawn(
            "failing-stopped",
            "jobs.toml",
            &["--policy", "easy", "--set", failing, "--set", "run.until=15h"],
        ),
        drawn(
            "killed",
            "jobs.toml",
            &["--policy", "easy", "--set", "workload.estimates={ kind = \"uniform\", low = 0.5, high = 2 }"],
        ),
        drawn("calls", "calls.toml", &[]),
        drawn("calls-stopped", "calls.toml", &["--set", "run.until=5min"]),
    ];
    let names: Vec<String> = runs.iter().map(|run| run.name.clone()).collect();
    assert_eq!(contradicted(&place, runs), [""; 0]);
    for name in names {
        let again = place.run(&["report", &name]);
        assert!(again.stderr.contains("drawn again, as it was"), "{name}: {}", again.stderr);
    }
}
