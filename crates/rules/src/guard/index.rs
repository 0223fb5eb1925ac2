//! Guard rules of a run, indexed by resource type.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};

use crate::diagnostic::RuleInfo;
use crate::guard::ast::Joint;
use crate::guard::eval;
use crate::guard::except;
use crate::guard::rule::{Branch, Rule};
use crate::guard::select::is_azure;
use crate::guard::verdicts::Surroundings;
use crate::model::{Document, ResourceId};
use crate::outcomes::Outcomes;
use crate::verdict::Verdict;

/// Guard rules, indexed by type: checking a document costs as much as its resources times the rules about their types.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    rules: Vec<Rule>,
    /// Indexes of rules, by type in lower case.
    by_type: HashMap<Box<str>, Vec<usize>>,
}

/// Resources of a document, by type in lower case and in the notation of rules.
type Resources = HashMap<Box<str>, Vec<ResourceId>>;

impl Rules {
    /// Indexes rules by type.
    pub(crate) fn new(rules: Vec<Rule>) -> Self {
        let mut by_type: HashMap<Box<str>, Vec<usize>> = HashMap::default();
        for (at, rule) in rules.iter().enumerate() {
            for branch in &rule.branches {
                let of_type = by_type.entry(branch.type_name.to_ascii_lowercase().into()).or_default();
                if of_type.last() != Some(&at) {
                    of_type.push(at);
                }
            }
        }
        Self { rules, by_type }
    }

    /// Returns the metadata of each rule, in the order of the rules.
    pub(crate) fn infos(&self) -> impl Iterator<Item = &Arc<RuleInfo>> {
        self.rules.iter().map(Rule::info)
    }

    /// Returns the rules that apply to a document, in order. If `strict`, a missing property fails.
    pub(crate) fn applicable(&self, document: &Document, strict: bool) -> Applicable<'_> {
        if self.rules.is_empty() {
            return Applicable::default();
        }
        let resources = self.resources(document);
        let mut concerned: Vec<usize> =
            resources.keys().filter_map(|type_name| self.by_type.get(type_name)).flatten().copied().collect();
        concerned.sort_unstable();
        concerned.dedup();
        Applicable { rules: concerned.into_iter().filter_map(|at| self.rules.get(at)).collect(), resources, strict }
    }

    /// Returns the resources whose types have rules, in the order of the document.
    fn resources(&self, document: &Document) -> Resources {
        let mut by_written: HashMap<&str, Vec<ResourceId>> = HashMap::default();
        for (at, resource) in document.resources.iter().enumerate() {
            by_written.entry(&resource.type_name).or_default().push(ResourceId(at));
        }
        let mut resources = Resources::default();
        for (written, ids) in by_written {
            let name = rule_type(written).to_ascii_lowercase();
            if self.by_type.contains_key(&*name) {
                resources.entry(name.into()).or_default().extend(ids);
            }
        }
        for ids in resources.values_mut() {
            ids.sort_unstable();
        }
        resources
    }
}

/// Rules that apply to a document.
#[derive(Debug, Default)]
pub(crate) struct Applicable<'a> {
    pub(crate) rules: Vec<&'a Rule>,
    resources: Resources,
    strict: bool,
}

impl Applicable<'_> {
    /// Adds the verdicts of a rule on the document. A rule that holds for all its resources has one verdict for the
    /// document.
    pub(crate) fn check(&self, rule: &Rule, document: &Document, verdicts: &mut Vec<Verdict>) {
        let surroundings = Surroundings { document, strict: self.strict || rule.strict };
        let ignored = except::targets(&rule.except, document);
        RuleRun { surroundings, resources: &self.resources, rule, ignored, held: Vec::new(), verdicts }.rule();
    }
}

/// Returns a type in the notation of rules: `Microsoft::Storage::storageAccounts` for
/// `Microsoft.Storage/storageAccounts`.
pub(crate) fn rule_type(type_name: &str) -> String {
    match type_name.split_once('/') {
        Some((namespace, rest)) => format!("{}::{}", namespace.replace('.', "::"), rest.replace('/', "::")),
        None => type_name.to_owned(),
    }
}

/// Evaluation of one rule on one document.
struct RuleRun<'a> {
    surroundings: Surroundings<'a>,
    resources: &'a Resources,
    rule: &'a Rule,
    /// Resources that the rule ignores.
    ignored: HashSet<ResourceId>,
    /// Resources that satisfy the rule.
    held: Vec<ResourceId>,
    verdicts: &'a mut Vec<Verdict>,
}

impl RuleRun<'_> {
    fn rule(mut self) {
        let before = self.verdicts.len();
        match (self.rule.joint, self.rule.only_type()) {
            (Joint::And, _) => {
                for branch in &self.rule.branches {
                    self.of_branch(branch).into_iter().for_each(|id| self.judge(id, std::slice::from_ref(branch)));
                }
            }
            (Joint::Or, Some(_)) => {
                let first = self.rule.branches.first();
                let ids = first.map(|branch| self.of_branch(branch)).unwrap_or_default();
                for id in ids {
                    self.judge(id, &self.rule.branches);
                }
            }
            (Joint::Or, None) => self.judge_together(),
        }
        if self.verdicts.len() == before && !self.held.is_empty() {
            self.verdicts.push(self.surroundings.passed(self.rule, &self.held));
        }
    }

    /// Returns the resources of a branch's type. Types are case-sensitive in CloudFormation, but not in Azure.
    fn of_branch(&self, branch: &Branch) -> Vec<ResourceId> {
        let name = &branch.type_name;
        let all = self.resources.get(&*name.to_ascii_lowercase()).into_iter().flatten();
        all.filter(|id: &&ResourceId| {
            let resource = self.surroundings.document.resource(**id);
            let is_of_type = is_azure(resource) || *resource.type_name == **name;
            is_of_type && !self.ignored.contains(*id)
        })
        .copied()
        .collect()
    }

    fn evaluate(&self, branch: &Branch, id: ResourceId) -> Outcomes {
        let Surroundings { document, strict, .. } = self.surroundings;
        eval::branch(branch, document.resource(id), strict)
    }

    fn report(&mut self, branch: &Branch, id: ResourceId, outcomes: Outcomes) {
        self.verdicts.extend(self.surroundings.verdicts(self.rule, branch, id, outcomes));
    }

    /// Evaluates alternative branches on a resource.
    fn judge(&mut self, id: ResourceId, branches: &[Branch]) {
        let outcomes: Vec<Outcomes> = branches.iter().map(|branch| self.evaluate(branch, id)).collect();
        match decisive(&outcomes) {
            Outcomes::TRUE => self.held.push(id),
            Outcomes::NEITHER => {}
            violation => {
                let deciding = branches.iter().zip(&outcomes).filter(|(_, own)| **own == violation);
                deciding.for_each(|(branch, _)| self.report(branch, id, violation));
            }
        }
    }

    /// Evaluates alternative branches about several types. They are about the whole template: one is enough if it holds
    /// for all resources of its type.
    fn judge_together(&mut self) {
        let mut all: Vec<(&Branch, ResourceId, Outcomes)> = Vec::new();
        let mut outcomes = Vec::new();
        for branch in &self.rule.branches {
            let ids = self.of_branch(branch);
            let judged: Vec<_> = ids.into_iter().map(|id| (branch, id, self.evaluate(branch, id))).collect();
            outcomes.push(common(&judged.iter().map(|&(_, _, own)| own).collect::<Vec<_>>()));
            all.extend(judged);
        }
        match decisive(&outcomes) {
            Outcomes::TRUE => {
                let held = all.iter().filter(|(_, _, own)| *own == Outcomes::TRUE);
                self.held.extend(held.map(|&(_, id, _)| id));
            }
            Outcomes::NEITHER => {}
            violation => {
                let deciding = all.into_iter().filter(|(_, _, own)| *own == violation);
                deciding.for_each(|(branch, id, _)| self.report(branch, id, violation));
            }
        }
    }
}

/// Returns the result of alternative branches.
fn decisive(outcomes: &[Outcomes]) -> Outcomes {
    outcomes.iter().copied().fold(Outcomes::NEITHER, Outcomes::or)
}

/// Returns the result of one branch on several resources.
fn common(outcomes: &[Outcomes]) -> Outcomes {
    outcomes.iter().copied().fold(Outcomes::NEITHER, Outcomes::and)
}
