//! Segments of JSON pointers in URI fragments, as `$ref` has them.
//!
//! Reference: RFC 6901, section 6.

use crate::dotnet::escape::escape_data;

/// Escapes a segment with tilde and percent escapes.
pub fn escaped(segment: &str) -> String {
    escape_data(&segment.replace('~', "~0").replace('/', "~1"))
}

/// Decodes the percent and tilde escapes of a segment of a pointer.
pub fn unescaped(segment: &str) -> String {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let [first, tail @ ..] = rest {
        let escape = tail.split_at_checked(2).filter(|_| *first == b'%').and_then(|(digits, after)| {
            let digits = std::str::from_utf8(digits).ok()?;
            Some((u8::from_str_radix(digits, 16).ok()?, after))
        });
        let (byte, after) = escape.unwrap_or((*first, tail));
        bytes.push(byte);
        rest = after;
    }
    String::from_utf8_lossy(&bytes).replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_pointers_are_decoded() {
        for (segment, name) in
            [("a", "a"), ("a~1b~0c", "a/b~c"), ("~01", "~1"), ("a%20b", "a b"), ("%2", "%2"), ("%zz", "%zz")]
        {
            assert_eq!(unescaped(segment), name);
        }
    }

    #[test]
    fn what_is_escaped_decodes_to_itself() {
        for (name, segment) in [("a/b~c", "a~1b~0c"), ("c%d \"ü", "c%25d%20%22%C3%BC"), ("", "")] {
            assert_eq!(escaped(name), segment);
            assert_eq!(unescaped(segment), name);
        }
    }
}
