//! Stands in for the types in a program that is built without them: nothing is checked against types.

use crate::known::{Known, PathPart, Published};
use crate::model::{Document, Issue};
use crate::text::Suggestions;
use crate::value::Value;

/// Knows nothing of any path.
pub fn look_up(_: &str, _: &[PathPart<'_>], _: &Suggestions) -> Known {
    Known::Possible
}

/// Knows nothing of any path.
pub fn has(_: &str, _: &[PathPart<'_>]) -> bool {
    false
}

/// Knows nothing of any path.
pub fn declared(_: &str, _: Option<&str>, _: &[PathPart<'_>]) -> Option<String> {
    None
}

/// Nothing is known, so everything is possible.
pub fn takes(_: &str, _: Option<&str>, _: &[PathPart<'_>], _: &Value) -> bool {
    true
}

/// Knows nothing of any path.
pub fn published(_: &str, _: Option<&str>, _: &[PathPart<'_>]) -> Option<Published> {
    None
}

/// Whether this build knows types.
pub const IS_KNOWN: bool = false;

/// Knows the name of no type.
pub fn type_name(_: &str, _: Option<&str>) -> Option<&'static str> {
    None
}

/// Finds nothing, since no types are known.
pub fn check(_: &Document, _: bool) -> Vec<Issue> {
    Vec::new()
}

/// What the types come from: there are none.
pub fn sources() -> impl Iterator<Item = &'static String> {
    std::iter::empty()
}

/// Knows the attributes of no type.
pub fn attributes_unlike(_: &str, _: &str) -> Option<Vec<&'static str>> {
    None
}
