//! Scenarios that are mutated by the kind of their values, and run: the properties of
//! `tests/floor/fuzz_corpus/run.rs` hold.
#![no_main]

#[path = "../../tests/floor/fuzz_corpus/run.rs"]
mod properties;
#[path = "../typed.rs"]
mod typed;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check(bytes));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let typed = std::str::from_utf8(&data[..size]).ok().and_then(|text| typed::mutated(text, seed));
    match typed {
        // one in sixteen is mutated as any text is
        Some(text) if text.len() <= max_size && seed % 16 != 0 => {
            data[..text.len()].copy_from_slice(text.as_bytes());
            text.len()
        }
        _ => libfuzzer_sys::fuzzer_mutate(data, size, max_size),
    }
});
