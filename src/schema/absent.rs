//! Stands in for the types in a program that is built without them: nothing is checked against types.

use crate::model::{Document, Issue};

/// Finds nothing, since no types are known.
pub(crate) fn check(_: &Document) -> Vec<Issue> {
    Vec::new()
}

/// What the types come from: there are none.
#[cfg(feature = "cli")]
pub(crate) fn sources() -> impl Iterator<Item = String> {
    std::iter::empty()
}
