//! The tables of docs/agents.md are those of the program.

use std::fs;

use clustersim::system::standard;
use clustersim_agents::names::NAMES;
use clustersim_language::registry::Catalogue;
use clustersim_platform::simgrid::{ELEMENTS, Need, REFUSED};

use clustersim_testing::program::repository;

fn chapter() -> String {
    fs::read_to_string(repository("docs/agents.md")).unwrap()
}

/// The rows of the table below this header.
fn rows(header: &str) -> Vec<String> {
    let text = chapter();
    let (_, below) = text.split_once(&format!("{header}\n")).unwrap_or_else(|| panic!("no table `{header}`"));
    below.lines().skip(1).take_while(|line| line.starts_with('|')).map(str::to_owned).collect()
}

fn literal(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!("`{name}`") }
}

#[test]
fn the_names_of_msg_and_s4u_are_those_of_the_library() {
    let known = |known: &clustersim_agents::names::Known| {
        format!("| {} | {} | {} |", literal(known.msg), literal(known.s4u), literal(known.ours))
    };
    assert_eq!(rows("| MSG | S4U | here |"), NAMES.iter().map(known).collect::<Vec<_>>());
}

#[test]
fn the_elements_of_simgrid_are_those_that_are_read() {
    let told = rows("| element | what it is | attributes; those in italics may be left out |");
    let expected: Vec<String> = ELEMENTS
        .iter()
        .map(|row| {
            let also: Vec<String> = row.also.iter().map(|name| literal(name)).collect();
            let also = if also.is_empty() { String::new() } else { format!(" (also {})", also.join(", ")) };
            let attributes: Vec<String> = row
                .attributes
                .iter()
                .map(|attribute| match attribute.need {
                    Need::Required => literal(attribute.name),
                    Need::Optional => format!("*{}*", literal(attribute.name)),
                })
                .collect();
            format!("| {}{also} | {} | {} |", literal(row.name), row.about, attributes.join(", "))
        })
        .collect();
    assert_eq!(told, expected);
    let (_, refused) =
        chapter().split_once("\nRefused by name:\n").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let told: Vec<String> =
        refused.lines().filter(|line| !line.is_empty()).map(|line| line.replace('`', "")).collect();
    let expected: Vec<String> = REFUSED.iter().map(|(name, why)| format!("- {name}: {why}")).collect();
    assert_eq!(told, expected);
}

#[test]
fn every_role_and_every_network_is_told_of() {
    let (registry, text) = (standard(), chapter());
    for table in ["role", "network"] {
        for row in registry.find(table).map(Catalogue::rows).unwrap() {
            assert!(text.contains(&format!("`{}`", row.name)), "{table} `{}`", row.name);
        }
    }
}
