//! What made a condition true, in words.

use crate::judge::conditions::Judge;
use crate::judge::fields::Property;
use crate::language::{Condition, Subject, Test};
use crate::text::Span;
use crate::value::{Value, ValueExcerpt};

/// What made a condition true.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// In words: lower case, no final stop.
    pub(super) text: String,
    /// Where the value is written. `None` for a missing property.
    pub(super) span: Option<Span>,
}

/// The most tests that are looked at.
const MAX_TESTS: usize = 200;

/// What made a condition true for the current scene: the first test of a property that says more than which resource it is.
pub(super) fn of(judge: &Judge<'_, '_>, condition: &Condition) -> Evidence {
    let mut tests = Vec::new();
    collect(judge, condition, true, &mut tests);
    let said = tests.iter().filter_map(|test| Some((rank(test), said(judge, test)?)));
    said.min_by_key(|(rank, _)| *rank).map(|(_, evidence)| evidence).unwrap_or_default()
}

/// The tests that make a condition what it is wanted to be.
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

/// How much less a test says than others.
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

fn said(judge: &Judge<'_, '_>, test: &Test) -> Option<Evidence> {
    let shown = |value: &Value| ValueExcerpt::of(value).to_string();
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
