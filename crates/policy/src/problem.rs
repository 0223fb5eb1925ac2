//! Problems of policy documents.

use crate::text::Span;

/// An error for which Azure would reject a document, or that makes it unusable here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Span of the error. `None` for a document that was not read from a text.
    pub span: Option<Span>,
    /// Message in lower case, with names in backticks and without a final period: what is wrong, and what to do.
    pub message: String,
    /// Consequence for the document.
    pub consequence: Consequence,
}

/// Consequence of a problem with a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consequence {
    /// The document cannot be used, and Azure would refuse it. Nothing can be judged without it.
    Refused,
    /// A part of the document is known only at deployment, so that it decides nothing.
    Unknown,
    /// The document is left out, and nothing passes because of that.
    LeftOut,
}

impl Problem {
    /// Returns a problem with the text at `span` because of which the document cannot be used.
    pub fn new(span: Option<Span>, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), consequence: Consequence::Refused }
    }

    /// Sets the consequence.
    #[must_use]
    pub fn with(self, consequence: Consequence) -> Self {
        Self { consequence, ..self }
    }
}
