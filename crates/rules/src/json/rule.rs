//! Compiled JSON rules.

use std::sync::Arc;

use crate::diagnostic::{RuleInfo, Severity};
use crate::json::operators::{Bounds, Test};
use crate::lookup::{ANY_TYPE, Path};
use crate::rule_fix::RuleFix;

/// A compiled JSON rule.
#[derive(Debug)]
pub struct Rule {
    pub(super) info: Arc<RuleInfo>,
    pub(super) evaluation: Evaluation,
    /// Fixes that together make a failed verdict pass. `None` if the rule declares no fixes; an empty list means that
    /// nothing fixes it.
    pub(super) fixes: Option<Vec<RuleFix>>,
}

impl Rule {
    /// Returns the metadata of the rule.
    pub fn info(&self) -> &Arc<RuleInfo> {
        &self.info
    }

    /// Removes the definition: an embedded rule is in no file of the user.
    #[must_use]
    pub fn embedded(mut self) -> Self {
        Arc::make_mut(&mut self.info).definition = None;
        self
    }

    /// Sets the severity.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        let info = RuleInfo { severity, ..RuleInfo::clone(&self.info) };
        Self { info: Arc::new(info), ..self }
    }

    /// Returns the type of the resources that the rule is about, in lower case. `None` for a rule about templates, or
    /// about resources of all types.
    pub(crate) fn resource_type(&self) -> Option<&str> {
        self.evaluation.resource_type.as_deref().filter(|type_name| *type_name != ANY_TYPE)
    }
}

/// An evaluation: a selection, and what must hold for it.
#[derive(Debug)]
pub(super) struct Evaluation {
    /// Fully qualified type in lower case, or [`ANY_TYPE`].
    pub(super) resource_type: Option<Box<str>>,
    pub(super) path: Option<Path>,
    /// Evaluation in `where`, which restricts the selection.
    pub(super) condition: Option<Box<Evaluation>>,
    pub(super) operator: Operator,
}

/// Condition on the selected values.
#[derive(Debug)]
pub(super) enum Operator {
    /// A value operator such as `equals`.
    Test(Test),
    /// `allOf`: every evaluation must hold.
    All(Vec<Evaluation>),
    /// `anyOf`: one evaluation must hold.
    Any(Vec<Evaluation>),
    /// `not`: the evaluation must not hold.
    Not(Box<Evaluation>),
    /// `evaluate`: the evaluation inside must hold, starting where the path leads.
    Evaluate(Box<Evaluation>),
    /// `count`: the number of selected values must fulfill a comparison.
    Count(Count),
    /// `descendants`: the evaluation inside must hold in every object at or below.
    Descendants(Box<Evaluation>),
    /// `refersTo`: the evaluation must hold for the resource that the value is the ID of.
    RefersTo(Box<Evaluation>),
    /// `referencedBy`: a resource must refer to this one.
    ReferencedBy(Reference),
}

/// Condition on the number of selected values.
#[derive(Debug)]
pub(super) struct Count {
    pub(super) bounds: Bounds,
    /// Description of what is counted, for messages: `items`.
    pub(super) what: Box<str>,
    /// Path of the array, if the items of an array are counted.
    pub(super) array: Option<Path>,
}

/// Condition on references from other resources.
#[derive(Debug)]
pub(super) struct Reference {
    /// Type of the other resource, as the rule writes it.
    pub(super) type_name: Box<str>,
    pub(super) through: Through,
    /// Condition on the other resource.
    pub(super) condition: Option<Box<Evaluation>>,
}

/// Kind of a reference between resources.
#[derive(Debug)]
pub(super) enum Through {
    /// The resource extends the other one, or is its child.
    Scope,
    /// An ID at this path.
    Path(Path),
}
