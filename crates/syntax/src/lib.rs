//! Readers that turn text into values with spans.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod duplicates;
pub mod json;
pub mod toml;
pub mod yaml;

use formwork_model::{diagnostic, text, value};

use crate::diagnostic::Diagnostic;
use crate::value::Value;

/// Result of reading a text. A value may come with diagnostics.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The value; `None` if the text is invalid.
    pub value: Option<Value>,
    /// The syntax error, or the duplicate keys of a valid text.
    pub diagnostics: Vec<Diagnostic>,
}

/// True if a string in a template of Resource Manager may be an expression.
fn is_dynamic_text(text: &str) -> bool {
    text.starts_with('[')
}

/// True if a key makes its object dynamic: it is an expression, or declares a loop.
fn is_dynamic_key(key: &str) -> bool {
    is_dynamic_text(key) || key.eq_ignore_ascii_case("copy")
}

/// Characters of a wrong word that a message repeats.
const SHOWN: usize = 40;

/// Returns the first [`SHOWN`] characters of a token, for a message.
fn shorten(token: &str) -> String {
    let end = token.char_indices().nth(SHOWN).map(|(end, _)| end);
    match end.and_then(|end| token.split_at_checked(end)) {
        Some((shown, _)) => format!("{shown}..."),
        None => token.to_owned(),
    }
}

/// Converts an offset to the type that spans store. The readers reject longer texts.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
