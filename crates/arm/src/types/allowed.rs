//! Membership of a value in its `allowedValues`.

use crate::dotnet::case;
use crate::value::{Data, Str, Traits, Value};

/// Result of comparing a value with the allowed values.
#[derive(Debug)]
pub(super) enum Membership<'a> {
    Allowed,
    /// Not allowed because of this value, which is the value itself or an item of it.
    Refused(&'a Value),
    /// Unknown for this reason.
    Unknown(Str),
}

/// Checks that `value` is one of the allowed values. If these are not arrays, an array is allowed if each of its items
/// is.
pub(super) fn membership<'a>(value: &'a Value, allowed: &[Value]) -> Membership<'a> {
    match value.as_array() {
        Some(items) if allowed.iter().all(|one| one.as_array().is_none()) => {
            let answers: Vec<_> = items.iter().map(|item| (item, is_among(item, allowed))).collect();
            match answers.iter().find(|(_, answer)| *answer == Some(false)) {
                Some((item, _)) => Membership::Refused(item),
                None if answers.iter().any(|(_, answer)| answer.is_none()) => unknown(value),
                None => Membership::Allowed,
            }
        }
        _ => match is_among(value, allowed) {
            Some(true) => Membership::Allowed,
            Some(false) => Membership::Refused(value),
            None => unknown(value),
        },
    }
}

fn unknown(value: &Value) -> Membership<'_> {
    let why = value.first_unknown().map(|unknown| unknown.why.clone());
    Membership::Unknown(why.unwrap_or_else(|| Str::from("it contains an unknown value")))
}

/// Returns `true` if `value` equals one of `allowed`. `None` if that depends on an unknown.
fn is_among(value: &Value, allowed: &[Value]) -> Option<bool> {
    let mut answer = Some(false);
    for one in allowed {
        match alike(value, one) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => answer = None,
        }
    }
    answer
}

/// Compares values as Resource Manager does for allowed values: strings are case-insensitive. `None` if the result
/// depends on an unknown.
fn alike(a: &Value, b: &Value) -> Option<bool> {
    match (&a.data, &b.data) {
        (Data::Unknown(_), _) | (_, Data::Unknown(_)) => None,
        (Data::String(a), Data::String(b)) => Some(alike_strings(a, b)),
        (Data::Array(a), Data::Array(b)) if a.len() == b.len() => all(a.iter().zip(b.iter()).map(|(a, b)| alike(a, b))),
        (Data::Object(a), Data::Object(b)) if a.len() == b.len() => {
            all(a.iter().map(|member| b.get(&member.key).map_or(Some(false), |other| alike(&member.value, other))))
        }
        _ if a.traits.has(Traits::UNKNOWN) && a.kind() == b.kind() => None,
        _ => Some(a.same(b)),
    }
}

fn alike_strings(a: &str, b: &str) -> bool {
    a == b || a.chars().map(case::fold).eq(b.chars().map(case::fold))
}

/// Computes the three-valued conjunction: `Some(false)` takes precedence over `None`.
fn all(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(true);
    for answer in answers {
        match answer {
            Some(false) => return Some(false),
            Some(true) => {}
            None => result = None,
        }
    }
    result
}
