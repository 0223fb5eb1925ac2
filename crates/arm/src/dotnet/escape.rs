//! Percent-encoding and decoding, like `System.Uri`.
//!
//! Reference: <https://learn.microsoft.com/dotnet/api/system.uri.escapedatastring>.

use std::fmt::Write as _;

/// Escapes everything but letters, digits and `-_.~`, like `Uri.EscapeDataString`.
pub(crate) fn escape_data(text: &str) -> String {
    escape(text, |byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte))
}

/// Escapes only characters that are not allowed anywhere in a URI.
pub(crate) fn escape_illegal(text: &str) -> String {
    escape(text, |byte| byte.is_ascii_alphanumeric() || b"-_.~%:/?#[]@!$&'()*+,;=".contains(&byte))
}

fn escape(text: &str, keep: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if keep(byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Unescapes `text` like `Uri.UnescapeDataString`: invalid escapes, and those that do not encode UTF-8, stay unchanged.
pub(crate) fn unescape_data(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let (plain, tail) = rest.split_at(at);
        out.push_str(plain);
        let run = escaped_run(tail.as_bytes());
        if run.is_empty() {
            out.push('%');
            rest = tail.split_at(1).1;
            continue;
        }
        // Each byte of the run was written as three characters, `%XX`.
        let (mut escaped, after) = tail.split_at(run.len() * 3);
        for chunk in run.utf8_chunks() {
            out.push_str(chunk.valid());
            let (_, undecoded) = escaped.split_at(chunk.valid().len() * 3);
            let (invalid, following) = undecoded.split_at(chunk.invalid().len() * 3);
            out.push_str(invalid);
            escaped = following;
        }
        rest = after;
    }
    out + rest
}

/// Returns the bytes that consecutive escapes `%XX` at the start of `text` encode.
fn escaped_run(text: &[u8]) -> Vec<u8> {
    let hex = |byte: u8| char::from(byte).to_digit(16);
    text.chunks_exact(3)
        .map_while(|triple| {
            let [b'%', high, low] = *triple else {
                return None;
            };
            u8::try_from(hex(high)? << 4 | hex(low)?).ok()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unreserved_characters_stay() {
        assert_eq!(escape_data("a-Z_0.~ /%ü'"), "a-Z_0.~%20%2F%25%C3%BC%27");
        assert_eq!(escape_illegal("/a b%20{x}?"), "/a%20b%20%7Bx%7D?");
    }

    #[test]
    fn escapes_of_utf8_become_text() {
        assert_eq!(unescape_data("%C3%bc%41+b"), "üA+b");
        assert_eq!(unescape_data("%F0%9F%98%80"), "😀");
    }

    #[test]
    fn everything_else_stays() {
        for text in ["%", "%4", "%zz", "a%", "%C3", "%C3%28x".replace("%28", "(").as_str(), "ü%"] {
            assert_eq!(unescape_data(text), text);
        }
        assert_eq!(unescape_data("%C3%28%FF%41"), "%C3(%FFA");
    }
}
