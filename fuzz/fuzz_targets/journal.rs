//! Any bytes as lines of a study's journal: the properties of `tests/floor/fuzz_corpus/journal.rs`
//! hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/journal.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
