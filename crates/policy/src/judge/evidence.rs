//! Describes the values that decided a condition, from the trace of the comparison that decided it.

use crate::judge::conditions::Judge;
use crate::judge::trace::{Answer, Evaluated, PartKind, Seen, counted_field, shown};
use crate::language::{Condition, Subject, Test};
use crate::text::Span;

/// Value that decided a condition.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// Description in lower case, without a final period.
    pub(super) text: String,
    /// Span of the value. `None` for a missing property.
    pub(super) span: Option<Span>,
}

/// Tests that are considered.
const MAX_TESTS: usize = 200;

/// Finds the evidence for the value `wanted` of a condition in the current scene: the first test of a property that does
/// not only identify the resource.
pub(super) fn find_evidence(judge: &Judge<'_, '_>, condition: &Condition, wanted: bool) -> Evidence {
    let mut tests = Vec::new();
    collect(judge, condition, wanted, &mut tests);
    let said = tests.iter().filter_map(|found| Some((rank(found.test), describe(judge, found)?)));
    said.min_by_key(|(rank, _)| *rank).map(|(_, evidence)| evidence).unwrap_or_default()
}

/// A test that decided a condition.
struct Deciding<'c> {
    condition: &'c Condition,
    test: &'c Test,
    /// Value of the test.
    is_true: bool,
}

/// Collects the tests that give a condition the value `wanted`.
fn collect<'c>(judge: &Judge<'_, '_>, condition: &'c Condition, wanted: bool, tests: &mut Vec<Deciding<'c>>) {
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
        Condition::Test(test) => tests.push(Deciding { condition, test, is_true: wanted }),
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

fn describe(judge: &Judge<'_, '_>, found: &Deciding<'_>) -> Option<Evidence> {
    let (_, parts) = judge.trace.record(|| judge.condition(found.condition));
    let evaluated = parts.into_iter().next()?;
    let left = evaluated.left.as_ref()?;
    let item = deciding_item(&evaluated, &found.test.subject, found.is_true);
    let is = |Seen { value, .. }: &Seen| match value.as_str() {
        "missing" => "is missing".to_owned(),
        number if number.ends_with(" items") => format!("has {number}"),
        value => format!("is {value}"),
    };
    Some(match &found.test.subject {
        Subject::Field(_) => {
            let seen = item.unwrap_or(left);
            Evidence { text: format!("`{}` {}", left.name, is(seen)), span: seen.span }
        }
        Subject::Count(count) => {
            let looked_for = if count.condition.is_some() { " that the policy looks for" } else { "" };
            let noun = if left.value == "1" { "item" } else { "items" };
            let text = format!("`{}` has {} {noun}{looked_for}", counted_field(count), left.value);
            let text = item.map_or_else(|| text.clone(), |item| format!("{text}, such as {}", item.value));
            Evidence { text, span: item.and_then(|item| item.span) }
        }
        Subject::Value(value) => Evidence { text: format!("{} {}", shown(value), is(left)), span: left.span },
    })
}

/// Returns the item that decided a test of several items: one that counts, or one for which the comparison has the
/// value of the test.
fn deciding_item<'e>(evaluated: &'e Evaluated, subject: &Subject, is_true: bool) -> Option<&'e Seen> {
    let wanted = if is_true || matches!(subject, Subject::Count(_)) { Answer::True } else { Answer::False };
    let items = evaluated.parts.iter().filter(|part| part.kind == PartKind::Item);
    items.filter(|part| part.answer == wanted).find_map(|part| part.left.as_ref())
}
