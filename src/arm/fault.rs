//! What goes wrong inside evaluation.

use crate::diagnostic::Code;
use crate::text::Span;

/// A failure of an expression. Functions make it without a place; the evaluator stamps the place of the innermost
/// expression on it, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    code: Code,
    message: String,
    span: Option<Span>,
}

impl Fault {
    /// A failure of some kind. Messages are lower case without a final stop, with names in backticks.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            code,
            message: message.into(),
            span: None,
        }))
    }

    /// A call with the wrong number or kind of arguments.
    pub fn arguments(message: impl Into<String>) -> Self {
        Self::new(Code::ExpressionArguments, message)
    }

    /// A call that fails for the values it got.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Code::ExpressionFailed, message)
    }

    /// What kind of failure it is.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// What went wrong.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where it went wrong, once the evaluator has said so.
    pub fn span(&self) -> Option<Span> {
        self.0.span
    }

    /// Places it, unless something further in already did.
    #[must_use]
    pub fn at(mut self, span: Option<Span>) -> Self {
        self.0.span = self.0.span.or(span);
        self
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.message)
    }
}
