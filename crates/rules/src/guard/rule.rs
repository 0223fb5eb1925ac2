//! The compiled form of Guard rules.

use std::sync::Arc;

use crate::diagnostic::{RuleInfo, Severity};
use crate::guard::ast::Joint;
use crate::guard::path::Path;
use crate::guard::test::Test;
use crate::rule_fix::RuleFix;
use crate::text::Span;

/// How many bytes of metadata the branches of one line have for themselves, so that each is its own definition. In a longer
/// line the whole line is.
const MAX_REPEATED: usize = 1 << 20;

/// The rules in one line of a ruleset, compiled.
#[derive(Debug)]
pub struct Rule {
    info: Arc<RuleInfo>,
    pub(super) joint: Joint,
    pub(super) branches: Vec<Branch>,
    /// For each branch the metadata of the line, with the span of the branch as its definition. Empty for a long line.
    branch_infos: Vec<Arc<RuleInfo>>,
    /// Whether a missing property fails, even if the run is not strict.
    pub(super) strict: bool,
    /// What the rule ignores.
    pub(super) except: Vec<Exception>,
    /// What makes a failed verdict pass, all of them together.
    pub(super) fixes: Vec<RuleFix>,
}

/// A property whose targets a rule ignores, such as the bucket that another bucket writes its logs to.
#[derive(Debug)]
pub(super) struct Exception {
    /// The type of the resources that have the property.
    pub(super) type_name: Box<str>,
    pub(super) path: Path,
}

/// A base rule or a conditional rule.
#[derive(Debug)]
pub(super) struct Branch {
    /// Which one of its line it is.
    pub(super) index: usize,
    /// The type in the case in which it is written.
    pub(super) type_name: Box<str>,
    pub(super) condition: Option<Condition>,
    pub(super) check: Check,
}

/// The comparison after `WHEN`, which decides whether the rule applies.
#[derive(Debug)]
pub(super) struct Condition {
    /// The text of the condition, with its message.
    pub(super) text: Box<str>,
    pub(super) check: Check,
}

/// A comparison of the values of a property.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) path: Path,
    pub(super) test: Test,
    /// Whether one of the values that the path leads to is enough. Without a wildcard there is only one.
    pub(super) any: bool,
    pub(super) message: Option<Box<str>>,
}

impl Rule {
    pub(super) fn new(info: Arc<RuleInfo>, joint: Joint, branches: Vec<Branch>, spans: Vec<Span>) -> Self {
        // The text of the line is in the metadata of each of its branches.
        let is_short = info.full_description.len().saturating_mul(spans.len()) <= MAX_REPEATED;
        let at = |span: Span| Arc::new(RuleInfo { definition: Some(span), ..RuleInfo::clone(&info) });
        Self {
            joint,
            branch_infos: spans.into_iter().filter(|_| is_short).map(at).collect(),
            branches,
            info,
            strict: false,
            except: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// The same rule, but with `strict` a missing property fails.
    #[must_use]
    pub(super) fn with_strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// The same rule, but resources that these properties refer to are ignored.
    #[must_use]
    pub(super) fn with_exceptions(self, except: Vec<Exception>) -> Self {
        Self { except, ..self }
    }

    /// The same rule, with these fixes.
    #[must_use]
    pub(super) fn with_fixes(self, fixes: Vec<RuleFix>) -> Self {
        Self { fixes, ..self }
    }

    /// The name, descriptions and severity that reports show.
    pub fn info(&self) -> &Arc<RuleInfo> {
        &self.info
    }

    /// Like [`Rule::info`], but with one of its branches as the definition.
    pub(super) fn info_of(&self, branch: &Branch) -> &Arc<RuleInfo> {
        self.branch_infos.get(branch.index).unwrap_or(&self.info)
    }

    /// The same rule without a definition: a rule that is part of the program is in no file of the user.
    #[must_use]
    pub fn embedded(self) -> Self {
        self.described(|info| info.definition = None)
    }

    /// The same rule with another severity.
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

    /// The type that all its branches are about. `None` if they are about several.
    pub(super) fn only_type(&self) -> Option<&str> {
        let first = &self.branches.first()?.type_name;
        self.branches.iter().all(|branch| branch.type_name == *first).then_some(first)
    }
}
