//! What policies would do with a request.

use std::collections::BTreeMap;

use crate::judge::Effect;
use crate::model::Mask;
use crate::text::Span;
use crate::value::{Str, Value};

/// What all policies would do with one request.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What each policy that has something to say would do, in the order of the assignments.
    pub verdicts: Vec<Verdict>,
    /// The body after everything that certainly changes it.
    pub after: Value,
}

/// What all policies would do with the requests of one deployment.
#[derive(Clone, Debug, Default)]
pub struct Judgment {
    /// One entry for each request, in their order.
    pub judged: Vec<Judged>,
    /// The definitions that take more than their part of the steps, so that they are decided for no further request.
    pub exceeded: Vec<Trouble>,
    /// How many more verdicts there are than were to be kept, by what they do.
    pub left_out: BTreeMap<Outcome, usize>,
}

/// What one definition of one assignment would do with a request.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The assignment, as an index into [`Policies::assignments`](crate::Policies::assignments).
    pub assignment: usize,
    /// The reference of the initiative; the name of the definition if it is assigned by itself.
    pub reference: Str,
    /// The name of the definition.
    pub definition: Str,
    /// Its title in the portal. `None` if it has none.
    pub title: Option<Str>,
    /// What it does with the request, or that this cannot be decided.
    pub outcome: Outcome,
    /// Whether the assignment applies to the resource.
    pub standing: Standing,
    /// The exemption because of which the resource is exempt, may be, or was until it expired. `None` if there is none.
    pub exemption: Option<Exempting>,
    /// What the assignment says to people whose request it denies.
    pub message: Option<Str>,
    /// Why, in words: what made the condition true, or why it cannot be decided. Lower case, no final stop.
    pub why: String,
    /// Where the value is written that made the condition true. `None` for a missing property.
    pub span: Option<Span>,
    /// What its operations do, for `append` and `modify`, where it is certain that they happen.
    pub changes: Vec<Change>,
}

/// A definition of an assignment that can be judged for no request.
#[derive(Clone, Debug)]
pub struct Trouble {
    /// The assignment, as an index into [`Policies::assignments`](crate::Policies::assignments).
    pub assignment: usize,
    /// The reference of the initiative; the name of the definition if it is assigned by itself.
    pub reference: Str,
    /// The name of the definition.
    pub definition: Str,
    /// Why, in words: lower case, no final stop.
    pub why: Str,
    /// Whether a problem of the definition is the reason, which is among its own.
    pub is_of_document: bool,
}

/// What a definition does with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Its condition does not hold, or it is disabled or not made for such a resource.
    None,
    /// Its condition holds, and this happens.
    Effect(Effect),
    /// It cannot be decided.
    Unknown,
}

/// Whether an assignment applies to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It certainly does, and it is enforced.
    Applies,
    /// It may: whether the resource is below its scope, or exempt, is not known.
    Conditional,
    /// It does, but it is not enforced, so that nothing happens.
    NotEnforced,
    /// The resource is exempt.
    Exempt,
    /// The resource is not below its scope, or excluded.
    Excluded,
}

/// An exemption in which a resource is, and whether it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exempting {
    /// The exemption, as an index into [`Policies::exemptions`](crate::Policies::exemptions).
    pub exemption: usize,
    /// Whether it exempts the resource.
    pub strength: Strength,
}

/// Whether an exemption exempts a resource. Of several, the greatest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// It exempted the resource until it expired.
    Expired,
    /// Whether it does is not known.
    MayHold,
    /// The resource is certainly exempt.
    Holds,
}

/// What one operation does to a request. It changes nothing if it finds what it wants: see [`Change::is_change`].
#[derive(Clone, Debug)]
pub struct Change {
    /// The path of the property below the resource.
    pub path: String,
    /// The value before; `None` if there was none.
    pub before: Option<Value>,
    /// The value after; `None` if it is removed.
    pub after: Option<Value>,
}

impl Verdict {
    /// Hides secrets in its texts. A policy can compute the name of a property from one.
    pub(super) fn hide_secrets(&mut self, mask: &Mask) {
        mask.hide(&mut self.why);
        self.changes.iter_mut().for_each(|change| mask.hide_quoted(&mut change.path));
    }
}

impl Change {
    /// Whether the value is another one afterwards.
    pub fn is_change(&self) -> bool {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => !before.same(after),
            (None, None) => false,
            _ => true,
        }
    }
}
