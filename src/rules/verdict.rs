//! What a rule says of one document.

use std::sync::Arc;

use crate::diagnostic::{Label, Outcome, RuleInfo};
use crate::model::ResourceId;
use crate::text::Span;
use crate::value::{Str, Value, ValueExcerpt};

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
    /// What, all together, would make it pass. Empty where that is not certain, and for a verdict that did not fail.
    pub remedies: Vec<Remedy>,
}

/// One value that decided a verdict.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Its path in the authored template.
    pub path: String,
    /// Its text; for a missing value that of its deepest existing ancestor.
    pub span: Span,
    /// The whole text of the value, wherever it was written; for a missing one that of the value that it is missing in.
    pub extent: Span,
    /// Where the value came from, nearest first, where it was not written in place.
    pub related: Vec<Label>,
    /// The value; `None` for a missing one.
    pub actual: Option<ValueExcerpt>,
}

/// One value that would make a leaf pass, where the author wrote the one that does not.
#[derive(Clone, Debug)]
pub struct Remedy {
    /// What to call the value: the name of a property, with the indexes behind it.
    pub name: String,
    /// The value: a truth value, a number or a text.
    pub value: Value,
    /// Where it belongs.
    pub spot: Spot,
}

/// Where a value belongs. The texts are those that were checked: of a compiled file that which it was compiled to.
#[derive(Clone, Debug)]
pub enum Spot {
    /// In place of another one.
    Value {
        /// The text that the other was read from.
        span: Span,
        /// What was read there.
        found: Value,
    },
    /// In an object, as a member that it does not have.
    Member {
        /// The text that the object was read from.
        object: Span,
        /// The name of the member.
        key: Str,
    },
}
