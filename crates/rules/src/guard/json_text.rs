//! Reads JSON in strings, and writes values as text.

use std::borrow::Cow;

use arcstr::ArcStr;

use crate::syntax::json::parse_computed;
use crate::value::{Data, JsonStyle, SECRET, Traits, Value};

/// Greatest depth of JSON in a string.
const MAX_DEPTH: u32 = 128;

/// Parses a string that is a JSON array or object by [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259). Neither
/// cfn-guard nor AWS accepts more.
pub(super) fn compound(text: &str) -> Option<Value> {
    text.trim_start().starts_with(['[', '{']).then(|| strict(text))?
}

/// Parses a string that is JSON. Returns `None` if it is not, or is nested too deeply.
pub(super) fn strict(text: &str) -> Option<Value> {
    serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
    parse_computed(&ArcStr::from(text), MAX_DEPTH).ok()
}

/// Converts a value to text: a string unchanged, anything else to compact JSON with sorted names.
pub(super) fn text_of(value: &Value) -> Cow<'_, str> {
    match &value.data {
        Data::String(text) => Cow::Borrowed(text),
        _ => Cow::Owned(value.to_json_as(JsonStyle::SORTED.with_secrets())),
    }
}

/// Converts a value to text like [`text_of`], with secrets masked.
pub(super) fn shown(value: &Value) -> Cow<'_, str> {
    match &value.data {
        _ if !value.traits.has(Traits::SECRET) => text_of(value),
        Data::Array(_) | Data::Object(_) => Cow::Owned(value.to_json_as(JsonStyle::SORTED)),
        _ => Cow::Borrowed(SECRET),
    }
}

/// Removes blanks and line feeds, which comparisons and most messages of cfn-guard omit.
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
