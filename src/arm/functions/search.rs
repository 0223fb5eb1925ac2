//! Functions that look for something in a text or an array.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-string>. In texts
//! case does not count (`StringComparison.OrdinalIgnoreCase`), in arrays it does.

use crate::arm::dotnet::case;
use crate::arm::fault::Fault;
use crate::arm::functions::{Args, Function, exactly, pure};
use crate::value::{Kind, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("endsWith", exactly(2), Kind::Bool, ends_with),
    pure("indexOf", exactly(2), Kind::Int, index_of),
    pure("lastIndexOf", exactly(2), Kind::Int, last_index_of),
    pure("like", exactly(2), Kind::Bool, like),
    pure("startsWith", exactly(2), Kind::Bool, starts_with),
];

/// `endsWith(text, end)`
fn ends_with(args: Args<'_>) -> Result<Value, Fault> {
    let (text, end): (&str, &str) = args.get()?;
    Ok(Value::from(fold(text).ends_with(&fold(end))))
}

/// `startsWith(text, start)`
fn starts_with(args: Args<'_>) -> Result<Value, Fault> {
    let (text, start): (&str, &str) = args.get()?;
    Ok(Value::from(fold(text).starts_with(&fold(start))))
}

/// `indexOf(text, part)`, `indexOf(array, item)`. In UTF-16 code units; -1 where there is none.
fn index_of(args: Args<'_>) -> Result<Value, Fault> {
    position(args, |text, part| text.find(part), |items, item| items.iter().position(|it| it.same(item)))
}

/// `lastIndexOf(text, part)`, `lastIndexOf(array, item)`. In UTF-16 code units; -1 where there is none.
fn last_index_of(args: Args<'_>) -> Result<Value, Fault> {
    position(args, |text, part| text.rfind(part), |items, item| items.iter().rposition(|it| it.same(item)))
}

fn position(
    args: Args<'_>,
    in_text: fn(&str, &str) -> Option<usize>,
    in_array: fn(&[Value], &Value) -> Option<usize>,
) -> Result<Value, Fault> {
    args.known_throughout(Kind::Int, |args| {
        let found = if let Some(items) = args.at::<&Value>(0)?.as_array() {
            in_array(items, args.at(1)?)
        } else if args.values()[0].as_str().is_some() {
            let (text, part): (&str, &str) = args.get()?;
            let folded = fold(text);
            in_text(&folded, &fold(part)).map(|at| {
                // Folding keeps the number of characters, though not of bytes.
                let characters = folded[..at].chars().count();
                text.chars().take(characters).map(char::len_utf16).sum()
            })
        } else {
            return Err(args.mismatch(0, "a string or an array"));
        };
        Ok(Value::from(found.and_then(|it| i64::try_from(it).ok()).unwrap_or(-1)))
    })
}

/// `like(text, pattern)`. A `*` stands for any text; case does not count.
fn like(args: Args<'_>) -> Result<Value, Fault> {
    let (text, pattern): (&str, &str) = args.get()?;
    Ok(Value::from(matches(&fold(text), &fold(pattern))))
}

/// Whether a text is a pattern's first part, its parts in order, and its last part. Taking each part where it is found
/// first leaves the most for those behind it.
fn matches(text: &str, pattern: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return text == pattern;
    };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut inner) = text.strip_prefix(first).and_then(|it| it.strip_suffix(last)) else {
        return false;
    };
    middle.split('*').all(|part| match inner.split_once(part) {
        Some((_, behind)) => {
            inner = behind;
            true
        }
        None => false,
    })
}

fn fold(text: &str) -> String {
    text.chars().map(case::fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Limits;

    #[test]
    fn a_star_stands_for_any_text() {
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
    fn searching_a_long_text_takes_linear_time() {
        let text = Value::from("a".repeat(1 << 20));
        let part = Value::from("a".repeat(1 << 19) + "b");
        let found = index_of(Args::new("indexOf", &[text, part], &Limits::default())).ok();
        assert_eq!(found.as_ref().and_then(Value::as_int), Some(-1));
    }
}
