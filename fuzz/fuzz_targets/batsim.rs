//! Any bytes as a workload of Batsim, plain or gzip: the properties of
//! `tests/floor/fuzz_corpus/batsim.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/batsim.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
