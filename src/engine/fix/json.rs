//! Changes of JSON texts.

use std::ops::Range;
use std::sync::Arc;

use crate::engine::fix::layout::{Added, Braces, Extent, Style, insertion};
use crate::rules::Spot;
use crate::syntax;
use crate::text::{FileId, Span};
use crate::value::{Data, Value};

/// As deep as templates may be.
const MAX_DEPTH: u32 = 256;

/// How a member is set off from the next.
const STYLE: Style = Style { needs_comma: true, padding: "" };

/// Whether a text is what was found there, and not an expression that evaluates to it.
pub(super) fn is_literal(text: &str, spot: &Spot) -> bool {
    match spot {
        // No file: nothing looks at the spans.
        Spot::Value { found, .. } => {
            let read = syntax::json::parse_computed(&Arc::from(text), MAX_DEPTH);
            read.is_ok_and(|it| is_scalar(&it) && it.same(found))
        }
        Spot::Member { .. } => text.starts_with('{') && text.ends_with('}'),
    }
}

fn is_scalar(value: &Value) -> bool {
    matches!(value.data, Data::Bool(_) | Data::Int(_) | Data::Float(_) | Data::String(_))
}

/// The text for `value` in place of `old`, which must be the literal of what was found.
pub(super) fn literal(file: FileId, old: &str, found: &Value, value: &Value) -> Option<String> {
    let span = Span::whole_file(file);
    let is_literal = is_literal(old, &Spot::Value { span, found: found.clone() });
    is_literal.then(|| value.to_json())
}

/// A new member in the object whose text is at `span`. `None` if that is no object, or has such a member already.
pub(super) fn member(span: Span, text: &str, key: &str, value: &Value) -> Option<Added> {
    let (open, end) = (span.start as usize, span.end as usize);
    let object = text.get(open..end).filter(|it| it.starts_with('{') && it.ends_with('}'))?;
    let read = read_object(span.file, object)?;
    let members = read.as_object()?;
    if members.iter().any(|it| it.key.eq_ignore_ascii_case(key)) {
        return None;
    }
    let extents: Option<Vec<Extent>> = members.iter().map(|it| extent(it.key_span?, it.value.span?, open)).collect();
    let braces = Braces { open, close: end - 1, members: extents? };
    let name = Value::from(key).to_json();
    let (added, title) = (value.to_json(), format!("{key}: {}", value.to_json()));
    let member = |colon: &str| format!("{name}{colon}{added}");
    let (range, new) = insertion(text, &braces, &member, STYLE)?;
    let patched = patched(object, &(range.start - open..range.end - open), &new)?;
    is_as_intended(&read, &read_object(span.file, &patched)?, key, value).then_some(Added { range, text: new, title })
}

fn read_object(file: FileId, text: &str) -> Option<Value> {
    syntax::json::parse(file, &Arc::from(text), MAX_DEPTH).value
}

fn extent(key: Span, value: Span, offset: usize) -> Option<Extent> {
    let at = |it: u32| offset.checked_add(it as usize);
    Some(Extent { start: at(key.start)?, key_end: at(key.end)?, value_start: at(value.start)?, end: at(value.end)? })
}

fn patched(text: &str, range: &Range<usize>, new: &str) -> Option<String> {
    Some(format!("{}{new}{}", text.get(..range.start)?, text.get(range.end..)?))
}

/// Whether the object differs from what it was by just the one member.
fn is_as_intended(before: &Value, after: &Value, key: &str, value: &Value) -> bool {
    let (Some(before), Some(after)) = (before.as_object(), after.as_object()) else { return false };
    let kept = before.iter().zip(after).all(|(a, b)| a.key == b.key && a.value.same(&b.value));
    let last = after.iter().last();
    kept && after.len() == before.len() + 1 && last.is_some_and(|it| *it.key == *key && it.value.same(value))
}
