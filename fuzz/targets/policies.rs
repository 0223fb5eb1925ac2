#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| formwork_check::invariants::policies(data));
