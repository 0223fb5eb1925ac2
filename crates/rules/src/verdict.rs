//! Results of rules on a document.

use std::sync::Arc;

use crate::diagnostic::{Label, Outcome, RuleInfo};
use crate::model::{ResourceId, ValueFix};
use crate::text::Span;
use crate::value::ValueExcerpt;

/// A verdict of a rule on a document.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Metadata of the rule.
    pub rule: Arc<RuleInfo>,
    /// Failed, passed or unknown. A rule that does not apply has no verdict.
    pub outcome: Outcome,
    /// Problem or confirmation, as a sentence for people.
    pub message: String,
    /// Resource of the verdict; `None` for a verdict about a template or several resources.
    pub resource: Option<ResourceId>,
    /// Other resources with the same verdict at the same position, such as the copies of a loop. Empty for a verdict
    /// that passed.
    pub alike: Vec<ResourceId>,
    /// Path in the authored template: of the value, or of the scope of a structured operator.
    pub path: String,
    /// Span of `path`.
    pub span: Span,
    /// Values that decided: those that failed, then those that may also fail; or those that are unknown. Empty for a
    /// verdict that passed.
    pub leaves: Vec<Leaf>,
    /// Changes that together make it pass. Empty if that is not certain, and for a verdict that did not fail.
    pub value_fixes: Vec<ValueFix>,
}

/// A value that decided a verdict.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Path in the authored template.
    pub path: String,
    /// Span of the value, or of its deepest ancestor if it is missing.
    pub span: Span,
    /// Span of the whole value, wherever it was written, or of the value that it is missing from.
    pub extent: Span,
    /// Provenance of the value, nearest first. Empty for a value that is written in the resource itself.
    pub related: Vec<Label>,
    /// Value; `None` for a missing one.
    pub actual: Option<ValueExcerpt>,
}
