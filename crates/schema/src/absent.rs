//! Stands in for the published types in a build without the feature `types`: nothing is checked against types.

use std::borrow::Cow;

use crate::known::{Known, PathPart, Published, TypeDescription, TypeProblem};
use crate::model::{Document, Issue, Resource};
use crate::shape::{BodyLookup, PublishedShape};
use crate::text::Suggestions;
use crate::value::Value;
use crate::versions::{ApiVersion, VersionChange, VersionedBody};

/// Returns [`Known::Possible`]: without types, every path may exist.
pub fn look_up(_: &str, _: &[PathPart<'_>], _: &Suggestions) -> Known {
    Known::Possible
}

/// Returns `false`: without types, no path is known to exist.
pub fn has(_: &str, _: &[PathPart<'_>]) -> bool {
    false
}

/// Returns `None`: without types, no path has a description.
pub fn declared(_: &str, _: Option<&str>, _: &[PathPart<'_>]) -> Option<String> {
    None
}

/// Returns `true`: without types, every value is accepted.
pub fn takes(_: &str, _: Option<&str>, _: &[PathPart<'_>], _: &Value) -> bool {
    true
}

/// Returns `None`: without types, no path has a kind.
pub fn published(_: &str, _: Option<&str>, _: &[PathPart<'_>]) -> Option<Published> {
    None
}

/// True if this build knows types.
pub const IS_KNOWN: bool = false;

/// Returns `None`: without types, no type has a name to correct.
pub fn type_name(_: &str, _: Option<&str>) -> Option<&'static str> {
    None
}

/// Returns no issues: without types, nothing is checked.
pub fn check_resources(_: &Document, _: bool) -> Vec<Issue> {
    Vec::new()
}

/// Returns no sources: no types are embedded.
pub fn sources() -> impl Iterator<Item = &'static String> {
    std::iter::empty()
}

/// Returns `None`: without types, attributes are not known.
pub fn attributes_unlike(_: &str, _: &str) -> Option<Vec<&'static str>> {
    None
}

/// Fails with [`TypeProblem::Unknown`]: without types, none has a description.
pub fn describe_type(_: &str, _: Option<&str>, _: &str) -> Result<TypeDescription, TypeProblem> {
    Err(TypeProblem::Unknown)
}

/// A published type of values, of which this build has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PublishedNode {}

impl PublishedNode {
    /// Returns the structure of the type.
    pub fn shape(self) -> PublishedShape<PublishedNode> {
        match self {}
    }
}

/// Returns [`BodyLookup::Unknown`]: without types, every body is possible.
pub fn body_of(_: &str, _: &str) -> BodyLookup<PublishedNode> {
    BodyLookup::Unknown
}

/// Returns `true`: without types, there are no patterns.
pub fn matches_pattern(_: &str, _: &str) -> bool {
    true
}

/// Returns no versions: without types, none is known.
pub fn api_versions(_: &str) -> Vec<ApiVersion> {
    Vec::new()
}

/// Returns `None`: without types, versions cannot be compared.
pub fn compare_versions(_: &VersionedBody<'_>, _: &str, _: &str) -> Option<VersionChange> {
    None
}

/// Returns the type as it is written.
pub fn deployed_type(resource: &Resource) -> Cow<'_, str> {
    Cow::Borrowed(&resource.type_name)
}
