//! Paths in a template, as reports write them: `resources[0].properties.siteConfig`.

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
