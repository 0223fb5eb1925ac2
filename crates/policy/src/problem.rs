//! What is wrong with a document.

use crate::text::Span;

/// What Azure would refuse in a document, or what makes it unusable here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is written. `None` for a document that was not read from a text.
    pub span: Option<Span>,
    /// What is wrong, and what to do: lower case, names in backticks, no final stop.
    pub message: String,
}

impl Problem {
    /// A problem with the text at `span`.
    pub fn new(span: Option<Span>, message: impl Into<String>) -> Self {
        Self { span, message: message.into() }
    }
}
