//! Sort order of names in the Bicep CLI: dictionary order, in which case matters last.

use std::cmp::Ordering;

/// Punctuation in dictionary order. Sorts before digits, which sort before letters.
const SIGNS: &str = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

fn weight(c: char) -> (u32, u32) {
    match SIGNS.find(c) {
        Some(at) => (0, u32::try_from(at).unwrap_or(u32::MAX)),
        None if c.is_ascii_digit() => (1, c.into()),
        None => (2, c.to_lowercase().next().unwrap_or(c).into()),
    }
}

/// Compares two names like .NET's invariant culture.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    let base = a.chars().map(weight).cmp(b.chars().map(weight));
    // Small letters come before capitals.
    base.then_with(|| a.chars().map(char::is_uppercase).cmp(b.chars().map(char::is_uppercase)))
}
