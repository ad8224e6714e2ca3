//! Any bytes as a trace of a host or link: the properties of
//! `tests/floor/fuzz_corpus/platform_trace.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/platform_trace.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
