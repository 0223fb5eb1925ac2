//! Reads JSON in strings, and writes values as text.

use std::borrow::Cow;
use std::sync::Arc;

use crate::syntax::json::parse_computed;
use crate::value::{Data, Object, Traits, Value};

/// How deep JSON in a string may be nested.
const MAX_DEPTH: u32 = 128;

/// What messages show instead of a secret.
const SECRET: &str = "{{Secret}}";

/// The value of a string that is a JSON array or object by [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259). Neither
/// cfn-guard nor AWS accepts more.
pub(super) fn compound(text: &str) -> Option<Value> {
    text.trim_start().starts_with(['[', '{']).then(|| strict(text))?
}

/// The value of a string that is JSON; `None` if it is not, or is nested too deep.
pub(super) fn strict(text: &str) -> Option<Value> {
    serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
    parse_computed(&Arc::from(text), MAX_DEPTH).ok()
}

/// A value as text: a string unchanged, anything else as compact JSON with sorted names.
pub(super) fn text_of(value: &Value) -> Cow<'_, str> {
    match &value.data {
        Data::String(text) => Cow::Borrowed(text),
        _ => Cow::Owned(written(value, false)),
    }
}

/// Like [`text_of`], with secrets masked.
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
        Data::Bool(boolean) => out.push_str(if *boolean { "true" } else { "false" }),
        Data::Int(number) => out.push_str(&number.to_string()),
        Data::BigInt(digits) => out.push_str(digits),
        // The shortest digits that read back as the number, with at least one after the point.
        Data::Float(number) => out.push_str(&serde_json::to_string(number).unwrap_or_default()),
        Data::String(text) => write_text(text, out),
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

/// `text` without blanks and line feeds, which comparisons and most messages of cfn-guard omit.
pub(super) fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, ' ' | '\n')).collect()
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
