//! Finds the comments of a JSON text.

use std::ops::Range;

/// Returns the comments of a valid text, `//` to the end of the line and `/* */`, in order. Strings may contain text
/// that looks like a comment.
///
/// # Examples
///
/// ```
/// use formwork_syntax::json::comments;
///
/// assert_eq!(comments("{} // a"), [3..7]);
/// assert!(comments(r#"["// a"]"#).is_empty());
/// ```
pub fn comments(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();

    let mut comments = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let rest = bytes.get(at..).unwrap_or_default();
        match (byte, bytes.get(at + 1)) {
            (quote @ (b'"' | b'\''), _) => at = end_of_string(bytes, at + 1, quote),
            (b'/', Some(b'/')) => at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(bytes.len() - at),
            (b'/', Some(b'*')) => {
                at = memchr::memmem::find(rest.get(2..).unwrap_or_default(), b"*/")
                    .map_or(bytes.len(), |len| at + 2 + len + 2);
            }
            _ => at += 1,
        }
        if byte == b'/' && at > start + 1 {
            comments.push(start..at);
        }
    }
    comments
}

/// Returns the offset after the quote that closes a string.
fn end_of_string(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while let Some(&byte) = bytes.get(at) {
        at += if byte == b'\\' { 2 } else { 1 };
        if byte == quote {
            break;
        }
    }
    at.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = comments(text).into_iter().map(|range| text.get(range).unwrap()).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn comments_are_found_and_strings_are_not() {
        check("{} // a\r\n/* b\n c */ 1 // d", &["// a", "/* b\n c */", "// d"]);
        check(r#"{"a": "// no", 'b': '/* no */', "c\"// no": 1 /**/}"#, &["/**/"]);
        check(r#"["\\" // yes"#, &["// yes"]);
        check(r#"{"a": "unclosed // no"#, &[]);
        check("[1 / 2] /* unclosed", &["/* unclosed"]);
        check("// é\n", &["// é"]);
    }
}
