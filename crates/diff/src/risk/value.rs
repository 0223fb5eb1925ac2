//! Finds and compares the values that a row of a table is about.

use std::collections::BTreeMap;

use crate::digest::Rules;
use crate::model::{join_index, join_key};
use crate::risk::table::RowStep;
use crate::value::{Data, Member, Traits, Value};

/// A value and the object around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RiskValue<'a> {
    pub(super) value: &'a Value,
    /// Object that has the value, or that has the array that has it.
    pub(super) around: &'a Value,
}

/// Values with their paths, by a key that is the same on both sides for the same property.
pub(super) type RiskValues<'a> = BTreeMap<String, (String, RiskValue<'a>)>;

/// Members that identify items of an array, as in a difference.
const NAMES: [&str; 5] = ["name", "id", "key", "category", "objectId"];

/// Members of items that have no effect.
const REMARKS: [&str; 1] = ["Description"];

/// Returns all values at a path.
pub(super) fn values_at<'a>(body: &'a Value, steps: &[RowStep], rules: Rules) -> RiskValues<'a> {
    let mut all = RiskValues::new();
    let start = RiskValue { value: body, around: body };
    walk(start, steps, (String::new(), String::new()), rules, &mut all);
    all
}

fn walk<'a>(
    found: RiskValue<'a>,
    steps: &[RowStep],
    (key, path): (String, String),
    rules: Rules,
    all: &mut RiskValues<'a>,
) {
    let Some((step, rest)) = steps.split_first() else {
        all.insert(key, (path, found));
        return;
    };
    match step {
        RowStep::Member(name) => {
            if let Some(value) = member(found.value, name) {
                let around = if found.value.as_object().is_some() { found.value } else { found.around };
                let next = RiskValue { value, around };
                walk(next, rest, (join_key(&key, name), join_key(&path, name)), rules, all);
            }
        }
        RowStep::Items => {
            for (at, value) in found.value.as_array().into_iter().flatten().enumerate() {
                let (own, shown) = match name_of(value) {
                    Some((member, name)) => (format!("{key}[{}]", rules.key(name)), format!("{path}[{member}={name}]")),
                    None => (format!("{key}[{}]", rules.digest(&without_remarks(value))), join_index(&path, at)),
                };
                walk(RiskValue { value, around: found.around }, rest, (own, shown), rules, all);
            }
        }
    }
}

/// True if a part of the path is only known after the deployment, so that nothing is known about the values.
pub(super) fn is_blurred(value: &Value, steps: &[RowStep]) -> bool {
    match (&value.data, steps.split_first()) {
        (_, None) => false,
        (Data::Unknown(_), Some(_)) => true,
        (_, Some((RowStep::Member(name), rest))) => member(value, name).is_some_and(|value| is_blurred(value, rest)),
        (_, Some((RowStep::Items, rest))) => value
            .as_array()
            .into_iter()
            .flatten()
            .any(|item| matches!(item.data, Data::Unknown(_)) || is_blurred(item, rest)),
    }
}

fn name_of(item: &Value) -> Option<(&'static str, &str)> {
    NAMES.into_iter().find_map(|member| {
        let name = item.get(member).filter(|value| !value.traits.has(Traits::SECRET))?;
        Some((member, name.as_str()?))
    })
}

fn without_remarks(item: &Value) -> Value {
    let Some(members) = item.as_object() else { return item.clone() };
    Value::object(members.iter().filter(|member: &&Member| !REMARKS.contains(&&*member.key)).cloned().collect())
}

/// Returns a member unless it is `null`, which is not sent.
pub(super) fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    value.get(name).filter(|value| !value.is_null())
}

/// Collects the values at a path of names through objects and arrays.
pub(super) fn gathered<'a>(value: &'a Value, names: &[&str], into: &mut Vec<&'a Value>) {
    match (&value.data, names.split_first()) {
        (Data::Null, _) => {}
        (_, None) => into.push(value),
        (Data::Array(items), Some((first, rest))) => {
            let names = if *first == "*" { rest } else { names };
            items.iter().for_each(|item| gathered(item, names, into));
        }
        (_, Some((first, rest))) => {
            if let Some(value) = member(value, first) {
                gathered(value, rest, into);
            }
        }
    }
}

/// Returns a scalar as a string, if it is known and not secret.
pub(super) fn word(value: &Value) -> Option<String> {
    if value.traits.has(Traits::SECRET) {
        return None;
    }
    match &value.data {
        Data::Bool(boolean) => Some(boolean.to_string()),
        Data::Int(integer) => Some(integer.to_string()),
        Data::String(text) => Some(text.to_string()),
        _ => None,
    }
}

/// True if a value is one of these words, case-insensitive. A word such as `*suffix` matches every value with this end.
pub(super) fn is_one_of(value: &Value, words: &[&str]) -> bool {
    let Some(own) = word(value).map(|own| own.to_ascii_lowercase()) else { return false };
    words.iter().any(|word| {
        let word = word.to_ascii_lowercase();
        match word.strip_prefix('*') {
            Some(end) if !end.is_empty() => own.ends_with(end),
            _ => own == word,
        }
    })
}

/// Returns the number that a value is or spells, or the days of a duration such as `P1Y2M3W4D`.
pub(super) fn number(value: &Value) -> Option<f64> {
    value
        .as_f64()
        .or_else(|| {
            let word = word(value)?;
            word.parse().ok().or_else(|| days(&word))
        })
        .filter(|number| number.is_finite())
}

/// Returns the approximate days of an ISO 8601 duration, for comparisons.
fn days(text: &str) -> Option<f64> {
    let (date, time) = text.strip_prefix('P')?.split_once('T').unwrap_or((text.strip_prefix('P')?, ""));
    let day = sum_of_units(date, &[('Y', 365.0), ('M', 30.0), ('W', 7.0), ('D', 1.0)])?;
    Some(day + sum_of_units(time, &[('H', 1.0 / 24.0), ('M', 1.0 / 1440.0), ('S', 1.0 / 86400.0)])?)
}

/// Returns the days of numbers with units, such as `1Y2M`. `units` has the days of each unit.
fn sum_of_units(text: &str, units: &[(char, f64)]) -> Option<f64> {
    let mut rest = text;
    let mut days = 0.0;
    while !rest.is_empty() {
        let (digits, after) = rest.split_once(|unit: char| !unit.is_ascii_digit())?;
        let unit = rest.chars().nth(digits.len())?;
        let (_, length) = units.iter().find(|(letter, _)| *letter == unit)?;
        days += digits.parse::<f64>().ok()? * length;
        rest = after;
    }
    Some(days)
}

/// True if something in a value is known only after the deployment.
pub(super) fn is_unknown(value: &Value) -> bool {
    value.traits.has(Traits::UNKNOWN)
}
