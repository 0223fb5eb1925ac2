//! Describes the values that made a condition true.

use crate::judge::conditions::Judge;
use crate::judge::fields::Property;
use crate::language::{Condition, Subject, Test};
use crate::text::Span;
use crate::value::{Value, ValueExcerpt};

/// Value that made a condition true.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// Description in lower case, without a final period.
    pub(super) text: String,
    /// Span of the value. `None` for a missing property.
    pub(super) span: Option<Span>,
}

/// Tests that are considered.
const MAX_TESTS: usize = 200;

/// Finds the evidence for a condition in the current scene: the first test of a property that does not only identify
/// the resource.
pub(super) fn find_evidence(judge: &Judge<'_, '_>, condition: &Condition) -> Evidence {
    let mut tests = Vec::new();
    collect(judge, condition, true, &mut tests);
    let said = tests.iter().filter_map(|test| Some((rank(test), describe(judge, test)?)));
    said.min_by_key(|(rank, _)| *rank).map(|(_, evidence)| evidence).unwrap_or_default()
}

/// Collects the tests that give a condition the value `wanted`.
fn collect<'c>(judge: &Judge<'_, '_>, condition: &'c Condition, wanted: bool, tests: &mut Vec<&'c Test>) {
    if tests.len() >= MAX_TESTS {
        return;
    }
    let is_so = |part: &Condition| {
        let truth = judge.condition(part);
        if wanted { truth.holds() } else { truth.is_false() }
    };
    match condition {
        Condition::Not(part) => collect(judge, part, !wanted, tests),
        Condition::All(parts) | Condition::Any(parts) => {
            let needs_all = matches!(condition, Condition::All(_)) == wanted;
            let mut parts = parts.iter().filter(|part| is_so(part));
            if needs_all {
                parts.for_each(|part| collect(judge, part, wanted, tests));
            } else if let Some(part) = parts.next() {
                collect(judge, part, wanted, tests);
            }
        }
        Condition::Test(test) => tests.push(test),
        Condition::Invalid => {}
    }
}

/// Returns the rank of a test as evidence; the lowest is the best.
fn rank(test: &Test) -> u8 {
    match &test.subject {
        Subject::Field(field) => match field.as_str() {
            Some(name) if ["type", "kind", "name", "fullName"].iter().any(|own| own.eq_ignore_ascii_case(name)) => 3,
            _ => 0,
        },
        Subject::Count(_) => 1,
        Subject::Value(_) => 2,
    }
}

fn describe(judge: &Judge<'_, '_>, test: &Test) -> Option<Evidence> {
    let shown = |value: &Value| ValueExcerpt::new(value).to_string();
    match &test.subject {
        Subject::Field(field) => {
            let field = judge.value(field).ok()?;
            let name = field.as_str()?.to_owned();
            let value = match judge.functions.property(&name).ok()? {
                Property::One(value) => value,
                Property::Many(many) => many.items.into_iter().flatten().next(),
            };
            let text = match &value {
                Some(value) => format!("`{name}` is {}", shown(value)),
                None => format!("`{name}` is missing"),
            };
            Some(Evidence { text, span: value.and_then(|value| value.span) })
        }
        Subject::Count(_) => {
            Some(Evidence { text: "a number of items is what the policy looks for".to_owned(), span: None })
        }
        Subject::Value(written) => {
            let value = judge.value(written).ok()?;
            Some(Evidence { text: format!("{} is {}", shown(written), shown(&value)), span: value.span })
        }
    }
}
