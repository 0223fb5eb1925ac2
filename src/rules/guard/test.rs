//! What a comparison wants of a value, compiled.

use regex::Regex;

use crate::rules::guard::answer::Answer;
use crate::rules::guard::ast::Operator;
use crate::rules::guard::json_text::text_of;
use crate::rules::guard::literal::{Literal, spelled};
use crate::value::{Data, Traits, Value};

/// What is wanted of a value.
#[derive(Debug)]
pub(super) enum Test {
    /// `==` and `!=` with a text or with the value of a variable.
    Equal { negated: bool, literal: Literal, shown: Box<str> },
    /// `==` and `!=` with a pattern.
    Match { negated: bool, pattern: Pattern },
    /// `<`, `>`, `<=`, `>=`.
    Order { operator: Operator, bound: f64, shown: Box<str> },
    /// `IN` and `NOT_IN`.
    Member { negated: bool, list: List, shown: Box<str> },
    /// A comparison with a variable that has no value.
    Undefined { reference: Box<str> },
}

/// A list to be in.
#[derive(Debug)]
pub(super) enum List {
    Literals(Vec<Literal>),
    /// `IN /pattern/`: all texts that match.
    Matching(Pattern),
}

/// A regular expression, searched anywhere in a text.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) regex: Regex,
    /// Between its slashes.
    pub(super) source: Box<str>,
}

impl Pattern {
    /// Texts are searched as they are, other values as JSON.
    fn matches(&self, value: &Value) -> Answer {
        match &value.data {
            _ if value.traits.has(Traits::UNKNOWN) => Answer::Unknown,
            Data::String(text) => Answer::from(self.regex.is_match(text)),
            _ => Answer::from(self.regex.is_match(&text_of(value))),
        }
    }
}

impl List {
    fn has(&self, value: &Value) -> Answer {
        match self {
            Self::Literals(literals) => Answer::any(literals.iter().map(|it| it.equals(value))),
            Self::Matching(pattern) => pattern.matches(value),
        }
    }

    /// Of a list property, the elements count, unless the property as a whole is an element.
    fn admits(&self, value: &Value) -> Answer {
        match &value.data {
            Data::Array(items) if !items.is_empty() => {
                let elements = Answer::all(items.iter().map(|it| self.has(it)));
                Answer::any([self.has(value), elements].into_iter())
            }
            _ => self.has(value),
        }
    }

    fn forbids(&self, value: &Value) -> Answer {
        let items = value.as_array().unwrap_or_default();
        Answer::any(std::iter::once(value).chain(items).map(|it| self.has(it)))
    }
}

impl Test {
    /// Whether a value is as it is wanted.
    pub(super) fn admits(&self, value: &Value) -> Answer {
        match self {
            Self::Equal { negated, literal, .. } => flip(literal.equals(value), *negated),
            Self::Match { negated, pattern } => flip(pattern.matches(value), *negated),
            Self::Order { operator, bound, .. } => match number_of(value) {
                _ if value.traits.has(Traits::UNKNOWN) => Answer::Unknown,
                Some(number) => Answer::from(is_in_order(number, *operator, *bound)),
                None => Answer::No,
            },
            Self::Member { negated: false, list, .. } => list.admits(value),
            Self::Member { negated: true, list, .. } => !list.forbids(value),
            Self::Undefined { .. } => Answer::No,
        }
    }

    /// Whether what is not known decides. A variable without a value fails whatever it is compared with.
    pub(super) fn depends_on_values(&self) -> bool {
        !matches!(self, Self::Undefined { .. })
    }
}

fn flip(answer: Answer, negated: bool) -> Answer {
    if negated { !answer } else { answer }
}

fn is_in_order(number: f64, operator: Operator, bound: f64) -> bool {
    match operator {
        Operator::Less => number < bound,
        Operator::Greater => number > bound,
        Operator::AtMost => number <= bound,
        _ => number >= bound,
    }
}

/// A number of a template, which may stand in a text.
fn number_of(value: &Value) -> Option<f64> {
    match &value.data {
        Data::String(text) => match spelled(value) {
            Some(spelled) => number_of(&spelled),
            None => number(text.trim()).filter(|it| it.is_finite()),
        },
        _ => value.as_f64(),
    }
}

/// A decimal number. cfn-guard takes more than JSON does: `+5`, `.5`, `05`, `infinity`.
pub(super) fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|it: &f64| !it.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::guard::literal::list;
    use crate::rules::guard::testing::json;

    #[track_caller]
    fn member(negated: bool, text: &str, value: &str, expected: bool) {
        let test = Test::Member { negated, list: List::Literals(list(text)), shown: text.into() };
        assert_eq!(test.admits(&json(value)), Answer::from(expected), "{value} in {text}");
    }

    #[test]
    fn of_a_list_each_element_counts() {
        member(false, r#"["a"]"#, r#"["a"]"#, true);
        member(false, r#"["a"]"#, r#"["a", "b"]"#, false);
        member(false, r#"[["a", "b"]]"#, r#"["a", "b"]"#, true);
        member(false, r#"["a"]"#, "[]", false);
        member(true, r#"["a"]"#, r#"["b", "a"]"#, false);
        member(true, r#"["a"]"#, r#"["b"]"#, true);
        member(true, r#"["a"]"#, "[]", true);
    }

    #[track_caller]
    fn order(operator: Operator, bound: f64, value: &str, expected: bool) {
        let test = Test::Order { operator, bound, shown: "".into() };
        assert_eq!(test.admits(&json(value)), Answer::from(expected), "{value} {}", operator.as_str());
    }

    #[test]
    fn numbers_are_compared_in_full_precision() {
        order(Operator::Greater, 16_777_216.0, "16777217", true);
        order(Operator::AtMost, 5.0, "5", true);
        order(Operator::Less, 5.0, "5", false);
        order(Operator::AtLeast, 0.5, r#"" 0.5 ""#, true);
    }

    #[test]
    fn what_is_no_number_is_in_no_order() {
        for value in [r#""abc""#, r#""""#, r#""1 0""#, "true", "null", "[1]", "{}", r#""inf""#, r#""NaN""#] {
            order(Operator::Less, 5.0, value, false);
            order(Operator::AtLeast, 0.0, value, false);
        }
    }
}
