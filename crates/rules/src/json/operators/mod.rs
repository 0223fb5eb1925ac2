//! Value operators: their operands and tests.

mod actions;
mod addresses;
mod bounds;
mod contains;
mod end_of_life;
mod ports;
mod secret;
mod tolerant;
mod version;

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::json::date;
use crate::lookup::compared_location;
use crate::outcomes::Outcomes;
use crate::pattern::{Form, Pattern, PatternError};
use crate::value::{Data, Ends, Kind, Str, Traits, Unknown, Value};

pub(super) use self::bounds::Bounds;

/// All value operators, by their names in rules. Those from `is` on only exist in formwork.
pub(super) const OPERATORS: &[ValueOperator] = &[
    operator("exists", flag, exists),
    operator("hasValue", flag, has_value),
    operator("equals", anything, equals),
    operator("notEquals", anything, not_equals),
    operator("regex", pattern, matches),
    operator("in", list, is_in),
    operator("less", bound, |operand, value| ordered(operand, value, Ordering::is_lt)),
    operator("lessOrEquals", bound, |operand, value| ordered(operand, value, Ordering::is_le)),
    operator("greater", bound, |operand, value| ordered(operand, value, Ordering::is_gt)),
    operator("greaterOrEquals", bound, |operand, value| ordered(operand, value, Ordering::is_ge)),
    operator("is", tolerant::read, tolerant::test),
    operator("versionBelow", version::below, extended),
    operator("versionAtLeast", version::at_least, extended),
    operator("includesPort", ports::read, extended),
    operator("includesAction", actions::read, extended),
    operator("anyAddress", addresses::read_any, extended),
    operator("addressSpan", addresses::read_span, extended),
    operator("containsAny", contains::read_any, extended),
    operator("containsAll", contains::read_all, extended),
    operator("endOfLife", end_of_life::read, extended),
    operator("secret", flag, secret::test),
];

/// A condition on one value.
#[derive(Debug)]
pub(super) struct ValueOperator {
    pub(super) name: &'static str,
    /// Checks and compiles the operand in the rule.
    pub(super) read: fn(&Value) -> Result<Operand, Refusal>,
    /// Tests a value, where `None` is a missing one.
    test: fn(&Operand, Option<&Value>) -> Answer,
}

const fn operator(
    name: &'static str,
    read: fn(&Value) -> Result<Operand, Refusal>,
    test: fn(&Operand, Option<&Value>) -> Answer,
) -> ValueOperator {
    ValueOperator { name, read, test }
}

/// Reason for which an operator rejects an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The operand has the wrong type or form. Holds the expected one.
    Expected(&'static str),
    /// The operand is an invalid or unsupported regular expression.
    Pattern(PatternError),
    /// The operand has the right form, but cannot be used. Holds the reason.
    Unusable(String),
}

/// Operand of a value operator.
#[derive(Debug)]
pub(super) enum Operand {
    /// Operand of `exists` and `hasValue`.
    Flag(bool),
    /// Operand of `equals`, `notEquals` and `is`.
    Value(Value),
    /// Operand of `in`.
    List(Vec<Value>),
    /// Operand of `regex`: the expression as written, and compiled.
    Pattern(Str, Arc<Pattern>),
    /// Number of a comparison such as `less`.
    Number(Value),
    /// Date of a comparison such as `less`: as written, and parsed.
    Date(Str, DateTime<Utc>),
    /// Operand of an operator that only exists in formwork.
    Extension(Box<dyn Extension>),
}

/// Operand of an operator that only exists in formwork.
pub(super) trait Extension: fmt::Debug + Send + Sync {
    /// Tests a value.
    fn test(&self, value: &Value) -> Answer;

    /// True if a missing value satisfies the condition.
    fn missing(&self) -> bool {
        false
    }

    /// Describes a value that does not satisfy the condition or, if `negated`, one that does. `None` stands for a
    /// missing or unknown value.
    fn fault(&self, value: Option<&Value>, negated: bool) -> Fault;
}

/// Description of a wrong value, as the end of a clause about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Expected value: ``a version of at least `1.31` ``.
    Expected(String),
    /// Property of the actual value: `includes port 22`.
    Which(String),
}

/// Returns the result of an operator that only exists in formwork.
fn extended(operand: &Operand, value: Option<&Value>) -> Answer {
    match (operand, value) {
        (Operand::Extension(extension), Some(value)) => extension.test(value),
        (Operand::Extension(extension), None) => extension.missing().into(),
        _ => false.into(),
    }
}

/// An operator with its operand.
#[derive(Debug)]
pub(super) struct Test {
    pub(super) operator: &'static ValueOperator,
    pub(super) operand: Operand,
}

/// Result of testing a value, with the reason if it is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) outcomes: Outcomes,
    pub(super) why: Option<Str>,
}

impl Test {
    /// Tests a value, where `None` is a missing one. An unknown value with several alternatives is tested with each of
    /// them.
    pub(super) fn answer(&self, value: Option<&Value>) -> Answer {
        let test = |value| (self.operator.test)(&self.operand, value);
        let choices = value.filter(|value| value.as_unknown().is_some()).and_then(Value::choices).unwrap_or_default();
        let each = choices.iter().map(|choice| test(Some(choice)).outcomes).reduce(Outcomes::union);
        let mut answer = each.map_or_else(|| test(value), Answer::from);
        if answer.outcomes == Outcomes::UNKNOWN && answer.why.is_none() {
            answer.why = value.and_then(Value::first_unknown).map(|unknown| unknown.why.clone());
        }
        answer
    }
}

impl Test {
    /// Tests the location of a resource. Spaces in it do not count.
    pub(super) fn answer_for_location(&self, value: &Value) -> Answer {
        let operand = match &self.operand {
            Operand::Value(expected) => Operand::Value(compared_location(expected)),
            Operand::List(expected) => Operand::List(expected.iter().map(compared_location).collect()),
            _ => return self.answer(Some(value)),
        };
        Self { operator: self.operator, operand }.answer(Some(&compared_location(value)))
    }
}

impl From<Outcomes> for Answer {
    fn from(outcomes: Outcomes) -> Self {
        Self { outcomes, why: None }
    }
}

impl From<bool> for Answer {
    fn from(holds: bool) -> Self {
        Outcomes::from(holds).into()
    }
}

fn flag(given: &Value) -> Result<Operand, Refusal> {
    given.as_bool().map(Operand::Flag).ok_or(Refusal::Expected("`true` or `false`"))
}

fn anything(given: &Value) -> Result<Operand, Refusal> {
    Ok(Operand::Value(given.clone()))
}

fn list(given: &Value) -> Result<Operand, Refusal> {
    given.as_array().map(|items| Operand::List(items.to_vec())).ok_or(Refusal::Expected("an array"))
}

fn pattern(given: &Value) -> Result<Operand, Refusal> {
    let text = given.as_shared_str().ok_or(Refusal::Expected("a string"))?;
    let pattern = Pattern::of_rule(text).map_err(Refusal::Pattern)?;
    Ok(Operand::Pattern(text.clone(), pattern))
}

fn bound(given: &Value) -> Result<Operand, Refusal> {
    match &given.data {
        Data::Int(_) | Data::BigInt(_) | Data::Float(_) => Ok(Operand::Number(given.clone())),
        Data::String(text) => match date::parse(text) {
            Some(date) => Ok(Operand::Date(text.clone(), date)),
            None => Err(Refusal::Expected("a number, or a date like `2021-02-28` or `2021-02-28T18:17:16Z`")),
        },
        _ => Err(Refusal::Expected("a number or a date")),
    }
}

/// Returns the result of `exists` or `hasValue`, given whether the value exists.
fn against(operand: &Operand, found: Outcomes) -> Answer {
    match operand {
        Operand::Flag(false) => found.negated().into(),
        _ => found.into(),
    }
}

/// Returns whether a value exists. An unknown value does, since the template has its expression, unless that may remove
/// the property. So does null.
fn exists(operand: &Operand, value: Option<&Value>) -> Answer {
    let found = match value.and_then(Value::as_unknown) {
        Some(unknown) if unknown.is_optional => Outcomes::UNKNOWN,
        _ => value.is_some().into(),
    };
    against(operand, found)
}

fn has_value(operand: &Operand, value: Option<&Value>) -> Answer {
    let found = match value.map(|value| &value.data) {
        None | Some(Data::Null) => Outcomes::FALSE,
        Some(Data::String(text)) => Outcomes::from(!text.is_empty()),
        Some(Data::Unknown(unknown)) if unknown.ends.as_ref().is_some_and(|ends| ends.has_text()) => Outcomes::TRUE,
        Some(Data::Unknown(unknown)) if matches!(unknown.kind, Kind::Any | Kind::Null | Kind::String) => {
            Outcomes::UNKNOWN
        }
        Some(_) => Outcomes::TRUE,
    };
    against(operand, found)
}

fn equals(operand: &Operand, value: Option<&Value>) -> Answer {
    let (Operand::Value(expected), Some(value)) = (operand, value) else { return false.into() };
    equal(expected, value).into()
}

fn not_equals(operand: &Operand, value: Option<&Value>) -> Answer {
    equals(operand, value).outcomes.negated().into()
}

fn is_in(operand: &Operand, value: Option<&Value>) -> Answer {
    let (Operand::List(expected), Some(value)) = (operand, value) else { return false.into() };
    let each = expected.iter().map(|expected| equal(expected, value));
    Outcomes::any(each).into()
}

/// Compares two values. Strings are compared case-insensitively, but not those in arrays and objects.
fn equal(expected: &Value, value: &Value) -> Outcomes {
    match (expected.as_str(), value.as_str()) {
        (Some(a), Some(b)) => equal_ignoring_case(a, b).into(),
        _ => same(expected, value),
    }
}

/// Compares strings like .NET's case-insensitive comparison: by simple upper-case mappings.
fn equal_ignoring_case(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || !(a.is_ascii() && b.is_ascii()) && a.chars().map(upper).eq(b.chars().map(upper))
}

fn upper(character: char) -> char {
    let mut mapped = character.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(one), None) => one,
        _ => character,
    }
}

/// Compares two values like [`Value::same`], where values may have unknown parts. They differ if a known part does.
fn same(expected: &Value, value: &Value) -> Outcomes {
    if !value.traits.has(Traits::UNKNOWN) {
        return expected.same(value).into();
    }
    match (&expected.data, &value.data) {
        (Data::String(text), Data::Unknown(unknown)) if !admits(unknown, text) => Outcomes::FALSE,
        (_, Data::Unknown(unknown)) if may_be(unknown.kind, expected.kind()) => Outcomes::UNKNOWN,
        (Data::Array(a), Data::Array(b)) if a.len() == b.len() => {
            Outcomes::all(a.iter().zip(b.iter()).map(|(a, b)| same(a, b)))
        }
        (Data::Object(a), Data::Object(b)) if a.len() == b.len() => Outcomes::all(
            a.iter().map(|member| b.get_exact(&member.key).map_or(Outcomes::FALSE, |other| same(&member.value, other))),
        ),
        _ => Outcomes::FALSE,
    }
}

/// True if an unknown value may be this string, as far as its ends are known.
fn admits(unknown: &Unknown, text: &str) -> bool {
    unknown.ends.as_ref().is_none_or(|ends| ends.admit(text, equal_ignoring_case))
}

/// True if an unknown value of one kind may turn out to be of another.
fn may_be(unknown: Kind, expected: Kind) -> bool {
    let numbers = [Kind::Int, Kind::Float];
    unknown == Kind::Any || unknown == expected || numbers.contains(&unknown) && numbers.contains(&expected)
}

fn matches(operand: &Operand, value: Option<&Value>) -> Answer {
    let (Operand::Pattern(_, pattern), Some(value)) = (operand, value) else { return false.into() };
    match &value.data {
        Data::String(text) => match pattern.is_match(text) {
            Ok(found) => found.into(),
            Err(_) => Answer {
                outcomes: Outcomes::UNKNOWN,
                why: Some(Str::from("the regular expression takes too long on this value")),
            },
        },
        Data::Unknown(unknown) if may_be(unknown.kind, Kind::String) => {
            let ends = unknown.ends.as_deref();
            let form = ends.map(|Ends { start, end, is_filled, .. }| Form { start, end, is_filled: *is_filled });
            let found = form.and_then(|form| pattern.is_match_between(form));
            Outcomes::from(found).into()
        }
        _ => false.into(),
    }
}

fn ordered(operand: &Operand, value: Option<&Value>, expected: fn(Ordering) -> bool) -> Answer {
    let Some(value) = value else { return false.into() };
    let (kind, ordering) = match operand {
        Operand::Number(bound) => (Kind::Int, compare(value, bound)),
        Operand::Date(_, bound) => (Kind::String, value.as_str().and_then(date::parse).map(|date| date.cmp(bound))),
        _ => return false.into(),
    };
    match value.as_unknown() {
        Some(unknown) if may_be(unknown.kind, kind) => Outcomes::UNKNOWN.into(),
        _ => ordering.is_some_and(expected).into(),
    }
}

/// Compares numbers. Returns `None` for anything else.
fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a.as_int(), b.as_int()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::json::testing::json;
    use crate::value::Member;

    pub(in crate::json) fn test(operator: &str, operand: &str) -> Test {
        let operator = OPERATORS.iter().find(|entry| entry.name == operator).expect("the operator exists");
        Test { operator, operand: (operator.read)(&json(operand)).expect("the operand is right") }
    }

    /// Tests values that satisfy a condition, and others that do not; the empty string is a missing value.
    #[track_caller]
    pub(in crate::json) fn check(operator: &str, operand: &str, holds: &[&str], others: &[&str]) {
        let test = test(operator, operand);
        for (texts, expected) in [(holds, Outcomes::TRUE), (others, Outcomes::FALSE)] {
            for text in texts {
                let value = (!text.is_empty()).then(|| json(text));
                assert_eq!(test.answer(value.as_ref()).outcomes, expected, "{text} {operator} {operand}");
            }
        }
    }

    #[track_caller]
    pub(in crate::json) fn refuses(operator: &str, operand: &str, expected: &'static str) {
        let operator = OPERATORS.iter().find(|entry| entry.name == operator).expect("the operator exists");
        assert_eq!((operator.read)(&json(operand)).expect_err("the operand is wrong"), Refusal::Expected(expected));
    }

    /// Returns the reason for which an operand of the right form is rejected.
    #[track_caller]
    pub(in crate::json) fn refused(operator: &str, operand: &str) -> String {
        let operator = OPERATORS.iter().find(|entry| entry.name == operator).expect("the operator exists");
        match (operator.read)(&json(operand)) {
            Err(Refusal::Unusable(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    /// Compares the description of a value: `expected …`, or `which …` for a value that messages show.
    #[track_caller]
    pub(in crate::json) fn check_fault_of(operator: &str, operand: &str, value: &str, negated: bool, expected: &str) {
        let value = json(value);
        let Operand::Extension(extension) = test(operator, operand).operand else { panic!("it is not an extension") };
        let is_shown = !matches!(value.kind(), Kind::Array | Kind::Object);
        let found = match extension.fault(Some(&value), negated) {
            Fault::Expected(text) => format!("expected {text}"),
            Fault::Which(text) if is_shown => format!("which {text}"),
            Fault::Which(text) => text,
        };
        assert_eq!(found, expected);
    }

    /// Compares the description of a missing value, like [`check_fault_of`].
    #[track_caller]
    pub(in crate::json) fn check_fault(operator: &str, operand: &str, negated: bool, expected: &str) {
        let Operand::Extension(extension) = test(operator, operand).operand else { panic!("it is not an extension") };
        let Fault::Expected(text) = extension.fault(None, negated) else { panic!("nothing is expected") };
        assert_eq!(format!("expected {text}"), expected);
    }

    #[test]
    fn exists_counts_null_as_present() {
        check("exists", "true", &["null", "1", "{}"], &[""]);
        check("exists", "false", &[""], &["null", "1"]);
        refuses("exists", "1", "`true` or `false`");
    }

    #[test]
    fn only_null_and_the_empty_text_are_no_values() {
        check("hasValue", "true", &["0", "false", "\" \"", "[]", "{}"], &["", "null", "\"\""]);
        check("hasValue", "false", &["", "null", "\"\""], &["0", "false", "\" \"", "[]", "{}"]);
        refuses("hasValue", "\"true\"", "`true` or `false`");
    }

    #[test]
    fn equals_compares_values_of_one_type() {
        check("equals", "\"Straße é\"", &["\"STRAßE É\""], &["\"STRASSE É\"", "\"STRAßE È\"", "null", ""]);
        check("equals", "1", &["1", "1.0"], &["\"1\"", "true", "2"]);
        check("equals", "16777216", &["16777216"], &["16777217"]);
        check("equals", "null", &["null"], &["", "0", "\"\""]);
        check("equals", "[\"a\", {\"x\": 1, \"y\": 2}]", &["[\"a\", {\"y\": 2, \"x\": 1}]"], &["[\"A\", {}]", "[]"]);
        check("equals", "{\"x\": 1}", &["{\"x\": 1}"], &["{\"x\": 2}", "{\"x\": 1, \"y\": 1}", "{\"y\": 1}"]);
        check("notEquals", "\"a\"", &["\"b\"", "", "1"], &["\"A\""]);
        check("notEquals", "null", &[""], &["null"]);
    }

    #[test]
    fn in_is_equal_to_one_of_several() {
        check("in", "[1, null, \"a\"]", &["1.0", "null", "\"A\""], &["", "2", "\"1\""]);
        check("in", "[]", &[], &["1", ""]);
        refuses("in", "{}", "an array");
    }

    #[test]
    fn regex_looks_at_texts_only() {
        check("regex", "\"^a\"", &["\"ABC\""], &["\"ba\"", "1", "null", ""]);
        refuses("regex", "5", "a string");
    }

    #[test]
    fn comparisons_take_numbers_or_dates() {
        check("less", "1", &["0", "0.9", "-1"], &["1", "2", "\"0\"", "true", ""]);
        check("lessOrEquals", "1", &["1", "1.0"], &["1.1"]);
        check("greater", "1.5", &["2"], &["1.5", "1"]);
        check("greaterOrEquals", "9007199254740993", &["9007199254740993"], &["9007199254740992"]);
        check("greater", "\"2021-02-28\"", &["\"2021-02-28T00:00:01Z\""], &["\"2021-02-28\"", "\"x\"", "5", ""]);
        refuses("less", "true", "a number or a date");
        refuses("less", "\"soon\"", "a number, or a date like `2021-02-28` or `2021-02-28T18:17:16Z`");
    }

    #[track_caller]
    pub(in crate::json) fn check_unknown(operator: &str, operand: &str, kind: Kind, expected: Outcomes) {
        let value = Value::unknown(Unknown::new(kind, "it is so"));
        let answer = test(operator, operand).answer(Some(&value));
        assert_eq!(answer.outcomes, expected, "{operator} {operand} of {kind:?}");
        let why = (expected == Outcomes::UNKNOWN).then(|| Str::from("it is so"));
        assert_eq!(answer.why, why);
    }

    #[test]
    fn an_unknown_part_decides_nothing_unless_another_part_differs() {
        let unknown = |kind| Value::unknown(Unknown::new(kind, "it is so"));
        let object = |members: Vec<(&str, Value)>| {
            Value::object(members.into_iter().map(|(name, value)| Member::new(name, value)).collect())
        };
        for (operand, value, expected) in [
            ("{\"x\": 1, \"y\": 2}", vec![("x", unknown(Kind::Int)), ("y", 2.into())], Outcomes::UNKNOWN),
            ("{\"x\": 1, \"y\": 2}", vec![("x", unknown(Kind::Int)), ("y", 3.into())], Outcomes::FALSE),
            ("{\"x\": 1, \"y\": 2}", vec![("x", unknown(Kind::String)), ("y", 2.into())], Outcomes::FALSE),
            ("{\"x\": 1, \"y\": 2}", vec![("x", unknown(Kind::Int)), ("z", 2.into())], Outcomes::FALSE),
            ("{\"x\": 1}", vec![("x", unknown(Kind::Int)), ("y", 2.into())], Outcomes::FALSE),
        ] {
            let value = object(value);
            assert_eq!(test("equals", operand).answer(Some(&value)).outcomes, expected, "{operand} {value:?}");
        }
    }

    #[test]
    fn an_unknown_decides_nothing_but_what_its_kind_tells() {
        check_unknown("exists", "true", Kind::String, Outcomes::TRUE);
        check_unknown("exists", "true", Kind::Any, Outcomes::TRUE);
        check_unknown("hasValue", "true", Kind::String, Outcomes::UNKNOWN);
        check_unknown("hasValue", "false", Kind::Bool, Outcomes::FALSE);
        check_unknown("equals", "true", Kind::Bool, Outcomes::UNKNOWN);
        check_unknown("equals", "true", Kind::String, Outcomes::FALSE);
        check_unknown("notEquals", "true", Kind::String, Outcomes::TRUE);
        check_unknown("equals", "1.5", Kind::Int, Outcomes::UNKNOWN);
        check_unknown("in", "[1, \"a\"]", Kind::String, Outcomes::UNKNOWN);
        check_unknown("in", "[1]", Kind::String, Outcomes::FALSE);
        check_unknown("regex", "\"a\"", Kind::Any, Outcomes::UNKNOWN);
        check_unknown("regex", "\"a\"", Kind::Int, Outcomes::FALSE);
        check_unknown("less", "1", Kind::Int, Outcomes::UNKNOWN);
        check_unknown("less", "1", Kind::String, Outcomes::FALSE);
        check_unknown("less", "\"2021-02-28\"", Kind::String, Outcomes::UNKNOWN);
    }

    #[test]
    fn the_certain_ends_of_an_unknown_decide() {
        let ends = Ends { start: "arn:".to_owned(), end: ":Admin".to_owned(), is_filled: true, ..Ends::default() };
        let value = Value::unknown(Unknown::new(Kind::String, "it is so").between(ends));
        let outcome = |operator, operand| test(operator, operand).answer(Some(&value)).outcomes;
        assert_eq!(outcome("equals", "\"ARN:aws:admin\""), Outcomes::UNKNOWN);
        assert_eq!(outcome("equals", "\"arn::Admin\""), Outcomes::FALSE);
        assert_eq!(outcome("in", "[\"a\", \"b\"]"), Outcomes::FALSE);
        assert_eq!(outcome("regex", "\":admin$\""), Outcomes::TRUE);
        assert_eq!(outcome("regex", "\"^a\\\\s\""), Outcomes::FALSE);
        assert_eq!(outcome("regex", "\"aws\""), Outcomes::UNKNOWN);
        assert_eq!(outcome("hasValue", "true"), Outcomes::TRUE);
        let optional = Value::unknown(Unknown::new(Kind::Any, "it is so").optional());
        assert_eq!(test("exists", "true").answer(Some(&optional)).outcomes, Outcomes::UNKNOWN);
    }

    #[test]
    fn a_value_with_an_unknown_in_it_may_differ_for_sure() {
        let unknown = Value::unknown(Unknown::new(Kind::String, "it is so"));
        let value = Value::array(vec![Value::from(1), unknown]);
        let outcome = |operand: &str| test("equals", operand).answer(Some(&value)).outcomes;
        assert_eq!(outcome("[1, \"a\"]"), Outcomes::UNKNOWN);
        assert_eq!(outcome("[2, \"a\"]"), Outcomes::FALSE);
        assert_eq!(outcome("[1]"), Outcomes::FALSE);
        assert_eq!(outcome("[1, 2]"), Outcomes::FALSE);
    }
}
