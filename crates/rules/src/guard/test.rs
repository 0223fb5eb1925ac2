//! Compiled comparisons: what a value is compared with, and how.

use regex::Regex;

use crate::guard::ast::Operator;
use crate::guard::json_text::text_of;
use crate::guard::literal::{Literal, spelled};
use crate::outcomes::Outcomes;
use crate::pattern::{Automaton, Form};
use crate::value::{Data, Ends, Traits, Value};

/// Requirement on a value.
#[derive(Debug)]
pub(super) enum Test {
    /// `==` and `!=` with a string or with the value of a variable.
    Equal { negated: bool, literal: Literal, shown: Box<str> },
    /// `==` and `!=` with a pattern.
    Match { negated: bool, pattern: Pattern },
    /// `<`, `>`, `<=`, `>=`.
    Order { operator: Operator, bound: f64, shown: Box<str> },
    /// `IN` and `NOT_IN` with a list or a pattern.
    Member { negated: bool, list: List, shown: Box<str> },
    /// A comparison with a variable that has no value.
    Undefined { reference: Box<str> },
}

/// The right side of `IN` and `NOT_IN`.
#[derive(Debug)]
pub(super) enum List {
    Literals(Vec<Literal>),
    /// `IN /pattern/`: everything that matches.
    Matching(Pattern),
}

/// A regular expression of the `regex` crate, which is what cfn-guard uses, searched anywhere in a string.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) regex: Regex,
    /// The pattern between its slashes.
    pub(super) source: Box<str>,
    /// Automaton for strings of which only the ends are known.
    pub(super) automaton: Automaton,
}

impl Pattern {
    /// Searches a string, or another value as JSON.
    fn matches(&self, value: &Value) -> Outcomes {
        match &value.data {
            Data::Unknown(unknown) => {
                let ends = unknown.ends.as_deref();
                let form = ends.map(|Ends { start, end, is_filled, .. }| Form { start, end, is_filled: *is_filled });
                let found = form.and_then(|form| self.automaton.search(self.regex.as_str(), form));
                Outcomes::from(found)
            }
            _ if value.traits.has(Traits::UNKNOWN) => Outcomes::UNKNOWN,
            _ => Outcomes::from(self.regex.is_match(&text_of(value))),
        }
    }
}

impl List {
    fn has(&self, value: &Value) -> Outcomes {
        match self {
            Self::Literals(literals) => Outcomes::any(literals.iter().map(|literal| literal.equals(value))),
            Self::Matching(pattern) => pattern.matches(value),
        }
    }

    /// Evaluates `IN`. For a list, all elements must be in this list, unless the list as a whole is an element.
    fn admits(&self, value: &Value) -> Outcomes {
        match &value.data {
            Data::Array(items) if !items.is_empty() => {
                let elements = Outcomes::all(items.iter().map(|item| self.has(item)));
                self.has(value).or(elements)
            }
            _ => self.has(value),
        }
    }

    fn forbids(&self, value: &Value) -> Outcomes {
        let items = value.as_array().unwrap_or_default();
        Outcomes::any(std::iter::once(value).chain(items).map(|one| self.has(one)))
    }
}

impl Test {
    /// Evaluates the test for a value. An unknown value that can only be one of several passes if each of them does.
    pub(super) fn admits(&self, value: &Value) -> Outcomes {
        match value.as_unknown().map_or(&[][..], |unknown| unknown.known_choices()) {
            [] => self.judge(value),
            choices => Outcomes::union_of(choices.iter().map(|choice| self.judge(choice))),
        }
    }

    fn judge(&self, value: &Value) -> Outcomes {
        match self {
            Self::Equal { negated, literal, .. } => literal.equals(value).negated_if(*negated),
            Self::Match { negated, pattern } => pattern.matches(value).negated_if(*negated),
            Self::Order { operator, bound, .. } => match number_of(value) {
                _ if value.traits.has(Traits::UNKNOWN) => Outcomes::UNKNOWN,
                Some(number) => Outcomes::from(is_in_order(number, *operator, *bound)),
                None => Outcomes::FALSE,
            },
            Self::Member { negated: false, list, .. } => list.admits(value),
            Self::Member { negated: true, list, .. } => !list.forbids(value),
            Self::Undefined { .. } => Outcomes::FALSE,
        }
    }

    /// Returns `true` if the result depends on the value. A variable without a value fails for every value.
    pub(super) fn depends_on_values(&self) -> bool {
        !matches!(self, Self::Undefined { .. })
    }
}

fn is_in_order(number: f64, operator: Operator, bound: f64) -> bool {
    match operator {
        Operator::Less => number < bound,
        Operator::Greater => number > bound,
        Operator::AtMost => number <= bound,
        _ => number >= bound,
    }
}

/// Returns the number that a value of a template is, or that its string spells.
fn number_of(value: &Value) -> Option<f64> {
    match &value.data {
        Data::String(text) => match spelled(value) {
            Some(spelled) => number_of(&spelled),
            None => number(text.trim()).filter(|number| number.is_finite()),
        },
        _ => value.as_f64(),
    }
}

/// Returns a decimal number. cfn-guard accepts more than JSON: `+5`, `.5`, `05`, `infinity`.
pub(super) fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| !number.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::literal::list;
    use crate::guard::testing::json;

    #[track_caller]
    fn member(negated: bool, text: &str, value: &str, expected: bool) {
        let test = Test::Member { negated, list: List::Literals(list(text)), shown: text.into() };
        assert_eq!(test.admits(&json(value)), Outcomes::from(expected), "{value} in {text}");
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
        assert_eq!(test.admits(&json(value)), Outcomes::from(expected), "{value} {}", operator.as_str());
    }

    #[test]
    fn numbers_are_compared_in_full_precision() {
        order(Operator::Greater, 16_777_216.0, "16777217", true);
        order(Operator::AtMost, 5.0, "5", true);
        order(Operator::Less, 5.0, "5", false);
        order(Operator::AtLeast, 0.5, r#"" 0.5 ""#, true);
    }

    #[test]
    fn only_numbers_have_an_order() {
        for value in [r#""abc""#, r#""""#, r#""1 0""#, "true", "null", "[1]", "{}", r#""inf""#, r#""NaN""#] {
            order(Operator::Less, 5.0, value, false);
            order(Operator::AtLeast, 0.0, value, false);
        }
    }
}
