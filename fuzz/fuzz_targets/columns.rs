//! Any bytes as a mapping of the columns of a table: the properties of
//! `tests/floor/fuzz_corpus/columns.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/columns.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
