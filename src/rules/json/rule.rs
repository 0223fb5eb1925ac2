//! A rule, compiled.

use std::sync::Arc;

use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::json::operators::Test;
use crate::rules::lookup::Path;

/// One rule, compiled.
#[derive(Debug)]
pub struct Rule {
    pub(super) info: Arc<RuleInfo>,
    pub(super) evaluation: Evaluation,
}

impl Rule {
    /// What reports say about it.
    pub fn info(&self) -> &Arc<RuleInfo> {
        &self.info
    }

    /// The same rule as one that is part of the program: no file of the user defines it.
    #[must_use]
    pub fn embedded(mut self) -> Self {
        Arc::make_mut(&mut self.info).definition = None;
        self
    }

    /// The same rule with another weight.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        let info = RuleInfo { severity, ..RuleInfo::clone(&self.info) };
        Self { info: Arc::new(info), ..self }
    }

    /// The type of the resources that it looks at, in lower case. `None` for a rule that begins at the template.
    pub(in crate::rules) fn resource_type(&self) -> Option<&str> {
        self.evaluation.resource_type.as_deref()
    }
}

/// What is looked at, and what is wanted of it.
#[derive(Debug)]
pub(super) struct Evaluation {
    /// Fully qualified, in lower case.
    pub(super) resource_type: Option<Box<str>>,
    pub(super) path: Option<Path>,
    /// `where`
    pub(super) condition: Option<Box<Evaluation>>,
    pub(super) operator: Operator,
}

/// What is wanted.
#[derive(Debug)]
pub(super) enum Operator {
    /// A value operator.
    Test(Test),
    /// `allOf`
    All(Vec<Evaluation>),
    /// `anyOf`
    Any(Vec<Evaluation>),
    /// `not`
    Not(Box<Evaluation>),
    /// `evaluate`
    Evaluate(Box<Evaluation>),
}
