//! Rule languages: JSON rules and Guard rulesets, which run on a [`Document`].
//!
//! # Invariant
//!
//! This crate does not know ARM: all its input is in the [`Document`].

pub mod cfn_lint;
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

use formwork_model::{diagnostic, model, outcomes, parallel, text, value};
use formwork_pattern as pattern;
use formwork_schema as schema;
use formwork_syntax as syntax;

use std::sync::Arc;

use foldhash::HashMap;

use crate::diagnostic::RuleInfo;
use crate::embedded::UnreadFile;
use crate::lookup::TypeIndex;
use crate::model::{DeploymentId, Document, Limits};

pub use self::embedded::unread;
pub use self::rule::Rule;
pub use self::verdict::{Leaf, Verdict};

/// Compiled rules of a run, indexed by type: checking a document costs as much as its resources times the rules about
/// their types.
#[derive(Debug, Default)]
pub struct RuleSet {
    rules: Vec<json::Rule>,
    /// Indexes of the JSON rules about resources, by type in lower case.
    by_type: HashMap<Box<str>, Vec<usize>>,
    /// Indexes of the JSON rules about templates.
    of_templates: Vec<usize>,
    guard: guard::Rules,
    guard3: guard3::Rules,
    strict: bool,
    /// True if Guard 3 rules have the verdicts of cfn-guard.
    is_raw: bool,
    /// Files of embedded rules, which are read when a document has one of their types.
    unread: Vec<UnreadFile>,
    /// Indexes of `unread`, by resource type.
    unread_by_type: HashMap<&'static str, Vec<usize>>,
    /// Indexes of files in `unread` about templates.
    unread_of_templates: Vec<usize>,
}

/// Number of verdicts that are collected before they are converted.
const MANY: usize = 256;

/// The part of the steps that the rules of all files get in advance: one in so many.
const IN_ADVANCE: u64 = 2;

/// The part of what is left of the steps that one rule gets that takes more: one in so many.
const PART_OF_REST: u64 = 2;

/// Results of rules for a document.
#[derive(Debug)]
pub struct Checked<R> {
    /// Converted verdicts, in the order of the rules.
    pub made: Vec<R>,
    /// The rules that take too many steps, so that they are undecided.
    pub exceeded: Vec<Arc<RuleInfo>>,
}

/// Results of some rules for a document.
struct SomeChecked<R> {
    made: Vec<R>,
    /// Rules that take more than their part of the steps, with the index of their file.
    exceeding: Vec<(usize, guard3::Exceeding)>,
    steps: u64,
}

/// A rule on a document.
enum Applied<'a> {
    /// A JSON rule with the deployments that it applies to.
    Json((&'a json::Rule, Vec<DeploymentId>)),
    Guard(&'a guard::Applicable<'a>, &'a guard::Rule),
    /// Rules of one file, which share their variables, with the index of the file.
    Guard3(usize, &'a guard3::Group),
}

impl RuleSet {
    /// Indexes rules. JSON rules are checked before Guard rules, Guard 1.0 before Guard 3; within a language, files
    /// that are not read yet come first. Rules and verdicts keep this order.
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
        set.unread = UnreadFile::group(unread);
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

    /// Makes Guard rules fail for a missing property if `strict`, like `cfn-guard --strict-checks`.
    #[must_use]
    pub fn guard_strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// Makes Guard 3 rules have the verdicts of cfn-guard if `is_raw`: templates are seen as written.
    #[must_use]
    pub fn guard_raw(self, is_raw: bool) -> Self {
        Self { is_raw, ..self }
    }

    /// Returns the metadata of each rule, in the order of the verdicts.
    pub fn infos(&self) -> impl Iterator<Item = &Arc<RuleInfo>> {
        let unread = self.unread.iter().flat_map(|file| &file.selected);
        unread.chain(self.rules.iter().map(json::Rule::info)).chain(self.guard.infos()).chain(self.guard3.infos())
    }

    /// Returns the verdicts of all rules that apply to `document`, in the order of the rules. Of verdicts that look the
    /// same to an author, only one is returned.
    pub fn check(&self, document: &Document) -> Vec<Verdict> {
        self.check_with(document, |verdicts| verdicts).made.into_iter().flatten().collect()
    }

    /// Returns the results of `make` for the verdicts that [`Self::check`] returns, some at a time: the verdicts of a
    /// long document would take as much memory as the document.
    pub fn check_with<R: Send>(&self, document: &Document, make: impl Fn(Vec<Verdict>) -> R + Sync) -> Checked<R> {
        let types = TypeIndex::new(document);
        let mut sets = self.concerned(document, &types);
        sets.push(self);
        let guard: Vec<guard::Applicable<'_>> =
            sets.iter().map(|set| set.guard.applicable(document, self.strict)).collect();
        let of_json = sets.iter().flat_map(|set| set.applicable(document, &types)).map(Applied::Json);
        let of_guard = guard.iter().flat_map(|set| set.rules.iter().map(move |rule| Applied::Guard(set, rule)));
        let seen = self.guard3.documents(document, &types, self.is_raw);
        let of_guard3 = self.guard3.groups.iter().enumerate().map(|(at, group)| Applied::Guard3(at, group));
        let applied: Vec<Applied<'_>> = of_json.chain(of_guard).chain(of_guard3).collect();
        let limits = guard3::limits_for(document);
        let share = self.share(&limits);
        let check = |applied: &&[Applied<'_>]| {
            let (mut verdicts, mut part) =
                (Vec::new(), SomeChecked { made: Vec::new(), exceeding: Vec::new(), steps: 0 });
            for rule in *applied {
                match rule {
                    Applied::Json((rule, deployments)) => {
                        json::check_rule(rule, document, &types, deployments.iter().copied(), &mut verdicts);
                    }
                    Applied::Guard(set, rule) => set.check(rule, document, &mut verdicts),
                    Applied::Guard3(at, group) => {
                        let mut hand_on = |verdicts: &mut Vec<Verdict>| part.made.push(make(std::mem::take(verdicts)));
                        let (exceeding, steps) = group.check(document, &seen, &share, &mut verdicts, &mut hand_on);
                        part.exceeding.extend(exceeding.into_iter().map(|again| (*at, again)));
                        part.steps += steps;
                    }
                }
                if verdicts.len() >= MANY {
                    part.made.push(make(std::mem::take(&mut verdicts)));
                }
            }
            part.made.push(make(verdicts));
            part
        };
        let at_once = if document.is_long() { 1 } else { applied.len().max(1) };
        let parts = parallel::map(&applied.chunks(at_once).collect::<Vec<_>>(), check);
        let steps = parts.iter().map(|part| part.steps).sum();
        let (mut checked, mut exceeding) = (Checked { made: Vec::new(), exceeded: Vec::new() }, Vec::new());
        for part in parts {
            checked.made.extend(part.made);
            exceeding.extend(part.exceeding);
        }
        let rest = Limits { steps: limits.steps.saturating_sub(steps), ..limits };
        self.check_again((document, &seen), rest, exceeding, &make, &mut checked);
        checked
    }

    /// Evaluates rules that take more than their parts of the steps, one after the other, with what is left.
    fn check_again<R>(
        &self,
        (document, seen): (&Document, &[guard3::SeenDeployment]),
        mut rest: Limits,
        exceeding: Vec<(usize, guard3::Exceeding)>,
        make: &impl Fn(Vec<Verdict>) -> R,
        checked: &mut Checked<R>,
    ) {
        for (at, again) in exceeding {
            let Some(group) = self.guard3.groups.get(at) else { continue };
            // One that never ends leaves something for those after it.
            let limits = Limits { steps: rest.steps / PART_OF_REST, ..rest };
            let mut verdicts = Vec::new();
            let (steps, exceeded) = group.check_again(document, seen, &limits, again, &mut verdicts);
            rest.steps = rest.steps.saturating_sub(steps);
            checked.made.push(make(verdicts));
            checked.exceeded.extend(exceeded.cloned());
        }
        checked.exceeded.sort_by(|a, b| a.id.cmp(&b.id));
        checked.exceeded.dedup_by(|a, b| Arc::ptr_eq(a, b));
    }

    /// Returns the part of the limits that the rules of each file have in advance. What takes more is evaluated again
    /// afterwards, with what is left, so that no order of threads changes a verdict.
    fn share(&self, limits: &Limits) -> Limits {
        let files = self.guard3.groups.len() as u64;
        let steps = if files > 1 { limits.steps / IN_ADVANCE / files } else { limits.steps / 2 };
        Limits { steps, ..*limits }
    }

    /// Returns the embedded rules in the files about types of a document, in the order of the files.
    fn concerned(&self, document: &Document, types: &TypeIndex<'_>) -> Vec<&Self> {
        let deployments = (0..document.deployments.len()).map(DeploymentId);
        let of_types = deployments.flat_map(|id| types.types(id)).filter_map(|name| self.unread_by_type.get(name));
        let mut files: Vec<usize> = of_types.flatten().chain(&self.unread_of_templates).copied().collect();
        files.sort_unstable();
        files.dedup();
        files.into_iter().filter_map(|at| self.unread.get(at)).map(UnreadFile::rules).collect()
    }

    /// Returns the JSON rules that apply to a document, in order, each with the deployments that it applies to.
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
        applicable
            .into_iter()
            .filter_map(|(at, deployments)| self.rules.get(at).map(|rule| (rule, deployments)))
            .collect()
    }
}

#[cfg(test)]
mod tests;
