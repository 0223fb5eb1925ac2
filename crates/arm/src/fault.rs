//! Failures of evaluation, and their locations.

use crate::diagnostic::Code;
use crate::text::{Span, cut_long};
use crate::value::{Data, SECRET, Traits, Value};

/// The longest message, in bytes. A message quotes names, and one fault may be the reason of the next.
const MAX_MESSAGE: usize = 1_000;

/// A failure of an expression. Functions create it without a location. The evaluator adds the offsets of the innermost
/// expression that failed, and the code that knows where that expression is written turns them into a [`Span`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    code: Code,
    message: String,
    location: Location,
    /// True if the text of the expression alone causes the fault, for any values.
    is_textual: bool,
    /// Span of the empty value that caused the fault, and that is still to be filled in.
    blank: Option<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Location {
    Unknown,
    /// Byte offsets in the string of the expression.
    InText(u32, u32),
    InFile(Span),
}

impl Fault {
    /// Creates a fault with a code of its own. Messages start in lower case, end without a period and have names in
    /// backticks.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        // A limit is no fault of the text, but whoever reaches it must learn that not everything was evaluated.
        let is_textual = matches!(
            code,
            Code::ExpressionSyntax
                | Code::ExpressionUnknownFunction
                | Code::ExpressionUndefined
                | Code::ExpressionRecursion
                | Code::ExpressionLimit
        );
        let message = cut_long(message.into(), MAX_MESSAGE);
        Self(Box::new(Inner { code, message, location: Location::Unknown, is_textual, blank: None }))
    }

    /// Creates the fault of a call with the wrong number of arguments.
    pub fn arity(message: impl Into<String>) -> Self {
        let mut fault = Self::arguments(message);
        fault.0.is_textual = true;
        fault
    }

    /// Creates the fault of a call with arguments of the wrong kind.
    pub fn arguments(message: impl Into<String>) -> Self {
        Self::new(Code::ExpressionArguments, message)
    }

    /// Creates the fault of a call that fails because of the values of its arguments.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Code::ExpressionFailed, message)
    }

    /// Creates the fault of an evaluation that would exceed a limit.
    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(Code::ExpressionLimit, message)
    }

    /// Returns the code of the diagnostic that this fault becomes.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Returns `true` if this is a fault even where a condition may prevent the evaluation: a name that does not exist,
    /// for example, but not a property that only the condition ensures.
    pub fn is_textual(&self) -> bool {
        self.0.is_textual
    }

    /// Returns the span of the empty value that caused the fault, and that is still to be filled in.
    pub fn blank(&self) -> Option<Span> {
        self.0.blank
    }

    /// Marks the fault as a consequence of the blank value at `blank`, unless it has one already.
    #[must_use]
    pub fn because_of(mut self, blank: Option<Span>) -> Self {
        self.0.blank = self.0.blank.or(blank);
        self
    }

    /// Returns the message of the diagnostic that this fault becomes.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Masks the secrets among the arguments of the call in the message.
    #[must_use]
    pub fn without_secrets(mut self, arguments: &[Value]) -> Self {
        let mut texts = Vec::new();
        for argument in arguments {
            add_secret_texts(argument, &mut texts);
        }
        // One secret may contain another.
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        for text in texts {
            self.0.message = self.0.message.replace(text, SECRET);
        }
        self
    }

    /// Returns the span of the failed expression, once it is known.
    pub fn span(&self) -> Option<Span> {
        match self.0.location {
            Location::InFile(span) => Some(span),
            Location::Unknown | Location::InText(..) => None,
        }
    }

    /// Sets the offsets of the failed expression, unless an inner expression has set its own.
    #[must_use]
    pub fn in_text(mut self, start: u32, end: u32) -> Self {
        if self.0.location == Location::Unknown {
            self.0.location = Location::InText(start, end);
        }
        self
    }

    /// Sets the span of the failed expression, unless it is known. `span` converts offsets in the string of the
    /// expression; for `None` it returns the span of the whole string.
    #[must_use]
    pub fn in_file(mut self, span: impl FnOnce(Option<(u32, u32)>) -> Option<Span>) -> Self {
        let span = match self.0.location {
            Location::InFile(_) => return self,
            Location::InText(start, end) => span(Some((start, end))),
            Location::Unknown => span(None),
        };
        if let Some(span) = span {
            self.0.location = Location::InFile(span);
        }
        self
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.message)
    }
}

/// Adds the secret strings in a value that are not empty to `texts`.
fn add_secret_texts<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    if !value.traits.has(Traits::SECRET) {
        return;
    }
    match &value.data {
        Data::Array(items) => items.iter().for_each(|item| add_secret_texts(item, texts)),
        Data::Object(object) => object.iter().for_each(|member| add_secret_texts(&member.value, texts)),
        _ => texts.extend(value.as_str().filter(|text| !text.is_empty())),
    }
}
