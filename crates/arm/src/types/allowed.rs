//! Membership of a value in its `allowedValues`.

use crate::dotnet::case;
use crate::outcomes::Outcomes;
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
            match answers.iter().find(|(_, answer)| *answer == Outcomes::FALSE) {
                Some((item, _)) => Membership::Refused(item),
                None if answers.iter().any(|(_, answer)| answer.is_open()) => unknown(value),
                None => Membership::Allowed,
            }
        }
        _ => match is_among(value, allowed) {
            Outcomes::TRUE => Membership::Allowed,
            Outcomes::FALSE => Membership::Refused(value),
            _ => unknown(value),
        },
    }
}

fn unknown(value: &Value) -> Membership<'_> {
    let why = value.first_unknown().map(|unknown| unknown.why.clone());
    Membership::Unknown(why.unwrap_or_else(|| Str::from("it contains an unknown value")))
}

/// Returns `TRUE` if `value` equals one of `allowed`.
fn is_among(value: &Value, allowed: &[Value]) -> Outcomes {
    Outcomes::any(allowed.iter().map(|one| alike(value, one)))
}

/// Compares values as Resource Manager does for allowed values: strings are case-insensitive.
fn alike(a: &Value, b: &Value) -> Outcomes {
    match (&a.data, &b.data) {
        (Data::Unknown(_), _) | (_, Data::Unknown(_)) => Outcomes::UNKNOWN,
        (Data::String(a), Data::String(b)) => Outcomes::from(alike_strings(a, b)),
        (Data::Array(a), Data::Array(b)) if a.len() == b.len() => {
            Outcomes::all(a.iter().zip(b.iter()).map(|(a, b)| alike(a, b)))
        }
        (Data::Object(a), Data::Object(b)) if a.len() == b.len() => Outcomes::all(
            a.iter().map(|member| b.get(&member.key).map_or(Outcomes::FALSE, |other| alike(&member.value, other))),
        ),
        _ if a.traits.has(Traits::UNKNOWN) && a.kind() == b.kind() => Outcomes::UNKNOWN,
        _ => Outcomes::from(a.same(b)),
    }
}

fn alike_strings(a: &str, b: &str) -> bool {
    a == b || a.chars().map(case::fold).eq(b.chars().map(case::fold))
}
