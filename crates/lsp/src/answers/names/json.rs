//! Names in templates of Resource Manager, and in parameter files in JSON and YAML.

use std::ops::Range;

use super::{ends_with, words};
use crate::outline::Kind;

/// Where expressions of a template use a parameter or a variable, and references a type.
pub(super) fn uses(text: &str, name: &str, kind: Kind) -> Vec<Range<usize>> {
    let before = match kind {
        Kind::Parameter => "parameters('",
        Kind::Variable => "variables('",
        Kind::Type => "#/definitions/",
        _ => return Vec::new(),
    };
    let is_used = |range: &Range<usize>| text.get(..range.start).is_some_and(|text| ends_with(text, before));
    words(text, name).filter(is_used).collect()
}

/// Where a name is a key.
pub(super) fn keys(text: &str, name: &str) -> Vec<Range<usize>> {
    let is_key = |range: &Range<usize>| {
        let quotes = ['"', '\''];
        let after = text.get(range.end..).unwrap_or_default().trim_start_matches(quotes);
        let line = text.get(..range.start).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
        let before = line.trim_end_matches(quotes).trim_end();
        after.trim_start().starts_with(':') && (before.is_empty() || before.ends_with(['{', ',', '-']))
    };
    words(text, name).filter(is_key).collect()
}
