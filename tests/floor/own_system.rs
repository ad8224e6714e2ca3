//! A system of a user's own crate: `examples/own_system.rs`, as it stands there, with the whole
//! command line.

#[path = "../../examples/own_system.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
pub(crate) mod example;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use clustersim::cli;
use clustersim::report::html::contradictions;
use clustersim::scenario::{RunDirectory, check, from_text, load};
use serde_json::Value as Json;

use clustersim_testing::chapters::column;
use clustersim_testing::program::{Place, repository};

/// The exit status of the program with these arguments.
fn status(words: &[&str]) -> u8 {
    let words = ["clustersim"].iter().chain(words).map(OsString::from);
    cli::status(&example::registry(), words.collect::<Vec<_>>())
}

/// Its scenario.
fn scenario() -> String {
    repository("examples/own_system.toml").to_str().unwrap().to_owned()
}

fn run(place: &Place, name: &str, more: &[&str]) -> u8 {
    let directory = place.path(name);
    let words = ["run", &scenario(), "-q", "--no-progress", "--json", "-o", directory.to_str().unwrap()];
    status(&[&words[..], more].concat())
}

fn text(place: &Place, name: &str) -> String {
    String::from_utf8(place.read(name)).unwrap()
}

fn json(place: &Place, name: &str) -> Json {
    serde_json::from_slice(&place.read(name)).unwrap()
}

fn value(summary: &Json, metric: &str) -> f64 {
    summary["metrics"][metric]["value"].as_f64().unwrap_or_else(|| panic!("{metric}: {summary}"))
}

#[test]
fn it_has_tables_timeline_report_and_bounds() {
    let place = Place::new();
    assert_eq!(run(&place, "out", &["--trace"]), 0);
    let summary = json(&place, "out/summary.json");
    let (served, lost) = (value(&summary, "customers.served"), value(&summary, "customers.lost"));
    assert!((served + lost - 2000.0).abs() < 0.5 && lost > 0.0, "{served} {lost}");
    // no customer who waits for longer than 4 minutes is served
    assert!(value(&summary, "queueing-time.max") <= 240.0);
    assert_eq!(contradictions(&text(&place, "out/report.html")).unwrap(), [""; 0]);
    let table = text(&place, "out/customers.csv");
    assert_eq!(table.lines().next(), Some("customer,arrival,service,start,end,window"));
    assert_eq!(table.lines().count(), 2001);
    let unserved = table.lines().filter(|line| line.ends_with(',')).count();
    assert_eq!(unserved, lost as usize);
    assert!(place.path("out/trace.pftrace").exists());
    let page = text(&place, "out/report.html");
    assert!(page.contains("Three windows on a busy day") && page.contains("Customers at the counter"));
    assert_eq!(run(&place, "broken", &["--set", "expect.\"customers.lost\"=\"< 1\""]), 3);
}

#[test]
fn it_has_closed_forms() {
    // one window, a customer a minute, half a minute each: no customer waits
    let place = Place::new();
    let set = ["counter.windows=1", "counter.customers=10", "counter.arrivals=60s", "counter.service=30s"];
    let set: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
    assert_eq!(run(&place, "out", &set), 0);
    let summary = json(&place, "out/summary.json");
    assert!(value(&summary, "queueing-time.max") == 0.0 && value(&summary, "customers.lost") == 0.0);
    assert!((value(&summary, "windows.busy") - 300.0 / 630.0).abs() < 1e-12);
    assert_eq!(summary["drew"], false);
}

#[test]
fn the_same_scenario_gives_the_same_bytes() {
    let place = Place::new();
    assert_eq!((run(&place, "one", &[]), run(&place, "two", &[])), (0, 0));
    for file in ["summary.json", "customers.csv", "report.html", "scenario.resolved.toml"] {
        assert_eq!(place.read(&format!("one/{file}")), place.read(&format!("two/{file}")), "{file}");
    }
}

#[test]
fn it_is_drawn_again_but_for_what_no_file_holds() {
    let place = Place::new();
    assert_eq!(run(&place, "out", &[]), 0);
    let directory = place.path("out");
    assert_eq!(status(&["check", directory.to_str().unwrap()]), 0);
    assert_eq!(status(&["report", directory.to_str().unwrap(), "-q"]), 0);
    let page = text(&place, "out/report.html");
    assert!(
        page.contains("a timeline, if the run had one: no file holds it")
            && page.contains("\"name\":\"customers who wait\"")
    );
}

/// The promises that the judge finds broken in a directory, and why it cannot be judged.
fn broken(directory: &Path) -> Result<Vec<String>, String> {
    let registry = example::registry();
    let manifest: Json =
        serde_json::from_str(&fs::read_to_string(directory.join("manifest.json")).unwrap()).unwrap();
    let scenario = check(&registry, load(&directory.join("scenario.resolved.toml"), None, &[])).unwrap();
    let run = RunDirectory {
        place: directory,
        manifest: &manifest,
        scenario: &scenario,
        registry: &registry,
        note: &|_| {},
    };
    let checked = scenario.system.judge(&run).map_err(|rejected| rejected.to_string())?;
    let broken = checked.promises.into_iter().filter(|(_, judged)| !judged.as_ref().is_ok_and(Vec::is_empty));
    Ok(broken.filter(|(_, judged)| judged.is_ok()).map(|(promise, _)| promise).collect())
}

/// The numbers of a document, by their paths.
fn numbers(json: &Json, path: &str, found: &mut Vec<String>) {
    match json {
        Json::Object(members) => {
            members.iter().for_each(|(name, member)| numbers(member, &format!("{path}/{name}"), found));
        }
        Json::Number(_) => found.push(path.to_owned()),
        _ => {}
    }
}

#[test]
fn a_changed_number_is_found_by_the_judge() {
    let place = Place::new();
    assert_eq!(run(&place, "out", &["--set", "counter.customers=600"]), 0);
    assert_eq!(broken(&place.path("out")).unwrap(), [""; 0]);
    let summary = json(&place, "out/summary.json");
    let mut paths = Vec::new();
    numbers(&summary, "", &mut paths);
    assert!(paths.len() >= 9 && paths.iter().any(|path| path.ends_with("half-width")), "{paths:?}");
    for path in paths {
        let mut changed = summary.clone();
        let number = changed.pointer_mut(&path).unwrap();
        *number = number.as_u64().map_or_else(
            || Json::from(number.as_f64().unwrap() * 1.000_001 + 1e-6),
            |count| Json::from(count + 1),
        );
        place.file("out/summary.json", changed.to_string());
        assert!(broken(&place.path("out")).unwrap()[0].contains("summary.json"), "{path}");
    }
}

#[test]
fn a_changed_row_is_found_by_the_judge() {
    let place = Place::new();
    assert_eq!(run(&place, "out", &["--set", "counter.customers=300", "--set", "counter.windows=2"]), 0);
    assert_eq!(broken(&place.path("out")).unwrap(), [""; 0]);
    let table = text(&place, "out/customers.csv");
    let lines: Vec<&str> = table.lines().collect();
    let mut changed = 0;
    for (line, row) in lines.iter().enumerate().skip(1).step_by(7) {
        let cells: Vec<&str> = row.split(',').collect();
        // how long a window would have taken for one who gave up is in no other cell
        let is_lost = cells[5].is_empty();
        for column in (0..6).filter(|column| !(is_lost && *column == 2)) {
            let mut cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
            cells[column] = (cells[column].parse().unwrap_or(0.0) + 1.0).to_string();
            let mut lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
            lines[line] = cells.join(",");
            place.file("out/customers.csv", lines.join("\n") + "\n");
            let found = broken(&place.path("out"));
            assert!(found.as_ref().is_err() || !found.unwrap().is_empty(), "{column} of {row}");
            changed += 1;
        }
    }
    assert!(changed > 200, "{changed}");
}

#[test]
fn it_has_studies_with_paired_verdicts() {
    let place = Place::new();
    let directory = place.path("study");
    let words =
        ["compare", &scenario(), "--vary", "counter.windows=2,3", "--replications", "5", "-q", "--json"];
    let more = ["--metric", "customers.lost", "--no-progress", "-o", directory.to_str().unwrap()];
    assert_eq!(status(&[&words[..], &more].concat()), 3, "two windows lose more than the scenario expects");
    let study = json(&place, "study/study.json");
    let metric = study["metrics"].as_array().unwrap().iter().find(|one| one["name"] == "customers.lost");
    assert_eq!(metric.unwrap()["aim"], "lower");
    assert!(study["findings"].to_string().contains("better"), "{}", study["findings"]);
    assert_eq!(text(&place, "study/results.csv").lines().count(), 11);
}

#[test]
fn a_mistake_is_told_at_its_place() {
    let wrong = |text: &str| {
        let written = from_text("test.toml", text.to_owned(), Path::new(""), &[]);
        let rejected = check(&example::registry(), written).expect_err("it is wrong");
        let help = rejected.complaints.iter().filter_map(|complaint| complaint.help.clone());
        format!("{rejected} {}", help.collect::<Vec<_>>().join(" "))
    };
    let message = wrong("title = \"T\"\n[counter]\nwindwos = 3\n");
    assert!(message.contains("test.toml:3:1") && message.contains("did you mean `windows`?"), "{message}");
    let message =
        wrong("title = \"T\"\n[counter]\nservice = \"soon\"\n[expect]\n\"customers.lots\" = \"< 1\"\n");
    assert!(message.contains("test.toml:3:11") && message.contains("`customers.lost`"), "{message}");
    // a table that is misspelt hides no other mistake
    let message =
        wrong("title = \"T\"\n[countre]\n[run]\nuntil = \"soon\"\n[expect]\n\"customers.lots\" = \"< 1\"\n");
    let told = ["test.toml:2:2: unknown key `countre`", "test.toml:4:9", "test.toml:6:1: unknown metric"];
    assert!(told.iter().all(|told| message.contains(told)), "{message}");
    let message = wrong("title = \"T\"\npolicy = \"easy\"\n[counter]\n");
    assert!(
        message.contains("`policy` means nothing in a scenario of customers at a ticket counter"),
        "{message}"
    );
}

#[test]
fn it_is_explained_and_part_of_schema_and_manual() {
    let help = ["explain", "counter.patience"];
    assert_eq!(
        (status(&help), status(&["explain", "queueing-time.mean"]), status(&["explain", "customers.csv"])),
        (0, 0, 0)
    );
    assert_eq!((status(&["schema"]), status(&["manual"]), status(&["validate", &scenario()])), (0, 0, 0));
    let loaded = load(&repository("examples/own_system.toml"), None, &[]);
    assert_eq!(check(&example::registry(), loaded).unwrap().system.name(), "ticket-counter");
}

#[test]
fn the_chapter_has_every_declaration_and_method_of_a_system() {
    let chapter = fs::read_to_string(repository("docs/systems.md")).unwrap();
    let documented = |heading: &str| column(&chapter, heading).into_iter().collect::<BTreeSet<String>>();
    let inside = |file: &str, opening: &str, word: &str| {
        let source = fs::read_to_string(repository(file)).unwrap();
        let (_, inner) = source.split_once(opening).unwrap();
        let lines = inner.split("\n}\n").next().unwrap().lines();
        let names = lines.filter_map(|line| line.strip_prefix(word)?.split(['(', ':']).next());
        names.map(ToOwned::to_owned).collect::<BTreeSet<String>>()
    };
    let methods = inside("crates/experiment/src/scenario/system.rs", "\npub trait System", "    fn ");
    assert_eq!(documented("| method of `System` | what it is | without it |"), methods);
    let fields =
        inside("crates/experiment/src/scenario/system_data.rs", "\npub struct SystemData", "    pub ");
    assert_eq!(documented("| field of `SystemData` | what it is | without it |"), fields);
    assert!(fields.len() > 10 && methods.len() > 10, "{fields:?} {methods:?}");
}
