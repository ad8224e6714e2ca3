//! Runs that a study keeps (`record.runs`): the files of the run made alone, whatever the threads,
//! interruptions and shards, and none of a run that does not count.

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value as Json, json};

use clustersim_testing::program::{Place, heeding, repository};

const STUDY: &str = "\
title = \"Kept\"
cluster.nodes = 16
[workload]
kind = \"synthetic\"
jobs = 80
arrivals = { kind = \"exponential\", mean = \"6min\" }
sizes = { kind = \"uniform\", low = 1, high = 16 }
run-times = { kind = \"exponential\", mean = \"1h\" }
estimates = 2
load = 0.6
[record]
runs = \"all\"
[[vary]]
\"policy\" = [\"fcfs\", \"easy\"]
[repeat]
replications = 3
";

fn place(text: &str) -> Place {
    let place = Place::new();
    place.file("s.toml", text);
    place
}

/// Makes a study, or continues it.
fn make(place: &Place, arguments: &[&str], to: &str) {
    let made = place.run(&[arguments, &["-o", to, "-q"]].concat());
    // scenarios expect more of one run than the worse end of an interval keeps
    assert!([0, 3].contains(&made.status), "{}", made.stderr);
}

fn json_of(place: &Place, name: &str) -> Json {
    serde_json::from_slice(&place.read(name)).unwrap()
}

/// The files below a directory by their paths, manifests without their last block.
fn tree(place: &Place, directory: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for name in place.names(directory) {
        let path = format!("{directory}/{name}");
        if place.path(&path).is_dir() {
            let below = tree(place, &path).into_iter();
            files.extend(below.map(|(file, bytes)| (format!("{name}/{file}"), bytes)));
        } else {
            let mut bytes = place.read(&path);
            if name == "manifest.json" {
                let mut manifest: Json = serde_json::from_slice(&bytes).unwrap();
                manifest.as_object_mut().unwrap().shift_remove("invocation").unwrap();
                bytes = manifest.to_string().into_bytes();
            }
            files.insert(name, bytes);
        }
    }
    files
}

fn assert_same(place: &Place, one: &str, two: &str) {
    let (one, two) = (tree(place, one), tree(place, two));
    assert_eq!(one.keys().collect::<Vec<_>>(), two.keys().collect::<Vec<_>>());
    for (name, bytes) in &one {
        assert!(two[name] == *bytes, "{name} differs");
    }
}

/// Rows in the journals of the unfinished study `d`, and the names of its kept runs.
fn begun(place: &Place) -> (usize, Vec<String>) {
    let Ok(parts) = fs::read_dir(place.path("d.partial/parts")) else { return (0, Vec::new()) };
    let text = parts.map(|part| fs::read_to_string(part.unwrap().path()).unwrap_or_default());
    let rows = text.map(|text| text.lines().count()).sum();
    let runs = if place.path("d.partial/runs").exists() { place.names("d.partial/runs") } else { Vec::new() };
    (rows, runs)
}

#[test]
fn a_kept_run_is_the_run_made_alone_byte_for_byte() {
    let place = place(STUDY);
    make(&place, &["run", "s.toml", "-j", "2"], "all");
    for point in ["0", "1"] {
        for replication in ["0", "1", "2"] {
            let alone = ["run", "s.toml", "--point", point, "--replication", replication];
            make(&place, &alone, &format!("{point}-{replication}"));
            let kept = format!("all/runs/point-{point}-replication-{replication}");
            assert_same(&place, &kept, &format!("{point}-{replication}"));
            let again = place.run(&["run", &format!("{kept}/manifest.json")]);
            assert!(again.stderr.contains("identical"), "{}", again.stderr);
        }
    }
    assert_eq!(place.names("all/runs").len(), 6);
    let again = place.run(&["run", "all/manifest.json", "-j", "1"]);
    assert!(again.status == 0 && again.stderr.contains("identical"), "{}", again.stderr);
    assert_eq!(place.names("all/runs").len(), 6);
    let block = &json_of(&place, "all/runs/point-1-replication-2/manifest.json")["invocation"];
    let output = block["output"].as_str().unwrap();
    assert!(output.ends_with("/all/runs/point-1-replication-2"), "{output}");
    // the rows and the answer are those of a study that keeps nothing
    make(&place, &["run", "s.toml", "--set", "record.runs=none"], "none");
    assert_eq!(place.read("none/results.csv"), place.read("all/results.csv"));
    assert!(!place.path("none/runs").exists());
    assert!(json_of(&place, "none/manifest.json").get("runs").is_none());
    assert_eq!(json_of(&place, "all/manifest.json")["runs"].as_object().unwrap().len(), 6);
}

#[test]
fn studies_of_all_systems_keep_their_runs() {
    let place = Place::new();
    for name in ["quickstart", "task-graph", "parameter-sweep", "global-computing", "agents"] {
        let scenario = repository(&format!("scenarios/{name}.toml"));
        let keys = ["--set", "repeat.replications=2", "--set", "record.runs=first"];
        let common = [&["run", scenario.to_str().unwrap()][..], &keys].concat();
        make(&place, &common, name);
        let alone = format!("{name}-alone");
        make(&place, &[&common[..], &["--point", "0", "--replication", "0"]].concat(), &alone);
        assert_eq!(place.names(&format!("{name}/runs")), ["point-0-replication-0"]);
        assert_same(&place, &format!("{name}/runs/point-0-replication-0"), &alone);
        // whatever is kept of a run, its row is the same
        let none = format!("{name}-none");
        make(&place, &[&common[..], &["--set", "record.runs=none"]].concat(), &none);
        assert_eq!(place.read(&format!("{none}/results.csv")), place.read(&format!("{name}/results.csv")));
    }
}

#[test]
fn threads_leave_no_trace_and_what_ran_ahead_is_not_kept() {
    let until = "until = { metric = \"wait-time.mean\", half-width = \"60%\", at-most = 14 }";
    let place = place(&STUDY.replace("replications = 3", until));
    make(&place, &["run", "s.toml", "-j", "1"], "one");
    make(&place, &["run", "s.toml", "-j", "8"], "eight");
    assert_same(&place, "one", "eight");
    let counted = json_of(&place, "one/study.json");
    let counted = counted["points"].as_array().unwrap().iter().map(|point| &point["replications"]);
    let counted: u64 = counted.filter_map(Json::as_u64).sum();
    assert_eq!(place.names("one/runs").len() as u64, counted);
    let again = place.run(&["run", "s.toml", "-o", "one", "-j", "2"]);
    assert!(again.status == 0 && again.stderr.contains("identical"), "{}", again.stderr);
    assert_eq!(place.names("."), ["eight", "one", "s.toml"]);
}

#[test]
fn an_interrupted_study_is_continued_with_all_kept_runs() {
    let place = place(&STUDY.replace("replications = 3", "replications = 12"));
    make(&place, &["run", "s.toml", "-j", "2"], "whole");
    let mut child = heeding()
        .args(["run", "s.toml", "-o", "d", "-j", "2", "-q"])
        .current_dir(place.path("."))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while begun(&place).0 < 4 {
        assert_eq!(child.try_wait().unwrap(), None, "the study was over too soon");
        sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // what has a row is whole
    let (rows, names) = begun(&place);
    let whole: Vec<&String> = names.iter().filter(|name| !name.contains('.')).collect();
    assert!(whole.len() >= rows, "{rows} rows, {names:?}");
    for name in &whole {
        assert!(place.path(&format!("d.partial/runs/{name}/manifest.json")).exists(), "{name}");
    }
    // a file that a power failure took, and leftovers of a run without a row
    place.file(&format!("d.partial/runs/{}/jobs.csv", whole[0]), "");
    fs::remove_file(place.path(&format!("d.partial/runs/{}/summary.json", whole[1]))).unwrap();
    place.file("d.partial/runs/point-1-replication-11/jobs.csv", "half a row");
    place.file("d.partial/runs/point-1-replication-10.partial/jobs.csv", "half a row");
    place.file("d.partial/runs/point-1-replication-10.partial.lock", "");
    place.file("d.partial/runs/point-0-replication-99/jobs.csv", "of no run");
    let next = place.run(&["run", "s.toml", "-o", "d"]);
    assert!(next.status == 0 && next.stderr.contains("is continued"), "{}", next.stderr);
    assert_same(&place, "whole", "d");
    assert_eq!(place.names("."), ["d", "s.toml", "whole"]);
}

#[test]
fn a_full_disk_stops_the_study_at_the_run_that_cannot_be_kept() {
    let place = place(STUDY);
    make(&place, &["run", "s.toml"], "whole");
    let stopped = place.squeezed(24, &["run", "s.toml", "-o", "d", "-j", "2"]);
    assert_eq!(stopped.status, 1, "{}", stopped.stderr);
    assert!(stopped.stderr.contains("the study in d cannot go on: "), "{}", stopped.stderr);
    assert_eq!(begun(&place), (0, Vec::new()));
    make(&place, &["run", "s.toml"], "d");
    assert_same(&place, "whole", "d");
}

#[test]
fn replications_from_a_pilot_and_failed_runs() {
    let first = STUDY.replace("runs = \"all\"", "runs = \"first\"");
    let place = place(&first.replace("replications = 3", "replications = 10\nto-power = true\nat-most = 12"));
    make(&place, &["run", "s.toml", "-j", "2"], "power");
    assert_eq!(place.names("power/runs"), ["point-0-replication-0", "point-1-replication-0"]);
    // some replications draw a job that is larger than the machine
    place.file("s.toml", STUDY.replace("jobs = 80", "jobs = 12").replace("high = 16", "high = 17"));
    let run = place.run(&["run", "s.toml", "--replications", "8", "-o", "failing", "-j", "2"]);
    assert_eq!(run.status, 4, "{}", run.stderr);
    let summary = json_of(&place, "failing/study.json");
    let failed = summary["failures"].as_array().unwrap();
    assert!((1..16).contains(&failed.len()), "{}", failed.len());
    let names = place.names("failing/runs");
    assert_eq!(names.len(), 16 - failed.len());
    for one in failed {
        let name = format!("point-{}-replication-{}", one["point"], one["replication"]);
        assert!(!names.contains(&name), "{name}");
    }
}

#[test]
fn the_page_has_a_link_to_each_kept_run_that_has_a_page() {
    let place = place(&STUDY.replace("runs = \"all\"", "runs = \"first\""));
    make(&place, &["run", "s.toml"], "linked");
    let point = |study: &str, number: usize| json_of(&place, study)["points"][number]["runs"].clone();
    let run = |report: bool| json!([{ "replication": 0, "directory": "runs/point-1-replication-0", "report": report }]);
    assert_eq!(point("linked/study.json", 1), run(true));
    assert!(place.path("linked/runs/point-1-replication-0/report.html").exists());
    let page = String::from_utf8(place.read("linked/report.html")).unwrap();
    let data = "\"runs\":[{\"replication\":0,\"directory\":\"runs/point-1-replication-0\",\"report\":true}]";
    assert!(page.contains(data));
    let again = place.run(&["report", "linked"]);
    assert!(again.stderr.contains("drawn again, as it was"), "{}", again.stderr);
    // each point says what is kept of it
    make(&place, &["run", "s.toml", "--set", "record.report=false"], "bare");
    assert_eq!(point("bare/study.json", 1), run(false));
    make(&place, &["run", "s.toml", "--vary", "record.runs=none,first"], "varied");
    assert_eq!(place.names("varied/runs"), ["point-1-replication-0", "point-3-replication-0"]);
    assert_eq!(point("varied/study.json", 0), Json::Null);
}

#[test]
fn kept_runs_of_another_study_are_replaced_and_nothing_else() {
    let place = place(STUDY);
    make(&place, &["run", "s.toml"], "d");
    place.file("d/runs/notes.txt", "mine");
    place.file("d/runs/point-0-replication-1/notes.txt", "mine");
    place.file("d/runs/point-1-replication-0/notes.txt", "mine");
    let other = ["run", "s.toml", "--set", "record.runs=first", "--force"];
    make(&place, &other, "d");
    assert_eq!(
        place.names("d/runs"),
        ["notes.txt", "point-0-replication-0", "point-0-replication-1", "point-1-replication-0"]
    );
    assert_eq!(place.names("d/runs/point-0-replication-1"), ["notes.txt"]);
    let manifest = json_of(&place, "d/manifest.json");
    assert_eq!(manifest["runs"].as_object().unwrap().len(), 2);
    make(&place, &["run", "s.toml", "--set", "record.runs=none", "--force"], "d");
    assert_eq!(place.names("d/runs"), ["notes.txt", "point-0-replication-1", "point-1-replication-0"]);
    // the answer to another question has the same runs
    make(&place, &["run", "s.toml"], "e");
    let before = tree(&place, "e/runs");
    make(&place, &["compare", "s.toml", "--metric", "response-time.mean"], "e");
    assert!(tree(&place, "e/runs") == before);
    assert_eq!(place.names("."), ["d", "e", "s.toml"]);
}

#[test]
fn shards_keep_their_runs_in_the_place_of_the_study() {
    let place = place(STUDY);
    make(&place, &["run", "s.toml"], "local");
    assert_eq!(place.run(&["sweep", "plan", "s.toml", "-o", "wide", "--shards", "3"]).status, 0);
    for index in ["2", "0", "1", "1"] {
        let shard = place.run(&["sweep", "shard", "wide", "--index", index]);
        assert_eq!(shard.status, 0, "{}", shard.stderr);
    }
    // a run that was lost behind the seal of its shard is made again
    fs::remove_file(place.path("wide/runs/point-0-replication-1/jobs.csv")).unwrap();
    let early = place.run(&["sweep", "collect", "wide"]);
    assert!(early.status == 4 && early.stderr.contains("1 of 3 shards are missing: 0"), "{}", early.stderr);
    assert_eq!(place.run(&["sweep", "shard", "wide", "--index", "0"]).status, 0);
    let collected = place.run(&["sweep", "collect", "wide"]);
    assert_eq!(collected.status, 0, "{}", collected.stderr);
    assert_same(&place, "local", "wide");
}

#[test]
fn check_judges_the_study_and_each_kept_run() {
    let place = place(STUDY);
    make(&place, &["run", "s.toml", "--set", "record.runs=first"], "d");
    let checked = place.run(&["check", "d"]);
    assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
    for words in [
        "d: a study of which 2 runs are kept",
        " kept         files are as the study wrote them",
        " kept         runs/point-1-replication-0: ",
    ] {
        assert!(checked.stdout.contains(words), "{}", checked.stdout);
    }
    let as_json = place.run(&["check", "d", "--json"]);
    let whole: Json = serde_json::from_str(&as_json.stdout).unwrap();
    assert_eq!(whole["runs"][1]["directory"], "runs/point-1-replication-0");
    assert_eq!(whole["runs"][1]["promises"][0]["state"], "kept");
    assert_eq!(place.run(&["check", "d/runs/point-1-replication-0"]).status, 0);
    place.file("d/runs/point-1-replication-0/summary.json", "{}");
    place.file("d/results.csv", "");
    let broken = place.run(&["check", "d"]);
    assert_ne!(broken.status, 0);
    make(&place, &["run", "s.toml", "--set", "record.runs=first"], "e");
    let jobs = String::from_utf8(place.read("e/runs/point-0-replication-0/jobs.csv")).unwrap();
    let (head, rest) = jobs.split_once('\n').unwrap();
    let (first, rest) = rest.split_once('\n').unwrap();
    let changed = first.replacen("1,", "7,", 1);
    place.file("e/runs/point-0-replication-0/jobs.csv", format!("{head}\n{changed}\n{rest}"));
    let broken = place.run(&["check", "e"]);
    assert_eq!(broken.status, 1, "{}{}", broken.stdout, broken.stderr);
    assert!(broken.stdout.contains("jobs.csv was changed after the run"), "{}", broken.stdout);
    make(&place, &["run", "s.toml", "--set", "record.runs=none"], "none");
    let refused = place.run(&["check", "none"]);
    assert!(refused.status == 2 && refused.stderr.contains("record.runs"), "{}", refused.stderr);
}

#[test]
fn what_cannot_be_kept_is_refused_at_its_place() {
    let place = place(&STUDY.replace("runs = \"all\"", "runs = \"firts\""));
    let told = place.run(&["run", "s.toml", "-o", "d"]);
    assert_eq!((told.status, told.stdout.as_str()), (2, ""));
    for words in ["s.toml:12:8", "firts", "first"] {
        assert!(told.stderr.contains(words), "{words}: {}", told.stderr);
    }
    assert_eq!(place.names("."), ["s.toml"]);
    // a run that is no study has nothing else to keep
    place.file("s.toml", STUDY);
    make(&place, &["run", "s.toml", "--point", "0", "--set", "record.runs=all"], "one");
    assert!(!place.path("one/runs").exists());
}
