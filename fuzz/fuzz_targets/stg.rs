//! Any bytes as a graph of the Standard Task Graph Set: the properties of
//! `tests/floor/fuzz_corpus/graphs.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/graphs.rs"]
#[allow(dead_code, reason = "one of the formats is tried here")]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::stg(bytes));
