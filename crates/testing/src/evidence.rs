//! Files of others that tests read, and what a test does that lacks something.
//!
//! `tests/data/public` holds these files (its README says whose they are and how they were made);
//! what is too large for the repository is read from `../shared/data` where that folder is there. A
//! test that lacks another program prints SKIPPED and passes. A test that lacks a file does so too,
//! but fails where `CI=true`: there every file must be in the repository.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::program::repository;

/// A file or folder of others, plain or gzip, where it is there.
pub fn found(path: &str) -> Option<PathBuf> {
    let folders = ["tests/data/public", "../shared/data"].map(repository);
    let named = |folder: &PathBuf| [folder.join(path), folder.join(format!("{path}.gz"))];
    folders.iter().flat_map(named).find(|path| path.exists())
}

/// As [`found`]; a file that is not there is a reason to skip the test.
pub fn needed(path: &str) -> Option<PathBuf> {
    let found = found(path);
    if found.is_none() {
        let strict = std::env::var_os("CI").is_some_and(|value| value == "true");
        skip_for_want_of(path, strict);
    }
    found
}

/// The text of a file of others.
pub fn text(path: &Path) -> String {
    let mut text = String::new();
    let mut file = File::open(path).unwrap();
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    let read = if is_packed {
        MultiGzDecoder::new(file).read_to_string(&mut text)
    } else {
        file.read_to_string(&mut text)
    };
    read.unwrap();
    text
}

/// Reports that a test lacks another program: past the test harness, which shows nothing of a test
/// that passes.
pub fn skip(why: &str) {
    let _ = writeln!(io::stderr().lock(), "SKIPPED: {why}");
}

/// Reports that a test lacks a file of others.
///
/// # Panics
/// If that is `strict`ly forbidden, as under `CI=true`.
pub fn skip_for_want_of(path: &str, strict: bool) {
    assert!(
        !strict,
        "CI=true, and this test needs {path}, which is neither in tests/data/public nor in ../shared/data. \
         Under CI=true a test is only skipped if it lacks another program: add the file, or run without CI=true"
    );
    skip(&format!("{path} is neither in tests/data/public nor in ../shared/data"));
}
