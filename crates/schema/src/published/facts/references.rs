//! To which resource a value refers.

use crate::value::{Data, Value};

/// The logical ID and the attribute of a value that only a reference to a resource is: `("Topic", "TopicName")`. Without an
/// attribute, it is the ID of the resource.
pub(in crate::published) fn referred(value: &Value) -> Option<(&str, &str)> {
    let Data::Unknown(unknown) = &value.data else { return None };
    let inner = unknown.approximation.as_str()?.strip_prefix("${")?.strip_suffix('}')?;
    let is_one = unknown.choices.is_empty() && !inner.contains(['$', '{', '}', ':']);
    is_one.then(|| inner.split_once('.').unwrap_or((inner, "")))
}

/// Whether two values are certainly the same: the same string, or references to the same.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    match (referred(one), referred(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => super::text(one).is_some_and(|text| !text.is_empty() && super::text(other) == Some(text)),
        _ => false,
    }
}
