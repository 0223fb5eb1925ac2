//! What a resource may hold, according to the types that the clouds publish, and the checks of resources against them.
//!
//! `pack` reads the embedded data, `catalog` finds a type in them, `judge` compares a value with a type, and `azure` and
//! `cloudformation` check the resources of a document. `exceptions` lists where a published type is known to be wrong.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod age;
mod attributes;
mod azure;
mod casing;
mod catalog;
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
#[cfg(test)]
mod tests;
mod tolerance;
mod value_fix;

use crate::diagnostic::{Check, Severity};
use crate::model::{Document, Issue, Resource, ResourceId, Walk};
use crate::parallel;
use crate::published::misfit::{Misfit, MisfitKind, Step};
use crate::published::tolerance::Cloud;
use crate::value::{Value, ValueExcerpt};

pub use self::attributes::attributes_unlike;
pub use self::casing::type_name;
pub use self::catalog::Table;
pub use self::catalog::sources;
pub use self::paths::{declared, has, look_up, published, takes};

/// Whether this build knows types.
pub const IS_KNOWN: bool = true;

/// How many resources of a long document a thread judges at once.
const AT_ONCE: usize = 64;

/// How many steps of a value's provenance a finding shows.
const MAX_RELATED: usize = 8;

/// Checks every resource of a document whose type its cloud publishes, and the age of its API version if asked for.
pub fn check(document: &Document, reports_age: bool) -> Vec<Issue> {
    let is_stack = document.resources.iter().any(|resource| cloudformation::is_type(&resource.type_name));
    if is_stack { cloudformation::check(document) } else { azure::check(document, reports_age) }
}

/// What is wrong with the resources of a document. `judge` adds the issues of a resource, unless it does not know the type;
/// then `name` adds those of the type. These come first, since names are looked for only up to a limit, in order.
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

/// The finding about a misfit.
fn issue_of(
    resource: &Resource,
    id: impl Into<Option<ResourceId>>,
    misfit: &Misfit<'_>,
    type_name: &str,
    cloud: Cloud,
) -> Issue {
    let message = message::message(misfit, type_name, cloud);
    let walk = walk(resource, &misfit.steps, &misfit.chosen);
    let mut issue = issue_at(&walk, id, misfit.kind.check(), message);
    if matches!(misfit.kind, MisfitKind::UnknownProperty { .. }) {
        issue.span = walk.name_span();
    }
    issue.actual = misfit.kind.actual().map(ValueExcerpt::of);
    issue.value_fixes.extend(value_fix::of_misfit(resource, misfit));
    // CloudFormation validates a resource against its schema before it creates the resource; Azure ignores some of what a
    // type does not have.
    if cloud == Cloud::Aws && issue.check.info().severity == Severity::Medium {
        issue.severity = Some(Severity::High);
    }
    issue
}

/// The finding about what the schema does not say.
fn issue_of_fact(resource: &Resource, id: ResourceId, found: facts::Found<'_>) -> Issue {
    let facts::Found { remark, chosen } = found;
    issue_at(&walk(resource, &remark.steps, &chosen), id, remark.check, remark.message)
}

/// A finding at a part of a resource.
fn issue(
    resource: &Resource,
    id: impl Into<Option<ResourceId>>,
    check: Check,
    steps: &[Step<'_>],
    message: String,
) -> Issue {
    issue_at(&walk(resource, steps, &[]), id, check, message)
}

/// The walk from a resource along `steps`, with the values that were chosen on the way.
fn walk<'a>(resource: &'a Resource, steps: &[Step<'_>], chosen: &[(usize, &'a Value)]) -> Walk<'a> {
    let mut walk = Walk::new(resource.path.as_str(), &resource.body, resource.span);
    let choose = |walk: &mut Walk<'a>, at: usize| {
        chosen.iter().filter(|(after, _)| *after == at).for_each(|(_, value)| walk.choose(value));
    };
    for (at, step) in steps.iter().enumerate() {
        choose(&mut walk, at);
        match *step {
            Step::Member(name) => walk.member(name),
            Step::Item(index) => walk.item(index),
        }
    }
    choose(&mut walk, steps.len());
    walk
}

fn issue_at(walk: &Walk<'_>, id: impl Into<Option<ResourceId>>, check: Check, message: String) -> Issue {
    let mut issue = Issue::new(check, walk.path(), walk.span(), message);
    issue.resource = id.into();
    issue.related = walk.related(MAX_RELATED);
    issue
}
