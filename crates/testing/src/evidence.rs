//! Files of others that tests read, and what a test does that lacks something.
//!
//! `tests/data/public` holds these files (its README says whose they are and how they were made);
//! what is too large for the repository is read from `../shared/data` where that folder is there. A
//! test that lacks another program prints SKIPPED and passes. A test that lacks a file does so too,
//! but fails where `CI=true`: there every file must be in the repository.

use std::io::Write as _;
use std::path::PathBuf;

use crate::program::repository;

/// A file or folder of others, plain or gzip, where it is there.
pub(crate) fn found(path: &str) -> Option<PathBuf> {
    let folders = ["tests/data/public", "../shared/data"].map(repository);
    let named = |folder: &PathBuf| [folder.join(path), folder.join(format!("{path}.gz"))];
    folders.iter().flat_map(named).find(|path| path.exists())
}

/// As [`found`]; a file that is not there is a reason to skip the test.
pub(crate) fn needed(path: &str) -> Option<PathBuf> {
    let found = found(path);
    if found.is_none() {
        let strict = std::env::var_os("CI").is_some_and(|value| value == "true");
        skip_for_want_of(path, strict);
    }
    found
}

/// The text of a file of others.
pub(crate) fn text(path: &std::path::Path) -> String {
    clustersim_language::text::read_file(path, clustersim_language::text::LONGEST_TEXT).unwrap()
}

/// Reports that a test lacks another program: past the test harness, which shows nothing of a test
/// that passes.
pub(crate) fn skip(why: &str) {
    let _ = writeln!(std::io::stderr().lock(), "SKIPPED: {why}");
}

fn skip_for_want_of(path: &str, strict: bool) {
    assert!(
        !strict,
        "CI=true, and this test needs {path}, which is neither in tests/data/public nor in ../shared/data. \
         Under CI=true a test is only skipped if it lacks another program: add the file, or run without CI=true"
    );
    skip(&format!("{path} is neither in tests/data/public nor in ../shared/data"));
}

#[test]
#[should_panic(expected = "CI=true, and this test needs swf/none.swf, which is neither in tests/data/public")]
fn a_test_that_lacks_a_file_fails_where_ci_is_true() {
    assert_eq!(found("swf/none.swf"), None);
    skip_for_want_of("swf/none.swf", true);
}

#[test]
fn every_file_of_others_is_named_in_the_readme() {
    let readme = std::fs::read_to_string(repository("tests/data/public/README.md")).unwrap();
    let mut folders = vec![repository("tests/data/public")];
    let mut bytes = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            bytes += std::fs::metadata(&path).unwrap().len();
            // of platforms and workloads of other programs, the folder is named
            let folder = path.parent().unwrap().strip_prefix(repository("tests/data/public")).unwrap();
            let named =
                [name.to_owned(), format!("{}/", folder.display()), format!("{}/{name}", folder.display())];
            let named = named.iter().any(|name| readme.contains(&format!("`{name}`")));
            assert!(
                named || name == "README.md",
                "tests/data/public/README.md does not name {}",
                path.display()
            );
        }
    }
    assert!(bytes < 8 << 20, "{bytes} bytes are more than the repository should carry");
}
