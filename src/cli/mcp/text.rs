//! Texts of answers.

use std::fmt::Write as _;

use crate::report::brief::BYTES_PER_TOKEN;

/// Maximum length of an answer, in tokens.
pub(super) const MAX_TOKENS: usize = 8_000;

/// Returns JSON that has no markup: `<`, `>`, and backticks are escaped in its strings, which are the only places where
/// they occur.
pub(super) fn plain_json(json: &str) -> String {
    let mut plain = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => plain.push_str("\\u003c"),
            '>' => plain.push_str("\\u003e"),
            '`' => plain.push_str("\\u0060"),
            _ => plain.push(c),
        }
    }
    plain
}

/// Cuts a text after a line, and says so.
pub(super) fn cut_lines(text: &str, tokens: usize, hint: &str) -> String {
    let length = tokens * BYTES_PER_TOKEN;
    if text.len() <= length {
        return text.to_owned();
    }
    let (mut kept, mut lines) = (String::new(), text.lines());
    for line in lines.by_ref() {
        if kept.len() + line.len() + 1 > length {
            break;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    let _ = writeln!(kept, "… and more lines; {hint}");
    kept
}
