#![no_main]

// JSON begins with a bracket, and Bicep does not.
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if data.trim_ascii_start().starts_with(b"{") || data.trim_ascii_start().starts_with(b"[") {
        formwork_check::invariants::parameters(data);
    } else {
        formwork_check::invariants::bicep_parameters(data);
    }
});
