//! Any lines as quantities and values: the properties of `tests/floor/fuzz_corpus/quantities.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/quantities.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
