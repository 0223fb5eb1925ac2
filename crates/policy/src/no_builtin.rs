//! Stands in for the built-in documents in a build without them.

use std::sync::Arc;

use crate::documents::{Definition, Initiative};

/// Returns `None`: there are no built-in definitions.
pub(crate) fn definition(_: &str) -> Option<Arc<Definition>> {
    None
}

/// Returns `None`: there are no built-in initiatives.
pub(crate) fn initiative(_: &str) -> Option<Arc<Initiative>> {
    None
}

/// Returns no source: no documents are embedded.
pub fn source() -> Option<&'static String> {
    None
}
