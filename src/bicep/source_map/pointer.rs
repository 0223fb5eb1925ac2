//! JSON pointers into compiled templates.

use std::borrow::Cow;

use crate::text::Span;
use crate::value::{Data, Value};

/// A property name or an array index in a pointer.
pub(super) type Step<'a> = Cow<'a, str>;

/// The unescaped steps of a pointer.
pub(super) fn steps(pointer: &str) -> Vec<Step<'_>> {
    pointer.split('/').skip(1).map(unescape).collect()
}

fn unescape(step: &str) -> Step<'_> {
    if step.contains('~') {
        return Cow::Owned(step.replace("~1", "/").replace("~0", "~"));
    }
    Cow::Borrowed(step)
}

/// The property or item of `value` that a step refers to. Property names are case-sensitive.
pub(super) fn child<'v>(value: Option<&'v Value>, step: &str) -> Option<&'v Value> {
    match &value?.data {
        Data::Array(items) => items.get(step.parse::<usize>().ok()?),
        Data::Object(object) => object.get_exact(step),
        _ => None,
    }
}

/// The pointer to the smallest value in `root` whose text, including its name, contains `span`. `None` if `root` does
/// not contain it.
pub fn pointer_at(root: &Value, span: Span) -> Option<String> {
    root.span.filter(|whole| whole.contains(span))?;
    let mut pointer = String::new();
    let mut value = root;
    loop {
        let inner = match &value.data {
            Data::Object(object) => {
                let mut members = object.iter();
                let member = members.find(|member| member.span().is_some_and(|text| text.contains(span)));
                member.map(|member| (member.key.replace('~', "~0").replace('/', "~1"), &member.value))
            }
            Data::Array(items) => {
                // Items are in the order of the text, so a binary search finds the one that may contain the span.
                let at = items.partition_point(|item| item.span.is_some_and(|text| text.end < span.end));
                let item = items.get(at).filter(|item| item.span.is_some_and(|text| text.contains(span)));
                item.map(|item| (at.to_string(), item))
            }
            _ => None,
        };
        let Some((step, child)) = inner else { return Some(pointer) };
        pointer.push('/');
        pointer.push_str(&step);
        value = child;
    }
}
