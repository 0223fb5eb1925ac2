//! The right side of `==`, `!=`, `IN` and `NOT_IN`.

use crate::rules::guard::answer::Answer;
use crate::rules::guard::json_text::{compound, strict, text_of};
use crate::syntax::yaml;
use crate::value::{Data, Traits, Value};

/// A value that a ruleset writes. It has no type of its own: what it is compared with decides how it is read.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    /// The text, without blanks around it and without line feeds.
    text: Box<str>,
    /// Its value as JSON, if that is an array or an object.
    compound: Option<Value>,
    /// Its value, if it is a number. Numbers compare by value: `100.0` is 100.
    number: Option<Value>,
    /// The elements of `[a,b]`, which is not JSON.
    items: Option<Vec<Self>>,
}

impl Literal {
    /// A value in a rule.
    pub(super) fn written(text: &str) -> Self {
        let text = joined(text);
        let compound = compound(&text);
        let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).filter(|_| compound.is_none());
        let items = bare.map(|elements| elements.split(',').map(Self::element).collect());
        Self { number: number(&text), compound, items, text: text.into() }
    }

    /// The value of a variable. Assignments are text, so a number there is compared digit by digit.
    pub(super) fn assigned(text: &str) -> Self {
        Self { number: None, ..Self::written(text) }
    }

    /// An element of a list that is not JSON.
    fn element(text: &str) -> Self {
        let text = joined(text);
        Self { number: number(&text), compound: None, items: None, text: text.into() }
    }

    /// An element of a JSON array.
    fn of_json(value: &Value) -> Self {
        let text = joined(&text_of(value)).into();
        match value.data {
            Data::Array(_) | Data::Object(_) => Self { text, compound: Some(value.clone()), number: None, items: None },
            Data::Int(_) | Data::BigInt(_) | Data::Float(_) => {
                Self { text, compound: None, number: Some(value.clone()), items: None }
            }
            _ => Self { text, compound: None, number: None, items: None },
        }
    }

    /// Whether a value of a template equals this one.
    pub(super) fn equals(&self, value: &Value) -> Answer {
        if value.traits.has(Traits::UNKNOWN) {
            return Answer::Unknown;
        }
        Answer::from(match &value.data {
            Data::String(text) => self.equals_text(text) || self.equals_number(spelled(value).as_ref()),
            // `True` is how Python writes it.
            Data::Bool(true) => self.text.eq_ignore_ascii_case("true"),
            Data::Bool(false) => self.text.eq_ignore_ascii_case("false"),
            Data::Int(_) | Data::BigInt(_) | Data::Float(_) if self.number.is_some() => self.equals_number(Some(value)),
            Data::Int(_) | Data::BigInt(_) | Data::Float(_) => *text_of(value) == *self.text,
            Data::Array(items) => match (&self.compound, &self.items) {
                (Some(compound), _) => compound.same(value),
                (None, Some(own)) => own.len() == items.len() && own.iter().zip(items.iter()).all(|(a, b)| a.is(b)),
                (None, None) => false,
            },
            Data::Object(_) => self.compound.as_ref().is_some_and(|own| own.same(value)),
            Data::Null => *self.text == *"null",
            Data::Unknown(_) => false,
        })
    }

    fn equals_number(&self, number: Option<&Value>) -> bool {
        matches!((&self.number, number), (Some(own), Some(other)) if own.same(other))
    }

    fn is(&self, value: &Value) -> bool {
        self.equals(value) == Answer::Yes
    }

    /// Whether a string equals this. It may contain JSON, as policies often do.
    fn equals_text(&self, text: &str) -> bool {
        if let Some(own) = &self.compound
            && let Some(other) = compound(text)
        {
            return own.same(&other);
        }
        let trimmed = text.trim();
        if trimmed.contains('\n') { *joined(trimmed) == *self.text } else { *trimmed == *self.text }
    }
}

/// `text` without blanks at the ends and without line feeds. A rule is one line, so a string of several lines is compared
/// with them joined.
fn joined(text: &str) -> String {
    text.trim().replace('\n', "")
}

/// The number that an unquoted scalar of a YAML template stands for: `+12`, `0x1F`, `1e3`. What may be an account or a
/// version (`0123`, `1.10`) is not a number.
pub(super) fn spelled(value: &Value) -> Option<Value> {
    let text = value.as_str().filter(|_| value.traits.has(Traits::NUMERIC))?;
    let digits = text.trim_start_matches(['-', '+']);
    let after_zero = digits.strip_prefix('0');
    let is_name = digits.contains('.') || after_zero.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    yaml::number(text).filter(|_| !is_name).map(Value::new)
}

fn number(text: &str) -> Option<Value> {
    strict(text).filter(|value| matches!(value.data, Data::Int(_) | Data::BigInt(_) | Data::Float(_)))
}

/// The elements of a list after `IN`: those of a JSON array, one JSON value, or strings between commas.
pub(super) fn list(text: &str) -> Vec<Literal> {
    match strict(text) {
        Some(Value { data: Data::Array(items), .. }) => items.iter().map(Literal::of_json).collect(),
        Some(value) => vec![Literal::of_json(&value)],
        None => {
            let bare = text.trim().trim_start_matches('[').trim_end_matches(']');
            bare.split(',').map(Literal::element).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::guard::testing::json;

    #[track_caller]
    fn check(literal: &str, value: &str, expected: bool) {
        assert_eq!(Literal::written(literal).equals(&json(value)), Answer::from(expected), "{literal} == {value}");
    }

    #[test]
    fn texts_are_trimmed_and_kept_inside() {
        check("abc", r#"" abc ""#, true);
        check("a b", r#""a b""#, true);
        check("ab", r#""a b""#, false);
        check("ABC", r#""abc""#, false);
        check("a bc", r#""a b\nc\n""#, true);
        check("\"x\"", r#""x""#, false);
        check("\"\"", r#""""#, false);
    }

    #[test]
    fn numbers_compare_by_value_and_other_texts_do_not() {
        check("100.0", "100", true);
        check("1e3", "1000", true);
        check("16777217", "16777216", false);
        check("18446744073709551616", "18446744073709551616", true);
        check("07", "7", false);
        check("+5", "5", false);
        check("1.0", r#""1""#, false);
    }

    #[test]
    fn numbers_of_yaml_compare_by_value_unless_they_may_be_names() {
        let spelled = |text: &str| Value::from(text).with_traits(Traits::NUMERIC);
        for (literal, text, expected) in [
            ("31", "0x1F", true),
            ("12", "+12", true),
            ("1000", "1e3", true),
            ("777", "0777", false),
            ("1.1", "1.10", false),
        ] {
            assert_eq!(Literal::written(literal).equals(&spelled(text)), Answer::from(expected), "{literal} == {text}");
        }
        check("31", r#""0x1F""#, false);
    }

    #[test]
    fn numbers_of_variables_compare_as_text() {
        assert_eq!(Literal::assigned("5.0").equals(&json("5")), Answer::No);
        assert_eq!(Literal::assigned("5").equals(&json("5")), Answer::Yes);
    }

    #[test]
    fn booleans_are_written_in_any_case_and_are_not_strings() {
        check("True", "true", true);
        check("FALSE", "false", true);
        check("true", r#""True""#, false);
        check("null", "null", true);
    }

    #[test]
    fn objects_and_arrays_compare_by_structure() {
        check(r#"{"b":1, "a":2}"#, r#"{"a":2,"b":1.0}"#, true);
        check(r#"{"a":"\u00e9"}"#, r#"{"a":"é"}"#, true);
        check(r#"["a b"]"#, r#"["ab"]"#, false);
        check("[p, q]", r#"["p","q"]"#, true);
        check("[p]", r#"["p","q"]"#, false);
        check("p,q", r#"["p","q"]"#, false);
        check(r#"{"a":1}"#, r#""{\"a\": 1}""#, true);
        check("[x]", r#""[x]""#, true);
    }

    #[track_caller]
    fn check_list(text: &str, value: &str, expected: bool) {
        let found = list(text).iter().any(|element| element.is(&json(value)));
        assert_eq!(found, expected, "{value} IN {text}");
    }

    #[test]
    fn lists_are_json_or_texts_between_commas() {
        check_list(r#"["a\tb", "c d"]"#, r#""a\tb""#, true);
        check_list(r#"["a\tb", "c d"]"#, r#""c d""#, true);
        check_list("[1, 2.0]", "2", true);
        check_list("[1]", r#""1""#, true);
        check_list(r#"["1"]"#, "1", true);
        check_list(r#""a""#, r#""a""#, true);
        check_list("[a,\tb]", r#""b""#, true);
        check_list("a,,b", r#""""#, true);
        check_list("[]", r#""""#, false);
        check_list("[[a,b]]", r#""a""#, true);
        check_list("[a,[b],c]", r#""b""#, false);
        check_list(r#"[a,"b"]"#, r#""b""#, false);
        check_list("[True]", "true", true);
    }
}
