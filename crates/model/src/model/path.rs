//! Paths in a template, in the format of reports: `resources[0].properties.siteConfig`.

use crate::text::Span;
use crate::value::{Inward, Value, locate};

/// Appends a member to `path`. A name that is invalid in a dotted path is written as `['a.b']`.
///
/// # Examples
///
/// ```
/// use formwork_model::model::join_key;
///
/// assert_eq!(join_key("tags", "env"), "tags.env");
/// assert_eq!(join_key("tags", "it's"), "tags['it''s']");
/// ```
#[must_use]
pub fn join_key(path: &str, key: &str) -> String {
    let mut joined = String::with_capacity(path.len() + key.len() + 1);
    joined.push_str(path);
    push_key(&mut joined, key);
    joined
}

/// Appends a member to `path` in place, like [`join_key`].
pub(super) fn push_key(path: &mut String, key: &str) {
    let is_plain = !key.is_empty() && !key.bytes().any(|byte| matches!(byte, b'.' | b'[' | b']' | b'\'' | b' '));
    if !is_plain {
        path.extend(["['", &key.replace('\'', "''"), "']"]);
        return;
    }
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(key);
}

/// Appends an index to `path`.
#[must_use]
pub fn join_index(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}

/// Returns the path of the smallest value in `root` whose text contains `span`. Empty if this is `root` itself, or if
/// `root` does not contain `span`.
#[must_use]
pub fn path_at(root: &Value, span: Span) -> String {
    let steps = locate(root, span).unwrap_or_default();
    steps.into_iter().fold(String::new(), |path, step| match step {
        Inward::Member(name) => join_key(&path, name),
        Inward::Item(at) => join_index(&path, at),
    })
}
