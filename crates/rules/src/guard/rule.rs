//! Compiled Guard rules.

use std::sync::Arc;

use crate::diagnostic::{RuleInfo, Severity};
use crate::guard::ast::Joint;
use crate::guard::path::Path;
use crate::guard::test::Test;
use crate::rule_fix::RuleFix;
use crate::text::Span;

/// Bytes of metadata that the branches of one line may have for themselves, so that each branch is its own definition.
/// In a longer line, the line is the definition.
const MAX_REPEATED: usize = 1 << 20;

/// Compiled rules of one line.
#[derive(Debug)]
pub struct Rule {
    info: Arc<RuleInfo>,
    pub(super) joint: Joint,
    pub(super) branches: Vec<Branch>,
    /// Metadata of the line for each branch, with the span of the branch as its definition. Empty for a long line.
    branch_infos: Vec<Arc<RuleInfo>>,
    /// True if a missing property fails, even if the run is not strict.
    pub(super) strict: bool,
    /// Properties whose targets the rule ignores.
    pub(super) except: Vec<Exception>,
    /// Fixes that together make a failed verdict pass.
    pub(super) fixes: Vec<RuleFix>,
}

/// A property whose targets a rule ignores, such as the bucket that another bucket writes its logs to.
#[derive(Debug)]
pub(super) struct Exception {
    /// Type of the resources that have the property.
    pub(super) type_name: Box<str>,
    pub(super) path: Path,
}

/// A base rule or a conditional rule.
#[derive(Debug)]
pub(super) struct Branch {
    /// Index in the line.
    pub(super) index: usize,
    /// Type in the case of the text.
    pub(super) type_name: Box<str>,
    pub(super) condition: Option<Condition>,
    pub(super) check: Check,
}

/// The comparison after `WHEN`: the rule applies if it holds.
#[derive(Debug)]
pub(super) struct Condition {
    /// Text of the condition, with its message.
    pub(super) text: Box<str>,
    pub(super) check: Check,
}

/// A comparison of the values of a property.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) path: Path,
    pub(super) test: Test,
    /// True if one matching value is enough. Without a wildcard, a path leads to one value.
    pub(super) any: bool,
    pub(super) message: Option<Box<str>>,
}

impl Rule {
    pub(super) fn new(info: Arc<RuleInfo>, joint: Joint, branches: Vec<Branch>, spans: Vec<Span>) -> Self {
        // The text of the line is in the metadata of each of its branches.
        let is_short = info.full_description.len().saturating_mul(spans.len()) <= MAX_REPEATED;
        Self {
            joint,
            branch_infos: spans
                .into_iter()
                .filter(|_| is_short)
                .map(|span: Span| Arc::new(RuleInfo { definition: Some(span), ..RuleInfo::clone(&info) }))
                .collect(),
            branches,
            info,
            strict: false,
            except: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// Makes a missing property fail if `strict`.
    #[must_use]
    pub(super) fn with_strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// Sets the properties whose targets are ignored.
    #[must_use]
    pub(super) fn with_exceptions(self, except: Vec<Exception>) -> Self {
        Self { except, ..self }
    }

    /// Sets the fixes.
    #[must_use]
    pub(super) fn with_fixes(self, fixes: Vec<RuleFix>) -> Self {
        Self { fixes, ..self }
    }

    /// Returns the metadata of the rule.
    pub fn info(&self) -> &Arc<RuleInfo> {
        &self.info
    }

    /// Returns the metadata of the rule, with a branch as the definition.
    pub(super) fn info_of(&self, branch: &Branch) -> &Arc<RuleInfo> {
        self.branch_infos.get(branch.index).unwrap_or(&self.info)
    }

    /// Removes the definition: an embedded rule is in no file of the user.
    #[must_use]
    pub fn embedded(self) -> Self {
        self.described(|info| info.definition = None)
    }

    /// Sets the severity.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        self.described(|info| info.severity = severity)
    }

    fn described(mut self, change: impl Fn(&mut RuleInfo)) -> Self {
        for info in std::iter::once(&mut self.info).chain(&mut self.branch_infos) {
            change(Arc::make_mut(info));
        }
        self
    }

    /// Returns the type that all branches are about, or `None` if they are about several.
    pub(super) fn only_type(&self) -> Option<&str> {
        let first = &self.branches.first()?.type_name;
        self.branches.iter().all(|branch| branch.type_name == *first).then_some(first)
    }
}
