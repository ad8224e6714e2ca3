//! Any bytes as a measured series in both formats: the properties of
//! `tests/floor/fuzz_corpus/series.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/series.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
