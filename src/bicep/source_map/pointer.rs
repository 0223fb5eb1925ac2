//! JSON pointers.

use std::borrow::Cow;

use crate::text::Span;
use crate::value::{Data, Value};

/// One name or index of a pointer.
pub(super) type Step<'a> = Cow<'a, str>;

/// The names and indices of a pointer, unescaped.
pub(super) fn steps(pointer: &str) -> Vec<Step<'_>> {
    pointer.split('/').skip(1).map(unescape).collect()
}

fn unescape(step: &str) -> Step<'_> {
    if step.contains('~') {
        return Cow::Owned(step.replace("~1", "/").replace("~0", "~"));
    }
    Cow::Borrowed(step)
}

/// The value that a step leads to.
pub(super) fn child<'v>(value: Option<&'v Value>, step: &str) -> Option<&'v Value> {
    match &value?.data {
        Data::Array(items) => items.get(step.parse::<usize>().ok()?),
        Data::Object(object) => object.get_exact(step),
        _ => None,
    }
}

/// The pointer to the smallest value in `root` whose text, with its name, holds `span`: a place in a compiled template.
pub fn pointer_at(root: &Value, span: Span) -> Option<String> {
    root.span.filter(|it| it.contains(span))?;
    let mut pointer = String::new();
    let mut value = root;
    loop {
        let inner = match &value.data {
            Data::Object(object) => {
                let member = object.iter().find(|it| it.span().is_some_and(|it| it.contains(span)));
                member.map(|it| (it.key.replace('~', "~0").replace('/', "~1"), &it.value))
            }
            Data::Array(items) => {
                let at = items.partition_point(|it| it.span.is_some_and(|it| it.end < span.end));
                let item = items.get(at).filter(|it| it.span.is_some_and(|it| it.contains(span)));
                item.map(|it| (at.to_string(), it))
            }
            _ => None,
        };
        let Some((step, child)) = inner else { return Some(pointer) };
        pointer.push('/');
        pointer.push_str(&step);
        value = child;
    }
}
