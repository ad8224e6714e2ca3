//! `record.all` and `--checkable`: every file that `check` judges by is written, in every system.

use serde_json::Value as Json;

use clustersim_testing::program::{Place, repository};

/// A quick scenario of each system, and settings that keep it short.
const QUICK: [(&str, &[&str]); 4] = [
    ("global-computing", &["run.warm-up=10s", "run.until=1min"]),
    ("parameter-sweep", &[]),
    ("task-graph", &[]),
    ("token-game", &["platform.cluster.node.hosts=100"]),
];

/// The reasons why promises of a run are not judged.
fn not_checked(place: &Place) -> Vec<String> {
    let output = place.run(&["check", "out", "--json"]);
    assert_eq!(output.status, 0, "{}", output.stdout);
    let json: Json = serde_json::from_str(&output.stdout).expect("a document");
    let all = json["promises"].as_array().expect("promises").iter();
    all.filter_map(|promise| promise["why"].as_str().map(ToOwned::to_owned)).collect()
}

#[test]
fn a_checkable_run_lacks_no_file_that_a_key_would_write() {
    for (name, settings) in QUICK {
        let place = Place::new();
        let scenario = repository(&format!("scenarios/{name}.toml"));
        let scenario = scenario.to_str().expect("a path of text");
        let mut words = vec!["run", scenario, "--checkable", "-q", "-o", "out", "--no-progress"];
        for setting in settings.iter().chain(&["record.report=false"]) {
            words.extend(["--set", setting]);
        }
        let output = place.run(&words);
        assert_eq!(output.status, 0, "{name}: {}", output.stderr);
        let lacking: Vec<String> =
            not_checked(&place).into_iter().filter(|why| why.contains("(record.")).collect();
        assert_eq!(lacking, [""; 0], "{name}");
    }
}

#[test]
fn all_wins_over_single_files_and_is_gone_afterwards() {
    const SCENARIO: &str = "title = \"t\"\ncluster.procs = 8\n[workload]\nkind = \"synthetic\"\njobs = 20\n\
        arrivals = \"10min\"\nsizes = 1\nrun-times = \"1h\"\n[record]\nall = true\njobs = false\nreport = false\n";
    let place = Place::new();
    place.file("s.toml", SCENARIO);
    let resolved = place.run(&["run", "s.toml", "--dry-run"]).stdout;
    assert!(resolved.contains("jobs = true") && !resolved.contains("all ="), "{resolved}");
    let off = place.run(&["run", "s.toml", "--dry-run", "--set", "record.all=false"]).stdout;
    assert!(off.contains("jobs = false") && !off.contains("all ="), "{off}");
    let wrong = place.run(&["run", "s.toml", "--set", "record.all=1"]);
    assert_eq!(wrong.status, 2, "{}", wrong.stdout);
    assert!(wrong.stderr.contains("`all`"), "{}", wrong.stderr);
}
