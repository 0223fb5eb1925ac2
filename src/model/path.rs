//! Paths in a template, as reports write them: `resources[0].properties.siteConfig`.

use crate::text::Span;
use crate::value::{Inward, Value, locate};

/// `path` extended by a member. A name that a dotted path cannot hold is written `['a.b']`.
#[must_use]
pub(crate) fn join_key(path: &str, key: &str) -> String {
    let plain = !key.is_empty() && !key.contains(['.', '[', ']', '\'', ' ']);
    match (path.is_empty(), plain) {
        (true, true) => key.to_owned(),
        (false, true) => format!("{path}.{key}"),
        (_, false) => format!("{path}['{}']", key.replace('\'', "''")),
    }
}

/// `path` extended by an index.
#[must_use]
pub(crate) fn join_index(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}

/// The path of the smallest value in `root` whose text contains `span`. Empty if that is `root` itself, or if `root` does
/// not contain the text.
#[must_use]
pub(crate) fn path_at(root: &Value, span: Span) -> String {
    let steps = locate(root, span).unwrap_or_default();
    steps.into_iter().fold(String::new(), |path, step| match step {
        Inward::Member(name) => join_key(&path, name),
        Inward::Item(at) => join_index(&path, at),
    })
}
