//! The order in which the Bicep CLI sorts names: that of a dictionary, in which case matters last.

use std::cmp::Ordering;

/// Signs in the order of a dictionary; they come before digits, which come before letters.
const SIGNS: &str = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

fn weight(c: char) -> (u32, u32) {
    match SIGNS.find(c) {
        Some(at) => (0, u32::try_from(at).unwrap_or(u32::MAX)),
        None if c.is_ascii_digit() => (1, c.into()),
        None => (2, c.to_lowercase().next().unwrap_or(c).into()),
    }
}

/// Compares two names as the invariant culture does.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    let base = a.chars().map(weight).cmp(b.chars().map(weight));
    // Small letters come before capitals.
    base.then_with(|| a.chars().map(char::is_uppercase).cmp(b.chars().map(char::is_uppercase)))
}
