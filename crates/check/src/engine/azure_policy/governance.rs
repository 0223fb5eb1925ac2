//! What policies say of the resources of a deployment, as findings of checks.

use std::collections::hash_map::Entry;

use foldhash::HashMap;

use crate::arm::Context;
use crate::diagnostic::Check;
use crate::model::{Assumptions, Document, Issue, Presence, Resource, ResourceId, join_index, join_key};
use crate::policy::{self, Change, Effect, InForce, Policies, Request, Standing, Surroundings, Verdict};
use crate::text::Span;
use crate::value::{Data, Member, Str, Traits, Value};

/// What cannot be decided in a document, by the assignment, the reference of its initiative, and the reason.
type Undecided<'v> = HashMap<(usize, &'v str, &'v str), Issue>;

/// The policies of a run, and what is known of the scopes that it deploys to.
pub struct Governance<'p> {
    pub(super) policies: &'p Policies,
    pub(super) in_force: InForce<'p>,
    pub(super) surroundings: Surroundings,
}

impl<'p> Governance<'p> {
    /// `None` if there are no policies.
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
        Some(Self { policies, in_force: InForce::new(policies), surroundings })
    }

    /// What the policies say of the resources of a document.
    pub(in crate::engine) fn issues(&self, document: &Document) -> Vec<Issue> {
        let subjects = subjects(document);
        let requests: Vec<Request> = subjects.iter().map(|(_, resource)| Self::request(document, resource)).collect();
        let judged = self.in_force.judge(&requests, &self.surroundings);
        let mut issues = Vec::new();
        let mut undecided = Undecided::default();
        for ((id, resource), judged) in subjects.into_iter().zip(&judged) {
            for verdict in &judged.verdicts {
                if matches!(verdict.standing, Standing::NotEnforced | Standing::Exempt | Standing::Excluded) {
                    continue;
                }
                match verdict.outcome {
                    policy::Outcome::None => {}
                    policy::Outcome::Effect(effect) => issues.extend(self.issue(effect, verdict, id, resource)),
                    policy::Outcome::Unknown => self.undecided(verdict, id, resource, &mut undecided),
                }
            }
        }
        let mut undecided: Vec<_> = undecided.into_iter().collect();
        undecided.sort_unstable_by_key(|(key, _)| *key);
        issues.extend(undecided.into_iter().map(|(_, issue)| issue));
        issues
    }

    pub(super) fn request(document: &Document, resource: &Resource) -> Request {
        let known = |name: &str| resource.body.get(name).cloned().unwrap_or(Value::NULL);
        Request {
            id: resource.id.clone(),
            approximate: approximate(document, resource),
            type_name: resource.type_name.clone(),
            name: known("name"),
            api_version: known("apiVersion"),
            body: resource.body.clone(),
            is_secret: document.hidden.named(&resource.id).traits.has(Traits::SECRET),
            doubt: matches!(resource.presence, Presence::Maybe(_))
                .then(|| Str::from("whether the resource is deployed is known only at deployment")),
        }
    }

    /// The finding that an effect is. `None` if it has none at deployment.
    fn issue(&self, effect: Effect, verdict: &Verdict, id: ResourceId, resource: &Resource) -> Option<Issue> {
        let (check, does) = match effect {
            Effect::Deny => (Check::AzurePolicyDeny, "denies"),
            Effect::Audit => (Check::AzurePolicyAudit, "audits"),
            Effect::Append | Effect::Modify => (Check::AzurePolicyModify, "changes"),
            Effect::AuditIfNotExists => (Check::AzurePolicyRelated, "audits what is related to"),
            Effect::DeployIfNotExists => (Check::AzurePolicyRelated, "deploys what is related to"),
            Effect::Disabled | Effect::DenyAction | Effect::Manual | Effect::AddToNetworkGroup | Effect::Mutate => {
                return None;
            }
        };
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
        let message = format!("{} {does} this resource: {}", self.title(verdict), reasons.join("; "));
        Some(issue(check, verdict, id, resource, message))
    }

    /// Adds a verdict that cannot be decided, one for each reason and definition.
    fn undecided<'v>(&self, verdict: &'v Verdict, id: ResourceId, resource: &Resource, all: &mut Undecided<'v>) {
        match all.entry((verdict.assignment, &verdict.reference, &verdict.why)) {
            Entry::Occupied(mut known) => known.get_mut().further.push((resource.path.clone(), resource.span)),
            Entry::Vacant(slot) => {
                let message = format!("{} cannot be decided: {}", self.title(verdict), verdict.why);
                slot.insert(issue(Check::AzurePolicyUndecided, verdict, id, resource, message).unknown());
            }
        }
    }

    /// The definition, and who assigns it.
    fn title(&self, verdict: &Verdict) -> String {
        let assignment = self.policies.assignments.get(verdict.assignment);
        let name = assignment.map(|assignment| &*assignment.name).unwrap_or_default();
        let scope = assignment.and_then(|assignment| assignment.scope.as_deref());
        let place = scope.filter(|scope| *scope != "/").map_or_else(String::new, |scope| format!(" at `{scope}`"));
        let is_certain = verdict.standing == Standing::Applies && scope.is_some();
        let condition = if is_certain { "" } else { ", where it applies," };
        let definition = format!("`{}`", called(verdict));
        if name.eq_ignore_ascii_case(&verdict.definition) {
            format!("policy {definition}{place}{condition}")
        } else {
            format!("policy {definition} (assignment `{name}`{place}){condition}")
        }
    }
}

/// The resources that policies judge.
pub(super) fn subjects(document: &Document) -> Vec<(ResourceId, &Resource)> {
    // The types of CloudFormation have no slash.
    let is_of_azure = |resource: &Resource| resource.type_name.contains('/');
    (0..).map(ResourceId).zip(&document.resources).filter(|(_, resource)| is_of_azure(resource)).collect()
}

/// What people call a definition: the names of built-in ones are numbers.
fn called(verdict: &Verdict) -> &str {
    let name = &*verdict.definition;
    let is_number = name.len() == 36 && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    verdict.title.as_deref().filter(|_| is_number).unwrap_or(name)
}

/// What settings say of a scope, with the name that it has without them.
fn named(described: Option<Value>, default: &Value, name: &str) -> Option<Value> {
    let described = described?;
    let own = described.get(name).or_else(|| default.get(name)).map(|value| Member::new(name, value.clone()));
    let others = described.as_object().into_iter().flatten().filter(|member| !member.key.eq_ignore_ascii_case(name));
    Some(Value::object(others.cloned().chain(own).collect()))
}

/// The members of a nested deployment that say where its resources are deployed to.
const SCOPES: [&str; 3] = ["scope", "subscriptionId", "resourceGroup"];

/// The segments of the ID of a resource that are approximations of unknown values.
fn approximate(document: &Document, resource: &Resource) -> Vec<Str> {
    let mut all = unknown(&resource.body, "name").map(|name| segments(&name)).unwrap_or_default();
    if let Some(scope) = unknown(&resource.body, "scope") {
        // What it extends may be a resource at any depth.
        let whole = if scope.is_empty() { &resource.id } else { &resource.scope };
        all.extend(decided("scope", &scope, whole));
    }
    let mut open = SCOPES.to_vec();
    let mut deployment = document.deployment(resource.deployment);
    while let Some(id) = deployment.resource {
        let around = document.resource(id);
        for member in &open {
            let approximation = unknown(&around.body, member);
            all.extend(approximation.iter().flat_map(|text| decided(member, text, &deployment.scope)));
        }
        // Deployments around this one do not decide what it says itself.
        open.retain(|member| around.body.get(member).is_none_or(Value::is_null));
        deployment = document.deployment(around.deployment);
    }
    all
}

/// The approximation of a member whose value is unknown.
fn unknown(body: &Value, member: &str) -> Option<String> {
    let value = body.get(member).filter(|value| value.as_unknown().is_some())?;
    Some(value.approximate().as_str().unwrap_or_default().to_owned())
}

/// The segments of the ID `scope` that an unknown member decides, given by its approximation. What that leaves empty comes from
/// the settings, or is that of the deployment around.
fn decided(member: &str, approximation: &str, scope: &str) -> Vec<Str> {
    let after = |name: &str| {
        let mut rest = scope.split('/').skip_while(|segment| !segment.eq_ignore_ascii_case(name));
        Vec::from_iter(rest.nth(1).map(Str::from))
    };
    match (member, approximation) {
        ("subscriptionId", "") => after("subscriptions"),
        ("resourceGroup", "") => after("resourceGroups"),
        (_, "") => segments(scope),
        _ => {
            let pairs = approximation.rsplit('/').zip(scope.rsplit('/'));
            let filled = pairs.filter(|(left, filled)| left.is_empty() && !filled.is_empty());
            segments(approximation).into_iter().chain(filled.map(|(_, filled)| Str::from(filled))).collect()
        }
    }
}

fn segments(id: &str) -> Vec<Str> {
    id.split('/').filter(|segment| !segment.is_empty()).map(Str::from).collect()
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

/// The property that made a condition true; for a missing property, the resource.
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
