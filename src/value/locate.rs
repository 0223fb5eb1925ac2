//! Finds the value that a text belongs to.

use crate::text::Span;
use crate::value::{Data, Value};

/// One step from a value into a value that it contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inward<'v> {
    /// To the member of this name.
    Member(&'v str),
    /// To the item at this index.
    Item(usize),
}

/// The steps to the smallest value in `root` whose text, including its name, contains `span`. `None` if `root` does not
/// contain it.
pub(crate) fn locate(root: &Value, span: Span) -> Option<Vec<Inward<'_>>> {
    root.span.filter(|whole| whole.contains(span))?;
    let mut steps = Vec::new();
    let mut value = root;
    loop {
        let inner = match &value.data {
            Data::Object(object) => {
                let mut members = object.iter();
                let member = members.find(|member| member.span().is_some_and(|text| text.contains(span)));
                member.map(|member| (Inward::Member(&member.key), &member.value))
            }
            Data::Array(items) => {
                // Items are in the order of the text, so a binary search finds the one that may contain the span.
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
