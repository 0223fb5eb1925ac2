//! Members of templates, and the lengths of values.

use crate::text::Span;
use crate::value::{Data, Member, Str, Value};

/// Returns a member with the span of its key in the source text.
pub(super) fn member(key: impl Into<Str>, key_span: Span, value: Value) -> Member {
    Member { key: key.into(), key_span: Some(key_span), value }
}

/// Returns a generated member. If the value has no span, it gets `span`.
pub(super) fn generated(key: &str, value: Value, span: Span) -> Member {
    let value = if value.span.is_some() { value } else { value.at(span) };
    Member::new(key, value)
}

/// Returns the approximate length of a value in bytes. `inner` measures the values in it.
pub(super) fn length_with(value: &Value, inner: &dyn Fn(&Value) -> usize) -> usize {
    let content = match &value.data {
        Data::String(text) => text.len(),
        Data::Array(items) => items.iter().map(inner).sum(),
        Data::Object(members) => members.iter().map(|own| own.key.len() + 4 + inner(&own.value)).sum(),
        _ => 2,
    };
    content + 4
}
