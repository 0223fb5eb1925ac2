//! JSON in texts, and values as text.

use std::borrow::Cow;
use std::sync::Arc;

use crate::syntax::json::parse_computed;
use crate::value::{Data, Object, Traits, Value};

/// How deep JSON in a text may nest.
const MAX_DEPTH: u32 = 128;

/// What stands for a secret in a message.
const SECRET: &str = "{{Secret}}";

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
        _ => Cow::Owned(written(value, false)),
    }
}

/// As [`text_of`], with secrets masked.
pub(super) fn shown(value: &Value) -> Cow<'_, str> {
    match &value.data {
        _ if !value.traits.has(Traits::SECRET) => text_of(value),
        Data::Array(_) | Data::Object(_) => Cow::Owned(written(value, true)),
        _ => Cow::Borrowed(SECRET),
    }
}

fn written(value: &Value, masked: bool) -> String {
    let mut out = String::new();
    write(value, masked, &mut out);
    out
}

fn write(value: &Value, masked: bool, out: &mut String) {
    match &value.data {
        Data::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write(item, masked, out);
            }
            out.push(']');
        }
        Data::Object(object) => write_members(object, masked, out),
        Data::Unknown(unknown) => write(&unknown.approximation, masked, out),
        _ if masked && value.traits.has(Traits::SECRET) => write_text(SECRET, out),
        Data::Null => out.push_str("null"),
        Data::Bool(it) => out.push_str(if *it { "true" } else { "false" }),
        Data::Int(it) => out.push_str(&it.to_string()),
        Data::BigInt(digits) => out.push_str(digits),
        // Shortest digits that read back as the number, and at least one behind the point.
        Data::Float(it) => out.push_str(&serde_json::to_string(it).unwrap_or_default()),
        Data::String(it) => write_text(it, out),
    }
}

fn write_members(object: &Object, masked: bool, out: &mut String) {
    let mut members: Vec<_> = object.iter().collect();
    members.sort_by(|a, b| a.key.cmp(&b.key));
    out.push('{');
    for (at, member) in members.into_iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        write_text(&member.key, out);
        out.push(':');
        write(&member.value, masked, out);
    }
    out.push('}');
}

fn write_text(text: &str, out: &mut String) {
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
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
