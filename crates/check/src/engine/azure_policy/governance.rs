//! Evaluates policies on the resources of a deployment, and reports the results as findings of checks.

use crate::arm::Context;
use crate::checks::{
    AZURE_POLICY_AUDIT, AZURE_POLICY_DENY, AZURE_POLICY_MODIFY, AZURE_POLICY_RELATED, AZURE_POLICY_UNDECIDED,
};
use crate::diagnostic::{Check, Diagnostic, Shard};
use crate::engine::azure_policy::exemptions::{Exempt, exempt_of};
use crate::engine::azure_policy::request::request;
use crate::engine::azure_policy::troubles;
use crate::engine::azure_policy::undecided::Undecided;
use crate::engine::suppress::Exempting;
use crate::model::{Assumptions, Document, Issue, Resource, ResourceId, join_index, join_key};
use crate::policy::{self, Change, Effect, InForce, Judgment, Policies, Request, Standing, Surroundings, Verdict};
use crate::text::Span;
use crate::value::{Data, Member, Str, Value};

/// The policies of a run, and what is known of the scopes that it deploys to.
pub struct Governance<'p> {
    pub(super) policies: &'p Policies,
    pub(super) in_force: InForce<'p>,
    pub(super) surroundings: Surroundings,
    exempt: Exempt,
    diagnostics: Vec<Diagnostic>,
}

impl<'p> Governance<'p> {
    /// Prepares the policies. `None` if there are no assignments.
    pub fn new(
        policies: &'p Policies,
        assumptions: &Assumptions,
        management_groups: &[String],
        now: Option<String>,
    ) -> Option<Self> {
        if policies.assignments.is_empty() {
            return None;
        }
        let object = |value: &Option<Value>| value.clone().filter(|value| value.as_object().is_some());
        let context = Context::new(assumptions);
        let groups = || management_groups.iter().map(|name| Str::from(name.as_str())).collect();
        let surroundings = Surroundings {
            resource_group: named(object(&assumptions.resource_group), &context.resource_group, "name"),
            subscription: named(object(&assumptions.subscription), &context.subscription, "subscriptionId"),
            management_groups: (!management_groups.is_empty()).then(groups),
            now: now.map(Str::from),
        };
        let in_force = InForce::new(policies);
        let exempt = Exempt::new(&in_force, &policies.exemptions);
        Some(Self { policies, in_force, surroundings, exempt, diagnostics: Vec::new() })
    }

    /// Prepares for a run: removes definitions with the same verdict for every resource, and reports the policies that
    /// cannot be evaluated for any resource.
    #[must_use]
    pub fn of_run(mut self) -> Self {
        let troubles = self.in_force.leave_out_constant();
        self.diagnostics = troubles::of_definitions(self.policies, troubles);
        self.diagnostics.extend(troubles::of_scopes(self.policies));
        self.diagnostics.extend(troubles::of_exemptions(self.policies, &self.in_force));
        self.diagnostics.extend(troubles::of_services(self.policies, &self.in_force));
        self
    }

    /// Returns the problems of policies that cannot be evaluated. If a run has several parts, only the first part
    /// reports them.
    pub(in crate::engine) fn diagnostics(&self, shard: Option<Shard>) -> &[Diagnostic] {
        if shard.is_some_and(|shard| shard.index > 1) { &[] } else { &self.diagnostics }
    }

    /// Returns the exemptions as suppressions, after everything was checked.
    pub(in crate::engine) fn exemptions(&self) -> Vec<Exempting> {
        self.exempt.suppressions(self.policies)
    }

    /// Evaluates the policies on the resources of a document, and returns at most `most` issues.
    pub(in crate::engine) fn opinion(&self, document: &Document, most: usize) -> Opinion {
        let subjects = subjects(document);
        let requests: Vec<Request> = subjects.iter().map(|(_, resource)| request(document, resource)).collect();
        let Judgment { judged, exceeded, left_out } = self.in_force.judge_up_to(most, &requests, &self.surroundings);
        let mut issues = Vec::new();
        let mut undecided = Undecided::default();
        for ((id, resource), judged) in subjects.into_iter().zip(&judged) {
            for verdict in &judged.verdicts {
                self.exempt.note(verdict, resource, &self.policies.exemptions);
                if matches!(verdict.standing, Standing::NotEnforced | Standing::Excluded) {
                    continue;
                }
                match verdict.outcome {
                    policy::Outcome::None => {}
                    policy::Outcome::Effect(effect) => issues.extend(self.issue(effect, verdict, id, resource)),
                    policy::Outcome::Unknown if verdict.standing == Standing::Exempt => {}
                    policy::Outcome::Unknown => undecided.add(verdict, id, resource),
                }
            }
        }
        issues.extend(undecided.into_issues(self));
        let template = Span::whole_file(document.file);
        let diagnostics = exceeded.iter().map(|trouble| troubles::of_limit(self.policies, trouble, template)).collect();
        let check = |outcome| match outcome {
            policy::Outcome::Effect(effect) => check_of(effect).map(|(check, _)| check),
            policy::Outcome::Unknown => Some(AZURE_POLICY_UNDECIDED),
            policy::Outcome::None => None,
        };
        let left_out = left_out.into_iter().filter_map(|(outcome, count)| Some((check(outcome)?, count))).collect();
        Opinion { issues, diagnostics, left_out }
    }

    /// Returns the finding for an effect. `None` if it has none at deployment.
    fn issue(&self, effect: Effect, verdict: &Verdict, id: ResourceId, resource: &Resource) -> Option<Issue> {
        let (check, does) = check_of(effect)?;
        let mut reasons = Vec::from_iter(Some(verdict.why.clone()).filter(|why| !why.is_empty()));
        if matches!(effect, Effect::Append | Effect::Modify) && !verdict.changes.iter().any(Change::is_change) {
            return None;
        }
        for change in verdict.changes.iter().filter(|change| change.is_change()) {
            let to = change
                .after
                .as_ref()
                .map_or_else(|| "nothing".to_owned(), |value| format!("`{}`", value.to_json_up_to(80)));
            reasons.push(format!("`{}` becomes {to}", change.path));
        }
        reasons.extend(verdict.message.as_ref().map(|text| format!("its message: {text}")));
        let exempt = exempt_of(self.policies, verdict);
        if verdict.standing == Standing::Exempt && exempt.as_ref().is_none_or(|exempt| exempt.label.is_none()) {
            return None;
        }
        let aside = exempt.as_ref().map_or("", |exempt| exempt.aside.as_str());
        let message = format!("{} {does} this resource{aside}: {}", self.title(verdict), reasons.join("; "));
        let mut issue = issue(check, verdict, id, resource, message);
        issue.related.extend(exempt.and_then(|exempt| exempt.label));
        Some(issue)
    }

    /// Returns a phrase with the definition, and the assignment that assigns it.
    fn title(&self, verdict: &Verdict) -> String {
        self.title_of_all(verdict, &[verdict], 1)
    }

    /// Returns a phrase with `count` definitions of one assignment, of which some are named. `first` is a verdict of
    /// one of them.
    pub(super) fn title_of_all(&self, first: &Verdict, named: &[&Verdict], count: usize) -> String {
        let assignment = self.policies.assignments.get(first.assignment);
        let name = assignment.map(|assignment| &*assignment.name).unwrap_or_default();
        let scope = assignment.and_then(|assignment| assignment.scope.as_deref());
        let place = scope.filter(|scope| *scope != "/").map_or_else(String::new, |scope| format!(" at `{scope}`"));
        let is_certain = matches!(first.standing, Standing::Applies | Standing::Exempt) && scope.is_some();
        let condition = if is_certain { "" } else { ", where it applies," };
        let more = count.saturating_sub(named.len());
        let names: Vec<String> = named.iter().map(|verdict| format!("`{}`", called(verdict))).collect();
        let names = match names.split_last() {
            _ if more > 0 => format!("{}, and {more} more", names.join(", ")),
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        };
        let noun = if count > 1 { "policies" } else { "policy" };
        if count == 1 && name.eq_ignore_ascii_case(&first.definition) {
            format!("{noun} {names}{place}{condition}")
        } else {
            format!("{noun} {names} (assignment `{name}`{place}){condition}")
        }
    }
}

/// Issues that the policies raise about the resources of a document.
pub(in crate::engine) struct Opinion {
    pub(in crate::engine) issues: Vec<Issue>,
    /// The policies that take too much to evaluate.
    pub(in crate::engine) diagnostics: Vec<Diagnostic>,
    /// Number of further issues that are omitted, by check.
    pub(in crate::engine) left_out: Vec<(Check, usize)>,
}

/// Returns the check that reports an effect, and what the effect does, as a verb. `None` if it does nothing at
/// deployment.
fn check_of(effect: Effect) -> Option<(Check, &'static str)> {
    match effect {
        Effect::Deny => Some((AZURE_POLICY_DENY, "denies")),
        Effect::Audit => Some((AZURE_POLICY_AUDIT, "audits")),
        Effect::Append | Effect::Modify => Some((AZURE_POLICY_MODIFY, "changes")),
        Effect::AuditIfNotExists => Some((AZURE_POLICY_RELATED, "audits what is related to")),
        Effect::DeployIfNotExists => Some((AZURE_POLICY_RELATED, "deploys what is related to")),
        Effect::Disabled | Effect::DenyAction | Effect::Manual | Effect::AddToNetworkGroup | Effect::Mutate => None,
    }
}

/// Returns the resources that policies judge.
pub(super) fn subjects(document: &Document) -> Vec<(ResourceId, &Resource)> {
    // The types of CloudFormation have no slash.
    let is_of_azure = |resource: &Resource| resource.type_name.contains('/');
    (0..).map(ResourceId).zip(&document.resources).filter(|(_, resource)| is_of_azure(resource)).collect()
}

/// Returns the readable name of a definition: the title for built-in ones, whose names are GUIDs.
fn called(verdict: &Verdict) -> &str {
    let name = &*verdict.definition;
    let is_number = name.len() == 36 && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    verdict.title.as_deref().filter(|_| is_number).unwrap_or(name)
}

/// Returns the description of a scope from the settings, with the default name if the settings do not name it.
fn named(described: Option<Value>, default: &Value, name: &str) -> Option<Value> {
    let described = described?;
    let own = described.get(name).or_else(|| default.get(name)).map(|value| Member::new(name, value.clone()));
    let others = described.as_object().into_iter().flatten().filter(|member| !member.key.eq_ignore_ascii_case(name));
    Some(Value::object(others.cloned().chain(own).collect()))
}

impl std::fmt::Debug for Governance<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Governance").field("assignments", &self.policies.assignments.len()).finish_non_exhaustive()
    }
}

fn issue(check: Check, verdict: &Verdict, id: ResourceId, resource: &Resource, message: String) -> Issue {
    let (path, span) = place(verdict, resource);
    Issue::new(check, path, span, message).of_resource(id)
}

/// Returns the property that made a condition true; for a missing property, the resource.
fn place(verdict: &Verdict, resource: &Resource) -> (String, Span) {
    let mut steps = Vec::new();
    match verdict.span.filter(|span| find(&resource.body, *span, &mut steps)) {
        Some(span) => (steps.iter().rev().fold(resource.path.clone(), |path, step| step.join(&path)), span),
        None => (resource.path.clone(), resource.span),
    }
}

/// A step into a value.
enum Step<'v> {
    Key(&'v str),
    Index(usize),
}

impl Step<'_> {
    fn join(&self, path: &str) -> String {
        match self {
            Self::Key(key) => join_key(path, key),
            Self::Index(at) => join_index(path, *at),
        }
    }
}

/// Adds the steps to the innermost value that was written at `span`, the last first. Whether there is one.
fn find<'v>(value: &'v Value, span: Span, steps: &mut Vec<Step<'v>>) -> bool {
    let step = match &value.data {
        Data::Object(object) => {
            object.iter().find(|member| find(&member.value, span, steps)).map(|member| Step::Key(&member.key))
        }
        Data::Array(items) => items.iter().position(|item| find(item, span, steps)).map(Step::Index),
        _ => None,
    };
    let is_found = step.is_some() || value.span == Some(span);
    steps.extend(step);
    is_found
}
