//! Alternative bodies of a request that policies change, or may change.

use std::sync::Arc;

use crate::value::{Data, Kind, Member, Unknown, Value};

/// Bodies of a request that are distinguished.
const MAX_BODIES: usize = 8;

/// Reason of unknown properties, and of conditions that depend on them.
pub(super) const CHANGED: &str = "it depends on what other policies change";

/// Removes duplicate bodies. If there are too many, all but the first, which is the likeliest, are merged into one in
/// which differing parts are unknown.
pub(super) fn bounded(bodies: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for body in bodies {
        if !kept.iter().any(|known| is_same(known, &body)) {
            kept.push(body);
        }
    }
    if kept.len() <= MAX_BODIES {
        return kept;
    }
    let mut kept = kept.into_iter();
    let first = kept.next();
    let others = kept.reduce(|one, other| either(Some(&one), Some(&other)));
    first.into_iter().chain(others).collect()
}

/// True if two values are the same, including their unknown parts.
fn is_same(one: &Value, other: &Value) -> bool {
    match (&one.data, &other.data) {
        (Data::Unknown(one), Data::Unknown(other)) => Arc::ptr_eq(one, other),
        (Data::Array(one), Data::Array(other)) => {
            let are_same = || one.iter().zip(other.iter()).all(|(one, other)| is_same(one, other));
            Arc::ptr_eq(one, other) || (one.len() == other.len() && are_same())
        }
        (Data::Object(one), Data::Object(other)) => {
            let has_same =
                |member: &Member| other.get_exact(&member.key).is_some_and(|value| is_same(&member.value, value));
            Arc::ptr_eq(one, other) || (one.len() == other.len() && one.iter().all(has_same))
        }
        _ => one.same(other),
    }
}

/// Merges two alternatives: parts that differ are unknown.
fn either(one: Option<&Value>, other: Option<&Value>) -> Value {
    match (one, other) {
        (Some(one), Some(other)) if is_same(one, other) => one.clone(),
        (Some(Value { data: Data::Object(one), span, .. }), Some(Value { data: Data::Object(other), .. })) => {
            let of_one = one
                .iter()
                .map(|member| Member { value: either(Some(&member.value), other.get(&member.key)), ..member.clone() });
            let rest = other.iter().filter(|member| one.get(&member.key).is_none());
            let of_other = rest.map(|member| Member { value: either(None, Some(&member.value)), ..member.clone() });
            Value { span: *span, ..Value::object(of_one.chain(of_other).collect()) }
        }
        _ => Value::unknown(Unknown { is_optional: true, ..Unknown::new(Kind::Any, CHANGED) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_in_too_many_bodies_is_unknown() {
        let body = |at: i64| {
            let tags =
                Value::object(vec![Member::new("number", Value::from(at)), Member::new("same", Value::from("x"))]);
            Value::object(vec![Member::new("tags", tags), Member::new("location", Value::from("here"))])
        };
        let shown = |bodies: &[Value]| bodies.iter().map(Value::to_json).collect::<Vec<_>>();
        assert_eq!(bounded([body(1), body(2), body(1)]).len(), 2);
        let many = bounded((0..20).map(body));
        assert_eq!(many.len(), 2, "{:?}", shown(&many));
        let tags = many[1].get("tags").expect("tags");
        assert!(tags.get("number").is_some_and(|number| number.as_unknown().is_some()), "{:?}", shown(&many));
        assert_eq!(tags.get("same").and_then(Value::as_str), Some("x"));
        assert_eq!(many[1].get("location").and_then(Value::as_str), Some("here"));
    }
}
