//! Any bytes as answers of a foreign program and as a transcript: the properties of
//! `tests/floor/fuzz_corpus/foreign_answer.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/foreign_answer.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
