#![no_main]

// A text of a template is damaged as text; everything else decides how a template is made.
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if data.starts_with(b"{") {
        formwork_check::invariants::template(data);
    } else if let Some(text) = formwork_fuzz::template::text(data) {
        formwork_check::invariants::template(text.as_bytes());
    }
});
