//! Any bytes as a trace of tasks, plain or gzip: the properties of `tests/floor/fuzz_corpus/trace.rs`
//! hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/trace.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
