//! Checks the resources of a deployment against Azure's types.

use std::borrow::Cow;
use std::collections::BTreeMap;

use foldhash::HashSet;

use crate::checks::{SCHEMA_API_VERSION, SCHEMA_LENGTH, SCHEMA_OLD_API_VERSION, SCHEMA_RESOURCE_TYPE, SCHEMA_SCOPE};
use crate::diagnostic::{Check, Severity};
use crate::model::{Document, Issue, Resource, ResourceId, ValueFix};
use crate::published::catalog::{DAY, DescribedType, azure, is_preview};
use crate::published::exceptions::{is_excepted, is_update};
use crate::published::judge::{judge, judge_branches, look_up};
use crate::published::misfit::{Misfit, MisfitKind, MisfitStep, Status};
use crate::published::near::NearestNames;
use crate::published::pack::{Block, Pack, Version};
use crate::published::services::{Examined, Neighbors};
use crate::published::tolerance::Cloud;
use crate::published::unknown_types::{self, UnknownType, is_of_microsoft};
use crate::published::{age, check_all, issue, issue_of, names, private_links, secrets, value_fix, walk};
use crate::text::{Span, only_near, placeholders};
use crate::value::{Str, Traits, Value};

/// Type of nested deployments, whose templates are expanded instead. Azure still accepts versions that its published
/// types no longer have.
const DEPLOYMENTS: &str = "Microsoft.Resources/deployments";

/// Providers for which Azure's list of versions is incomplete: old versions of their types may be unknown.
const UNLISTED: &[&str] = &["Microsoft.Network"];

/// Checks every resource of a document whose type Azure publishes. With `reports_age`, old API versions are reported,
/// too.
pub(super) fn check_deployment(document: &Document, reports_age: bool) -> Vec<Issue> {
    let Some(pack) = azure() else { return Vec::new() };
    let near = NearestNames::default();
    let azure_check = |role, resource| AzureCheck { pack, document, resource, role, reports_age };
    let neighbors = Neighbors::new(document, Cloud::Azure);
    let mut issues = check_all(
        document,
        |id, resource, issues| {
            let start = issues.len();
            let is_known = azure_check(Role::Deployed(id), resource).judge(issues);
            check_service(&neighbors, resource, id, issues, start);
            is_known
        },
        |id, resource, issues| issues.extend(azure_check(Role::Deployed(id), resource).unknown(&near)),
    );
    let mut checked: Option<&str> = None;
    for resource in &document.existing {
        // The iterations of a loop share their path, and all that is checked here.
        if checked.replace(&resource.path) != Some(&resource.path) {
            let azure_check = azure_check(Role::Existing, resource);
            if !azure_check.judge(&mut issues) {
                issues.extend(azure_check.unknown(&near));
            }
        }
    }
    let mut told: HashSet<(Check, Span)> = HashSet::default();
    if !document.possible.is_empty() {
        told.extend(issues.iter().map(|issue| (issue.check, issue.span)));
    }
    for resource in &document.possible {
        let azure_check = azure_check(Role::Possible, resource);
        let mut found = Vec::new();
        if !azure_check.judge(&mut found) {
            found.extend(azure_check.unknown(&near));
        }
        // A loop that runs once says nothing of the length of an array.
        issues.extend(found.into_iter().filter(|issue| {
            issue.check != SCHEMA_LENGTH && !issue.is_pedantic && told.insert((issue.check, issue.span))
        }));
    }
    issues.extend(unknown_types::check_mentions(document, pack, &near));
    one_for_each_deployment(document, issues)
}

/// End of the message about a resource that only a resource group takes.
const NEEDS_GROUP: &str = "; expected a resource group";

/// Replaces the issues of all resources of a nested deployment at the wrong scope by one about the deployment: it names
/// the scope, and its resources follow.
fn one_for_each_deployment(document: &Document, issues: Vec<Issue>) -> Vec<Issue> {
    let mut kept: Vec<Issue> = Vec::with_capacity(issues.len());
    let mut misplaced: BTreeMap<ResourceId, Vec<Issue>> = BTreeMap::new();
    for issue in issues {
        let id = issue.resource.filter(|_| issue.check == SCHEMA_SCOPE);
        match id.and_then(|id| document.deployment(document.resource(id).deployment).resource) {
            Some(nested) => misplaced.entry(nested).or_default().push(issue),
            None => kept.push(issue),
        }
    }
    for (nested, issues) in misplaced {
        let resource = document.resource(nested);
        let is_told = ["resourceGroup", "scope"].iter().any(|name| resource.body.get(name).is_some());
        let needs_group = |issue: &Issue| issue.message.ends_with(NEEDS_GROUP);
        let scope = scope_bit(&document.deployment(document.resource(nested).deployment).scope);
        let Some((_, scope)) = scope.filter(|_| !is_told && issues.iter().all(needs_group)) else {
            kept.extend(issues);
            continue;
        };
        let resources = if issues.len() == 1 { "a resource" } else { "resources" };
        let message = format!(
            "the nested deployment goes to {scope}, but has {resources} that only a resource group takes; set \
             `resourceGroup`"
        );
        let mut issue = issue(resource, Some(nested), SCHEMA_SCOPE, &[MisfitStep::Member("type")], message);
        issue.further = issues.iter().map(|issue| (issue.path.clone(), issue.span)).collect();
        kept.push(issue);
    }
    kept
}

/// Adds what the service of a resource refuses of it, besides the issues from `start` on.
fn check_service<'d>(
    neighbors: &Neighbors<'d>,
    resource: &'d Resource,
    id: ResourceId,
    issues: &mut Vec<Issue>,
    start: usize,
) {
    let type_name = &*deployed_type(resource);
    if let Some((provider, _)) = type_name.split_once('/').filter(|_| !is_of_extension(resource)) {
        names::check_name(resource, id, type_name, issues, start);
        private_links::check_private_links(resource, id, type_name, issues);
        Examined { cloud: Cloud::Azure, resource, id, type_name, provider, neighbors }.add_issues(issues, start);
    }
}

/// True if another service than Azure publishes the type, such as Microsoft Graph or a Kubernetes cluster.
fn is_of_extension(resource: &Resource) -> bool {
    ["extension", "import"].iter().any(|name| resource.body.get(name).is_some())
}

/// Check of one resource.
struct AzureCheck<'a> {
    pack: &'static Pack,
    document: &'a Document,
    resource: &'a Resource,
    role: Role,
    reports_age: bool,
}

/// Role of a resource in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Deployed(ResourceId),
    /// The template only refers to it.
    Existing,
    /// Other values of the parameters deploy it, or reach more of it.
    Possible,
}

impl Role {
    fn id(self) -> Option<ResourceId> {
        match self {
            Self::Deployed(id) => Some(id),
            Self::Existing | Self::Possible => None,
        }
    }
}

impl AzureCheck<'_> {
    /// Returns the API version in the template.
    fn version(&self) -> Option<&str> {
        let version = self.resource.body.get("apiVersion").and_then(Value::as_str)?;
        // A tool replaces it before the deployment.
        placeholders(version).is_empty().then_some(version)
    }

    /// Adds the issues of the resource if its type is known. Returns `false` if the type is unknown although Azure
    /// should publish it.
    fn judge(&self, issues: &mut Vec<Issue>) -> bool {
        if is_of_extension(self.resource) {
            return true;
        }
        let type_name = &*deployed_type(self.resource);
        let Some((provider, _)) = type_name.split_once('/') else { return true };
        if type_name.eq_ignore_ascii_case(DEPLOYMENTS) {
            return true;
        }
        let found = self.pack.provider(provider).and_then(|block| DescribedType::new(block, type_name));
        found.inspect(|found| self.body_of(*found, issues)).is_some()
    }

    /// Returns the issue for a type that is not known.
    fn unknown(&self, near: &NearestNames) -> Option<Issue> {
        let type_name = &*deployed_type(self.resource);
        let (provider, _) = type_name.split_once('/')?;
        match self.pack.provider(provider) {
            Some(block) => self.unknown_type(block, type_name, near),
            None => self.unknown_provider(type_name, near),
        }
    }

    /// Adds the issues of a resource whose type is known.
    fn body_of(&self, found: DescribedType, issues: &mut Vec<Issue>) {
        let Some(name) = self.version() else { return };
        let version = found.version(name);
        if version.is_none()
            && let Some(issue) = self.unknown_version(found, name)
        {
            return issues.push(issue);
        }
        if self.reports_age && self.role.id().is_some() {
            issues.extend(self.old_version(found, name));
        }
        let Some(version) = version else { return };
        issues.extend(self.wrong_scope(found, version));
        if self.role != Role::Existing {
            self.body(found, version, issues);
        }
        if let Some(id) = self.role.id() {
            secrets::check_secrets(self.resource, id, found, issues);
        }
    }

    fn issue(&self, check: Check, steps: &[MisfitStep<'_>], message: String) -> Issue {
        issue(self.resource, self.role.id(), check, steps, message)
    }

    /// Returns the issue for a type whose provider is not known.
    fn unknown_provider(&self, type_name: &str, near: &NearestNames) -> Option<Issue> {
        let UnknownType { message, meant, severity } = unknown_types::unknown_provider(self.pack, type_name, near)?;
        Some(Issue { severity, ..self.wrong_type(type_name, message, meant.into_iter()) })
    }

    /// Returns the issue for a type that its provider does not have.
    ///
    /// Azure's list lacks some types that no longer exist. So the type is only reported if other types of the provider
    /// have its API version, or if its top-level type does not exist either.
    fn unknown_type(&self, block: &'static Block, type_name: &str, near: &NearestNames) -> Option<Issue> {
        let version = self.version();
        let top = type_name.match_indices('/').nth(1).and_then(|(end, _)| type_name.get(..end)).unwrap_or(type_name);
        if !version.is_some_and(|name: &str| {
            block
                .types
                .iter()
                .flat_map(|kind| &kind.versions)
                .any(|other| !other.bodies.is_empty() && block.text(other.name).eq_ignore_ascii_case(name))
        }) && block.find(top).is_some()
        {
            return None;
        }
        if is_excepted(&type_name.to_lowercase(), version.unwrap_or_default(), SCHEMA_RESOURCE_TYPE, &[], type_name) {
            return None;
        }
        let types = || block.types.iter().map(|kind| block.text(kind.name));
        let hint = near.hint(type_name, types);
        let message = format!("Azure has no resource type `{type_name}`{hint}");
        let types = types().filter(|_| !hint.is_empty());
        Some(self.wrong_type(type_name, message, types))
    }

    /// Returns the finding about a type that does not exist, with a fix if the name is a slip of one of `types`.
    fn wrong_type(&self, type_name: &str, message: String, types: impl Iterator<Item = &'static str>) -> Issue {
        let mut issue = self.issue(SCHEMA_RESOURCE_TYPE, &[MisfitStep::Member("type")], message);
        // The type of a child may be written without that of its parent.
        if self.resource.body.get("type").and_then(Value::as_str) == Some(type_name) {
            let meant = only_near(type_name, types);
            issue.value_fixes.extend(meant.and_then(|meant| value_fix::of_member(self.resource, "type", meant)));
        }
        issue
    }

    /// Returns the issue for a version that no type of the provider has. A version later than the data is not reported.
    fn unknown_version(&self, found: DescribedType, version: &str) -> Option<Issue> {
        let DescribedType { block, kind } = found;
        let mut versions = block.types.iter().flat_map(|kind| &kind.versions);
        let is_later = version.get(..DAY).is_none_or(|day| day > self.pack.source().date);
        if is_later || versions.any(|known| block.text(known.name).eq_ignore_ascii_case(version)) {
            return None;
        }
        let names: Vec<&str> = kind.versions.iter().map(|version| block.text(version.name)).collect();
        let stable = names.iter().rev().find(|name| !is_preview(name)).or(names.last())?;
        let later = names.iter().find(|name| name.get(..DAY) > version.get(..DAY)).filter(|later| *later != stable);
        let later = later.map_or_else(String::new, |later| format!(", the next one is `{later}`"));
        let type_name = block.text(kind.name);
        let message = format!("`{type_name}` has no API version `{version}`; the newest one is `{stable}`{later}");
        let mut issue = self.issue(SCHEMA_API_VERSION, &[MisfitStep::Member("apiVersion")], message);
        let provider = type_name.split('/').next().unwrap_or_default();
        issue.severity =
            UNLISTED.iter().any(|unlisted| unlisted.eq_ignore_ascii_case(provider)).then_some(Severity::Low);
        Some(issue)
    }

    /// Returns the issue for an old version, if the resource fits a newer one as well as its own.
    fn old_version(&self, found: DescribedType, version: &str) -> Option<Issue> {
        let own_name = own_name(&self.resource.body);
        let name = own_name.as_ref();
        let faults = found.version(version).map(|version| self.misfits(found, version, name)).unwrap_or_default();
        let age::Advice { message, version } = age::advice(found, version, |candidate: &'static Version| {
            self.misfits(found, candidate, name).iter().all(|misfit: &Misfit<'_>| {
                faults
                    .iter()
                    .any(|fault| fault.kind.failed_check() == misfit.kind.failed_check() && fault.steps == misfit.steps)
            }) && self.wrong_scope(found, candidate).is_none()
        })?;
        let mut issue = self.issue(SCHEMA_OLD_API_VERSION, &[MisfitStep::Member("apiVersion")], message);
        issue.is_pedantic = true;
        issue
            .value_fixes
            .extend(version.and_then(|version| value_fix::of_member(self.resource, "apiVersion", version)).map(guess));
        Some(issue)
    }

    /// Returns the issue for a resource that its deployment's scope cannot contain. A resource with a scope of its own
    /// extends another resource and is not reported.
    fn wrong_scope(&self, found: DescribedType, version: &Version) -> Option<Issue> {
        let scope: &str = &self.document.deployment(self.resource.deployment).scope;
        // What exists may be in a resource group or a subscription that its declaration names.
        let says_where =
            ["scope", "resourceGroup", "subscriptionId"].iter().any(|name| self.resource.body.get(name).is_some());
        let has_own_scope = says_where || self.resource.type_name.to_ascii_lowercase().contains("/providers/");
        if has_own_scope || version.scopes == 0 {
            return None;
        }
        let (bit, name) = scope_bit(scope)?;
        // The types tell where a resource can be written. What belongs to a tenant can be read elsewhere.
        if self.role == Role::Existing && (bit | version.scopes) & TENANT != 0 {
            return None;
        }
        if version.scopes & bit != 0 || version.scopes & EXTENSION != 0 {
            return None;
        }
        let allowed: Vec<&str> =
            SCOPES.iter().filter(|(bit, _)| version.scopes & bit != 0).map(|(_, name)| *name).collect();
        let type_name = found.block.text(found.kind.name);
        let verb = if self.role == Role::Existing { "found in" } else { "deployed to" };
        let message = format!("`{type_name}` cannot be {verb} {name}; expected {}", allowed.join(" or "));
        Some(self.issue(SCHEMA_SCOPE, &[MisfitStep::Member("type")], message))
    }

    /// Returns the misfits of the body in a version, without those that are errors of the published type. If a version
    /// has several bodies, the one with the fewest misfits counts.
    fn misfits<'v>(
        &'v self,
        found: DescribedType,
        version: &'static Version,
        name: Option<&'v Value>,
    ) -> Vec<Misfit<'v>> {
        let Some(body) = self.resource.body.as_object() else { return Vec::new() };
        let judge = if self.role == Role::Possible { judge_branches } else { judge };
        let of_types = version.bodies.iter().map(|id| judge(found.block, *id, body, name));
        let mut misfits = of_types.min_by_key(Vec::len).unwrap_or_default();
        if !misfits.is_empty() {
            let lower = found.block.text(found.kind.name).to_lowercase();
            let version = found.block.text(version.name);
            misfits.retain(|misfit| {
                let found = misfit.kind.actual().and_then(Value::as_str).unwrap_or_default();
                !is_excepted(&lower, version, misfit.kind.failed_check(), &misfit.steps, found)
                    && !self.is_missing_in_update(&lower, misfit)
            });
        }
        misfits
    }

    fn is_missing_in_update(&self, type_name: &str, misfit: &Misfit<'_>) -> bool {
        let (MisfitKind::MissingProperty, [above @ .., MisfitStep::Member(missing)]) =
            (&misfit.kind, misfit.steps.as_slice())
        else {
            return false;
        };
        let object = walk(self.resource, above, &misfit.chosen).value().and_then(Value::as_object);
        object.is_some_and(|object| is_update(type_name, missing, object))
    }

    /// Adds the issues of the body.
    fn body(&self, found: DescribedType, version: &'static Version, issues: &mut Vec<Issue>) {
        let Some(body) = self.resource.body.as_object() else { return };
        let name = own_name(&self.resource.body);
        let misfits = self.misfits(found, version, name.as_ref());
        if misfits.is_empty() {
            return;
        }
        let type_name = found.block.text(found.kind.name);
        let version_name = found.block.text(version.name);
        // A stable version keeps its contract, so where the newest one differs, the description of the older one is
        // likely to be wrong. Previews do change, but gain properties rather than lose them.
        let is_stable = !is_preview(version_name);

        let newest = found.newest().filter(|newest| newest.name != version.name);
        let bodies = newest.into_iter().flat_map(|newest| newest.bodies.iter());
        let in_newest: Vec<Vec<Option<Status>>> =
            bodies.map(|id| look_up(found.block, *id, body, name.as_ref(), &misfits)).collect();
        for (at, misfit) in misfits.iter().enumerate() {
            let mut issue = issue_of(self.resource, self.role.id(), misfit, type_name, Cloud::Azure);
            let may_differ = is_stable || matches!(misfit.kind, MisfitKind::UnknownProperty { .. });
            if let Some(newest) = newest.filter(|_| {
                let mut statuses = in_newest.iter().map(|statuses| statuses.get(at).copied().flatten());
                may_differ && statuses.any(|status| misfit.kind.is_settled(status))
            }) {
                issue.message = format!(
                    "{} in this API version; version `{}` takes it",
                    issue.message,
                    found.block.text(newest.name)
                );
                issue.severity = Some(Severity::Low);
                issue.is_pedantic = true;
            }
            issues.push(issue);
        }
    }
}

/// Returns the last segment of the name in a body, or the whole value if it is unknown. `None` if it has no name.
pub(super) fn own_name(body: &Value) -> Option<Value> {
    let name = body.get("name")?;
    let Some(text) = name.as_shared_str().filter(|_| !name.traits.has(Traits::UNKNOWN)) else {
        return Some(name.clone());
    };
    let last = text.rsplit('/').next().unwrap_or_default();
    Some(Value { data: crate::value::Data::String(Str::from(last)), ..name.clone() })
}

/// Scopes of deployments, by their bit in the types.
const SCOPES: &[(u8, &str)] = &[
    (TENANT, "a tenant"),
    (2, "a management group"),
    (4, "a subscription"),
    (8, "a resource group"),
    (EXTENSION, "a resource"),
];

/// Bit of the tenant scope.
const TENANT: u8 = 1;

/// Bit of resources that extend another resource.
const EXTENSION: u8 = 16;

/// Returns the bit and the description of a deployment's scope, from the ID of the scope. `None` if the ID is of no
/// known form.
fn scope_bit(scope: &str) -> Option<(u8, &'static str)> {
    let segments: Vec<&str> = scope.split('/').filter(|segment| !segment.is_empty()).collect();
    let names: Vec<String> = segments.iter().step_by(2).map(|name| name.to_ascii_lowercase()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let at = match names.as_slice() {
        [] => 0,
        ["providers", _] => 1,
        ["subscriptions"] => 2,
        ["subscriptions", "resourcegroups"] => 3,
        _ => return None,
    };
    SCOPES.get(at).copied()
}

/// Providers of extensions whose type may be written without a provider, which the name has then.
const EXTENSIONS: &[(&str, &str)] = &[
    ("diagnosticSettings", "Microsoft.Insights"),
    ("eventSubscriptions", "Microsoft.EventGrid"),
    ("locks", "Microsoft.Authorization"),
    ("policyAssignments", "Microsoft.Authorization"),
    ("roleAssignments", "Microsoft.Authorization"),
];

/// Returns the type of the extending resource in the old forms of extensions: `D.E/f` for `A.B/c/providers/D.E/f`, and
/// for `A.B/c/providers/f` with a name such as `x/D.E/y`. Any other type is returned unchanged.
pub fn deployed_type(resource: &Resource) -> Cow<'_, str> {
    let type_name: &str = &resource.type_name;
    let found = type_name.to_ascii_lowercase().rfind("/providers/");
    let Some(own) = found.and_then(|at| type_name.get(at + "/providers/".len()..)) else {
        return Cow::Borrowed(type_name);
    };
    if own.contains('/') {
        return Cow::Borrowed(own);
    }
    let named = resource.name.rsplit('/').nth(1).filter(|name| is_of_microsoft(name));
    let usual = EXTENSIONS.iter().find(|(kind, _)| kind.eq_ignore_ascii_case(own)).map(|(_, provider)| *provider);
    named.or(usual).map_or(Cow::Borrowed(own), |provider| Cow::Owned(format!("{provider}/{own}")))
}

/// Marks a fix as one that its author may not want.
fn guess(fix: ValueFix) -> ValueFix {
    ValueFix { is_guess: true, ..fix }
}
