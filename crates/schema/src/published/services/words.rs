//! The messages of facts.

use std::borrow::Cow;

use crate::published::message::{bounds, listed};
use crate::published::services::fact::{Condition, Fact};
use crate::published::services::path::{Path, PathStep};
use crate::published::services::predicate::{Argument, Operator, Predicate};
use crate::published::services::range::Range;
use crate::published::tolerance::scalar_text;
use crate::text::{cut, did_you_mean};
use crate::value::{Object, Traits, Value, plain};

/// The longest part of a value in a message, in bytes.
const MAX_SHOWN: usize = 120;

/// Returns the message about a value that breaks a fact; `None` stands for a missing value. `actual` returns the values
/// at a path.
pub(super) fn message(fact: &Fact, value: Option<&Value>, actual: impl Fn(&Path) -> Vec<String>) -> String {
    if let Some(message) = fact.message {
        return message.to_owned();
    }
    let name = name_of(&fact.path);
    let reasons: Vec<String> = fact.conditions.iter().map(|condition| reason(condition, &actual)).collect();
    let problem = match (&fact.must.operator, value) {
        (Operator::Present, _) => format!("{name} is missing"),
        (Operator::Absent, _) => format!("{name} cannot be set"),
        (_, Some(value)) if value.as_unknown().is_some() && !fact.is_secret => {
            format!("{name} is like {}; expected {}", shown(value), stated(&fact.must))
        }
        (Operator::Items(_), Some(value)) => {
            let count = value.as_array().map_or_else(|| value.as_object().map_or(0, Object::len), <[Value]>::len);
            format!("{name} has {count} {}; expected {}", unit(count, "item"), expectation(&fact.must, &actual))
        }
        (Operator::Characters(_), Some(value)) => {
            let count = value.as_str().map_or(0, |text| text.chars().count());
            format!("{name} has {count} {}; expected {}", unit(count, "character"), expectation(&fact.must, &actual))
        }
        (operator, value) => {
            let hint = match (operator, value.and_then(Value::as_str)) {
                (Operator::OneOf(choices) | Operator::Like(choices), Some(text)) if choices.values.len() > 1 => {
                    did_you_mean(text, choices.values.iter().copied().filter(|choice| !choice.ends_with('*')))
                }
                _ => String::new(),
            };
            let expected = expectation(&fact.must, &actual);
            match value.filter(|value| !fact.is_secret && !value.traits.has(Traits::SECRET)) {
                Some(value) => format!("{name} is {}; expected {expected}{hint}", shown(value)),
                None => format!("{name} is refused; expected {expected}"),
            }
        }
    };
    match reasons.as_slice() {
        [] => problem,
        reasons => format!("{problem} when {}", reasons.join(" and ")),
    }
}

/// Returns the message about a member of an object whose name the service refuses.
pub(super) fn wrong_name(fact: &Fact, name: &str) -> String {
    let expected = fact.must.words.map_or_else(|| stated(&fact.must), ToOwned::to_owned);
    fact.message.map_or_else(
        || format!("{} has the name `{}`; expected {expected}", name_of(&fact.path), cut(name, MAX_SHOWN)),
        ToOwned::to_owned,
    )
}

/// Returns the message about an item that has the value of an earlier one.
pub(super) fn repeated(fact: &Fact, path: &Path, text: &str) -> String {
    if let Some(message) = fact.message {
        return message.to_owned();
    }
    let text = cut(text, MAX_SHOWN);
    match path.last_name() {
        Some(name) => {
            format!("two items of {} have the `{name}` `{text}`; expected different ones", name_of(&fact.path))
        }
        None => format!("{} has the item `{text}` twice", name_of(&fact.path)),
    }
}

fn name_of(path: &Path) -> String {
    match (path.steps.last(), path.last_name()) {
        (Some(PathStep::Items), Some(name)) => format!("an item of `{name}`"),
        (_, Some(name)) => format!("`{name}`"),
        (_, None) => "the resource".to_owned(),
    }
}

fn unit(count: usize, unit: &str) -> String {
    if count == 1 { unit.to_owned() } else { format!("{unit}s") }
}

fn shown(value: &Value) -> String {
    let unknown = value.as_unknown().and_then(|unknown| unknown.approximation.as_str());
    match unknown.map(Cow::Borrowed).or_else(|| scalar_text(value)) {
        Some(text) if value.traits.has(Traits::PLACEHOLDER) && text.starts_with('/') => {
            // The scope stands for what the settings do not name.
            let end = text.rsplit_once("/providers/").map_or("", |(_, end)| end);
            format!("`…/{}`", cut(end, MAX_SHOWN))
        }
        Some(text) => format!("`{}`", cut(&text, MAX_SHOWN)),
        None => format!("`{}`", cut(&plain(value), MAX_SHOWN)),
    }
}

/// Returns the expected values, with the values of the paths that it names.
fn expectation(predicate: &Predicate, actual: &impl Fn(&Path) -> Vec<String>) -> String {
    let Some(words) = predicate.words else {
        return match &predicate.operator {
            Operator::Range(range) | Operator::Items(range) | Operator::Characters(range) => of_range(range, actual),
            Operator::Passes(function, Argument::Path(path)) => match actual(path).as_slice() {
                [value] => function.words.replace("{}", &format!("`{}`, the {}", cut(value, MAX_SHOWN), path.words())),
                _ => stated(predicate),
            },
            _ => stated(predicate),
        };
    };
    words.to_owned()
}

/// Returns a range, with the numbers at the paths that are its bounds.
fn of_range(range: &Range, actual: &impl Fn(&Path) -> Vec<String>) -> String {
    use crate::published::services::range::Bound;
    let words = |bound: &Option<Bound>| {
        bound.as_ref().map(|bound| match bound {
            Bound::Number(number) => number.to_string(),
            Bound::Path(path) => format!("{}, the {}", actual(path).concat(), path.words()),
        })
    };
    bounds(words(&range.min), words(&range.max))
}

/// Returns the expectation of a predicate, as the documentation words it.
pub(super) fn stated(predicate: &Predicate) -> String {
    if let Some(words) = predicate.words {
        return words.to_owned();
    }
    match &predicate.operator {
        Operator::Present => "set".to_owned(),
        Operator::Absent => "not set".to_owned(),
        Operator::OneOf(choices) if choices.values.len() > 2 => format!("one of {}", listed(&choices.values)),
        Operator::OneOf(choices) => either(&choices.values),
        Operator::NotOneOf(choices) => format!("not {}", either(&choices.values)),
        Operator::Like(choices) => format!("one of {}, or another", listed(&choices.values)),
        Operator::Range(range) => range.to_string(),
        Operator::MultipleOf(factor) => format!("a multiple of {factor}"),
        Operator::Characters(range) => format!("{range} characters"),
        Operator::Items(range) => format!("{range} items"),
        Operator::Unique(_) => "without duplicates".to_owned(),
        Operator::Names(predicate) => format!("names that are {}", stated(predicate)),
        Operator::Matches(pattern) => format!("a string that matches `{pattern}`"),
        Operator::BeginsWith(choices) => format!("a string that begins with {}", either(&choices.values)),
        Operator::EndsWith(choices) => format!("a string that ends with {}", either(&choices.values)),
        Operator::Contains(choices) => format!("a string with {}", either(&choices.values)),
        Operator::Lacks(choices) => format!("a string without {}", either(&choices.values)),
        Operator::Passes(function, argument) => function.expectation(argument),
    }
}

/// Returns "`a`", "`a` or `b`", "`a`, `b`, or `c`".
fn either(values: &[&str]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
    match quoted.as_slice() {
        [others @ .., last] if others.len() > 1 => format!("{}, or {last}", others.join(", ")),
        few => few.join(" or "),
    }
}

/// Returns a condition as the documentation words it: "`sku.name` is `Basic`".
pub(super) fn stated_condition(condition: &Condition) -> String {
    let Condition { path, predicate, is_negated } = condition;
    let name = path.words();
    let (verb, negated, rest) = match &predicate.operator {
        Operator::Characters(_) | Operator::Items(_) => ("has", "does not have", stated(predicate)),
        Operator::BeginsWith(choices) => ("begins with", "does not begin with", either(&choices.values)),
        Operator::EndsWith(choices) => ("ends with", "does not end with", either(&choices.values)),
        Operator::Contains(choices) => ("contains", "does not contain", either(&choices.values)),
        Operator::Lacks(choices) => ("does not contain", "contains", either(&choices.values)),
        _ => ("is", "is not", stated(predicate)),
    };
    format!("{name} {} {rest}", if *is_negated { negated } else { verb })
}

/// Returns the reason for which a fact applies to a resource: "`sku.name` is `Basic`".
fn reason(condition: &Condition, actual: &impl Fn(&Path) -> Vec<String>) -> String {
    let name = condition.path.words();
    let is_set = matches!(condition.predicate.operator, Operator::Present);
    let values = actual(&condition.path);
    match values.as_slice() {
        [value] if !is_set => format!("{name} is `{}`", cut(value, MAX_SHOWN)),
        _ => stated_condition(condition),
    }
}
