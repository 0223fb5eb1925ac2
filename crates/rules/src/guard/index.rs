//! Guard rules of a run, indexed by resource type.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};

use crate::diagnostic::RuleInfo;
use crate::guard::ast::Joint;
use crate::guard::eval::{self, State};
use crate::guard::except;
use crate::guard::rule::{Branch, Rule};
use crate::guard::select::is_azure;
use crate::guard::verdicts::Surroundings;
use crate::model::{Document, ResourceId};
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

    fn state(&self, branch: &Branch, id: ResourceId) -> State {
        let Surroundings { document, strict, .. } = self.surroundings;
        eval::branch(branch, document.resource(id), strict)
    }

    fn report(&mut self, branch: &Branch, id: ResourceId, state: State) {
        self.verdicts.extend(self.surroundings.verdicts(self.rule, branch, id, state));
    }

    /// Evaluates alternative branches on a resource.
    fn judge(&mut self, id: ResourceId, branches: &[Branch]) {
        let states: Vec<State> = branches.iter().map(|branch| self.state(branch, id)).collect();
        match decisive(&states) {
            State::Held => self.held.push(id),
            State::Silent => {}
            state => {
                let deciding = branches.iter().zip(&states).filter(|(_, own)| **own == state);
                deciding.for_each(|(branch, _)| self.report(branch, id, state));
            }
        }
    }

    /// Evaluates alternative branches about several types. They are about the whole template: one is enough if it holds
    /// for all resources of its type.
    fn judge_together(&mut self) {
        let mut all: Vec<(&Branch, ResourceId, State)> = Vec::new();
        let mut states = Vec::new();
        for branch in &self.rule.branches {
            let ids = self.of_branch(branch);
            let judged: Vec<_> = ids.into_iter().map(|id| (branch, id, self.state(branch, id))).collect();
            states.push(common(&judged.iter().map(|&(_, _, state)| state).collect::<Vec<_>>()));
            all.extend(judged);
        }
        match decisive(&states) {
            State::Held => {
                let held = all.iter().filter(|(_, _, own)| *own == State::Held);
                self.held.extend(held.map(|&(_, id, _)| id));
            }
            State::Silent => {}
            state => {
                let deciding = all.into_iter().filter(|(_, _, own)| *own == state);
                deciding.for_each(|(branch, id, _)| self.report(branch, id, state));
            }
        }
    }
}

/// Returns the result of alternative branches.
fn decisive(states: &[State]) -> State {
    first_of([State::Held, State::Unknown, State::Failed], states)
}

/// Returns the result of one branch on several resources.
fn common(states: &[State]) -> State {
    first_of([State::Failed, State::Unknown, State::Held], states)
}

fn first_of(order: [State; 3], states: &[State]) -> State {
    order.into_iter().find(|state| states.contains(state)).unwrap_or(State::Silent)
}
