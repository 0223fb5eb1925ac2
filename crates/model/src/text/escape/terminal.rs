//! Control characters, which a terminal interprets instead of showing.

use std::borrow::Cow;

/// Escapes each character of `text` that a terminal interprets, for example ESC as `\u{1b}`. The result is one line.
pub(super) fn written_out(text: &str) -> Cow<'_, str> {
    if is_plain(text) || !text.contains(is_written_out) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        push_written_out(&mut shown, c);
    }
    Cow::Owned(shown)
}

/// Appends one character, escaped like [`written_out`].
pub fn push_written_out(shown: &mut String, c: char) {
    match c {
        '\n' => shown.push_str("\\n"),
        '\r' => shown.push_str("\\r"),
        '\t' => shown.push_str("\\t"),
        _ if is_written_out(c) => shown.extend(c.escape_unicode()),
        _ => shown.push(c),
    }
}

/// Returns whether a text is printable ASCII. Most texts are, and the test is fast.
fn is_plain(text: &str) -> bool {
    text.bytes().fold(true, |all, byte| all & matches!(byte, b' '..=b'~'))
}

/// Returns whether a character is escaped: control characters, and characters that reorder or break a line, which are
/// bidirectional controls (CVE-2021-42574) and line and paragraph separators. A byte order mark is also escaped,
/// because it is invisible, and invalid inside a text.
pub(super) fn is_written_out(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{061C}'
                | '\u{200E}'
                | '\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2066}'..='\u{2069}'
                | '\u{FEFF}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(written_out(text), expected);
    }

    #[test]
    fn ordinary_text_of_any_script_stays() {
        check("größe 漢字 👩‍💻 `x`", "größe 漢字 👩‍💻 `x`");
    }

    #[test]
    fn what_a_terminal_obeys_is_written_out() {
        check("a\x1b[31mb", "a\\u{1b}[31mb");
        check("a\r\nb\tc\x07", "a\\r\\nb\\tc\\u{7}");
        check("\u{9b}31m\u{7f}", "\\u{9b}31m\\u{7f}");
    }

    #[test]
    fn what_reorders_a_line_is_written_out() {
        check("\u{202e}nosj\u{202c}", "\\u{202e}nosj\\u{202c}");
        check("\u{2066}x\u{2069}\u{2028}", "\\u{2066}x\\u{2069}\\u{2028}");
    }

    #[test]
    fn what_is_wrong_and_invisible_is_written_out() {
        check("\u{feff}{}", "\\u{feff}{}");
    }
}
