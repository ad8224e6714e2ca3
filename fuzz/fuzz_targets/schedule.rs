//! Any bytes as the tables of a schedule: the properties of `tests/floor/fuzz_corpus/schedule.rs`
//! hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/schedule.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
