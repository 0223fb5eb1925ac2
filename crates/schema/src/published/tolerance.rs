//! How much the clouds tolerate: what they take for a Boolean, a number, a choice, or absence.

use std::borrow::Cow;

use crate::text;
use crate::value::{Data, Kind, Object, Value};

/// Whose type it is, which decides how tolerant the comparison is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cloud {
    Azure,
    Aws,
}

impl Cloud {
    /// The name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Azure => "Azure",
            Self::Aws => "AWS",
        }
    }

    pub(super) fn same_name(self, a: &str, b: &str) -> bool {
        match self {
            Self::Azure => a.eq_ignore_ascii_case(b),
            Self::Aws => a == b,
        }
    }

    /// Azure's choices ignore case and spaces: `West Europe` is `westeurope`.
    pub(super) fn same_choice(self, choice: &str, text: &str) -> bool {
        let letters = |text: &str| -> String { text.chars().filter(|c| *c != ' ').collect() };
        self.same_name(choice, text) || self == Self::Azure && letters(choice).eq_ignore_ascii_case(&letters(text))
    }

    /// Whether the string is replaced before the deployment, or a part of it is.
    pub(super) fn is_replaced(self, text: &str) -> bool {
        is_placeholder(text) || self == Self::Azure && !text::placeholders(text).is_empty()
    }

    /// Whether the value counts as if it had not been given.
    pub(super) fn is_absent(self, value: &Value) -> bool {
        value.is_null() || self == Self::Azure && value.as_str() == Some("")
    }
}

/// Whether the string is replaced before the deployment, or a part of it is.
pub(super) fn is_placeholder(text: &str) -> bool {
    // Of the Serverless Framework and others, dynamic references of CloudFormation, and what people write in examples.
    let is_example = text.contains("<<") && text.contains(">>");
    text.contains("${") || text.contains("{{resolve:") || is_example || text::is_placeholder(text)
}

/// Whether an object is a call of a function that was not evaluated: `{"Ref": "x"}`, `{"Fn::Sub": "…"}`.
pub(super) fn is_intrinsic(object: &Object) -> bool {
    let mut members = object.iter();
    let only = members.next().filter(|_| members.next().is_none());
    only.is_some_and(|member| &*member.key == "Ref" || member.key.starts_with("Fn::"))
}

/// Whether a value that is only known to be of `kind` may turn out to be a `wanted`.
pub(super) fn can_be(kind: Kind, wanted: Kind) -> bool {
    kind == Kind::Any || kind == Kind::Null || kind == wanted
}

pub(super) fn is_boolean(value: &Value) -> bool {
    match &value.data {
        Data::Bool(_) | Data::Int(0 | 1) => true,
        Data::String(text) => text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false"),
        Data::Unknown(unknown) => !matches!(unknown.kind, Kind::Array | Kind::Object),
        _ => false,
    }
}

pub(super) fn is_number(value: &Value) -> bool {
    match &value.data {
        Data::Int(_) | Data::BigInt(_) | Data::Float(_) => true,
        Data::String(text) => text.trim().parse::<f64>().is_ok(),
        Data::Unknown(unknown) => !matches!(unknown.kind, Kind::Array | Kind::Object),
        _ => false,
    }
}

/// A scalar as a string, as which CloudFormation takes it. `None` for any other value.
pub(super) fn scalar_text(value: &Value) -> Option<Cow<'_, str>> {
    Some(match &value.data {
        Data::Bool(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
        Data::Int(number) => Cow::Owned(number.to_string()),
        Data::BigInt(digits) => Cow::Borrowed(digits),
        Data::Float(number) => Cow::Owned(number.to_string()),
        Data::String(text) => Cow::Borrowed(text),
        Data::Null | Data::Array(_) | Data::Object(_) | Data::Unknown(_) => return None,
    })
}

pub(super) fn is_text(value: &Value) -> bool {
    match &value.data {
        Data::Array(_) | Data::Object(_) => false,
        Data::Unknown(unknown) => !matches!(unknown.kind, Kind::Array | Kind::Object),
        _ => true,
    }
}
