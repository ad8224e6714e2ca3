//! What stands in two places is equal in both, and what is named exists.

use std::fs;
use std::path::Path;

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All Rust code below `folder`, in one text.
fn code(folder: &Path) -> String {
    let mut whole = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            whole += &code(&path);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            whole += &fs::read_to_string(&path).unwrap();
        }
    }
    whole
}

/// The names in the table `header` of `Cargo.toml`.
fn dependencies(header: &str) -> Vec<String> {
    let manifest: toml::Table = text("Cargo.toml").parse().unwrap();
    manifest[header].as_table().unwrap().keys().map(|name| name.replace('-', "_")).collect()
}

#[test]
fn the_citation_and_the_changelog_name_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    assert!(text("CITATION.cff").contains(&format!("\nversion: {version}\n")), "CITATION.cff: not {version}");
    let newest = text("CHANGELOG.md").lines().find_map(|line| line.strip_prefix("## ").map(str::to_owned));
    assert!(
        newest.is_some_and(|newest| newest.starts_with(version)),
        "CHANGELOG.md does not begin with {version}"
    );
}

#[test]
fn every_dependency_is_used() {
    let program = code(&repository().join("src"));
    for name in dependencies("dependencies") {
        assert!(program.contains(&format!("{name}::")), "`{name}` is a dependency and is not used in src/");
    }
    let tests = code(&repository().join("tests")) + &program;
    for name in dependencies("dev-dependencies") {
        assert!(tests.contains(&format!("{name}::")), "`{name}` is a dev-dependency and is not used");
    }
}

#[test]
fn every_shipped_log_is_acknowledged() {
    let (notice, readme) = (text("NOTICE"), text("scenarios/data/README.md"));
    let mut logs = 0;
    for entry in fs::read_dir(repository().join("scenarios/data")).unwrap() {
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

/// The files that the documentation of modules names, with the module's file: from its folder, from
/// `src`, or from the root.
fn named_files(folder: &Path, found: &mut usize, missing: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            named_files(&path, found, missing);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.strip_prefix("//!"));
        let words = lines.flat_map(|line| line.split('`').skip(1).step_by(2));
        for name in words.filter(|word| {
            word.split(' ').count() == 1 && Path::new(word).extension().is_some_and(|e| e == "rs")
        }) {
            *found += 1;
            let from = [folder.join(name), repository().join("src").join(name), repository().join(name)];
            if !from.iter().any(|path| path.is_file()) {
                missing.push(format!("{} names {name}", path.display()));
            }
        }
    }
}

#[test]
fn files_that_the_documentation_of_a_module_names_are_there() {
    let (mut found, mut missing) = (0, Vec::new());
    named_files(&repository().join("src"), &mut found, &mut missing);
    assert!(found >= 10 && missing.is_empty(), "{found} found: {missing:?}");
}
