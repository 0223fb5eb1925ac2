//! `allowedValues`.

use crate::arm::dotnet::case;
use crate::value::{Data, Str, Traits, Value};

/// What the allowed values say of a value.
#[derive(Debug)]
pub(super) enum Verdict<'a> {
    Allowed,
    /// This is not allowed: the value, or an item of it.
    Refused(&'a Value),
    /// It hangs on something unknown, for this reason.
    Unknown(Str),
}

/// Whether a value is among the allowed ones. An array may also be a subset of them, unless they are arrays themselves.
pub(super) fn verdict<'a>(value: &'a Value, allowed: &[Value]) -> Verdict<'a> {
    match value.as_array() {
        Some(items) if allowed.iter().all(|it| it.as_array().is_none()) => {
            let answers: Vec<_> = items.iter().map(|item| (item, is_among(item, allowed))).collect();
            match answers.iter().find(|(_, answer)| *answer == Some(false)) {
                Some((item, _)) => Verdict::Refused(item),
                None if answers.iter().any(|(_, answer)| answer.is_none()) => unknown(value),
                None => Verdict::Allowed,
            }
        }
        _ => match is_among(value, allowed) {
            Some(true) => Verdict::Allowed,
            Some(false) => Verdict::Refused(value),
            None => unknown(value),
        },
    }
}

fn unknown(value: &Value) -> Verdict<'_> {
    let why = value.first_unknown().map(|unknown| unknown.why.clone());
    Verdict::Unknown(why.unwrap_or_else(|| Str::from("it holds an unknown value")))
}

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

/// Equality as Resource Manager has it here: as of JSON, but texts ignore case. `None` if it hangs on an unknown.
fn alike(a: &Value, b: &Value) -> Option<bool> {
    match (&a.data, &b.data) {
        (Data::Unknown(_), _) | (_, Data::Unknown(_)) => None,
        (Data::String(a), Data::String(b)) => Some(alike_texts(a, b)),
        (Data::Array(a), Data::Array(b)) if a.len() == b.len() => all(a.iter().zip(b.iter()).map(|(a, b)| alike(a, b))),
        (Data::Object(a), Data::Object(b)) if a.len() == b.len() => {
            all(a.iter().map(|member| b.get(&member.key).map_or(Some(false), |other| alike(&member.value, other))))
        }
        _ if a.traits.has(Traits::UNKNOWN) && a.kind() == b.kind() => None,
        _ => Some(a.same(b)),
    }
}

fn alike_texts(a: &str, b: &str) -> bool {
    a == b || a.chars().map(case::fold).eq(b.chars().map(case::fold))
}

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
