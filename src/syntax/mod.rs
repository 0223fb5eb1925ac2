//! From text to values with places.

mod duplicates;
pub mod json;
pub(crate) mod yaml;

use crate::diagnostic::Diagnostic;
use crate::value::Value;

/// What reading a text gave. A value may come with diagnostics.
#[derive(Debug)]
pub struct Parsed {
    /// The value, unless the text does not follow the grammar.
    pub value: Option<Value>,
    /// The syntax error or, in a text without one, the keys that recur.
    pub diagnostics: Vec<Diagnostic>,
}

/// How much of a wrong word a message repeats, in characters.
const SHOWN: usize = 40;

/// The beginning of a token, for a message.
fn shorten(token: &str) -> String {
    match token.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &token[..end]),
        None => token.to_owned(),
    }
}

/// An offset as spans store it. The readers refuse texts in which it would not fit.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
