//! Searches texts for what may put a backtick into a message.

/// Functions that write any character.
const WRITERS: [&str; 5] = ["base64ToJson", "base64ToString", "dataUriToString", "json", "uriComponentToString"];

/// Returns `true` if a text may put a backtick into a message: it has one, or an escape sequence or a function with
/// which one can be written.
pub(crate) fn may_write_backtick(text: &str) -> bool {
    let bytes = text.as_bytes();
    // `\u0060`, `\x60`, `\u{60}`, and `%60`.
    let is_escape = |at: usize| {
        let before = bytes.get(..at).unwrap_or_default();
        before.ends_with(b"00") || before.ends_with(b"x") || before.ends_with(b"{") || before.ends_with(b"%")
    };
    let is_writer = |at: usize| {
        let before = bytes.get(..at).unwrap_or_default();
        let ends = |name: &&str| before.len().checked_sub(name.len()).and_then(|start| before.get(start..));
        WRITERS.iter().any(|name| ends(name).is_some_and(|end| end.eq_ignore_ascii_case(name.as_bytes())))
    };
    memchr::memchr(b'`', bytes).is_some()
        || memchr::memmem::find_iter(bytes, b"60").any(is_escape)
        || memchr::memchr_iter(b'(', bytes).any(is_writer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_write_a_backtick_is_found() {
        for text in [
            "a`b",
            r#"{"a": "\u0060"}"#,
            "'\\u{60}'",
            "\"\\x60\"",
            "base64ToString(x)",
            "decode('%60')",
            "[JSON(x)]",
            "u{060}0060",
        ] {
            assert!(may_write_backtick(text), "{text}");
        }
        for text in ["param a string = 'b'", "loadJsonContent('60.json')", "base64('x')", "(60)", "60"] {
            assert!(!may_write_backtick(text), "{text}");
        }
    }
}
