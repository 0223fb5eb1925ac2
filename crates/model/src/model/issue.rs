//! Findings of the built-in checks: what Resource Manager would reject, or what an author should not do.

use crate::diagnostic::{Check, Label, Outcome, Severity};
use crate::model::{ResourceId, ValueFix};
use crate::text::Span;
use crate::value::{Value, ValueExcerpt};

/// A finding of a built-in check on a deployment.
#[derive(Clone, Debug)]
pub struct Issue {
    /// The check that found it.
    pub check: Check,
    /// [`Outcome::Failed`], or [`Outcome::Unknown`] if it depends on what only a deployment can know.
    pub outcome: Outcome,
    /// Path of the value in the template, for example `parameters.sku`.
    pub path: String,
    /// The problem in one sentence.
    pub message: String,
    /// The part of the text to change.
    pub span: Span,
    /// Other parts of the text that explain it, nearest first.
    pub related: Vec<Label>,
    /// Path and span of each further consequence of the same cause.
    pub further: Vec<(String, Span)>,
    /// The offending value. `None` if it is missing, or if a report must not show it.
    pub actual: Option<ValueExcerpt>,
    /// The resource that it is about. `None` if it is about the template.
    pub resource: Option<ResourceId>,
    /// The severity, if it is not that of the check.
    pub severity: Option<Severity>,
    /// Changes that together would make it pass.
    pub value_fixes: Vec<ValueFix>,
    /// Whether only those who ask for everything want to hear of it.
    pub is_pedantic: bool,
}

impl Issue {
    /// A failed check at `span`.
    pub fn new(check: Check, path: impl Into<String>, span: Span, message: impl Into<String>) -> Self {
        Self {
            check,
            outcome: Outcome::Failed,
            path: path.into(),
            message: message.into(),
            span,
            related: Vec::new(),
            further: Vec::new(),
            actual: None,
            resource: None,
            severity: None,
            value_fixes: Vec::new(),
            is_pedantic: false,
        }
    }

    /// Says which resource it is about.
    #[must_use]
    pub fn of_resource(mut self, resource: ResourceId) -> Self {
        self.resource = Some(resource);
        self
    }

    /// Adds a part of the text that explains it.
    #[must_use]
    pub fn with_label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Label { span, message: message.into() });
        self
    }

    /// Adds the offending value.
    #[must_use]
    pub fn with_value(mut self, value: &Value) -> Self {
        self.actual = Some(ValueExcerpt::of(value));
        self
    }

    /// Marks it as unknown: only a deployment can decide it.
    #[must_use]
    pub fn unknown(mut self) -> Self {
        self.outcome = Outcome::Unknown;
        self
    }
}
