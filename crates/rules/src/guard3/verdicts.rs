//! Runs rules on a document, and turns failures into verdicts with spans.

use std::sync::{Arc, OnceLock};

use foldhash::{HashMap, HashSet};

use crate::diagnostic::{Label, Outcome, RuleInfo};
use crate::guard3::ast::RulesFile;
use crate::guard3::document::GuardDocument;
use crate::guard3::eval::results::{FAIL, PASS};
use crate::guard3::eval::{Abort, EvalResult, Evaluator, Failure, FailureKind, Item, LocatedItem, Reached, TrailStep};
use crate::guard3::message;
use crate::guard3::rule::Rule;
use crate::lookup::{Located, PathStep, Position, TypeIndex, locate};
use crate::model::{Budget, DeploymentId, Document, Limits, ResourceId};
use crate::outcomes::Outcomes;
use crate::rule_fix::{self, Failure as FailedPath};
use crate::text::Span;
use crate::value::{Str, Value, ValueExcerpt};
use crate::verdict::{Leaf, Verdict};

/// Rules of Guard 2 and 3, by file: the rules of a file share its variables.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    pub(crate) groups: Vec<Group>,
}

/// Selected rules of a file.
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

    /// Returns the metadata of each rule, in the order of the rules.
    pub(crate) fn infos(&self) -> impl Iterator<Item = &Arc<RuleInfo>> {
        self.groups.iter().flat_map(|group| &group.rules).map(Rule::info)
    }

    /// Returns the deployments of a document as rules see them. Empty without rules.
    pub(crate) fn documents(&self, document: &Document, types: &TypeIndex<'_>, is_raw: bool) -> Vec<SeenDeployment> {
        if self.groups.is_empty() {
            return Vec::new();
        }
        let ids = (0..document.deployments.len()).map(DeploymentId);
        ids.map(|id| SeenDeployment {
            id,
            document: GuardDocument::expanded(document, types, id, is_raw),
            resources: OnceLock::new(),
        })
        .collect()
    }
}

/// A deployment as rules see it.
#[derive(Debug)]
pub(crate) struct SeenDeployment {
    id: DeploymentId,
    document: GuardDocument,
    /// Resources by their names in this document, computed for the first failure in a resource.
    resources: OnceLock<HashMap<Str, ResourceId>>,
}

impl SeenDeployment {
    /// Returns the resource with a name.
    fn resource(&self, document: &Document, name: &str) -> Option<ResourceId> {
        let resources = self.resources.get_or_init(|| {
            let own = document.resources.iter().enumerate().filter(|(_, resource)| resource.deployment == self.id);
            own.map(|(at, resource)| (self.document.name(resource).clone(), ResourceId(at))).collect()
        });
        resources.get(name).copied()
    }
}

impl Group {
    /// Adds the verdicts of the rules on the deployments of a document, and hands them on where there are many. Each
    /// rule has its part of the steps. Returns what takes more, which has no verdict, and the steps that were taken.
    pub(crate) fn check(
        &self,
        document: &Document,
        seen: &[SeenDeployment],
        limits: &Limits,
        verdicts: &mut Vec<Verdict>,
        hand_on: &mut dyn FnMut(&mut Vec<Verdict>),
    ) -> (Vec<Exceeding>, u64) {
        let mut by_rule: Vec<OfRule> = Vec::new();
        by_rule.resize_with(self.rules.len(), OfRule::default);
        let (budget, mut exceeding) = (Budget::new(limits).shared(self.rules.len()), Vec::new());
        for (deployment, seen) in seen.iter().enumerate() {
            let places = DeploymentSpans { document, seen };
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
        (exceeding, budget.steps_taken())
    }

    /// Adds the verdicts of a rule on a deployment, for which its part of the steps was not enough. Returns the steps
    /// that were taken, and the rule if there are still not enough, so that it is undecided.
    pub(crate) fn check_again(
        &self,
        document: &Document,
        seen: &[SeenDeployment],
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
            Report { places: &DeploymentSpans { document, seen }, rule, file: &self.file }
                .add(result, &failures, &mut own);
        });
        verdicts.extend(own.verdicts);
        (budget.steps_taken(), exceeded)
    }
}

/// Returns `true` if a rule has no result because it takes too many steps or too much memory.
fn is_too_much(result: &EvalResult<Outcomes>) -> bool {
    matches!(result, Err(Abort::Limit(Reached::Steps | Reached::Bytes)))
}

/// A rule that takes more than its part of the steps, or more memory than the rules of a file may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exceeding {
    rule: usize,
    deployment: usize,
}

/// Number of verdicts that are kept before they are handed on.
const MANY: usize = 256;

/// Verdicts of a rule on the deployments of a document.
#[derive(Default)]
struct OfRule {
    /// Verdicts that did not pass.
    verdicts: Vec<Verdict>,
    /// The first that passed.
    passed: Option<Verdict>,
    /// True if a verdict did not pass.
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

/// Spans of the values of a deployment.
struct DeploymentSpans<'a> {
    document: &'a Document,
    seen: &'a SeenDeployment,
}

impl<'a> DeploymentSpans<'a> {
    /// Returns the position of a value, or of a member that is missing in it.
    fn position<'s>(&self, steps: &[TrailStep<'s>], missing: Option<&'s Str>) -> Position<'s>
    where
        'a: 's,
    {
        let resource = match steps {
            [TrailStep::Key(section), TrailStep::Key(name), ..] if section.eq_ignore_ascii_case("resources") => {
                self.seen.resource(self.document, name)
            }
            _ => None,
        };
        let (mut position, rest) = match resource {
            Some(id) => (Position::resource(self.document, id), steps.get(2..).unwrap_or_default()),
            None => (Position::deployment(self.document, self.seen.id), steps),
        };
        position.steps.extend(rest.iter().map(|step| match step {
            TrailStep::Key(key) => PathStep::Key(key),
            TrailStep::Index(index) => PathStep::Index(*index),
        }));
        position.steps.extend(missing.map(|key| PathStep::Key(key)));
        position
    }
}

/// A failure with its span.
struct LocatedFailure<'f, 'a> {
    failure: &'f Failure<'a>,
    resource: Option<ResourceId>,
    /// Section of the template, for a failure outside of resources.
    section: Option<String>,
    located: Located,
}

/// Verdicts of one rule on one deployment.
struct Report<'a> {
    places: &'a DeploymentSpans<'a>,
    rule: &'a Rule,
    file: &'a RulesFile,
}

impl Report<'_> {
    /// Adds what the result of the rule says.
    fn add(&self, result: EvalResult<Outcomes>, failures: &[Failure<'_>], own: &mut OfRule) {
        let before = own.verdicts.len();
        match result {
            Ok(set) => self.verdicts(set, failures, &mut own.verdicts),
            Err(Abort::Undecidable) => self.verdicts(FAIL, failures, &mut own.verdicts),
            Err(abort) => own.verdicts.push(self.undecided(abort.reason())),
        }
        own.settle(before);
    }

    fn verdicts(&self, set: Outcomes, failures: &[Failure<'_>], verdicts: &mut Vec<Verdict>) {
        if !set.may_be(FAIL) {
            if set.may_be(PASS) {
                verdicts.push(self.verdict_of_template(Outcome::Passed, None));
            }
            return;
        }
        let placed: Vec<LocatedFailure<'_, '_>> = failures.iter().filter_map(|failure| self.placed(failure)).collect();
        let mut groups: Vec<Vec<&LocatedFailure<'_, '_>>> = Vec::new();
        let mut known: HashMap<(Option<ResourceId>, Option<&str>), usize> = HashMap::default();
        for one in &placed {
            let at = *known.entry((one.resource, one.section.as_deref())).or_insert(groups.len());
            if at == groups.len() {
                groups.push(Vec::new());
            }
            groups.get_mut(at).into_iter().for_each(|group| group.push(one));
        }
        if groups.is_empty() {
            let outcome = if set == FAIL { Outcome::Failed } else { Outcome::Unknown };
            verdicts.push(self.verdict_of_template(outcome, failures.first()));
        }
        for group in groups {
            let is_certain = set == FAIL && group.iter().any(|one| one.failure.doubt.is_none());
            verdicts.push(self.verdict(&group, is_certain));
        }
    }

    /// Locates a failure. Returns `None` for a failure without a value.
    fn placed<'f, 'a>(&self, failure: &'f Failure<'a>) -> Option<LocatedFailure<'f, 'a>> {
        let at = failure.at.as_ref()?;
        let steps = at.trail.steps();
        if steps.is_empty() && !matches!(failure.why, FailureKind::Missing(Some(_))) {
            return None;
        }
        let missing = match &failure.why {
            FailureKind::Missing(name) => name.as_ref(),
            _ => None,
        };
        let position = self.places.position(&steps, missing);
        let resource = position.resource_id();
        let section = match steps.first() {
            Some(TrailStep::Key(section)) if resource.is_none() => Some((*section).to_owned()),
            _ => None,
        };
        Some(LocatedFailure { failure, resource, section, located: locate(self.places.document, &position) })
    }

    fn verdict(&self, group: &[&LocatedFailure<'_, '_>], is_certain: bool) -> Verdict {
        let mut deciding: Vec<&&LocatedFailure<'_, '_>> =
            group.iter().filter(|one| one.failure.doubt.is_none() == is_certain).collect();
        let all: Vec<&&LocatedFailure<'_, '_>> = group.iter().collect();
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

    fn leaf(&self, placed: &LocatedFailure<'_, '_>) -> Leaf {
        let Located { path, span, extent, related } = &placed.located;
        let mut related = related.clone();
        if self.rule.info().definition.is_some() {
            related.push(Label::new(placed.failure.place.span(self.file.file), "the clause is here"));
        }
        let actual = match placed.failure.why {
            FailureKind::Value(_) => placed.failure.at.as_ref().and_then(excerpt),
            _ => None,
        };
        Leaf { path: path.clone(), span: *span, extent: *extent, related, actual }
    }

    /// Returns the message of the clause, or a default message.
    fn message(&self, placed: &LocatedFailure<'_, '_>, is_certain: bool) -> String {
        let failure = placed.failure;
        let text = match failure.message {
            Some(text) => message::read(text).violation,
            None => self.explanation(&placed.located.path, failure),
        };
        if is_certain { text } else { doubted(text, failure) }
    }

    fn explanation(&self, path: &str, failure: &Failure<'_>) -> String {
        match &failure.why {
            FailureKind::Value(check) => match failure.at.as_ref().and_then(excerpt) {
                Some(actual) => format!("`{path}` is `{actual}`; expected `{}`", check.shown),
                None => format!("`{path}` is wrong; expected `{}`", check.shown),
            },
            FailureKind::Missing(_) => format!("`{path}` is missing"),
            FailureKind::Nothing => format!("`{path}` does not pass the rule"),
            FailureKind::Rule(name) => format!("the rule `{}` does not pass", self.file.names.text(*name)),
        }
    }

    /// Returns the verdict for a rule without a result.
    fn undecided(&self, why: &str) -> Verdict {
        let message = format!("the rule cannot be evaluated: {why}");
        Verdict { message, ..self.verdict_of_template(Outcome::Unknown, None) }
    }

    fn verdict_of_template(&self, outcome: Outcome, failure: Option<&Failure<'_>>) -> Verdict {
        let info = self.rule.info();
        let document = self.places.document;
        let message = match failure {
            Some(Failure { message: Some(text), .. }) => message::read(text).violation,
            Some(Failure { why: FailureKind::Rule(name), .. }) => {
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
        Verdict {
            rule: Arc::clone(info),
            outcome,
            message,
            resource: None,
            alike: Vec::new(),
            path: String::new(),
            span,
            leaves: failure
                .filter(|_| info.definition.is_some())
                .map(|failure: &Failure<'_>| Leaf {
                    path: String::new(),
                    span,
                    extent: span,
                    related: vec![Label::new(failure.place.span(self.file.file), "the clause is here")],
                    actual: None,
                })
                .into_iter()
                .collect(),
            value_fixes: Vec::new(),
        }
    }
}

/// Marks a message as uncertain.
fn doubted(text: String, failure: &Failure<'_>) -> String {
    match &failure.doubt {
        Some(doubt) => format!("{}: not known before the deployment, because {doubt}", text.trim_end_matches('.')),
        None => text,
    }
}

fn depth(placed: &LocatedFailure<'_, '_>) -> usize {
    placed.failure.at.as_ref().map_or(0, |at| at.trail.steps().len())
}

fn excerpt(at: &LocatedItem<'_>) -> Option<ValueExcerpt> {
    let value: &Value = match &at.item {
        Item::Value(value, _) => value,
        Item::Made(value) => value,
        Item::Literal(_) | Item::Char(_) => return None,
    };
    Some(ValueExcerpt::new(value))
}
