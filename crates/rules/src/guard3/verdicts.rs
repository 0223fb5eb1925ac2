//! Runs rules on a document, and turns what failed into verdicts with spans in the text.

use std::sync::{Arc, OnceLock};

use foldhash::{HashMap, HashSet};

use crate::diagnostic::{Label, Outcome, RuleInfo};
use crate::guard3::ast::RulesFile;
use crate::guard3::document::GuardDocument;
use crate::guard3::eval::{Abort, At, Evaluator, Failure, Item, Reached, Set, Step, Why};
use crate::guard3::message;
use crate::guard3::rule::Rule;
use crate::lookup::{Located, PathStep, Position, TypeIndex, locate};
use crate::model::{Budget, DeploymentId, Document, Limits, ResourceId};
use crate::rule_fix::{self, Failure as FailedPath};
use crate::text::Span;
use crate::value::{Str, Value, ValueExcerpt};
use crate::verdict::{Leaf, Verdict};

/// The rules of Guard 2 and 3, by file: those of a file share their variables.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    pub(crate) groups: Vec<Group>,
}

/// The rules of a file that run.
#[derive(Debug)]
pub(crate) struct Group {
    file: Arc<RulesFile>,
    rules: Vec<Rule>,
}

impl Rules {
    pub(crate) fn new(rules: Vec<Rule>) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        for rule in rules {
            match groups.last_mut().filter(|group| Arc::ptr_eq(&group.file, &rule.file)) {
                Some(group) => group.rules.push(rule),
                None => groups.push(Group { file: Arc::clone(&rule.file), rules: vec![rule] }),
            }
        }
        Self { groups }
    }

    /// What reports say about each rule, in their order.
    pub(crate) fn infos(&self) -> impl Iterator<Item = &Arc<RuleInfo>> {
        self.groups.iter().flat_map(|group| &group.rules).map(Rule::info)
    }

    /// The deployments of a document as rules see them. Empty without rules.
    pub(crate) fn documents(&self, document: &Document, types: &TypeIndex<'_>, is_raw: bool) -> Vec<Seen> {
        if self.groups.is_empty() {
            return Vec::new();
        }
        let ids = (0..document.deployments.len()).map(DeploymentId);
        let seen = |id| Seen {
            id,
            document: GuardDocument::expanded(document, types, id, is_raw),
            resources: OnceLock::new(),
        };
        ids.map(seen).collect()
    }
}

/// A deployment as rules see it.
#[derive(Debug)]
pub(crate) struct Seen {
    id: DeploymentId,
    document: GuardDocument,
    /// Its resources by their names in this document, as soon as a failure is in one.
    resources: OnceLock<HashMap<Str, ResourceId>>,
}

impl Seen {
    /// The resource with a name.
    fn resource(&self, document: &Document, name: &str) -> Option<ResourceId> {
        let resources = self.resources.get_or_init(|| {
            let own = document.resources.iter().enumerate().filter(|(_, resource)| resource.deployment == self.id);
            own.map(|(at, resource)| (self.document.name(resource).clone(), ResourceId(at))).collect()
        });
        resources.get(name).copied()
    }
}

impl Group {
    /// Adds the verdicts of the rules on the deployments of a document, and hands them on where there are many. Each rule has its
    /// part of the steps. Returns what takes more, which has no verdict, and the steps that were taken.
    pub(crate) fn check(
        &self,
        document: &Document,
        seen: &[Seen],
        limits: &Limits,
        verdicts: &mut Vec<Verdict>,
        hand_on: &mut dyn FnMut(&mut Vec<Verdict>),
    ) -> (Vec<Exceeding>, u64) {
        let mut by_rule: Vec<OfRule> = Vec::new();
        by_rule.resize_with(self.rules.len(), OfRule::default);
        let (budget, mut exceeding) = (Budget::new(limits).shared(self.rules.len()), Vec::new());
        for (deployment, seen) in seen.iter().enumerate() {
            let places = Places { document, seen };
            let evaluator = Evaluator::new(&self.file, &seen.document, &budget);
            let mut rules = self.rules.iter().zip(&mut by_rule).enumerate();
            evaluator.rules(self.rules.iter().map(|rule| rule.index), &mut |_, result, failures| {
                let Some((at, (rule, own))) = rules.next() else { return };
                if is_too_much(&result) {
                    return exceeding.push(Exceeding { rule: at, deployment });
                }
                Report { places: &places, rule, file: &self.file }.add(result, &failures, own);
                if own.verdicts.len() >= MANY {
                    verdicts.append(&mut own.verdicts);
                    hand_on(verdicts);
                }
            });
        }
        for own in by_rule {
            // A rule that holds wherever it applies has one verdict.
            verdicts.extend(own.passed.filter(|_| !own.decides));
            verdicts.extend(own.verdicts);
            if verdicts.len() >= MANY {
                hand_on(verdicts);
            }
        }
        (exceeding, budget.taken())
    }

    /// Adds the verdicts of a rule on a deployment, for which its part of the steps was not enough. Returns the steps that were
    /// taken, and the rule if there are still not enough, so that it is undecided.
    pub(crate) fn check_again(
        &self,
        document: &Document,
        seen: &[Seen],
        limits: &Limits,
        again: Exceeding,
        verdicts: &mut Vec<Verdict>,
    ) -> (u64, Option<&Arc<RuleInfo>>) {
        let (Some(rule), Some(seen)) = (self.rules.get(again.rule), seen.get(again.deployment)) else {
            return (0, None);
        };
        let (budget, mut own, mut exceeded) = (Budget::new(limits).shared(1), OfRule::default(), None);
        let evaluator = Evaluator::new(&self.file, &seen.document, &budget);
        evaluator.rules(std::iter::once(rule.index), &mut |_, result, failures| {
            exceeded = is_too_much(&result).then(|| rule.info());
            Report { places: &Places { document, seen }, rule, file: &self.file }.add(result, &failures, &mut own);
        });
        verdicts.extend(own.verdicts);
        (budget.taken(), exceeded)
    }
}

/// Whether a rule has no result because it takes too many steps or too much memory.
fn is_too_much(result: &Result<Set, Abort>) -> bool {
    matches!(result, Err(Abort::Limit(Reached::Steps | Reached::Bytes)))
}

/// A rule that takes more than its part of the steps, or more memory than the rules of a file may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exceeding {
    rule: usize,
    deployment: usize,
}

/// How many verdicts are kept before they are handed on.
const MANY: usize = 256;

/// What a rule says of the deployments of a document.
#[derive(Default)]
struct OfRule {
    /// Those that did not pass.
    verdicts: Vec<Verdict>,
    /// The first that passed.
    passed: Option<Verdict>,
    /// Whether there is one that did not pass.
    decides: bool,
}

impl OfRule {
    /// Takes out the verdicts since `before` that passed.
    fn settle(&mut self, before: usize) {
        let added = self.verdicts.split_off(before);
        for verdict in added {
            if verdict.outcome == Outcome::Passed {
                self.passed.get_or_insert(verdict);
            } else {
                self.decides = true;
                self.verdicts.push(verdict);
            }
        }
    }
}

/// Where the values of a deployment are in the text.
struct Places<'a> {
    document: &'a Document,
    seen: &'a Seen,
}

impl<'a> Places<'a> {
    /// The position of a value, or of what is missing in it.
    fn position<'s>(&self, steps: &[Step<'s>], missing: Option<&'s Str>) -> Position<'s>
    where
        'a: 's,
    {
        let resource = match steps {
            [Step::Key(section), Step::Key(name), ..] if section.eq_ignore_ascii_case("resources") => {
                self.seen.resource(self.document, name)
            }
            _ => None,
        };
        let (mut position, rest) = match resource {
            Some(id) => (Position::resource(self.document, id), steps.get(2..).unwrap_or_default()),
            None => (Position::deployment(self.document, self.seen.id), steps),
        };
        position.steps.extend(rest.iter().map(|step| match step {
            Step::Key(key) => PathStep::Key(key),
            Step::Index(index) => PathStep::Index(*index),
        }));
        position.steps.extend(missing.map(|key| PathStep::Key(key)));
        position
    }
}

/// A failure with its place in the text.
struct Placed<'f, 'a> {
    failure: &'f Failure<'a>,
    resource: Option<ResourceId>,
    /// The section of the template, for a failure outside of resources.
    section: Option<String>,
    located: Located,
}

/// The verdicts of one rule on one deployment.
struct Report<'a> {
    places: &'a Places<'a>,
    rule: &'a Rule,
    file: &'a RulesFile,
}

impl Report<'_> {
    /// Adds what the result of the rule says.
    fn add(&self, result: Result<Set, Abort>, failures: &[Failure<'_>], own: &mut OfRule) {
        let before = own.verdicts.len();
        match result {
            Ok(set) => self.verdicts(set, failures, &mut own.verdicts),
            Err(Abort::Undecidable) => self.verdicts(Set::FAIL, failures, &mut own.verdicts),
            Err(abort) => own.verdicts.push(self.undecided(abort.reason())),
        }
        own.settle(before);
    }

    fn verdicts(&self, set: Set, failures: &[Failure<'_>], verdicts: &mut Vec<Verdict>) {
        if !set.may(Set::FAIL) {
            if set.may(Set::PASS) {
                verdicts.push(self.verdict_of_template(Outcome::Passed, None));
            }
            return;
        }
        let placed: Vec<Placed<'_, '_>> = failures.iter().filter_map(|failure| self.placed(failure)).collect();
        let mut groups: Vec<Vec<&Placed<'_, '_>>> = Vec::new();
        let mut known: HashMap<(Option<ResourceId>, Option<&str>), usize> = HashMap::default();
        for one in &placed {
            let at = *known.entry((one.resource, one.section.as_deref())).or_insert(groups.len());
            if at == groups.len() {
                groups.push(Vec::new());
            }
            groups.get_mut(at).into_iter().for_each(|group| group.push(one));
        }
        if groups.is_empty() {
            let outcome = if set.is(Set::FAIL) { Outcome::Failed } else { Outcome::Unknown };
            verdicts.push(self.verdict_of_template(outcome, failures.first()));
        }
        for group in groups {
            let is_certain = set.is(Set::FAIL) && group.iter().any(|one| one.failure.doubt.is_none());
            verdicts.push(self.verdict(&group, is_certain));
        }
    }

    /// Where a failure is; `None` for one without a place.
    fn placed<'f, 'a>(&self, failure: &'f Failure<'a>) -> Option<Placed<'f, 'a>> {
        let at = failure.at.as_ref()?;
        let steps = at.trail.steps();
        if steps.is_empty() && !matches!(failure.why, Why::Missing(Some(_))) {
            return None;
        }
        let missing = match &failure.why {
            Why::Missing(name) => name.as_ref(),
            _ => None,
        };
        let position = self.places.position(&steps, missing);
        let resource = position.resource_id();
        let section = match steps.first() {
            Some(Step::Key(section)) if resource.is_none() => Some((*section).to_owned()),
            _ => None,
        };
        Some(Placed { failure, resource, section, located: locate(self.places.document, &position) })
    }

    fn verdict(&self, group: &[&Placed<'_, '_>], is_certain: bool) -> Verdict {
        let mut deciding: Vec<&&Placed<'_, '_>> =
            group.iter().filter(|one| one.failure.doubt.is_none() == is_certain).collect();
        let all: Vec<&&Placed<'_, '_>> = group.iter().collect();
        if deciding.is_empty() {
            deciding = all;
        }
        // The first of the checks with the longest path says what is wrong.
        let longest = deciding.iter().map(|one| depth(one)).max().unwrap_or(0);
        deciding.sort_by_key(|one| depth(one) != longest);
        let mut leaves: Vec<Leaf> = Vec::new();
        let mut paths: HashSet<&str> = HashSet::default();
        for one in &deciding {
            if paths.insert(&one.located.path) {
                leaves.push(self.leaf(one));
            }
        }
        let first = deciding.first();
        let resource = first.and_then(|one| one.resource);
        let failures: Vec<FailedPath> =
            leaves.iter().map(|leaf| FailedPath { path: leaf.path.clone(), is_alternative: false }).collect();
        let value_fixes = match resource {
            Some(id) if is_certain => rule_fix::value_fixes(self.places.document, &[id], &self.rule.fixes, &failures),
            _ => Vec::new(),
        };
        Verdict {
            rule: Arc::clone(self.rule.info()),
            outcome: if is_certain { Outcome::Failed } else { Outcome::Unknown },
            message: first.map_or_else(String::new, |one| self.message(one, is_certain)),
            resource,
            alike: Vec::new(),
            path: leaves.first().map_or_else(String::new, |leaf| leaf.path.clone()),
            span: leaves.first().map_or_else(|| Span::whole_file(self.places.document.file), |leaf| leaf.span),
            leaves,
            value_fixes,
        }
    }

    fn leaf(&self, placed: &Placed<'_, '_>) -> Leaf {
        let Located { path, span, extent, related } = &placed.located;
        let mut related = related.clone();
        if self.rule.info().definition.is_some() {
            let message = "the clause is here".to_owned();
            related.push(Label { span: placed.failure.place.span(self.file.file), message });
        }
        let actual = match placed.failure.why {
            Why::Value(_) => placed.failure.at.as_ref().and_then(excerpt),
            _ => None,
        };
        Leaf { path: path.clone(), span: *span, extent: *extent, related, actual }
    }

    /// The message of the clause, or what is wrong in formwork's words.
    fn message(&self, placed: &Placed<'_, '_>, is_certain: bool) -> String {
        let failure = placed.failure;
        let text = match failure.message {
            Some(text) => message::read(text).violation,
            None => self.explanation(&placed.located.path, failure),
        };
        if is_certain { text } else { doubted(text, failure) }
    }

    fn explanation(&self, path: &str, failure: &Failure<'_>) -> String {
        match &failure.why {
            Why::Value(check) => match failure.at.as_ref().and_then(excerpt) {
                Some(actual) => format!("`{path}` is `{actual}`; expected `{}`", check.shown),
                None => format!("`{path}` is wrong; expected `{}`", check.shown),
            },
            Why::Missing(_) => format!("`{path}` is missing"),
            Why::Nothing => format!("`{path}` does not pass the rule"),
            Why::Rule(name) => format!("the rule `{}` does not pass", self.file.names.text(*name)),
        }
    }

    /// The rule has no result, for this reason.
    fn undecided(&self, why: &str) -> Verdict {
        let message = format!("the rule cannot be evaluated: {why}");
        Verdict { message, ..self.verdict_of_template(Outcome::Unknown, None) }
    }

    fn verdict_of_template(&self, outcome: Outcome, failure: Option<&Failure<'_>>) -> Verdict {
        let info = self.rule.info();
        let document = self.places.document;
        let message = match failure {
            Some(Failure { message: Some(text), .. }) => message::read(text).violation,
            Some(Failure { why: Why::Rule(name), .. }) => {
                format!("the rule `{}` does not pass", self.file.names.text(*name))
            }
            _ if outcome != Outcome::Passed && info.short_description == info.id => {
                "the template does not pass the rule".to_owned()
            }
            _ => info.short_description.clone(),
        };
        let message = match failure {
            Some(failure) if outcome == Outcome::Unknown => doubted(message, failure),
            _ => message,
        };
        let span = Span::whole_file(document.file);
        let leaf = |failure: &Failure<'_>| Leaf {
            path: String::new(),
            span,
            extent: span,
            related: vec![Label { span: failure.place.span(self.file.file), message: "the clause is here".to_owned() }],
            actual: None,
        };
        Verdict {
            rule: Arc::clone(info),
            outcome,
            message,
            resource: None,
            alike: Vec::new(),
            path: String::new(),
            span,
            leaves: failure.filter(|_| info.definition.is_some()).map(leaf).into_iter().collect(),
            value_fixes: Vec::new(),
        }
    }
}

/// A message about a check that may pass.
fn doubted(text: String, failure: &Failure<'_>) -> String {
    match &failure.doubt {
        Some(doubt) => format!("{}: not known before the deployment, because {doubt}", text.trim_end_matches('.')),
        None => text,
    }
}

fn depth(placed: &Placed<'_, '_>) -> usize {
    placed.failure.at.as_ref().map_or(0, |at| at.trail.steps().len())
}

fn excerpt(at: &At<'_>) -> Option<ValueExcerpt> {
    let value: &Value = match &at.item {
        Item::Value(value, _) => value,
        Item::Made(value) => value,
        Item::Literal(_) | Item::Char(_) => return None,
    };
    Some(ValueExcerpt::of(value))
}
