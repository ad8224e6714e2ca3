//! Tables from their bytes to jobs, and the messages about wrong ones.

mod changed;
#[cfg(feature = "parquet")]
mod columnar;
mod described;
mod forms;
mod mistakes;
mod sources;

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::registry::Problem;
use crate::text::Mistakes;
use crate::workload::swf::{Log, Options};

/// The bytes of a sample.
fn sample(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/tables").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn mapping(text: &str) -> Mapping {
    mapping_of(text).unwrap_or_else(|complaints| panic!("{text}: {complaints:?}"))
}

/// The log in a table, of jobs that ask for all that they had.
fn log_of(file: &str, bytes: &[u8], columns: &str) -> Result<Log, Mistakes<Problem>> {
    read(Input::Bytes(bytes), file, &mapping(columns), true, &Options::default())
}

fn log(text: &str, columns: &str) -> Log {
    log_of("t.csv", text.as_bytes(), columns).unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
}
