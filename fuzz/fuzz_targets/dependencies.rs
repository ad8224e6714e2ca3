//! Any bytes as a table of dependencies: the properties of `tests/floor/fuzz_corpus/dependencies.rs`
//! hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/dependencies.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
