#![no_main]

// A text of a template is damaged as text; everything else decides how a template is made.
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if data.windows(9).any(|part| part == b"Resources") {
        formwork_check::invariants::stack(data);
    } else if let Some(text) = formwork_fuzz::stack::text(data) {
        formwork_check::invariants::stack(text.as_bytes());
    }
});
