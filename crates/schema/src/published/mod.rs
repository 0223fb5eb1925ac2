//! Published types of Azure and CloudFormation, and the checks of resources against them.
//!
//! `pack` reads the embedded data, `catalog` finds a type in them, `judge` compares a value with a type, and `azure`
//! and `cloudformation` check the resources of a document. `exceptions` lists errors of published types.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod age;
mod attributes;
mod azure;
mod casing;
mod catalog;
mod characters;
mod cloudformation;
mod describe;
mod exceptions;
mod facts;
mod formats;
mod judge;
mod message;
mod misfit;
mod names;
mod near;
mod pack;
mod paths;
mod patterns;
mod private_links;
mod secrets;
mod services;
mod shape;
#[cfg(test)]
mod tests;
mod tolerance;
mod type_pages;
mod unknown_types;
mod value_fix;
mod version_change;

use crate::diagnostic::{Check, Severity};
use crate::model::{Document, Issue, Resource, ResourceId, Walk};
use crate::parallel;
use crate::published::misfit::{Misfit, MisfitKind, MisfitStep};
use crate::published::tolerance::Cloud;
use crate::text::Span;
use crate::value::{Value, ValueExcerpt};

pub use self::attributes::attributes_unlike;
pub use self::azure::deployed_type;
pub use self::casing::type_name;
pub use self::catalog::Table;
pub use self::catalog::sources;
pub use self::paths::{declared, has, look_up, published, takes};
pub use self::shape::{PublishedNode, body_of, matches_pattern};
pub use self::type_pages::describe_type;
pub use self::version_change::{api_versions, compare_versions};

/// True if this build knows types.
pub const IS_KNOWN: bool = true;

/// Resources of a long document that a thread checks at once.
const AT_ONCE: usize = 64;

/// Steps of a value's provenance that a finding shows.
const MAX_RELATED: usize = 8;

/// Checks every resource of a document whose type its cloud publishes. With `reports_age`, old API versions are
/// reported, too.
pub fn check_resources(document: &Document, reports_age: bool) -> Vec<Issue> {
    let is_stack = document.resources.iter().any(|resource| cloudformation::is_type(&resource.type_name));
    if is_stack { cloudformation::check_stack(document) } else { azure::check_deployment(document, reports_age) }
}

/// Returns the issues of the resources of a document. `judge` adds the issues of a resource and returns `true`, or
/// `false` if it does not know the type; `name` then adds the issues of the type. The issues of types come first:
/// similar names are looked up for a limited number of types, in order.
fn check_all<'d>(
    document: &'d Document,
    judge: impl Fn(ResourceId, &'d Resource, &mut Vec<Issue>) -> bool + Sync,
    mut name: impl FnMut(ResourceId, &'d Resource, &mut Vec<Issue>),
) -> Vec<Issue> {
    let resources = document.resources.as_slice();
    let at_once = if document.is_long() { AT_ONCE } else { resources.len().max(1) };
    let chunks: Vec<(usize, &'d [Resource])> = (0..).step_by(at_once).zip(resources.chunks(at_once)).collect();
    let judged = parallel::map(&chunks, |(start, resources)| {
        let (mut issues, mut unknown) = (Vec::new(), Vec::new());
        for (id, resource) in (*start..).map(ResourceId).zip(*resources) {
            if !judge(id, resource, &mut issues) {
                unknown.push((id, resource));
            }
        }
        (issues, unknown)
    });
    let mut issues = Vec::new();
    for (id, resource) in judged.iter().flat_map(|(_, unknown)| unknown) {
        name(*id, resource, &mut issues);
    }
    issues.extend(judged.into_iter().flat_map(|(issues, _)| issues));
    issues
}

/// Returns the issue for a misfit.
fn issue_of(
    resource: &Resource,
    id: impl Into<Option<ResourceId>>,
    misfit: &Misfit<'_>,
    type_name: &str,
    cloud: Cloud,
) -> Issue {
    let message = message::message(misfit, type_name, cloud);
    let walk = walk(resource, &misfit.steps, &misfit.chosen);
    let mut issue = issue_at(&walk, id, misfit.failed_check(cloud), message);
    if matches!(misfit.kind, MisfitKind::UnknownProperty { .. }) {
        issue.span = walk.name_span();
    }
    issue.actual = misfit.kind.actual().map(ValueExcerpt::new);
    issue.value_fixes.extend(value_fix::of_misfit(resource, misfit));
    // CloudFormation validates a resource against its schema before it creates the resource; Azure ignores some of what a
    // type does not have.
    if cloud == Cloud::Aws && issue.check.severity() == Severity::Medium {
        issue.severity = Some(Severity::High);
    }
    issue
}

/// Returns the issue for a fact that the schema does not contain.
fn issue_of_fact(resource: &Resource, id: ResourceId, found: facts::LocatedViolation<'_>) -> Issue {
    let facts::LocatedViolation { violation, chosen } = found;
    issue_at(&walk(resource, &violation.steps, &chosen), id, violation.check, violation.message)
}

/// Returns an issue at a path of a resource.
fn issue(
    resource: &Resource,
    id: impl Into<Option<ResourceId>>,
    check: Check,
    steps: &[MisfitStep<'_>],
    message: String,
) -> Issue {
    issue_at(&walk(resource, steps, &[]), id, check, message)
}

/// Returns the walk from a resource along `steps`, with the chosen alternatives of unknown values.
fn walk<'a>(resource: &'a Resource, steps: &[MisfitStep<'_>], chosen: &[(usize, &'a Value)]) -> Walk<'a> {
    walk_from(resource.path.as_str(), &resource.body, resource.span, steps, chosen)
}

/// Returns the walk from a body with this path and span along `steps`, with the chosen alternatives of unknown values.
fn walk_from<'a>(
    path: &str,
    body: &'a Value,
    span: Span,
    steps: &[MisfitStep<'_>],
    chosen: &[(usize, &'a Value)],
) -> Walk<'a> {
    let mut walk = Walk::new(path, body, span);
    for (at, step) in steps.iter().enumerate() {
        choose_at(&mut walk, at, chosen);
        match *step {
            MisfitStep::Member(name) => walk.member(name),
            MisfitStep::Item(index) => walk.item(index),
        }
    }
    choose_at(&mut walk, steps.len(), chosen);
    walk
}

fn choose_at<'a>(walk: &mut Walk<'a>, at: usize, chosen: &[(usize, &'a Value)]) {
    chosen.iter().filter(|(after, _)| *after == at).for_each(|(_, value)| walk.choose(value));
}

fn issue_at(walk: &Walk<'_>, id: impl Into<Option<ResourceId>>, check: Check, message: String) -> Issue {
    let mut issue = Issue::new(check, walk.path(), walk.span(), message);
    issue.resource = id.into();
    issue.related = walk.related(MAX_RELATED);
    issue
}
