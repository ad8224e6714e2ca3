//! Any bytes as an application of the Parameter Sweep Template: the properties of
//! `tests/floor/fuzz_corpus/sweeps.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/sweeps.rs"]
#[allow(dead_code, reason = "one of the texts is tried here")]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::application(bytes));
