//! Headers and first rows of every table of every system, by hand: a swap inside a declaration, or
//! of two cells where rows are made, does not go unseen.
//!
//! A file has the inputs of a run and of each table of its results the header, the first row, and
//! one that says more. It is changed by hand with what it is about, and by nothing else.

use std::collections::BTreeSet;

use clustersim_experiment::output::Table;

use clustersim_testing::program::Place;

/// The runs, each with the system whose tables they have.
const RUNS: [(&str, &str, &str); 15] = [
    ("agents", "agents", include_str!("agents.txt")),
    ("agents", "flows", include_str!("flows.txt")),
    ("cluster", "attributes", include_str!("attributes.txt")),
    ("cluster", "gang", include_str!("gang.txt")),
    ("cluster", "gpus", include_str!("gpus.txt")),
    ("cluster", "jobs", include_str!("jobs.txt")),
    ("cluster", "molded", include_str!("molded.txt")),
    ("cluster", "reserved", include_str!("reserved.txt")),
    ("cluster", "tasks", include_str!("tasks.txt")),
    ("graphs", "dag", include_str!("dag.txt")),
    ("graphs", "wide", include_str!("wide.txt")),
    ("sweeps", "sweep", include_str!("sweep.txt")),
    ("sweeps", "copies", include_str!("copies.txt")),
    ("calls", "broker", include_str!("broker.txt")),
    ("calls", "replay", include_str!("replay.txt")),
];

/// The tables of the five systems, as they are declared.
fn declared(system: &str) -> Vec<Table> {
    match system {
        "agents" => clustersim_agents::tables::declared(),
        "cluster" => clustersim_cluster::instrument::tables::declared(),
        "graphs" => clustersim_dag::tables::declared(),
        "sweeps" => clustersim_sweep::tables::declared(),
        _ => clustersim_brokers::tables::declared(),
    }
}

/// The parts of such a file: name and text.
fn parts(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("=== ").skip(1).map(|part| part.split_once('\n').expect("a name"))
}

#[test]
fn headers_and_first_rows_are_as_by_hand() {
    for (_, name, text) in RUNS {
        let place = Place::new();
        for (file, content) in parts(text).filter(|(file, _)| !file.starts_with("out/")) {
            place.file(file, content);
        }
        let run = ["run", "s.toml", "--checkable", "-q", "--no-progress", "-o", "out"];
        let output = place.run(&[&run[..], &["--set", "record.report=false"]].concat());
        assert_eq!(output.status, 0, "{name}: {}", output.stderr);
        for (file, rows) in parts(text).filter(|(file, _)| file.starts_with("out/")) {
            let table = String::from_utf8(place.read(file)).expect("a table is text");
            let first: Vec<&str> = rows.lines().take(2).collect();
            assert_eq!(table.lines().take(2).collect::<Vec<_>>(), first, "{name}: {file}");
            for row in rows.lines().skip(2) {
                assert!(table.lines().any(|line| line == row), "{name}: {file} has no row {row}\n{table}");
            }
        }
        // the judge reads them all
        let judged = place.run(&["check", "out"]);
        assert_eq!(judged.status, 0, "{name}: {}{}", judged.stdout, judged.stderr);
    }
}

#[test]
fn every_column_of_every_table_is_in_a_header_by_hand() {
    for system in ["agents", "cluster", "graphs", "sweeps", "calls"] {
        let files = RUNS.iter().filter(|(of, ..)| *of == system).flat_map(|(.., text)| parts(text));
        let headers = files.filter_map(|(file, rows)| {
            let table = file.strip_prefix("out/")?.strip_suffix(".csv")?;
            let header = rows.lines().next().unwrap_or_default();
            Some(header.split(',').map(move |column| (table.to_owned(), column.to_owned())))
        });
        let by_hand: BTreeSet<(String, String)> = headers.flatten().collect();
        // only programs with features of their own write that one: tests/cluster/own_feature.rs has it
        let tables = declared(system).into_iter().filter(|table| table.name != "features");
        let columns = tables.flat_map(|table| {
            table.columns.into_iter().map(move |column| (table.name.to_owned(), column.name.into_owned()))
        });
        let declared: BTreeSet<(String, String)> = columns.collect();
        assert_eq!(by_hand, declared, "{system}");
    }
}
