//! What stands in two places is equal in both, and what is named exists.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clustersim_testing::program::repository;
use clustersim_testing::sources::{SourceFile, sources, sources_in};

fn text(path: &str) -> String {
    fs::read_to_string(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All code of these files, in one text.
fn code(files: Vec<SourceFile>) -> String {
    files.into_iter().map(|file| file.text).collect()
}

/// The names in the table `header` of the `Cargo.toml` of a package.
fn dependencies(package: &str, header: &str) -> Vec<String> {
    let folder = if package == "clustersim" { String::new() } else { format!("crates/{package}/") };
    let manifest: toml::Table = text(&format!("{folder}Cargo.toml")).parse().unwrap();
    let table = manifest.get(header).and_then(toml::Value::as_table);
    table.iter().flat_map(|table| table.keys()).map(|name| name.replace('-', "_")).collect()
}

#[test]
fn the_citation_and_the_changelog_name_this_version() {
    let manifest: toml::Table = text("Cargo.toml").parse().unwrap();
    let version = manifest["workspace"]["package"]["version"].as_str().unwrap();
    let named = format!("pub const VERSION: &str = {version:?};");
    assert!(text("crates/experiment/src/output/mod.rs").contains(&named), "results name another version");
    let about = format!("const ABOUT: &str = {};", manifest["package"]["description"]);
    assert!(text("crates/cli/src/args.rs").contains(&about), "`--help` has no such line: {about}");
    let package: toml::Table = text("crates/python/pyproject.toml").parse().unwrap();
    assert_eq!(package["project"]["version"].as_str(), Some(version), "crates/python/pyproject.toml");
    assert!(text("CITATION.cff").contains(&format!("\nversion: {version}\n")), "CITATION.cff: not {version}");
    let newest = text("CHANGELOG.md").lines().find_map(|line| line.strip_prefix("## ").map(str::to_owned));
    assert!(
        newest.is_some_and(|newest| newest.starts_with(version)),
        "CHANGELOG.md does not begin with {version}"
    );
}

#[test]
fn a_build_from_the_root_takes_all_crates_but_that_for_python() {
    let manifest: toml::Table = text("Cargo.toml").parse().unwrap();
    let members = manifest["workspace"]["default-members"].as_array().unwrap().iter();
    let members: Vec<&str> = members.map(|member| member.as_str().unwrap()).collect();
    let crates = fs::read_dir(repository("crates")).unwrap().map(|entry| entry.unwrap().file_name());
    let crates = crates.map(|name| format!("crates/{}", name.to_str().unwrap()));
    let mut expected: Vec<String> = crates.filter(|name| name != "crates/python").collect();
    expected.push(".".to_owned());
    expected.sort();
    assert_eq!(members, expected);
}

#[test]
fn every_dependency_is_used() {
    let mut packages: BTreeMap<String, Vec<SourceFile>> = BTreeMap::new();
    for file in sources() {
        packages.entry(file.package().to_owned()).or_default().push(file);
    }
    for (package, files) in packages {
        let program = code(files);
        let folder = if package == "clustersim" { "tests".to_owned() } else { format!("crates/{package}") };
        let tests = code(sources_in(&folder)) + &program;
        for name in dependencies(&package, "dependencies") {
            // the reader of Parquet is an optional dependency for tests, which Cargo does not know
            let text = if name == "parquet" { &tests } else { &program };
            let used = [format!("{name}::"), format!("{name} as")];
            assert!(used.iter().any(|words| text.contains(words)), "{package} does not use `{name}`");
        }
        for name in dependencies(&package, "dev-dependencies") {
            assert!(tests.contains(&format!("{name}::")), "no test of {package} uses `{name}`");
        }
    }
}

#[test]
fn every_shipped_log_is_acknowledged() {
    let (notice, readme) = (text("NOTICE"), text("scenarios/data/README.md"));
    let mut logs = 0;
    for entry in fs::read_dir(repository("scenarios/data")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.contains(".swf") {
            continue;
        }
        logs += 1;
        assert!(readme.contains(&name), "scenarios/data/README.md does not tell of {name}");
        let log = name.split("-cln").next().unwrap();
        assert!(notice.contains(log), "NOTICE does not acknowledge {log}");
    }
    assert!(logs > 0, "no log is shipped");
}

#[test]
fn files_that_the_documentation_of_a_module_names_are_there() {
    let (mut found, mut missing) = (0, Vec::new());
    for file in sources() {
        let lines = file.text.lines().filter_map(|line| line.strip_prefix("//!"));
        let words = lines.flat_map(|line| line.split('`').skip(1).step_by(2));
        for name in words.filter(|word| {
            word.split(' ').count() == 1 && Path::new(word).extension().is_some_and(|e| e == "rs")
        }) {
            found += 1;
            let folder = Path::new(&file.path).parent().unwrap();
            let root = file.path.strip_suffix(file.below()).unwrap();
            let from = [folder.join(name), Path::new(root).join(name), Path::new(name).to_owned()];
            if !from.iter().any(|path| repository(path.to_str().unwrap()).is_file()) {
                missing.push(format!("{} names {name}", file.path));
            }
        }
    }
    assert!(found >= 10 && missing.is_empty(), "{found} found: {missing:?}");
}
