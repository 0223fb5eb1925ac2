//! Numbers with nouns.

/// Formats a number with its noun: `1 finding`, `2 findings`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
