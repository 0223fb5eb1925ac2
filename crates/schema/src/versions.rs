//! API versions of Azure's resource types, and the differences between two of them for one resource.

use crate::diagnostic::Check;
use crate::text::Span;
use crate::value::Value;

/// An API version of a resource type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApiVersion {
    /// The version, like `2023-01-01` or `2023-01-01-preview`.
    pub name: &'static str,
    /// True if something follows the date.
    pub is_preview: bool,
}

impl ApiVersion {
    /// Returns the date that the version begins with.
    pub fn day(&self) -> &'static str {
        day_of(self.name)
    }

    /// True if the version is later than `other`. Of one date, the stable version is later than previews.
    pub fn is_later_than(&self, other: &str) -> bool {
        (self.day(), !self.is_preview) > (day_of(other), !is_preview(other))
    }
}

/// Length of the date that a version begins with, `2023-01-01`.
pub(crate) const DAY: usize = 10;

/// True if a version is a preview: something follows its date.
pub fn is_preview(version: &str) -> bool {
    version.len() > DAY
}

/// Returns the date that a version begins with.
fn day_of(version: &str) -> &str {
    version.get(..DAY).unwrap_or(version)
}

/// A resource whose API version may change.
#[derive(Clone, Copy, Debug)]
pub struct VersionedBody<'a> {
    /// Full type.
    pub type_name: &'a str,
    /// The evaluated properties, with `type` and `name`. `None` for a resource that is only read.
    pub body: Option<&'a Value>,
    /// The text of the resource.
    pub span: Span,
    /// Paths of properties that expressions read from the resource.
    pub reads: &'a [ReadPath],
}

/// Path of a property that an expression reads from a resource, and the text of the expression.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReadPath {
    /// The names, outermost first: `properties`, `primaryEndpoints`, `blob`.
    pub names: Vec<String>,
    /// The text of the expression.
    pub span: Span,
}

impl ReadPath {
    /// Returns the names with dots between them.
    pub fn path(&self) -> String {
        self.names.join(".")
    }
}

/// The differences between two API versions of a type for one resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionChange {
    /// Differences that the new version refuses.
    pub breaking: Vec<BreakingChange>,
    /// Properties that became read-only.
    pub ignored: Vec<PathSpan>,
    /// Values that are not known before a deployment, and that the new version might refuse.
    pub unseen: Vec<PathSpan>,
}

/// A property that the new version of a type refuses, and the old one does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakingChange {
    /// The check that fails with the new version.
    pub check: Check,
    /// The path and the text of the property.
    pub at: PathSpan,
    /// The difference in words that follow the name of the new version.
    pub message: String,
}

/// A path in a resource, and the text at it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathSpan {
    pub path: String,
    pub span: Span,
}
