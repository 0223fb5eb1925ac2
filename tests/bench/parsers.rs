//! The parsers that formwork is compared with.

use std::hint::black_box;
use std::path::Path;

use saphyr_parser::Parser;

/// Parses a file by its extension. `false` if the parser does not accept it: templates may have comments.
pub(crate) fn parse(path: &Path, text: &[u8]) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => json(text),
        Some("yaml" | "yml") => std::str::from_utf8(text).is_ok_and(yaml),
        _ => {
            black_box(text);
            true
        }
    }
}

pub(crate) fn json(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let value = serde_json::from_slice::<serde_json::Value>(text);
    black_box(value).is_ok()
}

pub(crate) fn yaml(text: &str) -> bool {
    Parser::new_from_str(text).all(|event| black_box(event).is_ok())
}
