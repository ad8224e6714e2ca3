//! Any lines as quantities and values: the properties of `tests/it/fuzz_corpus/quantities.rs` hold.
#![no_main]

#[path = "../../tests/it/fuzz_corpus/quantities.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
