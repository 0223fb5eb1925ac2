//! Functions that search strings or arrays.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-string>. Strings
//! are searched case-insensitively (`StringComparison.OrdinalIgnoreCase`), arrays case-sensitively.

use crate::dotnet::case;
use crate::fault::Fault;
use crate::functions::{Args, Function, ends, exactly, pure};
use crate::value::{Data, Kind, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("endsWith", exactly(2), Kind::Bool, ends_with).decided_by(ends::ends_with),
    pure("indexOf", exactly(2), Kind::Int, index_of),
    pure("lastIndexOf", exactly(2), Kind::Int, last_index_of),
    pure("like", exactly(2), Kind::Bool, like),
    pure("startsWith", exactly(2), Kind::Bool, starts_with).decided_by(ends::starts_with),
];

/// `endsWith(stringToSearch, stringToFind)`: `true` if a string ends with another, case-insensitively.
fn ends_with(args: Args<'_>) -> Result<Value, Fault> {
    let (text, end): (&str, &str) = args.get()?;
    Ok(Value::from(fold(text).ends_with(&fold(end))))
}

/// `startsWith(stringToSearch, stringToFind)`: `true` if a string starts with another, case-insensitively.
fn starts_with(args: Args<'_>) -> Result<Value, Fault> {
    let (text, start): (&str, &str) = args.get()?;
    Ok(Value::from(fold(text).starts_with(&fold(start))))
}

/// `indexOf(stringOrArray, stringOrItem)`: the first position, for strings in UTF-16 code units; -1 if there is none.
fn index_of(args: Args<'_>) -> Result<Value, Fault> {
    position(args, |text, part| text.find(part), |items, item| items.iter().position(|other| other.same(item)))
}

/// `lastIndexOf(stringOrArray, stringOrItem)`: the last position, for strings in UTF-16 code units; -1 if there is none.
fn last_index_of(args: Args<'_>) -> Result<Value, Fault> {
    position(args, |text, part| text.rfind(part), |items, item| items.iter().rposition(|other| other.same(item)))
}

fn position(
    args: Args<'_>,
    in_text: fn(&str, &str) -> Option<usize>,
    in_array: fn(&[Value], &Value) -> Option<usize>,
) -> Result<Value, Fault> {
    args.known_throughout(Kind::Int, |args| {
        let found = match &args.at::<&Value>(0)?.data {
            Data::Array(items) => in_array(items, args.at(1)?),
            Data::String(text) => {
                let folded = fold(text);
                in_text(&folded, &fold(args.at(1)?)).map(|at| {
                    // Folding keeps the number of characters, though not of bytes.
                    let characters = folded.split_at(at).0.chars().count();
                    text.chars().take(characters).map(char::len_utf16).sum()
                })
            }
            _ => return Err(args.mismatch(0, "a string or an array")),
        };
        Ok(Value::from(found.and_then(|position| i64::try_from(position).ok()).unwrap_or(-1)))
    })
}

/// `like(stringToSearch, pattern)`: case-insensitive, with `*` for any characters.
fn like(args: Args<'_>) -> Result<Value, Fault> {
    let (text, pattern): (&str, &str) = args.get()?;
    Ok(Value::from(matches(&fold(text), &fold(pattern))))
}

/// Returns `true` if `text` starts with the first part of the pattern, ends with the last part, and has the others in
/// order between them. Taking each part at its first occurrence leaves the most for those after it, so no backtracking
/// is needed.
fn matches(text: &str, pattern: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return text == pattern;
    };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut inner) = text.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else {
        return false;
    };
    middle.split('*').all(|part| match inner.split_once(part) {
        Some((_, after)) => {
            inner = after;
            true
        }
        None => false,
    })
}

/// Folds the case of each character.
fn fold(text: &str) -> String {
    text.chars().map(case::fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Limits;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (text, pattern, expected) in [
            ("abc", "abc", true),
            ("abc", "ab", false),
            ("", "*", true),
            ("abc", "**", true),
            ("abc", "*c", true),
            ("abcabc", "a*bc", true),
            ("aXbXc", "a*b*c", true),
            ("ab", "a*b*b", false),
            ("aba", "ab*ba", false),
            ("a.c", "a?c", false),
        ] {
            assert_eq!(matches(text, pattern), expected, "{text} {pattern}");
        }
    }

    #[test]
    fn searching_a_long_string_takes_linear_time() {
        let text = Value::from("a".repeat(1 << 20));
        let part = Value::from("a".repeat(1 << 19) + "b");
        let found = index_of(Args::new("indexOf", &[text, part], &Limits::default())).ok();
        assert_eq!(found.as_ref().and_then(Value::as_int), Some(-1));
    }
}
