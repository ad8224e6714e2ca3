//! The tables of docs/dags.md are those of the sources.

use std::collections::BTreeSet;

use clustersim::system::standard;
use clustersim_language::registry::Catalogue;

use clustersim_testing::chapters::{self, leads_to, read};

/// The words in backticks in the first column of the table of the chapter below this header.
fn column(header: &str) -> BTreeSet<String> {
    chapters::column(&read("docs/dags.md"), header).into_iter().collect()
}

/// The functions of a block of a source file.
fn functions(path: &str, block: &str, beginnings: &[&str]) -> BTreeSet<String> {
    let source = read(path);
    let (_, below) = source.split_once(block).unwrap_or_else(|| panic!("{path} has no `{block}`"));
    let name = |line: &str| {
        let rest = beginnings.iter().find_map(|beginning| line.strip_prefix(beginning))?;
        rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().map(str::to_owned)
    };
    below.split("\n}\n").next().unwrap().lines().filter_map(name).collect()
}

fn entries(table: &str) -> BTreeSet<String> {
    let registry = standard();
    let rows = registry.find(table).map(Catalogue::rows).unwrap();
    rows.iter().map(|row| row.name.to_string()).collect()
}

#[test]
fn every_scheduler_application_and_prediction_has_its_row() {
    assert_eq!(column("| kind | next task | host | source | assumes |"), entries("scheduler"));
    assert_eq!(column("| kind | what |"), entries("application"));
    assert_eq!(column("| kind | what the scheduler knows |"), entries("prediction"));
}

#[test]
fn the_verbs_and_methods_are_those_of_the_sources() {
    let dispatcher = functions(
        "crates/dag/src/execution/dispatcher.rs",
        "\nimpl Dispatcher {",
        &["    pub fn ", "    pub async fn "],
    );
    assert_eq!(column("| verb | what it does |"), dispatcher);
    let methods = functions("crates/dag/src/scheduler/mod.rs", "\npub trait Scheduler", &["    fn "]);
    assert_eq!(column("| method of `Scheduler` | default |"), methods);
    let view = functions("crates/dag/src/planning/view.rs", "\nimpl<'a> View<'a> {", &["    pub fn "]);
    let unknown: Vec<_> = column("| of the `View` | what it gives |").difference(&view).cloned().collect();
    assert!(
        unknown
            .iter()
            .all(|name| name.starts_with("graph.")
                || ["outgoing", "edge", "order", "draws"].contains(&&**name)),
        "{unknown:?}"
    );
}

#[test]
fn the_chapter_leads_to_its_programs() {
    leads_to("docs/dags.md", &["own_dag_scheduler", "own_dynamic_scheduler", "own_prediction"]);
}
