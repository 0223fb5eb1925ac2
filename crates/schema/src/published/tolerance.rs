//! Conversions that the clouds accept: values that count as a Boolean, as a number, as a choice, or as absent.

use std::borrow::Cow;

use crate::text;
use crate::value::{Data, Kind, Object, Value};

/// Cloud that publishes a type, which decides how tolerant the comparison is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cloud {
    Azure,
    Aws,
}

impl Cloud {
    /// Returns the name for messages.
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

    /// True if `text` is the choice. Azure's choices ignore case and spaces: `West Europe` is `westeurope`.
    pub(super) fn same_choice(self, choice: &str, text: &str) -> bool {
        let [choice_letters, text_letters] = [choice, text].map(|text| text.replace(' ', ""));
        self.same_name(choice, text) || self == Self::Azure && choice_letters.eq_ignore_ascii_case(&text_letters)
    }

    /// True if the string contains a placeholder that is replaced before the deployment.
    pub(super) fn is_replaced(self, text: &str) -> bool {
        is_placeholder(text) || self == Self::Azure && !text::placeholders(text).is_empty()
    }

    /// True if the value counts as absent.
    pub(super) fn is_absent(self, value: &Value) -> bool {
        value.is_null() || self == Self::Azure && value.as_str() == Some("")
    }
}

/// True if the string contains a placeholder that is replaced before the deployment.
pub(super) fn is_placeholder(text: &str) -> bool {
    // Of the Serverless Framework and others, dynamic references of CloudFormation, and what people write in examples.
    let is_example = text.contains("<<") && text.contains(">>");
    // `%%BUCKET_NAME%%`: the build of a solution writes what it stands for.
    let is_built = text.matches("%%").nth(1).is_some();
    is_built || text.contains("${") || text.contains("{{resolve:") || is_example || text::is_placeholder(text)
}

/// True if an object is a function call that was not evaluated: `{"Ref": "x"}`, `{"Fn::Sub": "…"}`.
pub(super) fn is_intrinsic(object: &Object) -> bool {
    let mut members = object.iter();
    let only = members.next().filter(|_| members.next().is_none());
    only.is_some_and(|member| &*member.key == "Ref" || member.key.starts_with("Fn::"))
}

/// True if a value of which only the kind is known may be of the kind `wanted`.
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

/// Returns a scalar as CloudFormation converts it to a string. `None` for any other value.
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
