//! Equality of strings, numbers, and Booleans, as the clouds write them.
//!
//! Azure returns names and locations in another case, numbers and Booleans as strings, and times in another format.

use chrono::{DateTime, NaiveDateTime, Utc};

use crate::value::{Data, Traits, Value};

/// Rules for comparing the values of a cloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloudRules {
    /// Strings are case-insensitive.
    Azure,
    /// Strings are case-sensitive.
    Aws,
}

/// Kind of a string, by the property that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    Plain,
    /// A region, whose name may have spaces: `West Europe`.
    Location,
    /// A text of which every character counts, such as the value of a tag.
    Exact,
}

impl TextKind {
    /// Returns the kind of the strings in a property.
    pub(crate) fn of_property(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        if name.contains("location") || name.contains("region") { Self::Location } else { Self::Plain }
    }
}

/// Result of comparing two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Equality {
    Same,
    Different,
    /// The template depends on settings that are not set, such as the name of the resource group.
    Unknown,
}

impl CloudRules {
    /// Compares two scalars.
    pub(crate) fn compare(self, kind: TextKind, template: &Value, live: &Value) -> Equality {
        let is_same = match (&template.data, &live.data) {
            (Data::String(own), Data::String(other)) => {
                if self.key(kind, own) == self.key(kind, other) {
                    return Equality::Same;
                }
                if template.traits.has(Traits::PLACEHOLDER) {
                    return placeholder(template, own, other);
                }
                kind != TextKind::Exact && instant(own).is_some_and(|own| instant(other) == Some(own))
            }
            _ => match (number(template), number(live)) {
                (Some(own), Some(other)) => own.total_cmp(&other).is_eq(),
                _ => word(template).zip(word(live)).is_some_and(|(own, other)| own.eq_ignore_ascii_case(&other)),
            },
        };
        if is_same { Equality::Same } else { Equality::Different }
    }

    /// Returns a string that is equal for scalars that mean the same. `None` for arrays, objects, and unknown values.
    pub(crate) fn digest(self, kind: TextKind, value: &Value) -> Option<String> {
        match &value.data {
            Data::String(text) => Some(match instant(text) {
                Some(instant) => instant.to_rfc3339(),
                None => self.key(kind, text),
            }),
            _ => word(value),
        }
    }

    /// Returns the form in which names are compared.
    pub(crate) fn key(self, kind: TextKind, text: &str) -> String {
        match (self, kind) {
            (_, TextKind::Exact) => text.to_owned(),
            (Self::Azure, TextKind::Location) => text.to_lowercase().split_whitespace().collect(),
            (Self::Azure, TextKind::Plain) => without_slash(text).to_lowercase(),
            (Self::Aws, _) => without_slash(text).to_owned(),
        }
    }
}

/// Returns a URL without the slash at its end.
fn without_slash(text: &str) -> &str {
    if text.contains("://") { text.trim_end_matches('/') } else { text }
}

/// Compares a string that contains invented names. An ID is equal if all other segments are.
fn placeholder(template: &Value, own: &str, live: &str) -> Equality {
    let has_invented = own.split('/').any(formwork_arm::is_assumed);
    if !has_invented || !template.traits.has(Traits::INTACT) {
        return Equality::Unknown;
    }
    if crate::ids::admits(own, live, formwork_arm::is_assumed) { Equality::Same } else { Equality::Different }
}

/// Returns a scalar that is not a string as a word, or the string itself. `None` for other values.
fn word(value: &Value) -> Option<String> {
    match &value.data {
        Data::Bool(boolean) => Some(boolean.to_string()),
        Data::Int(integer) => Some(integer.to_string()),
        Data::BigInt(digits) => Some(digits.to_string()),
        Data::Float(float) => Some(float.to_string()),
        Data::String(text) => Some(text.to_string()),
        Data::Null | Data::Array(_) | Data::Object(_) | Data::Unknown(_) => None,
    }
}

/// Returns a number, also if it is written as a string.
fn number(value: &Value) -> Option<f64> {
    match &value.data {
        Data::String(text) => text.trim().parse().ok(),
        _ => value.as_f64(),
    }
}

/// Length of the shortest time: `2026-11-28T08:00`.
const SHORTEST_TIME: usize = 16;

/// Returns the instant of a time in ISO 8601. A time without a zone is in UTC.
fn instant(text: &str) -> Option<DateTime<Utc>> {
    if text.len() < SHORTEST_TIME || text.len() > 40 || text.as_bytes().get(10) != Some(&b'T') {
        return None;
    }
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.with_timezone(&Utc));
    }
    let local = text.strip_suffix('Z').unwrap_or(text);
    let formats = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"];
    formats.iter().find_map(|format| Some(NaiveDateTime::parse_from_str(local, format).ok()?.and_utc()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rules: CloudRules, kind: TextKind, template: impl Into<Value>, live: impl Into<Value>, expected: bool) {
        let (template, live) = (template.into(), live.into());
        let is_same = rules.compare(kind, &template, &live) == Equality::Same;
        assert_eq!(is_same, expected, "{template:?} {live:?}");
    }

    #[test]
    fn values_are_equal_if_they_mean_the_same() {
        use CloudRules::{Aws, Azure};
        use TextKind::{Exact, Location, Plain};
        check(Azure, Plain, "Standard", "STANDARD", true);
        check(Aws, Plain, "Standard", "STANDARD", false);
        check(Azure, Exact, "Standard", "STANDARD", false);
        check(Azure, Location, "West Europe", "westeurope", true);
        check(Azure, Plain, "a b", "ab", false);
        check(Azure, Plain, "https://x.example/", "https://X.example", true);
        check(Azure, Plain, "/a/", "/a", false);
        check(Azure, Plain, true, "True", true);
        check(Azure, Plain, "3", 3, true);
        check(Azure, Plain, 3, 3.0, true);
        check(Azure, Plain, "3.0", "3", false);
        check(Azure, Plain, 3, true, false);
        check(Azure, Plain, "2026-11-28T08:00:00Z", "2026-11-28T09:00:00.000+01:00", true);
        check(Azure, Plain, "2026-11-28T08:00", "2026-11-28T08:00:00Z", true);
        check(Azure, Plain, "2026-11-28T08:00:00Z", "2026-11-28T08:00:01Z", false);
        check(Azure, Exact, "2026-11-28T08:00", "2026-11-28T08:00:00Z", false);
    }

    #[test]
    fn invented_segments_of_an_id_stand_for_any() {
        let group = "/subscriptions/ffffffff-ffff-ffff-ffff-ffffffffffff/resourceGroups/ps-rule-test-rg";
        let text = |end: &str, traits| Value::from(format!("{group}{end}")).with_traits(traits);
        let intact = Traits::PLACEHOLDER | Traits::INTACT;
        let compare =
            |template: &Value, live: &str| CloudRules::Azure.compare(TextKind::Plain, template, &Value::from(live));
        assert_eq!(compare(&text("/a/b", intact), "/subscriptions/s/resourceGroups/g/a/b"), Equality::Same);
        assert_eq!(compare(&text("/a/b", intact), "/subscriptions/s/resourceGroups/g/a/c"), Equality::Different);
        assert_eq!(compare(&text("/a/b", Traits::PLACEHOLDER), "/x"), Equality::Unknown);
        assert_eq!(compare(&Value::from("abc").with_traits(intact), "/x"), Equality::Unknown);
    }
}
