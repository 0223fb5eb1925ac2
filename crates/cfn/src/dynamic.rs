//! Dynamic references: `{{resolve:ssm:NAME}}` in a string, which CloudFormation replaces during a deployment.
//!
//! They are replaced last, in the properties that functions have computed. A function that takes such a string apart
//! gets the reference as it is written.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references.html>.

use crate::value::{Data, Ends, Kind, Member, Traits, Unknown, Value};

/// Prefix of dynamic references.
pub(super) const OPEN: &str = "{{resolve:";
const CLOSE: &str = "}}";

/// The services that return secrets.
const SECRET: [&str; 2] = ["secretsmanager:", "ssm-secure:"];

/// Returns the value with each string that has a reference replaced by an unknown one.
pub(super) fn resolved(value: Value) -> Value {
    changed(&value).unwrap_or(value)
}

/// Replaces each string that has a reference by an unknown one. Returns `None` if no string has one.
pub(super) fn changed(value: &Value) -> Option<Value> {
    let same_place = |new: Value| Value { span: value.span, via: value.via.clone(), ..new };
    let is_secret = value.traits.has(Traits::SECRET);
    match &value.data {
        Data::String(text) => {
            string(text, text, text, is_secret).map(same_place).map(|new| new.with_traits(value.traits))
        }
        Data::Unknown(unknown) => {
            let likely = unknown.approximation.as_str()?;
            let (start, end) = unknown.ends.as_ref().map_or(("", ""), |ends| (&ends.start, &ends.end));
            string(likely, start, end, is_secret).map(same_place).map(|new| new.with_traits(value.traits))
        }
        Data::Array(items) => {
            let parts: Vec<Option<Value>> = items.iter().map(changed).collect();
            parts.iter().find(|part| part.is_some())?;
            let items = parts.into_iter().zip(items.iter());
            let items = items.map(|(part, item)| part.unwrap_or_else(|| item.clone()));
            Some(same_place(Value::array(items.collect())))
        }
        Data::Object(object) => {
            let parts: Vec<Option<Value>> = object.iter().map(|member| changed(&member.value)).collect();
            parts.iter().find(|part| part.is_some())?;
            let members = parts.into_iter().zip(object.iter()).map(|(part, member)| match part {
                Some(value) => Member { value, ..member.clone() },
                None => member.clone(),
            });
            Some(same_place(Value::object(members.collect())))
        }
        _ => None,
    }
}

/// Returns the unknown string for one with references: `likely` is how it is written, and it certainly has this start
/// and end. If it `is_secret`, the references are not quoted.
fn string(likely: &str, start: &str, end: &str, is_secret: bool) -> Option<Value> {
    let (_, first) = likely.split_once(OPEN)?;
    let (reference, _) = first.split_once(CLOSE)?;
    let why = if is_secret {
        "only a deployment resolves a reference in a secret".to_owned()
    } else {
        format!("only a deployment resolves `{OPEN}{reference}{CLOSE}`")
    };
    let mut references = likely.split(OPEN).skip(1);
    let is_secret =
        is_secret || references.any(|reference| SECRET.iter().any(|service| reference.starts_with(service)));
    let ends = Ends {
        start: start.split(OPEN).next().unwrap_or_default().to_owned(),
        end: end.rsplit(CLOSE).next().unwrap_or_default().to_owned(),
        ..Ends::default()
    };
    let traits = if is_secret { Traits::SECRET } else { Traits::NONE };
    Some(Value::unknown(Unknown::like(Kind::String, why, Value::from(likely)).between(ends)).with_traits(traits))
}
