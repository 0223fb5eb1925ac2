//! Messages of misfits.

use crate::checks::{
    SCHEMA_COMBINATION, SCHEMA_DUPLICATE, SCHEMA_FORMAT, SCHEMA_LENGTH, SCHEMA_MISSING_PROPERTY,
    SCHEMA_MISSPELLED_VALUE, SCHEMA_PATTERN, SCHEMA_RANGE, SCHEMA_READ_ONLY, SCHEMA_TYPE, SCHEMA_UNKNOWN_PROPERTY,
    SCHEMA_VALUE, SERVICE_REQUIRED,
};
use crate::diagnostic::Check;
use crate::published::characters;
use crate::published::misfit::{Hint, Misfit, MisfitKind, MisfitStep};
use crate::published::tolerance::Cloud;
use crate::text::{did_you_mean, nearest_name};
use crate::value::{Value, plain};

/// Choices that a message lists.
const MAX_CHOICES: usize = 8;

impl Misfit<'_> {
    /// Returns the check that a misfit fails in a resource of this cloud. The types of AWS also have requirements that
    /// depend on other values.
    pub(super) fn failed_check(&self, cloud: Cloud) -> Check {
        let is_missing = matches!(self.kind, MisfitKind::MissingProperty | MisfitKind::MissingOneOf { .. });
        if cloud == Cloud::Aws && is_missing && !self.reasons.is_empty() {
            return SERVICE_REQUIRED;
        }
        self.kind.failed_check()
    }
}

impl MisfitKind<'_> {
    /// Returns the check that a misfit fails.
    pub(super) fn failed_check(&self) -> Check {
        match self {
            Self::UnknownProperty { .. } => SCHEMA_UNKNOWN_PROPERTY,
            Self::MissingProperty | Self::MissingOneOf { .. } | Self::Needed { .. } => SCHEMA_MISSING_PROPERTY,
            Self::ReadOnly => SCHEMA_READ_ONLY,
            Self::Type { .. } => SCHEMA_TYPE,
            Self::Value { .. } => SCHEMA_VALUE,
            Self::Misspelled { .. } => SCHEMA_MISSPELLED_VALUE,
            Self::Length { .. } => SCHEMA_LENGTH,
            Self::Pattern { .. } => SCHEMA_PATTERN,
            Self::Range { .. } => SCHEMA_RANGE,
            Self::Format { .. } => SCHEMA_FORMAT,
            Self::Forbidden | Self::Excluded { .. } | Self::NoForm => SCHEMA_COMBINATION,
            Self::Repeated => SCHEMA_DUPLICATE,
        }
    }

    /// Returns the value that does not fit, if the misfit has one.
    pub(super) fn actual(&self) -> Option<&Value> {
        match self {
            Self::Type { found, .. }
            | Self::Value { found, .. }
            | Self::Misspelled { found, .. }
            | Self::Pattern { found, .. }
            | Self::Range { found, .. }
            | Self::Format { found, .. } => Some(found),
            _ => None,
        }
    }
}

/// Returns the message about a misfit in a resource of this type.
pub(super) fn message(misfit: &Misfit<'_>, type_name: &str, cloud: Cloud) -> String {
    let name = name_of(misfit.steps.last());
    let owner = match misfit.steps.iter().rev().nth(1) {
        Some(step @ MisfitStep::Member(_)) => name_of(Some(step)),
        Some(MisfitStep::Item(_)) => {
            format!("an item of {}", last_member(misfit.steps.split_last().map_or(&[], |(_, rest)| rest)))
        }
        None => format!("`{type_name}`"),
    };
    let words = match &misfit.kind {
        MisfitKind::UnknownProperty { known, hint } => {
            let key = misfit.steps.last().map_or("", |step| if let MisfitStep::Member(key) = step { key } else { "" });
            let hint = match hint {
                // A slip is likelier than a wrong level.
                Hint::Into(inner) if nearest_name(key, known.iter().copied()).is_none() => {
                    format!("; it belongs in `{inner}`")
                }
                Hint::Out if nearest_name(key, known.iter().copied()).is_none() => {
                    "; it belongs one level up".to_owned()
                }
                _ => did_you_mean(key, known.iter().copied()),
            };
            format!("{owner} has no property {name}{hint}")
        }
        MisfitKind::MissingProperty => format!("{owner} lacks the required property {name}"),
        MisfitKind::MissingOneOf { sets } => {
            let sets: Vec<String> = sets
                .iter()
                .map(|set: &Vec<&str>| -> String {
                    set.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ")
                })
                .collect();
            format!("{owner} lacks a required property; expected {}", sets.join(", or "))
        }
        MisfitKind::ReadOnly => {
            format!("{name} is read-only: {} sets it, and ignores or rejects other values", cloud.name())
        }
        MisfitKind::Forbidden if misfit.reasons.is_empty() => format!("{name} cannot be set here"),
        MisfitKind::Forbidden => format!("{name} cannot be set"),
        MisfitKind::Excluded { with } => format!("{name} cannot be set beside `{with}`"),
        MisfitKind::Needed { by } => format!("{owner} lacks {name}, which is required beside `{by}`"),
        MisfitKind::Repeated => format!("{name} of {} repeats an earlier item", last_member(&misfit.steps)),
        MisfitKind::NoForm => format!("{name} has a combination of values that {} rejects", cloud.name()),
        kind => of_value(kind, &name),
    };
    match misfit.reasons.as_slice() {
        [] => words,
        reasons => format!("{words} when {}", reasons.join(" and ")),
    }
}

/// Returns the message about a misfit of the value itself.
fn of_value(kind: &MisfitKind<'_>, name: &str) -> String {
    match kind {
        MisfitKind::Type { found, expected } => {
            format!("{name} is {}; expected {}", kind_of(found), expected.join(" or "))
        }
        MisfitKind::Value { found, choices } => {
            let text = found.as_str().unwrap_or_default();
            format!("{name} is `{}`; expected {}", plain(found), one_of(text, choices))
        }
        MisfitKind::Misspelled { found, meant } => {
            format!("{name} is `{}`, which the type does not name; did you mean `{meant}`?", plain(found))
        }
        MisfitKind::Length { found, unit, min, max } => {
            format!("{name} has {found} {unit}; expected {}", bounds(*min, *max))
        }
        MisfitKind::Pattern { found, pattern } => {
            let text = plain(found);
            if let Some(words) = characters::misfit(pattern, &text) {
                return format!("{name} is `{text}`, in which {words}");
            }
            format!("{name} is `{}`, which does not match `{pattern}`", plain(found))
        }
        MisfitKind::Range { found, min, max } => {
            format!("{name} is {}; expected {}", plain(found), bounds(*min, *max))
        }
        MisfitKind::Format { found, expected } => {
            format!("{name} is `{}`; expected {}", plain(found), either(expected))
        }
        _ => String::new(),
    }
}

fn name_of(step: Option<&MisfitStep<'_>>) -> String {
    match step {
        Some(MisfitStep::Member(name)) => format!("`{name}`"),
        Some(MisfitStep::Item(index)) => format!("item {index}"),
        None => "the resource".to_owned(),
    }
}

fn last_member(steps: &[MisfitStep<'_>]) -> String {
    name_of(steps.iter().rev().find(|step| matches!(step, MisfitStep::Member(_))))
}

fn kind_of(value: &Value) -> &'static str {
    use crate::value::Kind;
    match value.kind() {
        Kind::Any => "a value",
        Kind::Null => "null",
        Kind::Bool => "a Boolean",
        Kind::Int | Kind::Float => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

fn one_of(found: &str, choices: &[&'static str]) -> String {
    if choices.len() == 1 {
        return listed(choices);
    }
    let hint = did_you_mean(found, choices.iter().copied());
    format!("one of {}{hint}", listed(choices))
}

/// Joins alternatives with "or": "a", "a or b", "a, b, or c".
fn either(alternatives: &[&str]) -> String {
    match alternatives {
        [one, other] => format!("{one} or {other}"),
        [others @ .., last] if others.len() > 1 => format!("{}, or {last}", others.join(", ")),
        _ => alternatives.concat(),
    }
}

/// Lists the first choices and the number of the others.
pub(super) fn listed(choices: &[&str]) -> String {
    let shown: Vec<String> = choices.iter().take(MAX_CHOICES).map(|choice| format!("`{choice}`")).collect();
    let shown = shown.join(", ");
    match choices.len().checked_sub(MAX_CHOICES) {
        Some(1) => format!("{shown} and 1 other"),
        Some(more) if more > 0 => format!("{shown} and {more} others"),
        _ => shown,
    }
}

pub(super) fn bounds<T: std::fmt::Display + PartialEq>(min: Option<T>, max: Option<T>) -> String {
    match (min, max) {
        (Some(min), Some(max)) if min == max => min.to_string(),
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => "another".to_owned(),
    }
}
