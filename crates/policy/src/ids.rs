//! Resource IDs as documents have them.

/// What an ID, or a full name, ends with: the name of what it is the ID of.
pub(crate) fn last_segment(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}

/// Whether a part of an ID is to be filled in by the tool that deploys it, such as `${scope}` or `<subscription>`.
pub(crate) fn has_placeholder(id: &str) -> bool {
    id.contains(['$', '{', '<'])
}
