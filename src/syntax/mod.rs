//! From text to values with places.

pub mod json;

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
