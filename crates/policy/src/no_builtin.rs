//! Stands in for the built-in documents in a program that is built without them: none is known.

use std::sync::Arc;

use crate::documents::{Definition, Initiative};

/// Without the data, no ID is that of a definition.
pub(crate) fn definition(_: &str) -> Option<Arc<Definition>> {
    None
}

/// Without the data, no ID is that of an initiative.
pub(crate) fn initiative(_: &str) -> Option<Arc<Initiative>> {
    None
}

/// What the documents were made from: there are none.
pub fn source() -> Option<&'static String> {
    None
}
