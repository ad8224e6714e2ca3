//! Any bytes as a table of jobs, CSV, TSV or JSON, plain, gzip or zstd, or Parquet: the properties
//! of `tests/floor/fuzz_corpus/table.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/table.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
