//! JSON as Azure's tools accept it.

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::text::FileId;
use crate::value::Value;

/// What reading a text gave. A value may come with diagnostics.
#[derive(Debug)]
pub struct Parsed {
    /// The value, unless the text is no JSON.
    pub value: Option<Value>,
    /// Syntax errors and duplicate keys.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the text of `file`.
pub fn parse(_file: FileId, _text: &Arc<str>, _max_depth: u32) -> Parsed {
    Parsed { value: None, diagnostics: Vec::new() }
}
