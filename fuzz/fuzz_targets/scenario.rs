//! Any text as a scenario, with overrides: the properties of `tests/floor/fuzz_corpus/scenario.rs`
//! hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/scenario.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
