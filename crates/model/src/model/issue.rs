//! Findings of the built-in checks: problems that Resource Manager would reject, and bad practices.

use crate::diagnostic::{BicepCode, Check, Label, Outcome, Severity};
use crate::model::{ResourceId, ValueFix};
use crate::text::Span;
use crate::value::{Value, ValueExcerpt};

/// A finding of a built-in check on a deployment.
#[derive(Clone, Debug)]
pub struct Issue {
    /// The check that failed.
    pub check: Check,
    /// [`Outcome::Failed`], or [`Outcome::Unknown`] if the result depends on a value that is known only after a
    /// deployment.
    pub outcome: Outcome,
    /// Path of the value in the template, for example `parameters.sku`.
    pub path: String,
    /// The problem in one sentence.
    pub message: String,
    /// The text to change.
    pub span: Span,
    /// Other texts that explain the problem, nearest first.
    pub related: Vec<Label>,
    /// Path and span of each further consequence of the same cause.
    pub further: Vec<(String, Span)>,
    /// The incorrect value. `None` if it is missing, or if a report must not show it.
    pub actual: Option<ValueExcerpt>,
    /// The resource of the finding. `None` if the finding is about the template.
    pub resource: Option<ResourceId>,
    /// The severity, if it differs from that of the check.
    pub severity: Option<Severity>,
    /// Changes that together fix the finding.
    pub value_fixes: Vec<ValueFix>,
    /// The code of the problem in Bicep, which gives the finding its ID.
    pub bicep_code: Option<BicepCode>,
    /// True if the finding is reported only in the profile with all rules.
    pub is_pedantic: bool,
}

impl Issue {
    /// Creates a failed finding at `span`.
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
            bicep_code: None,
            is_pedantic: false,
        }
    }

    /// Sets the resource of the finding.
    #[must_use]
    pub fn of_resource(mut self, resource: ResourceId) -> Self {
        self.resource = Some(resource);
        self
    }

    /// Adds a text that explains the problem.
    #[must_use]
    pub fn with_label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Label::new(span, message));
        self
    }

    /// Sets the incorrect value.
    #[must_use]
    pub fn with_value(mut self, value: &Value) -> Self {
        self.actual = Some(ValueExcerpt::new(value));
        self
    }

    /// Marks the result as unknown before a deployment.
    #[must_use]
    pub fn unknown(mut self) -> Self {
        self.outcome = Outcome::Unknown;
        self
    }
}
