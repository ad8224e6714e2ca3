//! The tables of docs/dags.md are those of the sources.

use std::collections::BTreeSet;
use std::fs;

use clustersim::registry::Catalogue;
use clustersim::system::standard;

use crate::program::repository;

fn read(path: &str) -> String {
    fs::read_to_string(repository(path)).unwrap()
}

/// The words in backticks in the first column of the table below this header.
fn column(header: &str) -> BTreeSet<String> {
    let text = read("docs/dags.md");
    let (_, below) = text.split_once(&format!("{header}\n")).unwrap_or_else(|| panic!("no table `{header}`"));
    let rows = below.lines().skip(1).take_while(|line| line.starts_with('|'));
    let first = rows.filter_map(|row| row.split('|').nth(1)).collect::<Vec<_>>().join(",");
    first.split('`').skip(1).step_by(2).map(str::to_owned).collect()
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
        "src/dag/execution/dispatcher.rs",
        "\nimpl Dispatcher {",
        &["    pub fn ", "    pub async fn "],
    );
    assert_eq!(column("| verb | what it does |"), dispatcher);
    let methods = functions("src/dag/scheduler/mod.rs", "\npub trait Scheduler", &["    fn "]);
    assert_eq!(column("| method of `Scheduler` | default |"), methods);
    let view = functions("src/dag/view.rs", "\nimpl<'a> View<'a> {", &["    pub fn "]);
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
    let text = read("docs/dags.md");
    for name in ["own_dag_scheduler", "own_dynamic_scheduler", "own_prediction"] {
        let program = read(&format!("examples/{name}.rs"));
        for used in program.lines().filter_map(|line| line.strip_prefix("use ")) {
            let of = used.split("::").next().unwrap();
            assert!(["std", "clustersim"].contains(&of), "`{of}` is no dependency of such a crate");
        }
        let lines = program.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        let row = format!("(../examples/{name}.rs) | {} |", lines.count());
        assert!(text.contains(&row), "the chapter leads to {name}: {row}");
    }
    assert!(read("src/lib.rs").contains(
        "#[cfg(all(doctest, feature = \"simulator\"))]\n#[doc = include_str!(\"../docs/dags.md\")]\n"
    ));
}
