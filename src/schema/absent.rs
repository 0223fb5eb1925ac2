//! Stands in for the types in a program that is built without them: nothing is checked against types.

mod known;

use crate::model::{Document, Issue};
use crate::text::Suggestions;
use crate::value::Value;

pub(crate) use self::known::{Known, PathPart};

/// Knows nothing of any path.
pub(crate) fn look_up(_: &str, _: &[PathPart<'_>], _: &Suggestions) -> Known {
    Known::Possible
}

/// Knows nothing of any path.
pub(crate) fn declared(_: &str, _: Option<&str>, _: &[PathPart<'_>]) -> Option<String> {
    None
}

/// The kinds of values that published types tell apart.
#[cfg(feature = "cli")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(dead_code, reason = "without types, no kind is known")]
pub(crate) enum Published {
    String,
    Int,
    Bool,
    Array,
    Object,
}

/// Nothing is known, so everything is possible.
pub(crate) fn takes(_: &str, _: Option<&str>, _: &[PathPart<'_>], _: &Value) -> bool {
    true
}

/// Knows nothing of any path.
#[cfg(feature = "cli")]
pub(crate) fn published(_: &str, _: Option<&str>, _: &[PathPart<'_>]) -> Option<Published> {
    None
}

/// Whether this build knows types.
#[cfg(feature = "cli")]
pub(crate) const IS_KNOWN: bool = false;

/// Knows the name of no type.
#[cfg(feature = "cli")]
pub(crate) fn type_name(_: &str, _: Option<&str>) -> Option<&'static str> {
    None
}

/// Finds nothing, since no types are known.
pub(crate) fn check(_: &Document, _: bool) -> Vec<Issue> {
    Vec::new()
}

/// What the types come from: there are none.
#[cfg(feature = "cli")]
pub(crate) fn sources() -> impl Iterator<Item = &'static String> {
    std::iter::empty()
}
