//! What is wrong with a document.

use crate::text::Span;

/// What Azure would refuse in a document, or what makes it unusable here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is written. `None` for a document that was not read from a text.
    pub span: Option<Span>,
    /// What is wrong, and what to do: lower case, names in backticks, no final stop.
    pub message: String,
    /// What follows from it.
    pub consequence: Consequence,
}

/// What follows from a problem with a document.
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
    /// A problem with the text at `span` because of which the document cannot be used.
    pub fn new(span: Option<Span>, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), consequence: Consequence::Refused }
    }

    /// The same problem with another consequence.
    #[must_use]
    pub fn with(self, consequence: Consequence) -> Self {
        Self { consequence, ..self }
    }
}
