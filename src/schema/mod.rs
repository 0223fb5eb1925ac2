//! What a resource may hold, according to the types that the clouds publish, and the checks of resources against them.
//!
//! `pack` reads the embedded data, `catalog` finds a type in them, `judge` compares a value with a type, and `azure` and
//! `cloudformation` check the resources of a document. `exceptions` lists where a published type is known to be wrong.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod age;
mod azure;
mod casing;
mod catalog;
mod cloudformation;
mod describe;
mod exceptions;
mod judge;
mod message;
mod misfit;
mod near;
mod pack;
mod paths;
mod patterns;
mod secrets;
#[cfg(test)]
mod tests;
mod tolerance;

use crate::diagnostic::Check;
use crate::model::{Document, Issue, Resource, ResourceId, Walk};
use crate::schema::misfit::{Misfit, Step};
use crate::schema::tolerance::Cloud;
use crate::value::ValueExcerpt;

pub(crate) use self::casing::type_name;
pub use self::catalog::Table;
pub(crate) use self::catalog::sources;
pub(crate) use self::paths::{Known, PathPart, Published, declared, look_up, published};

/// How many steps of a value's provenance a finding shows.
const MAX_RELATED: usize = 8;

/// Checks every resource of a document whose type its cloud publishes, and the age of its API version if asked for.
pub(crate) fn check(document: &Document, reports_age: bool) -> Vec<Issue> {
    let is_stack = document.resources.iter().any(|resource| cloudformation::is_type(&resource.type_name));
    if is_stack { cloudformation::check(document) } else { azure::check(document, reports_age) }
}

/// The finding about a misfit.
fn issue_of(resource: &Resource, id: ResourceId, misfit: &Misfit<'_>, type_name: &str, cloud: Cloud) -> Issue {
    let message = message::message(misfit, type_name, cloud);
    let mut issue = issue(resource, id, misfit.kind.check(), &misfit.steps, message);
    issue.actual = misfit.kind.actual().map(ValueExcerpt::of);
    issue
}

/// A finding at a part of a resource.
fn issue(resource: &Resource, id: ResourceId, check: Check, steps: &[Step<'_>], message: String) -> Issue {
    let mut walk = Walk::new(resource.path.as_str(), &resource.body, resource.span);
    for step in steps {
        match *step {
            Step::Member(name) => walk.member(name),
            Step::Item(index) => walk.item(index),
        }
    }
    let mut issue = Issue::new(check, walk.path(), walk.span(), message).of_resource(id);
    issue.related = walk.related(MAX_RELATED);
    issue
}
