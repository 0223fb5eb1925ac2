//! Comparisons with a number that formwork counts.

use std::fmt;

use crate::json::operators::Refusal;
use crate::outcomes::Outcomes;
use crate::text::did_you_mean;
use crate::value::Object;

/// Comparisons, by their names in rules.
const COMPARISONS: [(&str, Bound); 6] = [
    ("less", Bound::Less),
    ("lessOrEquals", Bound::AtMost),
    ("greater", Bound::Greater),
    ("greaterOrEquals", Bound::AtLeast),
    ("equals", Bound::Equals),
    ("notEquals", Bound::Differs),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equals,
    Differs,
}

/// Comparisons that must all hold for a number.
#[derive(Debug)]
pub(in crate::json) struct Bounds(Vec<(Bound, i64)>);

impl Bounds {
    /// Reads the comparisons in an object, which may also have the `other` members.
    pub(in crate::json) fn read(object: &Object, other: &[&'static str]) -> Result<Self, Refusal> {
        let mut bounds = Vec::new();
        for member in object {
            if other.iter().any(|name| name.eq_ignore_ascii_case(&member.key)) {
                continue;
            }
            let known = COMPARISONS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&member.key));
            let Some((name, comparison)) = known else {
                let hint = did_you_mean(&member.key, Self::names().chain(other.iter().copied()));
                return Err(Refusal::Unusable(format!("there is no comparison `{}`{hint}", member.key)));
            };
            let Some(bound) = member.value.as_int() else {
                return Err(Refusal::Unusable(format!("`{name}` needs a whole number")));
            };
            bounds.push((*comparison, bound));
        }
        if bounds.is_empty() {
            let names: Vec<&str> = Self::names().collect();
            return Err(Refusal::Unusable(format!("it needs one of `{}`", names.join("`, `"))));
        }
        Ok(Self(bounds))
    }

    /// Returns the names of the comparisons.
    pub(in crate::json) fn names() -> impl Iterator<Item = &'static str> {
        COMPARISONS.iter().map(|(name, _)| *name)
    }

    /// Tests a number between `least` and `most`; without `most`, it may be any larger number.
    pub(in crate::json) fn decide(&self, least: i64, most: Option<i64>) -> Outcomes {
        let each = self.0.iter().map(|(comparison, bound)| comparison.decide(*bound, least, most));
        Outcomes::all(each)
    }
}

impl Bound {
    fn decide(self, bound: i64, least: i64, most: Option<i64>) -> Outcomes {
        let (all, none) = match self {
            Self::Less => (most.is_some_and(|most| most < bound), least >= bound),
            Self::AtMost => (most.is_some_and(|most| most <= bound), least > bound),
            Self::Greater => (least > bound, most.is_some_and(|most| most <= bound)),
            Self::AtLeast => (least >= bound, most.is_some_and(|most| most < bound)),
            Self::Equals => {
                (least == bound && most == Some(bound), bound < least || most.is_some_and(|most| bound > most))
            }
            Self::Differs => return Self::Equals.decide(bound, least, most).negated(),
        };
        match (all, none) {
            (true, _) => Outcomes::TRUE,
            (_, true) => Outcomes::FALSE,
            _ => Outcomes::UNKNOWN,
        }
    }
}

/// In words: `at least 2 and less than 5`.
impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (comparison, bound)) in self.0.iter().enumerate() {
            let words = match comparison {
                Bound::Less => "less than ",
                Bound::AtMost => "at most ",
                Bound::Greater => "more than ",
                Bound::AtLeast => "at least ",
                Bound::Equals => "",
                Bound::Differs => "not ",
            };
            write!(f, "{}{words}{bound}", if at == 0 { "" } else { " and " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::testing::json;

    fn read(text: &str) -> Result<Bounds, Refusal> {
        let value = json(text);
        Bounds::read(value.as_object().expect("it is an object"), &["from"])
    }

    #[test]
    fn a_number_within_limits_is_decided_as_far_as_it_can_be() {
        let check = |text: &str, least: i64, most: Option<i64>, expected: Outcomes| {
            assert_eq!(read(text).expect("it is right").decide(least, most), expected, "{text} of {least} to {most:?}");
        };
        check(r#"{"greaterOrEquals": 2}"#, 2, None, Outcomes::TRUE);
        check(r#"{"greaterOrEquals": 2}"#, 1, Some(1), Outcomes::FALSE);
        check(r#"{"greaterOrEquals": 2}"#, 1, None, Outcomes::UNKNOWN);
        check(r#"{"greater": 2, "less": 5}"#, 3, Some(4), Outcomes::TRUE);
        check(r#"{"greater": 2, "less": 5}"#, 5, None, Outcomes::FALSE);
        check(r#"{"greaterOrEquals": 2}"#, 1, Some(2), Outcomes::UNKNOWN);
        check(r#"{"less": 2}"#, 1, Some(2), Outcomes::UNKNOWN);
        check(r#"{"less": 2}"#, 2, None, Outcomes::FALSE);
        check(r#"{"greater": 2}"#, 2, Some(2), Outcomes::FALSE);
        check(r#"{"greater": 2}"#, 2, Some(3), Outcomes::UNKNOWN);
        check(r#"{"lessOrEquals": 2}"#, 0, None, Outcomes::UNKNOWN);
        check(r#"{"lessOrEquals": 2}"#, 0, Some(2), Outcomes::TRUE);
        check(r#"{"lessOrEquals": 2}"#, 2, Some(3), Outcomes::UNKNOWN);
        check(r#"{"lessOrEquals": 2}"#, 3, None, Outcomes::FALSE);
        check(r#"{"equals": 2}"#, 2, Some(2), Outcomes::TRUE);
        check(r#"{"equals": 2}"#, 3, None, Outcomes::FALSE);
        check(r#"{"equals": 2}"#, 0, Some(1), Outcomes::FALSE);
        check(r#"{"equals": 2}"#, 0, Some(2), Outcomes::UNKNOWN);
        check(r#"{"equals": 2}"#, 2, Some(3), Outcomes::UNKNOWN);
        check(r#"{"notEquals": 2}"#, 0, Some(1), Outcomes::TRUE);
        check(r#"{"notEquals": 2}"#, 0, Some(2), Outcomes::UNKNOWN);
    }

    #[test]
    fn wrong_comparisons_are_refused() {
        let refused = |text: &str| match read(text) {
            Err(Refusal::Unusable(why)) => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused(r#"{"graeter": 2}"#), "there is no comparison `graeter`, did you mean `greater`?");
        assert_eq!(refused(r#"{"greater": "2"}"#), "`greater` needs a whole number");
        assert!(refused(r#"{"from": 2}"#).starts_with("it needs one of `less`, "));
    }
}
