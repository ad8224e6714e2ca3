//! The tables of docs/policies.md and docs/features.md are those of the sources, and the crate of the
//! former is one.

use std::collections::BTreeSet;
use std::fs;

use clustersim_testing::program::repository;

fn read(path: &str) -> String {
    fs::read_to_string(repository(path)).unwrap()
}

/// The names in the first column of the table of a page below this header, in backticks there.
fn column(page: &str, header: &str) -> BTreeSet<String> {
    let text = read(page);
    let (_, below) = text.split_once(&format!("{header}\n")).unwrap_or_else(|| panic!("no table `{header}`"));
    let rows = below.lines().skip(1).take_while(|line| line.starts_with('|'));
    let first = rows.filter_map(|row| row.split('|').nth(1)).collect::<Vec<_>>().join(",");
    let names: Vec<String> = first.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let unique: BTreeSet<String> = names.iter().cloned().collect();
    assert_eq!(names.len(), unique.len(), "a name stands twice: {names:?}");
    unique
}

/// The names that follow one of these beginnings of a line in a source file.
fn names(source: &str, beginnings: &[&str]) -> BTreeSet<String> {
    let name = |line: &str| {
        let rest = beginnings.iter().find_map(|beginning| line.strip_prefix(beginning))?;
        rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().map(str::to_owned)
    };
    source.lines().filter_map(name).collect()
}

/// The lines from the one that begins so to the end of its block.
fn block<'a>(source: &'a str, beginning: &str) -> &'a str {
    let (_, below) = source.split_once(beginning).unwrap_or_else(|| panic!("no `{beginning}`"));
    below.split("\n}\n").next().unwrap()
}

#[test]
fn the_verbs_are_the_public_methods_of_the_front_end() {
    let mut verbs = BTreeSet::new();
    for entry in fs::read_dir(repository("crates/cluster/src/policy/front_end")).unwrap() {
        let source = fs::read_to_string(entry.unwrap().path()).unwrap();
        for part in source.split("\nimpl FrontEnd {").skip(1) {
            let own = part.split("\n}\n").next().unwrap();
            verbs.extend(names(own, &["    pub fn ", "    pub async fn ", "    pub const fn "]));
        }
    }
    assert!(verbs.contains("news") && verbs.len() > 20, "{verbs:?}");
    assert_eq!(column("docs/policies.md", "| verb | what it does |"), verbs);
}

#[test]
fn the_events_and_the_methods_of_a_policy_are_those_of_the_sources() {
    let events = read("crates/cluster/src/policy/front_end/events.rs");
    let mut events = names(block(&events, "pub enum SiteEvent {"), &["    "]);
    events.remove(""); // of its comments
    assert_eq!(column("docs/policies.md", "| event | what happened |"), events);
    let policy = read("crates/cluster/src/policy/mod.rs");
    let methods = names(block(&policy, "pub trait Policy"), &["    fn ", "    async fn "]);
    assert_eq!(column("docs/policies.md", "| method | default |"), methods);
}

#[test]
fn the_hooks_and_verbs_of_a_feature_are_those_of_the_sources() {
    let page = "docs/features.md";
    let feature = read("crates/cluster/src/policy/own_features/mod.rs");
    let hooks = names(block(&feature, "pub trait OwnFeature"), &["    fn "]);
    assert!(hooks.contains("considers") && hooks.len() > 10, "{hooks:?}");
    assert_eq!(column(page, "| hook | called when |"), hooks);
    let verbs = read("crates/cluster/src/policy/own_features/access.rs");
    for (of, header) in
        [("FeatureSite", "| `FeatureSite` | |"), ("FeatureRun", "| `FeatureRun`, of `starts` | |")]
    {
        let verbs = names(block(&verbs, &format!("impl {of}<'_> {{")), &["    pub fn "]);
        assert_eq!(column(page, header), verbs);
    }
    assert!(read("src/lib.rs").contains(
        "#[cfg(all(doctest, feature = \"simulator\"))]\n#[doc = include_str!(\"../docs/features.md\")]\n"
    ));
}

#[test]
fn the_crate_of_the_chapter_needs_this_one_alone() {
    let text = read("docs/policies.md");
    let (_, manifest) = text.split_once("```toml\n").unwrap();
    let manifest: toml::Table = manifest.split("```").next().unwrap().parse().unwrap();
    let own: toml::Table = read("Cargo.toml").parse().unwrap();
    assert_eq!(manifest["package"]["edition"], own["workspace"]["package"]["edition"]);
    let needed: Vec<&String> = manifest["dependencies"].as_table().unwrap().keys().collect();
    assert_eq!(needed, ["clustersim"]);
    let version = env!("CARGO_PKG_VERSION").rsplit_once('.').unwrap().0;
    assert!(
        text.contains(&format!("`clustersim = \"{version}\"`")),
        "the version once published is {version}"
    );
    let examples = [
        "own_policy",
        "own_feature",
        "own_discipline",
        "own_backfill",
        "own_cpu_scheduler",
        "own_wait_action",
    ];
    let programs = examples.map(|name| read(&format!("examples/{name}.rs"))).concat() + &text;
    for used in programs.lines().filter_map(|line| line.strip_prefix("use ")) {
        let of = used.split("::").next().unwrap();
        assert!(["std", "clustersim"].contains(&of), "`{of}` is no dependency of the chapter's crate");
    }
    for name in examples {
        let program = read(&format!("examples/{name}.rs"));
        let lines = program.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        let row = format!("(../examples/{name}.rs) | {} |", lines.count());
        assert!(text.contains(&row), "the chapter leads to {name}: {row}");
    }
}

#[test]
fn the_chapter_is_found_and_its_programs_are_doc_tests() {
    for page in ["README.md", "docs/README.md", "docs/guide.md", "docs/reference.md"] {
        assert!(read(page).contains("policies.md)"), "{page} leads to the chapter");
    }
    assert!(read("docs/policies.md").matches("\n```rust\n").count() >= 2);
    assert!(read("src/lib.rs").contains(
        "#[cfg(all(doctest, feature = \"simulator\"))]\n#[doc = include_str!(\"../docs/policies.md\")]\n"
    ));
}
