//! Stands in for the table of aliases in a build without types: no alias is known.

/// Content of a row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Path(String),
    #[expect(dead_code, reason = "only the table says it")]
    Pattern,
}

/// Returns `None`: no type has an alias.
pub(super) fn find(_: &str, _: &str) -> Option<Entry> {
    None
}

/// Returns `false`: no type has an alias.
pub(super) fn has(_: &str) -> bool {
    false
}

/// Returns no aliases to suggest.
pub(super) fn aliases(_: &str) -> Vec<String> {
    Vec::new()
}

/// Returns no source: no table is embedded.
pub fn source() -> Option<&'static String> {
    None
}
