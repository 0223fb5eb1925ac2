//! Comparisons: evaluates the operators of conditions on two values.

use std::cmp::Ordering;

use crate::dates::instant;
use crate::judge::order;
use crate::judge::truth::Truth;
use crate::language::{Comparison, Operator};
use crate::value::{Data, Ends, Kind, Unknown, Value};

/// Bytes of a string that are compared in one step.
const BYTES_IN_STEP: usize = 64;

/// Returns the steps that a comparison may take.
pub(super) fn cost(operator: Operator, left: Option<&Value>, right: &Value) -> usize {
    let size = |value: &Value| match &value.data {
        Data::String(text) => 1 + text.len() / BYTES_IN_STEP,
        _ => value.size().weight as usize,
    };
    let (left, right) = (left.map_or(1, size), size(right));
    match operator.comparison {
        Comparison::In | Comparison::Contains => left.saturating_mul(right),
        _ => left.saturating_add(right),
    }
}

/// Evaluates an operator on a value, which may be missing, and the right side of its condition.
pub(super) fn holds(operator: Operator, left: Option<&Value>, right: &Value) -> Truth {
    let truth = compared(operator.comparison, left.filter(|value| !value.is_null()), right);
    if operator.is_negated { truth.not() } else { truth }
}

fn compared(comparison: Comparison, left: Option<&Value>, right: &Value) -> Truth {
    if let Some(unknown) = right.as_unknown() {
        return of_each(unknown, &|choice| compared(comparison, left, choice));
    }
    let Some(left) = left else { return missing(comparison, right) };
    if let Some(unknown) = left.as_unknown() {
        return of_unknown(comparison, unknown, right);
    }
    match comparison {
        Comparison::Exists => exists(true, right),
        Comparison::Equals => equals(left, right),
        Comparison::In => in_any(right.as_array(), |item| compared(Comparison::Equals, Some(left), item)),
        Comparison::Contains => match &left.data {
            Data::Array(items) => in_any(Some(items), |item| compared(Comparison::Equals, Some(item), right)),
            _ => texts(left, right, |text, part| Truth::from(folded(text).contains(&folded(part)))),
        },
        Comparison::ContainsKey => match (&left.data, &right.data) {
            (Data::Object(object), Data::String(key)) => Truth::from(object.get(key).is_some()),
            _ => Truth::from(false),
        },
        Comparison::Like => texts(left, right, like),
        Comparison::Match => texts(left, right, |text, pattern| Truth::from(matches(text, pattern, false))),
        Comparison::MatchInsensitively => texts(left, right, |text, pattern| Truth::from(matches(text, pattern, true))),
        Comparison::Less => ordered(left, right, Ordering::is_lt),
        Comparison::LessOrEquals => ordered(left, right, Ordering::is_le),
        Comparison::Greater => ordered(left, right, Ordering::is_gt),
        Comparison::GreaterOrEquals => ordered(left, right, Ordering::is_ge),
    }
}

/// Evaluates a comparison with a missing property: it only fulfills `exists: false`, and equals the empty string.
fn missing(comparison: Comparison, right: &Value) -> Truth {
    match comparison {
        Comparison::Exists => exists(false, right),
        Comparison::Equals => Truth::from(right.is_null() || right.as_str() == Some("")),
        _ => Truth::from(false),
    }
}

/// Evaluates `exists`, whose right side is a Boolean or the name of one.
fn exists(there_is: bool, right: &Value) -> Truth {
    let wanted = match &right.data {
        Data::Bool(wanted) => *wanted,
        Data::String(text) if text.eq_ignore_ascii_case("true") => true,
        Data::String(text) if text.eq_ignore_ascii_case("false") => false,
        _ => return Truth::unknown("`exists` is compared with something else than `true` and `false`"),
    };
    Truth::from(there_is == wanted)
}

/// Returns the union of the results for the alternatives of an unknown value.
fn of_each(unknown: &Unknown, compare: &dyn Fn(&Value) -> Truth) -> Truth {
    let is_listed = !unknown.is_optional && !unknown.choices.is_empty();
    let each = unknown.choices.iter().filter(|_| is_listed).map(compare).reduce(Truth::union);
    each.unwrap_or_else(|| Truth::unknown(unknown.why.clone())).because(&unknown.why)
}

/// Evaluates a comparison with an unknown value, of which a part may be known.
fn of_unknown(comparison: Comparison, unknown: &Unknown, right: &Value) -> Truth {
    if comparison == Comparison::Exists && !unknown.is_optional && !matches!(unknown.kind, Kind::Any | Kind::Null) {
        return exists(true, right);
    }
    if let (Some(ends), Comparison::Equals, Some(text)) = (&unknown.ends, comparison, right.as_str())
        && !unknown.is_optional
        && !ends.admit(text, |a, b| folded(a) == folded(b))
    {
        return Truth::from(false);
    }
    if let (Some(ends), Some(text), false) = (&unknown.ends, right.as_str(), unknown.is_optional)
        && let Some(holds) = of_ends(comparison, ends, text)
    {
        return Truth::from(holds);
    }
    if let (Comparison::In, Some(items)) = (comparison, right.as_array())
        && unknown.choices.is_empty()
    {
        return in_any(Some(items), |item| of_unknown(Comparison::Equals, unknown, item));
    }
    of_each(unknown, &|choice| compared(comparison, Some(choice), right))
}

/// Evaluates a comparison with a string of which the beginning and the end are known. `None` if the rest decides.
fn of_ends(comparison: Comparison, ends: &Ends, text: &str) -> Option<bool> {
    let [start, end, text] = [&*ends.start, &*ends.end, text].map(folded);
    match comparison {
        Comparison::Contains => (start.contains(&text) || end.contains(&text)).then_some(true),
        Comparison::Like => {
            let (first, last) = text.split_once('*').filter(|(_, last)| !last.contains('*'))?;
            let holds = start.starts_with(first) && end.ends_with(last);
            let agree = (start.starts_with(first) || first.starts_with(&start))
                && (end.ends_with(last) || last.ends_with(&end));
            if holds { Some(true) } else { (!agree).then_some(false) }
        }
        _ => None,
    }
}

/// Evaluates a test on any of the items. A string that should be an array has no items.
fn in_any(items: Option<&[Value]>, holds: impl Fn(&Value) -> Truth) -> Truth {
    let mut truth = Truth::from(false);
    for item in items.unwrap_or_default() {
        truth = truth.or(holds(item));
        if truth.holds() {
            break;
        }
    }
    truth
}

/// Returns the text of a scalar in JSON, a string without quotes.
fn text_of(value: &Value) -> Option<String> {
    match &value.data {
        Data::String(text) => Some((**text).to_owned()),
        Data::Bool(_) | Data::Int(_) | Data::BigInt(_) | Data::Float(_) => Some(value.to_json()),
        _ => None,
    }
}

/// Compares two values as strings. Returns false if one is an array or an object.
fn texts(left: &Value, right: &Value, compare: impl Fn(&str, &str) -> Truth) -> Truth {
    match (text_of(left), text_of(right)) {
        (Some(left), Some(right)) => compare(&left, &right),
        _ => Truth::from(false),
    }
}

/// Returns the upper case of a character, like .NET's ordinal comparison: each character by itself.
fn upper(character: char) -> char {
    let mut all = character.to_uppercase();
    all.next().filter(|_| all.next().is_none()).unwrap_or(character)
}

/// Returns a string in the form in which strings are compared case-insensitively.
fn folded(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_uppercase() } else { text.chars().map(upper).collect() }
}

/// Compares two strings case-insensitively.
fn is_same_text(left: &str, right: &str) -> Truth {
    if left.is_ascii() && right.is_ascii() {
        return Truth::from(left.eq_ignore_ascii_case(right));
    }
    if left.chars().map(upper).eq(right.chars().map(upper)) {
        return Truth::from(true);
    }
    if left.chars().flat_map(char::to_uppercase).eq(right.chars().flat_map(char::to_uppercase)) {
        return Truth::unknown("whether the two strings are the same depends on how case is ignored");
    }
    Truth::from(false)
}

fn equals(left: &Value, right: &Value) -> Truth {
    match (&left.data, &right.data) {
        (Data::String(left), Data::String(right)) => is_same_text(left, right),
        (Data::Null, Data::String(text)) | (Data::String(text), Data::Null) => Truth::from(text.is_empty()),
        (Data::Bool(flag), Data::String(text)) | (Data::String(text), Data::Bool(flag)) => {
            Truth::from(text.eq_ignore_ascii_case(if *flag { "true" } else { "false" }))
        }
        (Data::Int(_) | Data::Float(_) | Data::BigInt(_), Data::String(text)) => number_is(left, text),
        (Data::String(text), Data::Int(_) | Data::Float(_) | Data::BigInt(_)) => number_is(right, text),
        (Data::Array(_) | Data::Object(_), Data::Array(_) | Data::Object(_)) if left.traits.has(UNKNOWN) => {
            Truth::unknown("a part of the value is unknown")
        }
        _ => Truth::from(left.same(right)),
    }
}

const UNKNOWN: crate::value::Traits = crate::value::Traits::UNKNOWN;

fn number_is(number: &Value, text: &str) -> Truth {
    Truth::from(number.to_json() == text || (parsed(text).is_some() && parsed(text) == number.as_f64()))
}

/// Parses a string as a number.
fn parsed(text: &str) -> Option<f64> {
    let is_number = text.starts_with(|first: char| first.is_ascii_digit() || first == '-');
    text.parse().ok().filter(|_| is_number)
}

/// Matches a text with a pattern that has at most one `*`, which stands for any text.
fn like(text: &str, pattern: &str) -> Truth {
    let (text, pattern) = (folded(text), folded(pattern));
    let mut parts = pattern.splitn(3, '*');
    match (parts.next(), parts.next(), parts.next()) {
        (_, _, Some(_)) => Truth::unknown("a pattern of `like` has more than one `*`"),
        (Some(start), Some(end), None) => Truth::from(text.strip_prefix(start).is_some_and(|rest| rest.ends_with(end))),
        _ => Truth::from(text == pattern),
    }
}

/// True if a text matches a pattern with `#` for a digit, `?` for a letter and `.` for any character.
fn matches(text: &str, pattern: &str, ignores_case: bool) -> bool {
    let is_same = |a: char, b: char| a == b || (ignores_case && a.to_lowercase().eq(b.to_lowercase()));
    let mut characters = text.chars();
    let all = pattern.chars().all(|wanted| {
        characters.next().is_some_and(|found| match wanted {
            '#' => found.is_ascii_digit(),
            '?' => found.is_alphabetic(),
            '.' => true,
            _ => is_same(found, wanted),
        })
    });
    all && characters.next().is_none()
}

/// Compares the order of two values: numbers, dates, or strings.
fn ordered(left: &Value, right: &Value, is_wanted: fn(Ordering) -> bool) -> Truth {
    let numbers = match (&left.data, &right.data) {
        (Data::String(left), Data::String(right)) => {
            let order = match (instant(left), instant(right)) {
                (Some(left), Some(right)) => Some(left.cmp(&right)),
                _ => order::compare(left, right),
            };
            return match order {
                Some(order) => Truth::from(is_wanted(order)),
                None => Truth::unknown("the order of the two strings depends on the culture of the service"),
            };
        }
        (Data::String(text), _) => parsed(text).zip(right.as_f64()),
        (_, Data::String(text)) => left.as_f64().zip(parsed(text)),
        _ => left.as_f64().zip(right.as_f64()),
    };
    match numbers.and_then(|(left, right)| left.partial_cmp(&right)) {
        Some(order) => Truth::from(is_wanted(order)),
        None => Truth::unknown("values of different types have no order"),
    }
}
