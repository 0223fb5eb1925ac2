//! URIs of files, and their paths.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use formwork_model::path::normalize;

/// Returns the normalized path of a `file:` URI. `None` for any other URI, and for one that names another host.
pub(crate) fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let path = String::from_utf8(decoded(rest)?).ok()?;
    if !path.starts_with('/') || path.contains('\0') {
        return None;
    }
    let path = if cfg!(windows) { path.trim_start_matches('/') } else { &path };
    Some(normalize(Path::new("/"), Path::new(path)))
}

/// Returns the URI of a path.
pub(crate) fn of_path(path: &Path) -> String {
    let path = path.to_string_lossy();
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            b'\\' if cfg!(windows) => uri.push('/'),
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

/// Decodes `%` with two digits. Returns the bytes.
pub(crate) fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        decoded.push(hex_digit(bytes.next()?)? * 16 + hex_digit(bytes.next()?)?);
    }
    Some(decoded)
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_path() {
        for (uri, expected) in [
            ("file:///a/b%20c.bicep", Some("/a/b c.bicep")),
            ("file://localhost/a/../b.json", Some("/b.json")),
            ("file:///%C3%A9", Some("/é")),
            ("file:///c%3A/x", Some("/c:/x")),
            ("file://host/a", None),
            ("file:///%ff%00/..%2f..%2fetc/passwd.bicep", None),
            ("file:///%4", None),
            ("untitled:Untitled-1", None),
            ("vscode-vfs://github/x/y.bicep", None),
        ] {
            assert_eq!(path(uri), expected.map(PathBuf::from), "{uri}");
        }
    }

    #[test]
    fn the_uri_of_a_path_leads_back_to_it() {
        for name in ["/a/b c.bicep", "/é/%41/#?.json", "/c:/x"] {
            assert_eq!(path(&of_path(Path::new(name))), Some(PathBuf::from(name)));
        }
        assert_eq!(of_path(Path::new("/a/b c")), "file:///a/b%20c");
    }
}
