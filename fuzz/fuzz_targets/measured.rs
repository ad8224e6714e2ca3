//! Any bytes as tables of a measured platform: the properties of `tests/floor/fuzz_corpus/measured.rs`
//! hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/measured.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
