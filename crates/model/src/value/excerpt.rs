//! Short representations of values for reports.

use std::borrow::Cow;
use std::fmt;

use crate::text::cut;
use crate::value::{Data, Kind, SECRET, Traits, Value};

/// Maximum length of the JSON of a value in a report, in bytes.
const MAX_LENGTH: usize = 200;

/// A value as shown in reports: truncated compact JSON, with secrets masked and unknowns replaced by their
/// approximations. It is text, because a run keeps its findings, but must not keep their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueExcerpt(Box<str>);

impl ValueExcerpt {
    /// Creates the excerpt of a value.
    pub fn new(value: &Value) -> Self {
        Self(value.to_json_up_to(MAX_LENGTH).into_boxed_str())
    }

    /// Creates an excerpt from a text that was an excerpt before.
    pub fn shown_as(text: String) -> Self {
        Self(text.into_boxed_str())
    }
}

impl fmt::Display for ValueExcerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Formats a value for a sentence: a string without quotation marks, other values as JSON. Secrets are masked, and
/// the text is truncated, like [`ValueExcerpt`].
pub fn plain(value: &Value) -> String {
    match shown_text(value) {
        Some(text) => cut(&text, MAX_LENGTH),
        None => value.to_json_up_to(MAX_LENGTH),
    }
}

/// Returns the string to show for a value. `None` if it is not a string.
fn shown_text(value: &Value) -> Option<Cow<'_, str>> {
    let is_secret = value.traits.has(Traits::SECRET);
    match &value.data {
        Data::Array(_) | Data::Object(_) => None,
        Data::Unknown(unknown) if is_secret && matches!(unknown.kind, Kind::Any | Kind::String) => Some(SECRET.into()),
        Data::Unknown(unknown) => shown_text(&unknown.approximation),
        _ if is_secret => Some(SECRET.into()),
        Data::String(text) => Some(Cow::Borrowed(text)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Member, Unknown, held_bytes};

    #[test]
    fn a_long_value_is_cut() {
        assert_eq!(ValueExcerpt::new(&Value::array(vec![Value::from(7), Value::NULL])).to_string(), "[7,null]");
        let long = ValueExcerpt::new(&Value::from("é".repeat(5_000))).to_string();
        assert_eq!(long, format!("\"{}…", "é".repeat(99)));
        assert_eq!(plain(&Value::from("é".repeat(5_000))), format!("{}…", "é".repeat(100)));
        assert_eq!(plain(&Value::array(vec![Value::from("a")])), r#"["a"]"#);
    }

    #[test]
    fn secrets_and_unknowns_stay_outside() {
        let secret = Value::from("hunter2").with_traits(Traits::SECRET);
        let unknown = Value::unknown(Unknown::like(Kind::String, "why", Value::from("a-")));
        let derived = Value::unknown(Unknown::new(Kind::String, "why")).with_traits(Traits::SECRET);
        assert_eq!([&secret, &unknown, &derived].map(plain), [SECRET, "a-", SECRET]);
        let value = Value::array(vec![secret, unknown, derived]);
        assert_eq!(ValueExcerpt::new(&value).to_string(), r#"["{{Secret}}","a-","{{Secret}}"]"#);
    }

    #[test]
    fn an_excerpt_keeps_no_value_alive() {
        let before = held_bytes();
        let inner = Value::array(vec![Value::array(Vec::new()); 100]);
        let value = Value::object(vec![Member::new("a", inner)]);
        let excerpt = ValueExcerpt::new(&value);
        drop(value);
        assert_eq!(held_bytes(), before, "{excerpt}");
    }
}
