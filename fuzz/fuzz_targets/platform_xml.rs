//! Any bytes as a platform file and as a deployment file: the properties of
//! `tests/floor/fuzz_corpus/platform_xml.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/platform_xml.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));
