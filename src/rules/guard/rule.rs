//! Rules, compiled.

use std::sync::Arc;

use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::guard::ast::Joint;
use crate::rules::guard::path::Path;
use crate::rules::guard::test::Test;
use crate::text::Span;

/// What one line of a ruleset wants.
#[derive(Debug)]
pub struct Rule {
    info: Arc<RuleInfo>,
    pub(super) joint: Joint,
    pub(super) branches: Vec<Branch>,
    /// By branch: the line as reports see it, at the place of the branch.
    places: Vec<Arc<RuleInfo>>,
    /// Whether it wants every property to be there, whatever the run wants.
    pub(super) strict: bool,
}

/// A base rule or a conditional rule.
#[derive(Debug)]
pub(super) struct Branch {
    /// As it is written.
    pub(super) type_name: Box<str>,
    pub(super) condition: Option<Condition>,
    pub(super) check: Check,
}

/// `WHEN`
#[derive(Debug)]
pub(super) struct Condition {
    /// As it is written, with its message.
    pub(super) text: Box<str>,
    pub(super) check: Check,
}

/// A property comparison.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) path: Path,
    pub(super) test: Test,
    /// Whether one of the places that the path leads to is enough.
    pub(super) any: bool,
    pub(super) message: Option<Box<str>>,
}

impl Rule {
    pub(super) fn new(info: Arc<RuleInfo>, joint: Joint, branches: Vec<Branch>, places: Vec<Span>) -> Self {
        let at = |span: Span| Arc::new(RuleInfo { definition: Some(span), ..RuleInfo::clone(&info) });
        Self { joint, branches, places: places.into_iter().map(at).collect(), info, strict: false }
    }

    /// The same rule as one that wants every property to be there.
    #[must_use]
    pub(super) fn with_strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// What reports say about it.
    pub fn info(&self) -> &Arc<RuleInfo> {
        &self.info
    }

    /// As [`Rule::info`], defined at one of its branches.
    pub(super) fn info_of(&self, branch: usize) -> &Arc<RuleInfo> {
        self.places.get(branch).unwrap_or(&self.info)
    }

    /// The same rule as one that is part of the program: no file of the user defines it.
    #[must_use]
    pub fn embedded(self) -> Self {
        self.described(|info| info.definition = None)
    }

    /// The same rule with another weight.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        self.described(|info| info.severity = severity)
    }

    fn described(mut self, change: impl Fn(&mut RuleInfo)) -> Self {
        for info in std::iter::once(&mut self.info).chain(&mut self.places) {
            change(Arc::make_mut(info));
        }
        self
    }

    /// The type that all its branches are about. `None` if they are about several.
    pub(super) fn only_type(&self) -> Option<&str> {
        let first = &self.branches.first()?.type_name;
        self.branches.iter().all(|it| it.type_name == *first).then_some(first)
    }
}
