//! Resource IDs in policy documents.

/// Returns the last segment of an ID or a full name.
pub(crate) fn last_segment(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}

/// True if a deployment tool fills in a part of an ID, such as `${scope}` or `<subscription>`.
pub(crate) fn has_placeholder(id: &str) -> bool {
    id.contains(['$', '{', '<'])
}

/// True if a name has the form of a GUID, as the names of built-in documents.
pub(crate) fn is_guid(name: &str) -> bool {
    const DASHES: [usize; 4] = [8, 13, 18, 23];
    let fits = |(at, byte): (usize, u8)| if DASHES.contains(&at) { byte == b'-' } else { byte.is_ascii_hexdigit() };
    name.len() == 36 && name.bytes().enumerate().all(fits)
}
