//! The scripts of `.ci` count what they ran: a test that was skipped is counted as skipped, and is
//! no test that passed.

use std::process::Command;

use clustersim_testing::program::{Place, repository};

/// What `.ci/steps.sh` says at its end when a step has printed this.
fn counted(printed: &str) -> (String, bool) {
    let place = Place::new();
    place.file("printed", printed);
    let script = format!(
        ". '{}'; step 'tests' cat '{}'; step 'a check' true; finish",
        repository(".ci/steps.sh").display(),
        place.path("printed").display()
    );
    let output = place.wait(Command::new("bash").args(["-uc", &script]));
    let last = output.stdout.lines().last().unwrap_or_default().to_owned();
    (last, output.status == 0)
}

#[test]
fn tests_checks_and_skipped_tests_are_counted() {
    let tests = "running 5 tests\ntest a ... ok\nSKIPPED: no Chromium\ntest b ... ok\n";
    let result = "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n";
    assert_eq!(counted(&format!("{tests}{result}")), ("5 passed, 0 failed, 1 skipped".to_owned(), true));
    assert_eq!(counted(result), ("6 passed, 0 failed".to_owned(), true));
    // one test at a time: its name and what it says share a line
    let alone = "test b ... SKIPPED: no Slurm\ntest a ... SKIPPED: no Chromium\nok\n";
    assert_eq!(counted(&format!("{alone}{result}")), ("4 passed, 0 failed, 2 skipped".to_owned(), true));
}

#[test]
fn every_script_has_a_line_of_help() {
    let help = Place::new().wait(&mut Command::new(repository(".ci/help")));
    assert_eq!(help.status, 0, "{}", help.stderr);
    let lines: Vec<&str> = help.stdout.lines().collect();
    assert!(lines.iter().all(|line| line.split_whitespace().count() > 3), "{}", help.stdout);
    for script in ["run", "full", "freeze", "apart", "planted/run"] {
        let name = format!(".ci/{script} ");
        assert!(lines.iter().any(|line| line.starts_with(&name)), "{name} is not in {}", help.stdout);
    }
}

#[test]
fn every_example_is_left_out_of_the_kernel_alone() {
    let manifest = std::fs::read_to_string(repository("Cargo.toml")).unwrap();
    for entry in std::fs::read_dir(repository("examples")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.file_stem().unwrap().to_string_lossy();
            let declared = format!("[[example]]\nname = \"{name}\"\nrequired-features = [\"simulator\"]\n");
            assert!(manifest.contains(&declared), "Cargo.toml has no entry for the example {name}");
        }
    }
}

/// Faults that `check` must find are patches: each fits the sources, and names a scenario that is
/// there.
#[test]
fn planted_faults_fit_the_sources() {
    let faults = std::fs::read_dir(repository(".ci/planted")).unwrap().map(|entry| entry.unwrap().path());
    let faults: Vec<_> =
        faults.filter(|path| path.extension().is_some_and(|extension| extension == "patch")).collect();
    assert!(faults.len() >= 5, "{faults:?}");
    for fault in faults {
        let text = std::fs::read_to_string(&fault).unwrap();
        let value = |word: &str| text.lines().find_map(|line| line.strip_prefix(word)).unwrap_or_default();
        assert!(
            repository(value("scenario: ").trim()).is_file() && !value("breaks: ").is_empty(),
            "{fault:?}"
        );
        let sources = std::fs::read_to_string(repository(value("+++ b/"))).unwrap();
        let hunks = text.split("\n@@ ").skip(1);
        for hunk in hunks {
            let lines = hunk.lines().skip(1);
            let before: Vec<&str> = lines.filter_map(|line| line.strip_prefix([' ', '-'])).collect();
            let before = before.join("\n");
            assert!(sources.contains(&before), "{fault:?} no longer fits:\n{before}");
        }
    }
}

/// Small faults that a test must find are replacements of texts: each stands in its file once.
#[test]
fn mutants_fit_the_sources() {
    let list = std::fs::read_to_string(repository(".ci/mutants.txt")).unwrap();
    let lines: Vec<&str> = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert!(lines.len() >= 180 && lines.len().is_multiple_of(3), "{} lines", lines.len());
    for fault in lines.chunks(3) {
        let [file, old, new] = [fault[0], &fault[1][2..], &fault[2][2..]];
        assert!(fault[1].starts_with("- ") && fault[2].starts_with("+ ") && old != new, "{fault:?}");
        let found = std::fs::read_to_string(repository(file)).unwrap().matches(old).count();
        assert_eq!(found, 1, "{file}: {old}");
    }
}
