//! Paths as parts of URIs.

use std::fmt::Write as _;

/// Escapes a path for a URI (RFC 3986): all characters except unreserved ones and `/`. A colon is also escaped,
/// because it would end a scheme in the first segment of a relative reference.
pub fn uri_path(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for &byte in path.as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_uri_cannot_hold_is_escaped() {
        assert_eq!(uri_path("infra/~a-b_c.json"), "infra/~a-b_c.json");
        assert_eq!(uri_path("naïve dir/a:b,c#d%?.json"), "na%C3%AFve%20dir/a%3Ab%2Cc%23d%25%3F.json");
    }
}
