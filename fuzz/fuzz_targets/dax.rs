//! Any bytes as an abstract DAG of Pegasus: the properties of `tests/floor/fuzz_corpus/graphs.rs`
//! hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/graphs.rs"]
#[allow(dead_code, reason = "one of the formats is tried here")]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::dax(bytes));
