//! Any bytes as a small task graph, planned, executed and judged: the properties of
//! `tests/floor/fuzz_corpus/plans.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/drawn.rs"]
mod drawn;
#[path = "../../tests/floor/fuzz_corpus/moving.rs"]
mod moving;
#[path = "../../tests/floor/fuzz_corpus/plans.rs"]
#[allow(dead_code, reason = "the ordinary tests ask how it went")]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
