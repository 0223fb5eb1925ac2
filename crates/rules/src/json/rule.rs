//! The compiled form of a JSON rule.

use std::sync::Arc;

use crate::diagnostic::{RuleInfo, Severity};
use crate::json::operators::{Bounds, Test};
use crate::lookup::Path;
use crate::rule_fix::RuleFix;

/// One JSON rule, compiled.
#[derive(Debug)]
pub struct Rule {
    pub(super) info: Arc<RuleInfo>,
    pub(super) evaluation: Evaluation,
    /// What makes a failed verdict pass, all of them together; nothing does if there are none. `None` if the rule declares
    /// nothing.
    pub(super) fixes: Option<Vec<RuleFix>>,
}

impl Rule {
    /// The name, descriptions and severity that reports show.
    pub fn info(&self) -> &Arc<RuleInfo> {
        &self.info
    }

    /// The same rule without a definition: a rule that is part of the program is in no file of the user.
    #[must_use]
    pub fn embedded(mut self) -> Self {
        Arc::make_mut(&mut self.info).definition = None;
        self
    }

    /// The same rule with another severity.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        let info = RuleInfo { severity, ..RuleInfo::clone(&self.info) };
        Self { info: Arc::new(info), ..self }
    }

    /// The type of the resources that it is about, in lower case. `None` for a rule that starts at the template.
    pub(crate) fn resource_type(&self) -> Option<&str> {
        self.evaluation.resource_type.as_deref()
    }
}

/// What a rule looks at, and what must hold for it.
#[derive(Debug)]
pub(super) struct Evaluation {
    /// Fully qualified, in lower case.
    pub(super) resource_type: Option<Box<str>>,
    pub(super) path: Option<Path>,
    /// The evaluation in `where`, which selects what is looked at.
    pub(super) condition: Option<Box<Evaluation>>,
    pub(super) operator: Operator,
}

/// What must hold for the values that an evaluation looks at.
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
    /// `evaluate`: the evaluation inside must hold, from where the path leads.
    Evaluate(Box<Evaluation>),
    /// `count`: the number of places that the evaluation selects must be one of these.
    Count(Count),
    /// `descendants`: the evaluation inside must hold in every object at or below.
    Descendants(Box<Evaluation>),
    /// `refersTo`: the evaluation must hold for the resource that the value is the ID of.
    RefersTo(Box<Evaluation>),
    /// `referencedBy`: a resource must refer to this one.
    ReferencedBy(Reference),
}

/// How many places an evaluation should select.
#[derive(Debug)]
pub(super) struct Count {
    pub(super) bounds: Bounds,
    /// What is counted, for messages: `items`.
    pub(super) what: Box<str>,
    /// The path to the array whose items are counted, if it is the items of an array.
    pub(super) array: Option<Path>,
}

/// A reference that another resource should have.
#[derive(Debug)]
pub(super) struct Reference {
    /// The type of the other resource, as the rule writes it.
    pub(super) type_name: Box<str>,
    pub(super) through: Through,
    /// What must hold for the other resource.
    pub(super) condition: Option<Box<Evaluation>>,
}

/// How a resource refers to another.
#[derive(Debug)]
pub(super) enum Through {
    /// It extends it, or is its child.
    Scope,
    /// By the ID at this path.
    Path(Path),
}
