//! `is`: compares a value as the clouds read it. For a Boolean property, they accept `"True"` and `1` as `true`; for a
//! number or a string, they accept `"5"` as 5, and the reverse.

use crate::json::operators::{Answer, Operand, Refusal, admits, equal_ignoring_case};
use crate::outcomes::Outcomes;
use crate::value::{Data, Kind, Str, Unknown, Value};

pub(super) fn read(given: &Value) -> Result<Operand, Refusal> {
    match &given.data {
        Data::Bool(_) | Data::Int(_) | Data::BigInt(_) | Data::Float(_) | Data::String(_) => {
            Ok(Operand::Value(given.clone()))
        }
        _ => Err(Refusal::Expected("`true`, `false`, a number or a string")),
    }
}

pub(super) fn test(operand: &Operand, value: Option<&Value>) -> Answer {
    let (Operand::Value(expected), Some(value)) = (operand, value) else { return false.into() };
    match &value.data {
        Data::Unknown(unknown) => unknown_is(expected, unknown).into(),
        _ => (texts(expected).iter().any(|text| has_text(value, text)) || is_number(expected, value)).into(),
    }
}

/// Returns the notations of a value.
fn texts(value: &Value) -> Vec<Str> {
    match &value.data {
        Data::Bool(true) => ["true", "1"].map(Str::from).to_vec(),
        Data::Bool(false) => ["false", "0"].map(Str::from).to_vec(),
        Data::String(text) => vec![text.clone()],
        _ => vec![Str::from(value.to_json())],
    }
}

/// True if a known value has this notation. The string `"1"` does not count as a Boolean, but the number does.
fn has_text(value: &Value, text: &str) -> bool {
    match &value.data {
        Data::String(found) => equal_ignoring_case(found.trim(), text.trim()),
        Data::Bool(found) => text.eq_ignore_ascii_case(if *found { "true" } else { "false" }),
        Data::Int(_) | Data::BigInt(_) | Data::Float(_) => value.to_json() == text,
        _ => false,
    }
}

/// True if two numbers are equal, of which one may be a string.
fn is_number(expected: &Value, value: &Value) -> bool {
    if expected.same(value) {
        return true;
    }
    let is_any_number = expected.as_f64().is_some() || value.as_f64().is_some();
    let [expected, found]: [Option<f64>; 2] =
        [expected, value].map(|value| value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()));
    is_any_number && expected.is_some() && expected == found
}

fn unknown_is(expected: &Value, unknown: &Unknown) -> Outcomes {
    let is_scalar = !matches!(unknown.kind, Kind::Array | Kind::Object | Kind::Null);
    let may_be = match unknown.kind {
        // A Boolean is none of these numbers and texts.
        Kind::Bool => {
            texts(expected).iter().any(|text| has_text(&Value::from(true), text))
                || texts(expected).iter().any(|text| has_text(&Value::from(false), text))
        }
        _ => texts(expected).iter().any(|text| admits(unknown, text)),
    };
    if is_scalar && may_be { Outcomes::UNKNOWN } else { Outcomes::FALSE }
}

#[cfg(test)]
mod tests {
    use crate::json::operators::tests::{check, check_unknown, refuses};
    use crate::outcomes::Outcomes;
    use crate::value::Kind;

    #[test]
    fn a_boolean_has_several_spellings() {
        check(
            "is",
            "true",
            &["true", "\"true\"", "\"True\"", "\" TRUE \"", "1"],
            &["false", "\"yes\"", "0", "null", "", "[]", "2"],
        );
        check("is", "false", &["false", "\"False\"", "0"], &["true", "\"\"", "null", "", "1"]);
    }

    #[test]
    fn numbers_and_texts_are_read_as_each_other() {
        check("is", "5", &["5", "5.0", "\"5\"", "\" 5 \""], &["6", "\"five\"", "true", "", "null"]);
        check("is", "1.5", &["1.5", "\"1.5\"", "\"1.50\""], &["1", "\"1,5\""]);
        check("is", "\"443\"", &["443", "\"443\""], &["444", "\"0443x\"", ""]);
        check("is", "\"Deny\"", &["\"deny\"", "\"DENY\""], &["\"Allow\"", "null", "", "true"]);
        check("is", "\"true\"", &["true", "\"TRUE\""], &["1", "false"]);
        refuses("is", "null", "`true`, `false`, a number or a string");
        refuses("is", "[1]", "`true`, `false`, a number or a string");
    }

    #[test]
    fn what_is_unknown_may_be_it_if_its_kind_allows() {
        check_unknown("is", "true", Kind::Bool, Outcomes::UNKNOWN);
        check_unknown("is", "true", Kind::String, Outcomes::UNKNOWN);
        check_unknown("is", "true", Kind::Any, Outcomes::UNKNOWN);
        check_unknown("is", "true", Kind::Object, Outcomes::FALSE);
        check_unknown("is", "\"Deny\"", Kind::Bool, Outcomes::FALSE);
        check_unknown("is", "5", Kind::Int, Outcomes::UNKNOWN);
        check_unknown("is", "5", Kind::Array, Outcomes::FALSE);
    }
}
