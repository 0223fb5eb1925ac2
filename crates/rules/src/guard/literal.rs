//! The right side of `==`, `!=`, `IN` and `NOT_IN`.

use crate::guard::json_text::{compound, strict, text_of};
use crate::outcomes::Outcomes;
use crate::syntax::yaml;
use crate::value::{Data, Ends, Traits, Unknown, Value};

/// A value in a ruleset. It has no type of its own: the value that it is compared with decides how it is read.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    /// Text without surrounding blanks and without line feeds.
    text: Box<str>,
    /// Parsed array or object, if the text is one in JSON.
    compound: Option<Value>,
    /// Number, if the text is one. Numbers compare by value: `100.0` is 100.
    number: Option<Value>,
    /// Elements of `[a,b]`, which is not JSON.
    items: Option<Vec<Self>>,
}

impl Literal {
    /// Reads a value in a rule.
    pub(super) fn written(text: &str) -> Self {
        let text = joined(text);
        let compound = written_compound(&text);
        let bare = text.starts_with('[') && text.ends_with(']') && compound.is_none();
        let items = bare.then(|| elements(&text));
        Self { number: number(&text), compound, items, text: text.into() }
    }

    /// True if it is neither JSON nor a list.
    pub(super) fn is_text(&self) -> bool {
        self.compound.is_none() && self.items.is_none()
    }

    /// True if it is a string in quotes, which are part of it.
    pub(super) fn has_quotes(&self) -> bool {
        self.is_text() && self.text.contains(['"', '\''])
    }

    /// Reads the value of a variable. Assignments are text, so numbers compare digit by digit.
    pub(super) fn assigned(text: &str) -> Self {
        Self { number: None, ..Self::written(text) }
    }

    /// Reads an element of a list that is not JSON. The element may still be an object or an array.
    fn element(text: &str) -> Self {
        let text = joined(text);
        Self { number: number(&text), compound: written_compound(&text), items: None, text: text.into() }
    }

    /// Returns a string in JSON.
    fn written_string(text: &str) -> Self {
        Self { text: text.trim().into(), compound: None, number: None, items: None }
    }

    /// Converts an element of a JSON array.
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

    /// Compares with a value of a template. One differing part that is known decides.
    pub(super) fn equals(&self, value: &Value) -> Outcomes {
        match &value.data {
            Data::Unknown(unknown) => return self.may_equal(unknown),
            Data::Array(items) => return self.equals_items(value, items),
            Data::Object(_) => return self.compound.as_ref().map_or(Outcomes::FALSE, |own| same(own, value)),
            _ => {}
        }
        Outcomes::from(match &value.data {
            Data::String(text) => self.equals_text(text) || self.equals_number(spelled(value).as_ref()),
            // `True` is how Python writes it.
            Data::Bool(true) => self.text.eq_ignore_ascii_case("true"),
            Data::Bool(false) => self.text.eq_ignore_ascii_case("false"),
            Data::Int(_) | Data::BigInt(_) | Data::Float(_) if self.number.is_some() => self.equals_number(Some(value)),
            Data::Int(_) | Data::BigInt(_) | Data::Float(_) => *text_of(value) == *self.text,
            Data::Null => *self.text == *"null",
            Data::Array(_) | Data::Object(_) | Data::Unknown(_) => false,
        })
    }

    /// Compares with an unknown value. Surrounding blanks do not count, so known ends that are blank decide nothing.
    fn may_equal(&self, unknown: &Unknown) -> Outcomes {
        let ends = unknown.ends.as_deref().filter(|_| self.compound.is_none());
        let ends = ends.filter(|Ends { start, end, .. }| {
            !start.starts_with(char::is_whitespace) && !end.ends_with(char::is_whitespace) && !start.contains('\n')
        });
        match ends {
            Some(ends) if !ends.end.contains('\n') && !ends.admit(&self.text, |a, b| a == b) => Outcomes::FALSE,
            _ => Outcomes::UNKNOWN,
        }
    }

    fn equals_items(&self, value: &Value, items: &[Value]) -> Outcomes {
        match (&self.compound, &self.items) {
            (Some(compound), _) => same(compound, value),
            (None, Some(own)) if own.len() == items.len() => {
                Outcomes::all(own.iter().zip(items).map(|(own, item)| own.equals(item)))
            }
            (None, _) => Outcomes::FALSE,
        }
    }

    fn equals_number(&self, number: Option<&Value>) -> bool {
        matches!((&self.number, number), (Some(own), Some(other)) if own.same(other))
    }

    /// Compares with a string, which may contain JSON, as policies often do.
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

/// Compares two values like [`Value::same`], where the template's value may have unknown parts.
fn same(own: &Value, value: &Value) -> Outcomes {
    if !value.traits.has(Traits::UNKNOWN) {
        return Outcomes::from(own.same(value));
    }
    match (&own.data, &value.data) {
        (Data::String(text), Data::Unknown(unknown)) => Literal::written_string(text).may_equal(unknown),
        (_, Data::Unknown(_)) => Outcomes::UNKNOWN,
        (Data::Array(own), Data::Array(items)) if own.len() == items.len() => {
            Outcomes::all(own.iter().zip(items.iter()).map(|(own, item)| same(own, item)))
        }
        (Data::Object(own), Data::Object(members)) if own.len() == members.len() => {
            Outcomes::all(own.iter().map(|member| {
                members.get_exact(&member.key).map_or(Outcomes::FALSE, |value| same(&member.value, value))
            }))
        }
        _ => Outcomes::FALSE,
    }
}

/// Removes surrounding blanks and all line feeds. A rule is one line, so strings of several lines are joined before the
/// comparison.
fn joined(text: &str) -> String {
    text.trim().replace('\n', "")
}

/// Returns the number that an unquoted scalar of a YAML template stands for: `+12`, `0x1F`, `1e3`. Text that may be an
/// account or a version (`0123`, `1.10`) is not a number.
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

/// Returns the elements of a list after `IN`: those of a JSON array, a single JSON value, or strings between commas.
pub(super) fn list(text: &str) -> Vec<Literal> {
    match strict(text) {
        Some(Value { data: Data::Array(items), .. }) => items.iter().map(Literal::of_json).collect(),
        Some(value) => vec![Literal::of_json(&value)],
        None => elements(text.trim()),
    }
}

/// Parses an array or an object in a ruleset. Its Booleans may be `True` and `False`, as in Python.
fn written_compound(text: &str) -> Option<Value> {
    compound(text).or_else(|| compound(&with_json_booleans(text)))
}

/// Replaces `True` by `true` and `False` by `false` where they are values of their own.
fn with_json_booleans(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let (mut is_string, mut is_escaped) = (false, false);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let boolean = [("True", "true"), ("False", "false")].into_iter().find(|(python, _)| rest.starts_with(python));
        let step = if let Some((python, json)) = boolean.filter(|_| !is_string) {
            result.push_str(json);
            python.len()
        } else {
            result.push(first);
            first.len_utf8()
        };
        is_string ^= first == '"' && !is_escaped;
        is_escaped = is_string && first == '\\' && !is_escaped;
        rest = rest.get(step..).unwrap_or_default();
    }
    result
}

/// Splits a list that is not JSON, with or without brackets. The elements are strings between commas; objects and
/// arrays among them are JSON, and may contain commas.
fn elements(text: &str) -> Vec<Literal> {
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let split = split(inner);
    if split.iter().all(|part: &&str| !part.contains(['[', ']']) || written_compound(part.trim()).is_some()) {
        return split.into_iter().map(Literal::element).collect();
    }
    // Brackets that do not match are ignored; a warning says so.
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    bare.split(',').map(Literal::element).collect()
}

/// Splits at commas, but not inside of JSON.
fn split(text: &str) -> Vec<&str> {
    // Booleans in either case have the same length.
    let json = with_json_booleans(text);
    let mut parts = Vec::new();
    let mut start = 0;
    while let (Some(rest), Some(same)) = (text.get(start..), json.get(start..)) {
        let blanks = same.len() - same.trim_start().len();
        let covered = blanks + json_length(same.trim_start());
        let Some(comma) = rest.get(covered..).and_then(|after| after.find(',')) else {
            parts.push(rest);
            break;
        };
        parts.extend(rest.get(..covered + comma));
        start += covered + comma + 1;
    }
    parts
}

/// Returns the length of the object or array at the beginning of a text, or 0.
fn json_length(text: &str) -> usize {
    if !text.starts_with(['{', '[']) {
        return 0;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => values.byte_offset(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::testing::json;
    use crate::value::Member;

    #[track_caller]
    fn check(literal: &str, value: &str, expected: bool) {
        assert_eq!(Literal::written(literal).equals(&json(value)), Outcomes::from(expected), "{literal} == {value}");
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
            assert_eq!(
                Literal::written(literal).equals(&spelled(text)),
                Outcomes::from(expected),
                "{literal} == {text}"
            );
        }
        check("31", r#""0x1F""#, false);
    }

    #[test]
    fn numbers_of_variables_compare_as_text() {
        assert_eq!(Literal::assigned("5.0").equals(&json("5")), Outcomes::FALSE);
        assert_eq!(Literal::assigned("5").equals(&json("5")), Outcomes::TRUE);
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

    #[test]
    fn booleans_in_json_may_be_those_of_python() {
        check(r#"{"a": True, "b": "True"}"#, r#"{"b": "True", "a": true}"#, true);
        check(r#"{"a": "\"True", "b": False}"#, r#"{"a": "\"True", "b": false}"#, true);
        check("[True, 1]", "[true, 1]", true);
    }

    #[test]
    fn a_known_part_that_differs_decides() {
        let unknown = || Value::unknown(Unknown::new(crate::value::Kind::String, "it is so"));
        let member =
            |value: &str| Value::object(vec![Member::new("A", unknown()), Member::new("B", Value::from(value))]);
        let list = Value::array(vec![member("b"), Value::from(1)]);
        for (literal, expected) in [
            (r#"[{"A": "x", "B": "b"}, 1]"#, Outcomes::UNKNOWN),
            (r#"[{"A": "x", "B": "c"}, 1]"#, Outcomes::FALSE),
            (r#"[{"A": "x", "C": "b"}, 1]"#, Outcomes::FALSE),
            (r#"[{"A": "x", "B": "b"}]"#, Outcomes::FALSE),
            (r#"[{"A":"x","B":"b"},1,a]"#, Outcomes::FALSE),
            ("[x, 1]", Outcomes::FALSE),
            ("[x, 2]", Outcomes::FALSE),
        ] {
            assert_eq!(Literal::written(literal).equals(&list), expected, "{literal}");
        }
    }

    #[test]
    fn certain_ends_of_an_unknown_decide() {
        let ends = Ends { start: "arn:".to_owned(), end: "/Admin".to_owned(), is_filled: false, ..Ends::default() };
        let value = Value::unknown(Unknown::new(crate::value::Kind::String, "it is so").between(ends));
        assert_eq!(Literal::written("arn:x/Admin").equals(&value), Outcomes::UNKNOWN);
        assert_eq!(Literal::written("arn:x/Read").equals(&value), Outcomes::FALSE);
    }

    #[track_caller]
    fn check_list(text: &str, value: &str, expected: bool) {
        let found = list(text).iter().any(|element| element.equals(&json(value)) == Outcomes::TRUE);
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
        check_list(r#"[a,{"Ref":"X"}]"#, r#"{"Ref":"X"}"#, true);
        check_list(r#"[a,{"Ref":"X"}]"#, r#""a""#, true);
        check_list(r#"[{"Ref":"X"},a, {"b":[1,2],"c":"d,e"} ]"#, r#"{"c":"d,e","b":[1,2]}"#, true);
        check_list(r#"{"Ref":"X"},a"#, r#"{"Ref":"X"}"#, true);
        check_list(r#"[a,["b","c"]]"#, r#"["b","c"]"#, true);
        check_list(r#"[a,{"E":True}]"#, r#"{"E":true}"#, true);
        check_list("[a,{b]", r#""{b""#, true);
    }
    #[test]
    fn booleans_of_python_count_outside_strings() {
        for (python, json) in [
            (r#"["True", True]"#, r#"["True", true]"#),
            (r#"["xTrue", False]"#, r#"["xTrue", false]"#),
            (r#"["a\"True", True]"#, r#"["a\"True", true]"#),
            (r#"["a\\", True]"#, r#"["a\\", true]"#),
        ] {
            assert_eq!(with_json_booleans(python), json);
        }
    }
}
