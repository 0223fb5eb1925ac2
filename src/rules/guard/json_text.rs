//! JSON in texts, and values as text.

use std::borrow::Cow;
use std::sync::Arc;

use crate::syntax::json::parse_computed;
use crate::value::{Data, JsonStyle, SECRET, Traits, Value};

/// How deep JSON in a text may nest.
const MAX_DEPTH: u32 = 128;

/// The value of a text that is a JSON array or object, by [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259): neither
/// cfn-guard nor AWS takes more.
pub(super) fn compound(text: &str) -> Option<Value> {
    text.trim_start().starts_with(['[', '{']).then(|| strict(text))?
}

/// The value of a text that is JSON.
pub(super) fn strict(text: &str) -> Option<Value> {
    serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
    parse_computed(&Arc::from(text), MAX_DEPTH).ok()
}

/// A value as text: a text as it is, anything else as compact JSON with its names in order.
pub(super) fn text_of(value: &Value) -> Cow<'_, str> {
    match &value.data {
        Data::String(text) => Cow::Borrowed(text),
        _ => Cow::Owned(value.to_json_as(JsonStyle::SORTED.with_secrets())),
    }
}

/// As [`text_of`], with secrets masked.
pub(super) fn shown(value: &Value) -> Cow<'_, str> {
    match &value.data {
        _ if !value.traits.has(Traits::SECRET) => text_of(value),
        Data::Array(_) | Data::Object(_) => Cow::Owned(value.to_json_as(JsonStyle::SORTED)),
        _ => Cow::Borrowed(SECRET),
    }
}

/// Without what comparisons and most messages of cfn-guard leave out.
pub(super) fn squeezed(text: &str) -> String {
    text.chars().filter(|it| !matches!(it, ' ' | '\n')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_in_order_and_secrets_masked() {
        let value = strict(r#"{"b": [1, 1.0, 1e3, null], "a": "x y"}"#).unwrap();
        assert_eq!(text_of(&value), r#"{"a":"x y","b":[1,1.0,1000.0,null]}"#);
        let secret = Value::from("hunter2").with_traits(Traits::SECRET);
        assert_eq!(shown(&secret), "{{Secret}}");
        assert_eq!(shown(&Value::array(vec![secret, Value::from(1)])), r#"["{{Secret}}",1]"#);
    }

    #[test]
    fn only_strict_json_counts() {
        assert!(compound(r#"["x",]"#).is_none() && compound("{a: 1}").is_none() && compound("5").is_none());
        assert!(compound(r#" ["x"] "#).is_some());
    }
}
