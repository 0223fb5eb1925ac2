//! `includesPort`: ports of network rules, which are numbers, ranges, lists of them, and `*`.

use crate::json::operators::{Answer, Extension, Fault, Operand, Refusal, may_be};
use crate::outcomes::Outcomes;
use crate::value::{Data, Kind, Value};

pub(super) fn read(given: &Value) -> Result<Operand, Refusal> {
    let items = given.as_array().unwrap_or(std::slice::from_ref(given));
    let ports: Option<Vec<u16>> =
        items.iter().map(|item: &Value| item.as_int().and_then(|number| u16::try_from(number).ok())).collect();
    let ports = ports.filter(|ports| !ports.is_empty());
    let ports = ports.ok_or(Refusal::Expected("a port, or an array of ports, like `[22, 3389]`"))?;
    Ok(Operand::Extension(Box::new(Ports(ports))))
}

/// Operand: ports of which one is enough.
#[derive(Debug)]
struct Ports(Vec<u16>);

impl Extension for Ports {
    fn test(&self, value: &Value) -> Answer {
        self.included(value).into()
    }

    fn fault(&self, value: Option<&Value>, negated: bool) -> Fault {
        let ports = self.0.iter().filter(|port| !negated || value.is_some_and(|value| includes(value, **port)));
        let ports: Vec<String> = ports.map(u16::to_string).collect();
        match ports.as_slice() {
            [] => Fault::Expected("other ports".to_owned()),
            ports if !negated => Fault::Expected(format!("ports with {} among them", ports.join(" or "))),
            [only] => Fault::Which(format!("includes port {only}")),
            [first @ .., last] => Fault::Which(format!("includes ports {} and {last}", first.join(", "))),
        }
    }
}

impl Ports {
    fn included(&self, value: &Value) -> Outcomes {
        match &value.data {
            Data::Array(items) => {
                let each = items.iter().map(|item| self.included(item));
                Outcomes::any(each)
            }
            Data::Unknown(unknown) => match unknown.known_choices() {
                [] => {
                    let kinds = [Kind::String, Kind::Int, Kind::Array];
                    let is_possible = kinds.iter().any(|kind| may_be(unknown.kind, *kind));
                    if is_possible { Outcomes::UNKNOWN } else { Outcomes::FALSE }
                }
                choices => Outcomes::union_of(choices.iter().map(|choice| self.included(choice))),
            },
            _ => self.0.iter().any(|port| includes(value, *port)).into(),
        }
    }
}

/// True if a known value includes a port.
fn includes(value: &Value, port: u16) -> bool {
    match &value.data {
        Data::Int(number) => *number == i64::from(port),
        Data::String(text) => text.split(',').any(|part| part_includes(part.trim(), port)),
        Data::Array(items) => items.iter().any(|item| includes(item, port)),
        _ => false,
    }
}

/// True if `*`, a port or a range includes a port.
fn part_includes(part: &str, port: u16) -> bool {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let [first, last] = [first, last].map(|text| text.trim().parse::<u16>().ok());
    part == "*" || first.zip(last).is_some_and(|(first, last)| (first..=last).contains(&port))
}

#[cfg(test)]
mod tests {
    use crate::json::operators::tests::{check, check_fault_of, check_unknown, refuses, test};
    use crate::outcomes::Outcomes;
    use crate::value::{Kind, Unknown, Value};

    #[test]
    fn a_port_is_in_numbers_ranges_and_lists() {
        check(
            "includesPort",
            "[22, 3389]",
            &["22", "\"22\"", "\"*\"", "\"20-30\"", "\"80, 3000 - 4000\"", "[\"80\", \"22\"]", "[22]", "\"0-65535\""],
            &["\"80\"", "80", "\"23-3388\"", "\"30-20\"", "\"\"", "", "null", "[]", "\"ssh\"", "\"220\"", "true"],
        );
        check("includesPort", "443", &["443"], &["80"]);
        for wrong in ["\"22\"", "[]", "[70000]", "true"] {
            refuses("includesPort", wrong, "a port, or an array of ports, like `[22, 3389]`");
        }
    }

    #[test]
    fn of_an_array_in_part_unknown_the_rest_may_decide() {
        check_unknown("includesPort", "22", Kind::String, Outcomes::UNKNOWN);
        check_unknown("includesPort", "22", Kind::Object, Outcomes::FALSE);
        let unknown = || Unknown::new(Kind::String, "it is so");
        let outcome = |first: &str, unknown: Unknown| {
            let value = Value::array(vec![Value::from(first), Value::unknown(unknown)]);
            test("includesPort", "22").answer(Some(&value)).outcomes
        };
        assert_eq!(outcome("22", unknown()), Outcomes::TRUE);
        assert_eq!(outcome("80", unknown()), Outcomes::UNKNOWN);
        assert_eq!(outcome("80", unknown().one_of([Value::from("80"), Value::from("443")])), Outcomes::FALSE);
    }

    #[test]
    fn messages_name_the_ports_that_are_included() {
        check_fault_of("includesPort", "[22, 3389]", "\"20-30\"", true, "which includes port 22");
        check_fault_of("includesPort", "[22, 3389]", "[\"80\", \"22\"]", true, "includes port 22");
        check_fault_of("includesPort", "[22, 3389]", "\"*\"", true, "which includes ports 22 and 3389");
        check_fault_of("includesPort", "[22, 3389]", "\"80\"", false, "expected ports with 22 or 3389 among them");
    }
}
