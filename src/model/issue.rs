//! What Resource Manager would refuse about a deployment, or what its author should not do.

use crate::diagnostic::{Check, Label, Outcome};
use crate::text::Span;
use crate::value::{Value, ValueExcerpt};

/// What a built-in check says of a deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The check.
    pub check: Check,
    /// [`Outcome::Failed`], or [`Outcome::Unknown`] where it hangs on what only a deployment can know.
    pub outcome: Outcome,
    /// Path of the value in the template, for example `parameters.sku`.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// The text to change.
    pub span: Span,
    /// What explains it, nearest first.
    pub related: Vec<Label>,
    /// The offending value.
    pub actual: Option<ValueExcerpt>,
}

impl Issue {
    /// Something that is wrong at `span`.
    pub fn new(check: Check, path: impl Into<String>, span: Span, message: impl Into<String>) -> Self {
        Self {
            check,
            outcome: Outcome::Failed,
            path: path.into(),
            message: message.into(),
            span,
            related: Vec::new(),
            actual: None,
        }
    }

    /// Adds a place that explains it.
    #[must_use]
    pub fn with_label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Label { span, message: message.into() });
        self
    }

    /// Shows the offending value.
    #[must_use]
    pub fn with_value(mut self, value: &Value) -> Self {
        self.actual = Some(ValueExcerpt::of(value));
        self
    }

    /// Makes it one that only a deployment can decide.
    #[must_use]
    pub fn unknown(mut self) -> Self {
        self.outcome = Outcome::Unknown;
        self
    }
}
