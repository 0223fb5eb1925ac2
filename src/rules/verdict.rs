//! What a rule says of one document.

use std::sync::Arc;

use crate::diagnostic::{Label, Outcome, RuleInfo};
use crate::model::ResourceId;
use crate::text::Span;

/// One verdict of one rule on one document.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The rule.
    pub rule: Arc<RuleInfo>,
    /// Failed, passed or unknown. A rule that does not apply gives no verdict.
    pub outcome: Outcome,
    /// What is wrong (or right), as a sentence for people.
    pub message: String,
    /// The resource that it is about, where it is about one.
    pub resource: Option<ResourceId>,
    /// Path in the authored template: of the value, or of the scope of a structured operator.
    pub path: String,
    /// The text at `path`.
    pub span: Span,
    /// The leaves that decided: those that failed (first) and those beside them that are not known to hold, or those that
    /// are unknown. Empty for a verdict that passed.
    pub leaves: Vec<Leaf>,
}

/// One value that decided a verdict.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Its path in the authored template.
    pub path: String,
    /// Its text; for a missing value that of its deepest existing ancestor.
    pub span: Span,
    /// Where the value came from, nearest first, where it was not written in place.
    pub related: Vec<Label>,
    /// The value as compact JSON, secrets masked; `None` for a missing one.
    pub actual: Option<String>,
}
