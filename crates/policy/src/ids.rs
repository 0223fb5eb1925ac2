//! Resource IDs in policy documents.

/// Returns the last segment of an ID or a full name.
pub(crate) fn last_segment(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}

/// True if a deployment tool fills in a part of an ID, such as `${scope}` or `<subscription>`.
pub(crate) fn has_placeholder(id: &str) -> bool {
    id.contains(['$', '{', '<'])
}
