//! Any bytes as a trace of failures of nodes: the properties of `tests/floor/fuzz_corpus/outages.rs`
//! hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/outages.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
