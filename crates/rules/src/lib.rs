//! The rule languages: JSON rules and Guard rulesets, both run over a [`Document`].

pub mod counterparts;
mod embedded;
pub mod guard;
pub mod guard3;
pub mod json;
mod lookup;
mod rule;
mod rule_fix;
mod tables;
mod unread;
mod verdict;

use formwork_model::{diagnostic, model, parallel, text, value};
use formwork_pattern as pattern;
use formwork_schema as schema;
use formwork_syntax as syntax;

use std::sync::Arc;

use foldhash::HashMap;

use crate::diagnostic::RuleInfo;
use crate::embedded::UnreadFile;
use crate::lookup::TypeIndex;
use crate::model::{DeploymentId, Document};

pub use self::embedded::unread;
pub use self::rule::Rule;
pub use self::verdict::{Leaf, Verdict};

/// The rules of a run, compiled and indexed: checking a document costs as much as its resources times the rules of their
/// types.
#[derive(Debug, Default)]
pub struct RuleSet {
    rules: Vec<json::Rule>,
    /// Indexes of the JSON rules about resources of a type, by the type in lower case.
    by_type: HashMap<Box<str>, Vec<usize>>,
    /// Indexes of the JSON rules about templates.
    of_templates: Vec<usize>,
    guard: guard::Rules,
    guard3: guard3::Rules,
    strict: bool,
    /// Whether Guard 3 rules have the verdicts of cfn-guard.
    is_raw: bool,
    /// The files of embedded rules that are read when a document has one of their types.
    unread: Vec<UnreadFile>,
    /// Indexes of these files, by the types that they are about.
    unread_by_type: HashMap<&'static str, Vec<usize>>,
    /// Indexes of those that are about templates.
    unread_of_templates: Vec<usize>,
}

/// A rule on a document.
enum Applied<'a> {
    /// With the deployments that it applies to.
    Json((&'a json::Rule, Vec<DeploymentId>)),
    Guard(&'a guard::Applicable<'a>, &'a guard::Rule),
    /// Rules of one file, which share their variables.
    Guard3(&'a guard3::Group),
}

impl RuleSet {
    /// Indexes rules. JSON rules are checked before Guard rules, those of Guard 1.0 first; within a language, those that are not read yet come
    /// first, and rules and verdicts keep this order.
    pub fn new<R: Into<Rule>>(rules: impl IntoIterator<Item = R>) -> Self {
        let (mut json, mut guard, mut guard3, mut unread) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for rule in rules {
            match rule.into() {
                Rule::Json(rule) => json.push(rule),
                Rule::Guard(rule) => guard.push(rule),
                Rule::Guard3(rule) => guard3.push(rule),
                Rule::Unread(rule) => unread.push(rule),
            }
        }
        let (guard, guard3) = (guard::Rules::new(guard), guard3::Rules::new(guard3));
        let mut set = Self { rules: json, guard, guard3, ..Self::default() };
        for (at, rule) in set.rules.iter().enumerate() {
            match rule.resource_type() {
                Some(type_name) => set.by_type.entry(type_name.into()).or_default().push(at),
                None => set.of_templates.push(at),
            }
        }
        set.unread = UnreadFile::of(unread);
        for (at, file) in set.unread.iter().enumerate() {
            if file.types().next().is_none() {
                set.unread_of_templates.push(at);
            }
            for type_name in file.types() {
                set.unread_by_type.entry(type_name).or_default().push(at);
            }
        }
        set
    }

    /// The same rules, but with Guard rules that fail for a missing property, as `cfn-guard --strict-checks` does.
    #[must_use]
    pub fn guard_strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// The same rules, but those of Guard 3 have the verdicts of cfn-guard, which sees templates as they are written.
    #[must_use]
    pub fn guard_raw(self, is_raw: bool) -> Self {
        Self { is_raw, ..self }
    }

    /// What reports say about each rule, in the order of the verdicts.
    pub fn infos(&self) -> impl Iterator<Item = &Arc<RuleInfo>> {
        let unread = self.unread.iter().flat_map(|file| &file.selected);
        unread.chain(self.rules.iter().map(json::Rule::info)).chain(self.guard.infos()).chain(self.guard3.infos())
    }

    /// The verdicts of all rules that apply to `document`: those of one rule together, in the order of the
    /// rules. Of verdicts that look the same to an author only one is returned.
    pub fn check(&self, document: &Document) -> Vec<Verdict> {
        self.check_with(document, |verdicts| verdicts).into_iter().flatten().collect()
    }

    /// What `make` makes of the verdicts that [`Self::check`] returns, some at a time: those of a long document would take
    /// as much memory as itself.
    pub fn check_with<R: Send>(&self, document: &Document, make: impl Fn(Vec<Verdict>) -> R + Sync) -> Vec<R> {
        let types = TypeIndex::new(document);
        let mut sets = self.concerned(document, &types);
        sets.push(self);
        let guard: Vec<guard::Applicable<'_>> =
            sets.iter().map(|set| set.guard.applicable(document, self.strict)).collect();
        let of_json = sets.iter().flat_map(|set| set.applicable(document, &types)).map(Applied::Json);
        let of_guard = guard.iter().flat_map(|set| set.rules.iter().map(move |rule| Applied::Guard(set, rule)));
        let seen = self.guard3.documents(document, &types, self.is_raw);
        let of_guard3 = self.guard3.groups.iter().map(Applied::Guard3);
        let applied: Vec<Applied<'_>> = of_json.chain(of_guard).chain(of_guard3).collect();
        let check = |applied: &&[Applied<'_>]| {
            let mut verdicts = Vec::new();
            for rule in *applied {
                match rule {
                    Applied::Json((rule, deployments)) => {
                        json::check(rule, document, &types, deployments.iter().copied(), &mut verdicts);
                    }
                    Applied::Guard(set, rule) => set.check(rule, document, &mut verdicts),
                    Applied::Guard3(group) => group.check(document, &seen, &mut verdicts),
                }
            }
            make(verdicts)
        };
        let at_once = if document.is_long() { 1 } else { applied.len().max(1) };
        parallel::map(&applied.chunks(at_once).collect::<Vec<_>>(), check)
    }

    /// The embedded rules in the files about types of a document, in the order of the files.
    fn concerned(&self, document: &Document, types: &TypeIndex<'_>) -> Vec<&Self> {
        let deployments = (0..document.deployments.len()).map(DeploymentId);
        let of_types = deployments.flat_map(|id| types.types(id)).filter_map(|name| self.unread_by_type.get(name));
        let mut files: Vec<usize> = of_types.flatten().chain(&self.unread_of_templates).copied().collect();
        files.sort_unstable();
        files.dedup();
        files.into_iter().filter_map(|at| self.unread.get(at)).map(UnreadFile::rules).collect()
    }

    /// The JSON rules that apply to a document, in order, each with the deployments in which it does.
    fn applicable(&self, document: &Document, types: &TypeIndex<'_>) -> Vec<(&json::Rule, Vec<DeploymentId>)> {
        let deployments = (0..document.deployments.len()).map(DeploymentId);
        let mut applicable: HashMap<usize, Vec<DeploymentId>> = HashMap::default();
        for deployment in deployments {
            let of_types = types.types(deployment).filter_map(|type_name| self.by_type.get(type_name)).flatten();
            for &rule in of_types.chain(&self.of_templates) {
                applicable.entry(rule).or_default().push(deployment);
            }
        }
        let mut applicable: Vec<_> = applicable.into_iter().collect();
        applicable.sort_unstable_by_key(|(rule, _)| *rule);
        let with_rule = |(at, deployments)| self.rules.get(at).map(|rule| (rule, deployments));
        applicable.into_iter().filter_map(with_rule).collect()
    }
}

#[cfg(test)]
mod tests;
