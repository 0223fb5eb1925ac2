//! Paths in a template, as reports write them: `resources[0].properties.siteConfig`.

use crate::text::Span;
use crate::value::{Inward, Value, locate};

/// `path` extended by a member. A name that a dotted path cannot hold is written `['a.b']`.
#[must_use]
pub fn join_key(path: &str, key: &str) -> String {
    let mut joined = String::with_capacity(path.len() + key.len() + 1);
    joined.push_str(path);
    push_key(&mut joined, key);
    joined
}

/// As [`join_key`], in place.
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

/// `path` extended by an index.
#[must_use]
pub fn join_index(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}

/// The path of the smallest value in `root` whose text contains `span`. Empty if that is `root` itself, or if `root` does
/// not contain the text.
#[must_use]
pub fn path_at(root: &Value, span: Span) -> String {
    let steps = locate(root, span).unwrap_or_default();
    steps.into_iter().fold(String::new(), |path, step| match step {
        Inward::Member(name) => join_key(&path, name),
        Inward::Item(at) => join_index(&path, at),
    })
}
