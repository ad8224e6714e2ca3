//! Any bytes as a few clients, servers and queues, run and judged: the properties of
//! `tests/floor/fuzz_corpus/broker_runs.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/drawn.rs"]
mod drawn;
#[path = "../../tests/floor/fuzz_corpus/broker_runs.rs"]
#[allow(dead_code, reason = "the ordinary tests ask how it went")]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
