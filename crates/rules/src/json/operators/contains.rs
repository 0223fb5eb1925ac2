//! `containsAny` and `containsAll`: an array, or a string with commas, as a case-insensitive set.

use crate::json::operators::{Answer, Extension, Fault, Operand, Refusal, equal, may_be};
use crate::outcomes::Outcomes;
use crate::value::{Data, Kind, Value};

pub(super) fn read_any(given: &Value) -> Result<Operand, Refusal> {
    read(given, false)
}

pub(super) fn read_all(given: &Value) -> Result<Operand, Refusal> {
    read(given, true)
}

fn read(given: &Value, all: bool) -> Result<Operand, Refusal> {
    let items = given.as_array().filter(|items| !items.is_empty());
    let items = items.ok_or(Refusal::Expected("an array with at least one value"))?.to_vec();
    Ok(Operand::Extension(Box::new(Items { items, all })))
}

/// Operand: values of which one or all should be in an array.
#[derive(Debug)]
struct Items {
    items: Vec<Value>,
    all: bool,
}

impl Extension for Items {
    fn test(&self, value: &Value) -> Answer {
        let each = self.items.iter().map(|item| contains(value, item));
        if self.all { Outcomes::all(each).into() } else { Outcomes::any(each).into() }
    }

    fn fault(&self, value: Option<&Value>, negated: bool) -> Fault {
        let named = self.items.iter().filter(|item| {
            let is_there = value.is_some_and(|value| contains(value, item) == Outcomes::TRUE);
            match (negated, self.all) {
                (true, _) => is_there,
                (false, true) => !is_there,
                (false, false) => true,
            }
        });
        let named: Vec<String> = named.map(|item| format!("`{}`", plain(item))).collect();
        match (negated, self.all) {
            (true, _) if value.is_some() => Fault::Which(format!("contains {}", named.join(" and "))),
            (true, _) => Fault::Expected("other values".to_owned()),
            (false, true) => Fault::Expected(format!("{} in it", named.join(" and "))),
            (false, false) => Fault::Expected(format!("{} in it", named.join(" or "))),
        }
    }
}

/// Returns a string without quotes, anything else as JSON.
fn plain(item: &Value) -> String {
    item.as_str().map_or_else(|| item.to_json(), str::to_owned)
}

fn contains(value: &Value, item: &Value) -> Outcomes {
    match &value.data {
        Data::Array(found) => Outcomes::any(found.iter().map(|found| equal(item, found))),
        Data::String(text) => Outcomes::any(text.split(',').map(|part| equal(item, &Value::from(part.trim())))),
        Data::Unknown(unknown) if may_be(unknown.kind, Kind::Array) || may_be(unknown.kind, Kind::String) => {
            Outcomes::UNKNOWN
        }
        _ => Outcomes::FALSE,
    }
}

#[cfg(test)]
mod tests {
    use crate::json::operators::tests::{check, check_fault, check_fault_of, check_unknown, refuses, test};
    use crate::outcomes::Outcomes;
    use crate::value::{Kind, Unknown, Value};

    #[test]
    fn case_and_order_do_not_count() {
        let (both, one) = (["[\"B\", \"x\", \"a\"]", "\"b, A\"", "\"a,b\""], ["[\"A\"]", "\"x, a\""]);
        let none = ["[\"ab\"]", "\"ab\"", "[]", "\"\"", "null", "", "{}", "5"];
        check("containsAny", "[\"a\", \"b\"]", &[&both[..], &one].concat(), &none);
        check("containsAll", "[\"a\", \"b\"]", &both, &[&one[..], &none].concat());
        check("containsAny", "[1, null]", &["[2, 1]", "[null]"], &["[2]", "\"1\""]);
        refuses("containsAny", "[]", "an array with at least one value");
        refuses("containsAll", "\"a\"", "an array with at least one value");
    }

    #[test]
    fn what_is_known_of_an_array_may_decide() {
        check_unknown("containsAny", "[\"a\"]", Kind::Array, Outcomes::UNKNOWN);
        check_unknown("containsAll", "[\"a\"]", Kind::String, Outcomes::UNKNOWN);
        check_unknown("containsAny", "[\"a\"]", Kind::Bool, Outcomes::FALSE);
        let value = Value::array(vec![Value::from("A"), Value::unknown(Unknown::new(Kind::String, "it is so"))]);
        let outcome = |operator, operand| test(operator, operand).answer(Some(&value)).outcomes;
        assert_eq!(outcome("containsAny", "[\"a\", \"b\"]"), Outcomes::TRUE);
        assert_eq!(outcome("containsAny", "[\"c\", \"b\"]"), Outcomes::UNKNOWN);
        assert_eq!(outcome("containsAll", "[\"a\", \"b\"]"), Outcomes::UNKNOWN);
        assert_eq!(outcome("containsAll", "[\"a\", 1]"), Outcomes::FALSE);
    }

    #[test]
    fn messages_name_what_is_too_much_or_lacking() {
        check_fault_of("containsAny", "[\"*\", \"b\"]", "[\"*\"]", true, "contains `*`");
        check_fault("containsAny", "[\"a\"]", true, "expected other values");
        check_fault_of("containsAll", "[\"a\", \"b\"]", "[\"A\"]", false, "expected `b` in it");
        check_fault_of("containsAny", "[\"a\", \"b\"]", "[]", false, "expected `a` or `b` in it");
    }
}
