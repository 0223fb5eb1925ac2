//! What goes wrong inside evaluation.

use crate::diagnostic::Code;
use crate::text::Span;

/// A failure of an expression. Functions make it without a place; the evaluator stamps the innermost expression on it
/// once, and whoever knows the text of that expression turns the place into a [`Span`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    code: Code,
    message: String,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Nowhere,
    /// Byte offsets in the text of the expression.
    InText(u32, u32),
    InFile(Span),
}

impl Fault {
    /// A failure of some kind. Messages are lower case without a final stop, with names in backticks.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { code, message: message.into(), place: Place::Nowhere }))
    }

    /// A call with the wrong number or kind of arguments.
    pub fn arguments(message: impl Into<String>) -> Self {
        Self::new(Code::ExpressionArguments, message)
    }

    /// A call that fails for the values it got.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Code::ExpressionFailed, message)
    }

    /// Something that would take more than a limit allows.
    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(Code::ExpressionLimit, message)
    }

    /// What kind of failure it is.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// What went wrong.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where it went wrong, once that is known.
    pub fn span(&self) -> Option<Span> {
        match self.0.place {
            Place::InFile(span) => Some(span),
            Place::Nowhere | Place::InText(..) => None,
        }
    }

    /// Places it in the text of its expression, unless something further in already did.
    #[must_use]
    pub fn in_text(mut self, start: u32, end: u32) -> Self {
        if self.0.place == Place::Nowhere {
            self.0.place = Place::InText(start, end);
        }
        self
    }

    /// Places it in a file. `span` answers for offsets in the text of the expression, or for the whole of it.
    #[must_use]
    pub fn in_file(mut self, span: impl FnOnce(Option<(u32, u32)>) -> Option<Span>) -> Self {
        let span = match self.0.place {
            Place::InFile(_) => return self,
            Place::InText(start, end) => span(Some((start, end))),
            Place::Nowhere => span(None),
        };
        if let Some(span) = span {
            self.0.place = Place::InFile(span);
        }
        self
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.message)
    }
}
