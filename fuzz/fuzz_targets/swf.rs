//! Any bytes as a log, plain or gzip: the properties of `tests/floor/fuzz_corpus/swf.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/swf.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
