//! Rule languages over a [`Document`].

pub(crate) mod builtin;
pub(crate) mod guard;
pub(crate) mod json;
mod lookup;
mod rule;
mod verdict;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::diagnostic::RuleInfo;
use crate::model::{DeploymentId, Document};
use crate::rules::lookup::TypeIndex;

pub(crate) use self::rule::Rule;
pub(crate) use self::verdict::{Leaf, Remedy, Spot, Verdict};

/// The rules of a run, compiled and indexed: checking a document costs as much as its resources times the rules of their
/// types.
#[derive(Debug, Default)]
pub struct RuleSet {
    rules: Vec<json::Rule>,
    /// Lower-case type -> the JSON rules that look at resources of it.
    by_type: FxHashMap<Box<str>, Vec<usize>>,
    /// The JSON rules that look at templates.
    of_templates: Vec<usize>,
    guard: guard::Rules,
    strict: bool,
}

impl RuleSet {
    /// Indexes rules. Those of one language are checked, and their verdicts given, in this order; JSON rules come first.
    pub fn new<R: Into<Rule>>(rules: impl IntoIterator<Item = R>) -> Self {
        let (mut json, mut guard) = (Vec::new(), Vec::new());
        for rule in rules {
            match rule.into() {
                Rule::Json(rule) => json.push(rule),
                Rule::Guard(rule) => guard.push(rule),
            }
        }
        let mut set = Self { rules: json, guard: guard::Rules::new(guard), ..Self::default() };
        for (at, rule) in set.rules.iter().enumerate() {
            match rule.resource_type() {
                Some(type_name) => set.by_type.entry(type_name.into()).or_default().push(at),
                None => set.of_templates.push(at),
            }
        }
        set
    }

    /// The same rules, with Guard rules that want every property to be there, as `cfn-guard --strict-checks` does.
    #[must_use]
    pub fn guard_strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// What reports say about each rule, in the order of the verdicts.
    pub fn infos(&self) -> impl Iterator<Item = &Arc<RuleInfo>> {
        self.rules.iter().map(json::Rule::info).chain(self.guard.infos())
    }

    /// The verdicts of every rule that has something to say of `document`: those of one rule together, in the order of the
    /// rules. Verdicts that an author could not tell apart are given once.
    pub fn check(&self, document: &Document) -> Vec<Verdict> {
        let types = TypeIndex::new(document);
        let mut verdicts = Vec::new();
        for (rule, deployments) in self.applicable(document, &types) {
            json::check(&self.rules[rule], document, &types, deployments.into_iter(), &mut verdicts);
        }
        self.guard.check(document, &types, self.strict, &mut verdicts);
        verdicts
    }

    /// The JSON rules that apply to a document, in order, each with the deployments in which it does.
    fn applicable(&self, document: &Document, types: &TypeIndex<'_>) -> Vec<(usize, Vec<DeploymentId>)> {
        let deployments = (0..document.deployments.len()).map(DeploymentId);
        let mut applicable: FxHashMap<usize, Vec<DeploymentId>> = FxHashMap::default();
        for deployment in deployments {
            let of_types = types.types(deployment).filter_map(|it| self.by_type.get(it)).flatten();
            for &rule in of_types.chain(&self.of_templates) {
                applicable.entry(rule).or_default().push(deployment);
            }
        }
        let mut applicable: Vec<_> = applicable.into_iter().collect();
        applicable.sort_unstable_by_key(|(rule, _)| *rule);
        applicable
    }
}

#[cfg(test)]
mod tests;
