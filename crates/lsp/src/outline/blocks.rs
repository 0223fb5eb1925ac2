//! Declarations of YAML templates in their usual form: sections, their members, and their types each start a line.
//!
//! An outline is requested after each key, and parsing a long template would take too long.

use super::{Declaration, Kind, section};

/// A key at the start of a line.
struct Key<'t> {
    name: &'t str,
    /// Name with its quotes, if it has some.
    written: &'t str,
    /// Text after the colon, without a comment.
    value: &'t str,
}

/// Returns the declarations, or `None` if only a parser can read the text.
pub(super) fn declarations(text: &str) -> Option<Vec<Declaration>> {
    let mut found: Vec<Declaration> = Vec::new();
    let mut kind: Option<Kind> = None;
    // Indentation of the section's members, and of the last member's content.
    let (mut members, mut inner): (Option<usize>, Option<usize>) = (None, None);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let content = line.trim();
        if content.is_empty() || content.starts_with('#') || content == "---" {
            continue;
        }
        let indent = line.len() - line.trim_start_matches(' ').len();
        // Lines below the relevant keys, and lines outside of sections, are skipped in any form.
        let is_elsewhere = kind.is_none() && (indent > 0 || content.starts_with("- "));
        if is_elsewhere || inner.is_some_and(|inner| indent > inner) {
            continue;
        }
        let key = key(line, indent);
        match (key, kind) {
            (Some(key), _) if indent == 0 => {
                kind = section(key.name);
                (members, inner) = (None, None);
                if kind.is_some() && !is_open(key.value) {
                    return None;
                }
            }
            (Some(key), Some(kind)) if *members.get_or_insert(indent) == indent => {
                let begin = at + indent;
                let place = begin..begin + key.written.len();
                inner = None;
                // Merge keys and flow mappings have members of their own.
                if key.name == "<<" || key.value.starts_with('{') {
                    return None;
                }
                let name = key.name.to_owned();
                found.push(Declaration { name, kind, place, type_name: None, computed: None });
            }
            (Some(key), Some(_)) if members.is_some_and(|members| indent > members) => {
                if *inner.get_or_insert(indent) == indent && key.name.eq_ignore_ascii_case("type") {
                    let type_name = Some(unquoted(key.value)).filter(|name| !name.is_empty());
                    found.last_mut()?.type_name = type_name.map(ToOwned::to_owned);
                }
            }
            // An item, or the rest of a multi-line text.
            (None, Some(_)) if members.is_some_and(|members| indent > members) => {
                inner.get_or_insert(indent);
            }
            _ => return None,
        }
    }
    Some(found)
}

/// Parses the key at the start of a line.
fn key(line: &str, indent: usize) -> Option<Key<'_>> {
    let rest = line.get(indent..)?.trim_end();
    if rest.starts_with(['-', '?', '{', '[', '!', '&', '*', '|', '>', '%', '@', ',', '}', ']']) {
        return None;
    }
    let quote = rest.chars().next().filter(|c| ['\'', '"'].contains(c));
    let end = if let Some(quote) = quote {
        rest.get(1..)?.find(quote)? + 2
    } else {
        let mut colons = rest.match_indices(':').map(|(at, _)| at);
        let colon =
            colons.find(|at| rest.get(at + 1..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))?;
        rest.get(..colon)?.trim_end().len()
    };
    let (written, behind) = rest.split_at_checked(end)?;
    let value = behind.trim_start().strip_prefix(':').filter(|rest| rest.is_empty() || rest.starts_with(' '))?;
    let value = value.trim();
    let value = if value.starts_with('#') { "" } else { value.split(" #").next().unwrap_or(value).trim_end() };
    Some(Key { name: unquoted(written), written, value })
}

fn unquoted(text: &str) -> &str {
    let mut unquoted = ['\'', '"'].into_iter().filter_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    unquoted.next().unwrap_or(text)
}

/// True if the value of a key starts on the next line.
fn is_open(value: &str) -> bool {
    value.is_empty() || value.starts_with('&') && !value.contains(' ')
}
