//! Finds the values that a row of the table is about, and compares them.

use std::collections::BTreeMap;

use crate::digest::Rules;
use crate::model::{join_index, join_key};
use crate::risk::table::Step;
use crate::value::{Data, Member, Traits, Value};

/// A value and what is around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<'a> {
    pub(super) value: &'a Value,
    /// The object that has it, or that has the array that has it.
    pub(super) around: &'a Value,
}

/// Values by a key that is the same on both sides for the same property, with their paths.
pub(super) type All<'a> = BTreeMap<String, (String, Found<'a>)>;

/// The members by which items of an array are recognized, as in a difference.
const NAMES: [&str; 5] = ["name", "id", "key", "category", "objectId"];

/// What changes in an item without another meaning.
const REMARKS: [&str; 1] = ["Description"];

/// All values at a path.
pub(super) fn at<'a>(body: &'a Value, steps: &[Step], rules: Rules) -> All<'a> {
    let mut all = All::new();
    let start = Found { value: body, around: body };
    walk(start, steps, (String::new(), String::new()), rules, &mut all);
    all
}

fn walk<'a>(found: Found<'a>, steps: &[Step], (key, path): (String, String), rules: Rules, all: &mut All<'a>) {
    let Some((step, rest)) = steps.split_first() else {
        all.insert(key, (path, found));
        return;
    };
    match step {
        Step::Member(name) => {
            if let Some(value) = member(found.value, name) {
                let around = if found.value.as_object().is_some() { found.value } else { found.around };
                let next = Found { value, around };
                walk(next, rest, (join_key(&key, name), join_key(&path, name)), rules, all);
            }
        }
        Step::Items => {
            for (at, value) in found.value.as_array().into_iter().flatten().enumerate() {
                let (own, shown) = match name_of(value) {
                    Some((member, name)) => (format!("{key}[{}]", rules.key(name)), format!("{path}[{member}={name}]")),
                    None => (format!("{key}[{}]", rules.digest(&without_remarks(value))), join_index(&path, at)),
                };
                walk(Found { value, around: found.around }, rest, (own, shown), rules, all);
            }
        }
    }
}

/// Whether a part of the way is only known after the deployment, so that nothing can be told of the values.
pub(super) fn is_blurred(value: &Value, steps: &[Step]) -> bool {
    match (&value.data, steps.split_first()) {
        (_, None) => false,
        (Data::Unknown(_), Some(_)) => true,
        (_, Some((Step::Member(name), rest))) => member(value, name).is_some_and(|value| is_blurred(value, rest)),
        (_, Some((Step::Items, rest))) => value
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
    let is_kept = |member: &&Member| !REMARKS.contains(&&*member.key);
    Value::object(members.iter().filter(is_kept).cloned().collect())
}

/// A member that is sent.
pub(super) fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    value.get(name).filter(|value| !value.is_null())
}

/// The values at a path of names through objects and arrays.
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

/// A scalar as a word, if it is known and not a secret.
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

/// Whether a value is one of these words, in any case. A word that begins with `*` and goes on stands for any beginning.
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

/// The number that a value is or spells, or the days of a duration such as `P1Y2M3W4D`.
pub(super) fn number(value: &Value) -> Option<f64> {
    let spelled = || {
        let word = word(value)?;
        word.parse().ok().or_else(|| days(&word))
    };
    value.as_f64().or_else(spelled).filter(|number| number.is_finite())
}

/// About how many days a duration has, for comparing it with others.
fn days(text: &str) -> Option<f64> {
    let (date, time) = text.strip_prefix('P')?.split_once('T').unwrap_or((text.strip_prefix('P')?, ""));
    let sum = |text: &str, units: &[(char, f64)]| {
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
    };
    let day = sum(date, &[('Y', 365.0), ('M', 30.0), ('W', 7.0), ('D', 1.0)])?;
    Some(day + sum(time, &[('H', 1.0 / 24.0), ('M', 1.0 / 1440.0), ('S', 1.0 / 86400.0)])?)
}

/// Whether something in a value is known only after the deployment.
pub(super) fn is_unknown(value: &Value) -> bool {
    value.traits.has(Traits::UNKNOWN)
}
