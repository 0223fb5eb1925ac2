//! The result of a rule on one document.

use std::sync::Arc;

use crate::diagnostic::{Label, Outcome, RuleInfo};
use crate::model::{ResourceId, ValueFix};
use crate::text::Span;
use crate::value::ValueExcerpt;

/// One verdict of one rule on one document.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The rule that was checked.
    pub rule: Arc<RuleInfo>,
    /// Failed, passed or unknown. A rule that does not apply has no verdict.
    pub outcome: Outcome,
    /// What is wrong (or right), as a sentence for people.
    pub message: String,
    /// The resource that it is about; `None` for a verdict about a template or several resources.
    pub resource: Option<ResourceId>,
    /// The other resources with the same verdict at the same place, such as the copies of a loop. Not listed for a verdict
    /// that passed.
    pub alike: Vec<ResourceId>,
    /// Path in the authored template: of the value, or of the scope of a structured operator.
    pub path: String,
    /// The text at `path`.
    pub span: Span,
    /// The values that decided: those that failed, then those that may also fail; or those that are unknown. Empty for a
    /// verdict that passed.
    pub leaves: Vec<Leaf>,
    /// Changes that together would make it pass. Empty if that is not certain, and for a verdict that did not fail.
    pub value_fixes: Vec<ValueFix>,
}

/// One value that decided a verdict.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Its path in the authored template.
    pub path: String,
    /// Its span, or that of its deepest ancestor if it is missing.
    pub span: Span,
    /// The span of the whole value, wherever it was written, or of the value that it is missing from.
    pub extent: Span,
    /// Where the value came from, nearest first. Empty for a value that is written in the resource itself.
    pub related: Vec<Label>,
    /// The value; `None` for a missing one.
    pub actual: Option<ValueExcerpt>,
}
