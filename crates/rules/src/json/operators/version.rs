//! `versionBelow` and `versionAtLeast`: dotted version numbers, and API versions.

use std::cmp::Ordering;

use crate::json::operators::{Answer, Extension, Fault, Operand, Refusal, may_be};
use crate::outcomes::Outcomes;
use crate::value::{Data, Kind, Str, Value};

/// Beginnings of suffixes that mark a version as earlier than the one without a suffix.
const EARLY: [&str; 5] = ["alpha", "beta", "pre", "rc", "dev"];

pub(super) fn below(given: &Value) -> Result<Operand, Refusal> {
    read(given, Ordering::is_lt)
}

pub(super) fn at_least(given: &Value) -> Result<Operand, Refusal> {
    read(given, Ordering::is_ge)
}

fn read(given: &Value, expected: fn(Ordering) -> bool) -> Result<Operand, Refusal> {
    let text = given.as_shared_str();
    let bound = text.and_then(|text| Some((text.clone(), Version::parse(text)?)));
    let (text, version) = bound.ok_or(Refusal::Expected("a version like `\"1.31\"` or `\"2023-01-01\"`"))?;
    Ok(Operand::Extension(Box::new(Bound { text, version, expected })))
}

/// Operand: a version, and the required comparison with it.
#[derive(Debug)]
struct Bound {
    text: Str,
    version: Version,
    expected: fn(Ordering) -> bool,
}

impl Extension for Bound {
    fn test(&self, value: &Value) -> Answer {
        let text = match &value.data {
            Data::String(text) => text.clone(),
            Data::Int(_) | Data::Float(_) => Str::from(value.to_json()),
            Data::Unknown(unknown) => {
                let is_possible = [Kind::String, Kind::Float].iter().any(|kind| may_be(unknown.kind, *kind));
                return if is_possible { Outcomes::UNKNOWN } else { Outcomes::FALSE }.into();
            }
            _ => return false.into(),
        };
        let ordering = Version::parse(&text).and_then(|version| version.compare(&self.version));
        ordering.is_some_and(self.expected).into()
    }

    fn fault(&self, _: Option<&Value>, negated: bool) -> Fault {
        let wants_later = (self.expected)(Ordering::Greater) != negated;
        let what = if wants_later { "a version of at least" } else { "a version below" };
        Fault::Expected(format!("{what} `{}`", self.text))
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Version {
    /// Dotted numbers such as `1.31.4`, and whether a suffix such as `-rc1` marks an early version.
    Numbers(Vec<u64>, bool),
    /// An API version such as `2023-01-01-preview`: year, month, day, and the suffix in lower case.
    Date([u64; 3], String),
}

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches(['v', 'V', '~']);
        Self::date(text).or_else(|| Self::numbers(text))
    }

    fn date(text: &str) -> Option<Self> {
        let (date, rest) = text.split_at_checked(10)?;
        let parts: Vec<&str> = date.split('-').collect();
        let &[year, month, day] = parts.as_slice() else { return None };
        let is_date = (year.len(), month.len(), day.len()) == (4, 2, 2) && (rest.is_empty() || rest.starts_with('-'));
        let [year, month, day] = [number(year)?, number(month)?, number(day)?];
        is_date.then(|| Self::Date([year, month, day], rest.to_ascii_lowercase()))
    }

    fn numbers(text: &str) -> Option<Self> {
        let end = text.find(|character: char| !character.is_ascii_digit() && character != '.').unwrap_or(text.len());
        let (digits, suffix) = text.split_at_checked(end)?;
        let suffix = match suffix.chars().next() {
            None => "",
            Some('-' | '+' | '_' | ' ') => suffix.get(1..)?,
            // `1.x` and `1.*` are read as `1`.
            Some('x' | 'X' | '*') if digits.ends_with('.') => "",
            Some(_) => return None,
        };
        let numbers: Option<Vec<u64>> = digits.strip_suffix('.').unwrap_or(digits).split('.').map(number).collect();
        let suffix = suffix.to_ascii_lowercase();
        Some(Self::Numbers(numbers?, EARLY.iter().any(|early| suffix.starts_with(early))))
    }

    /// Compares with a version of the same form. Missing numbers are 0.
    fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Numbers(own, is_early), Self::Numbers(others, is_other_early)) => {
                let at = |numbers: &[u64], index: usize| numbers.get(index).copied().unwrap_or_default();
                let each = (0..own.len().max(others.len())).map(|index| at(own, index).cmp(&at(others, index)));
                Some(each.fold(Ordering::Equal, Ordering::then).then(is_other_early.cmp(is_early)))
            }
            (Self::Date(own, suffix), Self::Date(others, other_suffix)) => {
                let released = (suffix.is_empty()).cmp(&other_suffix.is_empty());
                Some(own.cmp(others).then(released).then_with(|| suffix.cmp(other_suffix)))
            }
            _ => None,
        }
    }
}

fn number(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use crate::json::operators::tests::{check, check_fault, check_unknown, refuses};
    use crate::outcomes::Outcomes;
    use crate::value::Kind;

    #[test]
    fn numbers_are_compared_one_by_one() {
        check(
            "versionBelow",
            "\"1.31\"",
            &["\"1.30.9\"", "\"1.4\"", "1.3", "1", "\"v1.30\"", "\"1.31-rc1\"", "\"1.x\""],
            &["\"1.31\"", "\"1.31.0\"", "\"1.31.2\"", "2", "\"1.31-lts\"", "\"10.0\"", "", "null", "true", "[]"],
        );
        check("versionAtLeast", "\"18\"", &["\"~18\"", "\"18-lts\"", "20", "\"18.04-LTS\""], &["\"16-lts\"", "17"]);
    }

    #[test]
    fn an_api_version_is_after_its_previews() {
        check(
            "versionAtLeast",
            "\"2023-01-01\"",
            &["\"2023-01-01\"", "\"2023-04-01-preview\""],
            &[
                "\"2023-01-01-preview\"",
                "\"2023-01-01T00\"",
                "\"2023-1-001\"",
                "\"2022-12-31\"",
                "\"2024\"",
                "\"24.1\"",
                "",
            ],
        );
        check(
            "versionBelow",
            "\"2023-01-01-preview\"",
            &["\"2023-01-01-alpha\"", "\"2022-09-01\""],
            &["\"2023-01-01\""],
        );
    }

    #[test]
    fn what_is_no_version_is_neither() {
        for text in
            ["\"latest\"", "\"NODE|18\"", "\"2019datacenter\"", "\"1..2\"", "\"\"", "\".\"", "\"-1\"", "\"1x\"", "{}"]
        {
            check("versionBelow", "\"9999\"", &[], &[text]);
            check("versionAtLeast", "\"0\"", &[], &[text]);
        }
        refuses("versionBelow", "\"latest\"", "a version like `\"1.31\"` or `\"2023-01-01\"`");
        refuses("versionBelow", "1.31", "a version like `\"1.31\"` or `\"2023-01-01\"`");
    }

    #[test]
    fn unknown_versions_and_messages() {
        check_unknown("versionBelow", "\"1\"", Kind::String, Outcomes::UNKNOWN);
        check_unknown("versionBelow", "\"1\"", Kind::Int, Outcomes::UNKNOWN);
        check_unknown("versionBelow", "\"1\"", Kind::Bool, Outcomes::FALSE);
        check_fault("versionAtLeast", "\"1.31\"", false, "expected a version of at least `1.31`");
        check_fault("versionBelow", "\"1.31\"", true, "expected a version of at least `1.31`");
        check_fault("versionBelow", "\"1.31\"", false, "expected a version below `1.31`");
    }
}
