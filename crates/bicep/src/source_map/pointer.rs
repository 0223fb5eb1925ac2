//! JSON pointers into compiled templates.

use std::borrow::Cow;

use crate::text::Span;
use crate::value::{Data, Inward, Value, locate};

/// A property name or an array index in a pointer.
pub(super) type PathStep<'a> = Cow<'a, str>;

/// Splits a pointer into unescaped steps.
pub(super) fn steps(pointer: &str) -> Vec<PathStep<'_>> {
    pointer.split('/').skip(1).map(unescape).collect()
}

fn unescape(step: &str) -> PathStep<'_> {
    if step.contains('~') {
        return Cow::Owned(step.replace("~1", "/").replace("~0", "~"));
    }
    Cow::Borrowed(step)
}

/// Returns the property or item of `value` that a step refers to. Property names are case-sensitive.
pub(super) fn child<'v>(value: Option<&'v Value>, step: &str) -> Option<&'v Value> {
    match &value?.data {
        Data::Array(items) => items.get(step.parse::<usize>().ok()?),
        Data::Object(object) => object.get_exact(step),
        _ => None,
    }
}

/// Returns the pointer to the smallest value in `root` whose text, including its name, contains `span`. `None` if
/// `root` does not contain it.
pub fn pointer_at(root: &Value, span: Span) -> Option<String> {
    let mut pointer = String::new();
    for step in locate(root, span)? {
        pointer.push('/');
        match step {
            Inward::Member(name) => pointer.push_str(&name.replace('~', "~0").replace('/', "~1")),
            Inward::Item(at) => pointer.push_str(&at.to_string()),
        }
    }
    Some(pointer)
}
