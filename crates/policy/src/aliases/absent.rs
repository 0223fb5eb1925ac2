//! Stands in for the table in a program that is built without types: no alias is known.

/// What a row of the table says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Path(String),
    #[expect(dead_code, reason = "only the table says it")]
    Pattern,
}

/// No type has an alias, so an alias is of none.
pub(super) fn find(_: &str, _: &str) -> Option<Entry> {
    None
}

/// No alias is one of any type.
pub(super) fn has(_: &str) -> bool {
    false
}

/// There are no aliases to suggest.
pub(super) fn aliases(_: &str) -> Vec<String> {
    Vec::new()
}

/// What the table was made from: there is none.
pub fn source() -> Option<&'static String> {
    None
}
