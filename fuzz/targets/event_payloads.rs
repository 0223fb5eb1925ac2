#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| formwork_github::totality::event(data));
