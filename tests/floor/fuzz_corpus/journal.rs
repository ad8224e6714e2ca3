//! What holds for any bytes read as lines of a study's journal.

use clustersim_experiment::output::hash;
use clustersim_experiment::study::Row;

/// Reading is total; a row is written as a line that is read back to the same row.
///
/// The bytes are also read as the object of a line, with its sum before it: no fuzzer guesses that.
pub(crate) fn check(bytes: &[u8]) {
    for line in bytes.split(|&byte| byte == b'\n') {
        read_back(line);
        let sum = hash::of_bytes(line);
        read_back(&[&sum.as_bytes()[..16], b" ", line].concat());
    }
}

fn read_back(line: &[u8]) {
    let Some(row) = Row::of_line(line) else { return };
    let written = row.line();
    let whole = written.strip_suffix('\n').expect("a line has an end");
    assert!(!whole.contains('\n'), "a row is one line");
    assert_eq!(Row::of_line(whole.as_bytes()), Some(row), "{whole}");
}
