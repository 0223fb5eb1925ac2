//! Verdicts: effects of policies on a request.

use std::collections::BTreeMap;

use crate::judge::effect::Effect;
use crate::model::Mask;
use crate::text::Span;
use crate::value::{Str, Value};

/// Effects of all policies on one request.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Effects of the policies that concern the request, in the order of the assignments.
    pub verdicts: Vec<Verdict>,
    /// Body after all certain changes.
    pub after: Value,
}

/// Effects of all policies on the requests of one deployment.
#[derive(Clone, Debug, Default)]
pub struct Judgment {
    /// Effects of the policies on each request, in the order of the requests.
    pub judged: Vec<Judged>,
    /// The definitions that take more than their part of the steps, so that they are decided for no further request.
    pub exceeded: Vec<Trouble>,
    /// Number of verdicts beyond the limit, by outcome.
    pub left_out: BTreeMap<Outcome, usize>,
}

/// Result of one definition of one assignment for a request.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Assignment, as an index into [`Policies::assignments`](crate::Policies::assignments).
    pub assignment: usize,
    /// Reference of the initiative; the name of the definition if it is assigned directly.
    pub reference: Str,
    /// Name of the definition.
    pub definition: Str,
    /// Title in the portal. `None` if it has none.
    pub title: Option<Str>,
    /// Result for the request.
    pub outcome: Outcome,
    /// Relation of the assignment to the resource.
    pub standing: Standing,
    /// Exemption that exempts the resource, may do so, or did so until it expired. `None` if there is none.
    pub exemption: Option<Exempting>,
    /// Message of the assignment for people whose requests are denied.
    pub message: Option<Str>,
    /// Evidence for the condition, or the reason for which the result cannot be decided. Lower case, without a final
    /// period.
    pub why: String,
    /// Span of the value that made the condition true. `None` for a missing property.
    pub span: Option<Span>,
    /// Changes that `append` and `modify` certainly make.
    pub changes: Vec<Change>,
}

/// A definition of an assignment that cannot be evaluated on any request.
#[derive(Clone, Debug)]
pub struct Trouble {
    /// Assignment, as an index into [`Policies::assignments`](crate::Policies::assignments).
    pub assignment: usize,
    /// Reference of the initiative; the name of the definition if it is assigned directly.
    pub reference: Str,
    /// Name of the definition.
    pub definition: Str,
    /// Reason in lower case, without a final period.
    pub why: Str,
    /// True if the reason is a problem of the definition, which its own problems include.
    pub is_of_document: bool,
}

/// Outcome of a definition for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// No effect: the condition does not hold, or the definition is disabled, or not about such a resource.
    None,
    /// The condition holds, so the definition has this effect.
    Effect(Effect),
    /// The result cannot be decided.
    Unknown,
}

/// Relation of an assignment to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The assignment certainly applies and is enforced.
    Applies,
    /// The assignment may apply: it is not known whether the resource is below its scope, or exempt.
    Conditional,
    /// The assignment applies, but is not enforced, so it has no effect.
    NotEnforced,
    /// The resource is exempt.
    Exempt,
    /// The resource is not below its scope, or excluded.
    Excluded,
}

/// An exemption of a resource, and its strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exempting {
    /// Exemption, as an index into [`Policies::exemptions`](crate::Policies::exemptions).
    pub exemption: usize,
    /// Strength of the exemption.
    pub strength: Strength,
}

/// Strength of an exemption. Of several, the greatest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// The exemption applied until it expired.
    Expired,
    /// The exemption may apply.
    MayHold,
    /// The resource is certainly exempt.
    Holds,
}

/// Change by one operation. It is empty if the request already complies: see [`Change::is_change`].
#[derive(Clone, Debug)]
pub struct Change {
    /// Path of the property below the resource.
    pub path: String,
    /// Value before; `None` if it was missing.
    pub before: Option<Value>,
    /// Value after; `None` if it is removed.
    pub after: Option<Value>,
}

impl Verdict {
    /// Hides secrets in its texts. A policy can compute the name of a property from a secret.
    pub(super) fn hide_secrets(&mut self, mask: &Mask) {
        mask.hide(&mut self.why);
        self.changes.iter_mut().for_each(|change| mask.hide_quoted(&mut change.path));
    }
}

impl Change {
    /// True if the value differs afterwards.
    pub fn is_change(&self) -> bool {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => !before.same(after),
            (None, None) => false,
            _ => true,
        }
    }
}
