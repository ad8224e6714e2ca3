//! Any bytes as a `slurm.conf`: the properties of `tests/floor/fuzz_corpus/slurm_conf.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/slurm_conf.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
