//! Any bytes as an accounting dump of Slurm, plain or gzip: the properties of
//! `tests/floor/fuzz_corpus/sacct.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/sacct.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
