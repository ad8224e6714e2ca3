//! Any bytes as the text of a task graph or grid of DAGSim: the properties of
//! `tests/floor/fuzz_corpus/graphs.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/graphs.rs"]
#[allow(dead_code, reason = "one of the formats is tried here")]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::dag_text(bytes));
