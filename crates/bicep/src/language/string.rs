//! Strings: the text between quotes and interpolations, and escape sequences.

use std::ops::Range;

use crate::language::token::Kind;

/// Form of a string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub is_multiline: bool,
    /// Number of `$` before the `{` of an interpolation. 0 if the string cannot have any.
    pub dollars: usize,
    /// The quote. Strings in double quotes are read, so that only their quotes are reported.
    pub quote: u8,
}

impl Form {
    /// Parses the opening quotes. Returns the form and the length of the quotes, or `None` if `bytes` does not start
    /// with a string.
    pub(super) fn parse(bytes: &[u8]) -> Option<(Self, usize)> {
        let dollars = bytes.iter().take_while(|byte| **byte == b'$').count();
        let quotes = bytes.get(dollars..).unwrap_or_default();
        if quotes.starts_with(b"'''") {
            // The line end after the quotes is not part of the string.
            let line_end = match quotes.get(3..).unwrap_or_default() {
                [b'\r', b'\n', ..] => 2,
                [b'\r' | b'\n', ..] => 1,
                _ => 0,
            };
            return Some((Self { is_multiline: true, dollars, quote: b'\'' }, dollars + 3 + line_end));
        }
        let quote = quotes.first().copied().filter(|quote| dollars == 0 && matches!(quote, b'\'' | b'"'))?;
        Some((Self { is_multiline: false, dollars: 1, quote }, 1))
    }

    /// Returns the range of the text in `raw`, a token of a string with this form.
    pub(super) fn content(self, kind: Kind, raw: &str) -> Range<usize> {
        let start = match kind {
            Kind::Whole | Kind::Left => Self::parse(raw.as_bytes()).map_or(0, |(_, len)| len),
            // Skips the `}` of the interpolation.
            _ => 1,
        };
        let close = match kind {
            Kind::Left | Kind::Middle => self.dollars + 1,
            _ if self.is_multiline => 3,
            _ => 1,
        };
        // An unclosed string has no quotes at its end.
        let is_closed = matches!(kind, Kind::Left | Kind::Middle) || raw.as_bytes().last() == Some(&self.quote);
        let end = if is_closed { raw.len().saturating_sub(close) } else { raw.len() };
        start.min(raw.len())..end.max(start).min(raw.len())
    }
}

/// Resolves the escape sequences of a single-line string. Invalid ones are left out, and `problem` is called with
/// their range and message.
pub(super) fn unescape(raw: &str, problem: &mut dyn FnMut(Range<usize>, &'static str)) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let start = raw.len() - after.len() - 1;
        let (char, len) = escaped(after);
        match char {
            Ok(char) => text.push(char),
            Err(message) => problem(start..start + 1 + len, message),
        }
        rest = after.get(len..).unwrap_or_default();
    }
    text.push_str(rest);
    text
}

/// Parses an escape sequence. Returns its character, and the length of the sequence after the `\`.
fn escaped(after: &str) -> (Result<char, &'static str>, usize) {
    match after.as_bytes() {
        [b'n', ..] => (Ok('\n'), 1),
        [b'r', ..] => (Ok('\r'), 1),
        [b't', ..] => (Ok('\t'), 1),
        [byte @ (b'\\' | b'\'' | b'$'), ..] => (Ok(char::from(*byte)), 1),
        [b'u', b'{', ..] => code_point(after),
        _ => {
            let expected =
                "the escape sequence is unknown; expected `\\n`, `\\r`, `\\t`, `\\\\`, `\\'`, `\\${` or `\\u{…}`";
            (Err(expected), 0)
        }
    }
}

/// Parses the code point of `u{…}`. Two sequences can be the surrogates of one character.
fn code_point(after: &str) -> (Result<char, &'static str>, usize) {
    let (code, mut len) = hex(after);
    let mut code = code.unwrap_or(u32::MAX);
    if (0xD800..0xDC00).contains(&code)
        && let Some(second) = after.get(len..).and_then(|rest| rest.strip_prefix('\\'))
        && let (Some(low @ 0xDC00..0xE000), second_len) = hex(second)
    {
        code = 0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        len += 1 + second_len;
    }
    (char::from_u32(code).ok_or("the escape sequence is not a Unicode character"), len)
}

/// Parses the number in `u{…}`. Returns it with the length of the sequence. `None` if it is not closed or too large.
fn hex(text: &str) -> (Option<u32>, usize) {
    let Some(rest) = text.strip_prefix("u{") else { return (None, 0) };
    let len = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
    let digits = rest.get(..len).unwrap_or_default();
    let is_closed = rest.as_bytes().get(len) == Some(&b'}');
    let value = u32::from_str_radix(digits, 16).ok().filter(|_| is_closed);
    (value, 2 + len + usize::from(is_closed))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The problems are the texts of their ranges.
    #[track_caller]
    fn check(raw: &str, expected: &str, problems: &[&str]) {
        let mut found = Vec::new();
        assert_eq!(unescape(raw, &mut |range, _| found.push(raw.get(range).unwrap())), expected, "{raw}");
        assert_eq!(found, problems, "{raw}");
    }

    #[test]
    fn escapes_are_resolved() {
        check(r"it\'s \u{1F431} $ \${x} \\", "it's 🐱 $ ${x} \\", &[]);
        check(r"\u{D801}\u{DC37}\n\r\t", "\u{10437}\n\r\t", &[]);
    }

    #[test]
    fn invalid_escapes_are_reported() {
        check(r"a\xb", "axb", &["\\"]);
        check(r"\u{110000}c", "c", &[r"\u{110000}"]);
        check(r"\u{D800}d", "d", &[r"\u{D800}"]);
        check(r"\u{41", "", &[r"\u{41"]);
        check("e\\", "e", &["\\"]);
    }
}
