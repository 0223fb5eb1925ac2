//! Finds the value that contains a text.

use crate::text::Span;
use crate::value::{Data, Member, Object, Value};

/// A step from a value into a nested value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inward<'v> {
    /// To the member with this name.
    Member(&'v str),
    /// To the item at this index.
    Item(usize),
}

/// Returns the member whose text contains `span`.
fn member_around(object: &Object, span: Span) -> Option<&Member> {
    let is_around = |member: &&Member| member.span().is_some_and(|text| text.contains(span));
    let members = object.iter().as_slice();
    // Members are in the order of the text, except those whose value is a YAML alias.
    let at = members.partition_point(|member| member.span().is_some_and(|text| text.end < span.end));
    let near = members.get(at).filter(|member| member.key_span.is_some_and(|key| key.start <= span.start));
    near.filter(is_around).or_else(|| members.iter().find(is_around))
}

/// Returns the steps to the smallest value in `root` whose text, including its name, contains `span`. `None` if
/// `root` does not contain it.
pub fn locate(root: &Value, span: Span) -> Option<Vec<Inward<'_>>> {
    root.span.filter(|whole| whole.contains(span))?;
    let mut steps = Vec::new();
    let mut value = root;
    loop {
        let inner = match &value.data {
            Data::Object(object) => {
                member_around(object, span).map(|member| (Inward::Member(&member.key), &member.value))
            }
            Data::Array(items) => {
                // Items are in the order of the text, so a binary search finds the item that may contain the span.
                let at = items.partition_point(|item| item.span.is_some_and(|text| text.end < span.end));
                let item = items.get(at).filter(|item| item.span.is_some_and(|text| text.contains(span)));
                item.map(|item| (Inward::Item(at), item))
            }
            _ => None,
        };
        let Some((step, child)) = inner else { return Some(steps) };
        steps.push(step);
        value = child;
    }
}
