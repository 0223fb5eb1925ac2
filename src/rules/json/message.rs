//! The words of a verdict.

use std::fmt::Write as _;

use crate::diagnostic::{Outcome, RuleInfo};
use crate::rules::json::eval::{Hit, LeafHit};
use crate::rules::json::operators::{Operand, Test};
use crate::rules::lookup::{Link, Node, Place};
use crate::text::cut;
use crate::value::{Data, Value, ValueExcerpt};

/// Longest value in a sentence, in bytes.
const MAX_QUOTED: usize = 60;

/// How many values a sentence names.
const MAX_NAMED: usize = 3;

/// What a rule says of a place, in one sentence.
pub(super) fn message(rule: &RuleInfo, outcome: Outcome, hit: &Hit<'_>) -> String {
    let subject = &rule.short_description;
    match outcome {
        Outcome::Passed | Outcome::Suppressed => subject.clone(),
        Outcome::Failed => format!("{subject}: {}", found_and_wanted(&hit.leaves)),
        Outcome::Unknown => match hit.reason() {
            Some(why) => format!("{subject}: not known before the deployment, because {why}"),
            None => format!("{subject}: not known before the deployment"),
        },
    }
}

fn found_and_wanted(leaves: &[LeafHit<'_>]) -> String {
    let mut clauses: Vec<String> = Vec::new();
    for leaf in leaves.iter().filter(|leaf| leaf.failed) {
        let clause = clause(leaf);
        if !clauses.contains(&clause) {
            clauses.push(clause);
        }
    }
    let more = clauses.len().saturating_sub(MAX_NAMED);
    clauses.truncate(MAX_NAMED);
    let mut text = clauses.join("; ");
    if more > 0 {
        let _ = write!(text, "; and {more} more");
    }
    text
}

/// `` `httpsOnly` is `false`, wanted `true` ``
fn clause(leaf: &LeafHit<'_>) -> String {
    let name = name(&leaf.place);
    let is_present = !matches!(leaf.place.node, Node::Missing);
    if let ("exists", Operand::Flag(wanted)) = (leaf.test.operator.name, &leaf.test.operand) {
        return if *wanted != leaf.negated { format!("{name} is missing") } else { format!("{name} must not be set") };
    }
    let found = match known(&leaf.place).map(|it| it.to_json_up_to(MAX_QUOTED)) {
        Some(actual) => format!("is `{actual}`"),
        None if is_present => "is not known".to_owned(),
        None => "is missing".to_owned(),
    };
    format!("{name} {found}, wanted {}", wanted(leaf.test, leaf.negated))
}

/// The last name of a trail with the indexes behind it.
fn name(place: &Place<'_>) -> String {
    match bare_name(place) {
        Some(name) => format!("`{name}`"),
        None if place.resource_id().is_some() => "the resource".to_owned(),
        None => "the template".to_owned(),
    }
}

/// The same without quotes. `None` for a resource or a template.
pub(super) fn bare_name(place: &Place<'_>) -> Option<String> {
    let start = place.trail.iter().rposition(|link| matches!(link, Link::Key(_)))?;
    let parts = place.trail[start..].iter().map(|link| match link {
        Link::Key(key) => (*key).to_owned(),
        Link::Index(index) => format!("[{index}]"),
        Link::Items => "[*]".to_owned(),
    });
    Some(parts.collect())
}

/// What a test wants, in words.
fn wanted(test: &Test, negated: bool) -> String {
    let not = |text: String| if negated { format!("not {text}") } else { text };
    match (&test.operand, test.operator.name) {
        (Operand::Flag(wanted), _) => if *wanted != negated { "a value" } else { "no value" }.to_owned(),
        (Operand::Value(value), "notEquals") if negated => quoted(value),
        // Of two truth values, anything else than one is the other.
        (Operand::Value(Value { data: Data::Bool(unwanted), .. }), "notEquals") => format!("`{}`", !unwanted),
        (Operand::Value(value), "notEquals") => format!("anything else than {}", quoted(value)),
        (Operand::Value(value), _) => not(quoted(value)),
        (Operand::List(values), _) => {
            let some: Vec<String> = values.iter().take(8).map(quoted).collect();
            let more = if values.len() > some.len() { " and others" } else { "" };
            let list = format!("{}{more}", some.join(", "));
            if negated { format!("none of {list}") } else { format!("one of {list}") }
        }
        (Operand::Pattern(text, _), _) => not(format!("a match of `{}`", cut(text, MAX_QUOTED))),
        (Operand::Number(bound), operator) => not(format!("{} {}", comparison(operator), quoted(bound))),
        (Operand::Date(text, _), operator) => not(format!("{} `{text}`", comparison(operator))),
    }
}

fn comparison(operator: &str) -> &'static str {
    match operator {
        "less" => "less than",
        "lessOrEquals" => "at most",
        "greater" => "more than",
        _ => "at least",
    }
}

fn quoted(value: &Value) -> String {
    format!("`{}`", value.to_json_up_to(MAX_QUOTED))
}

/// The value at a place. `None` where there is none, or none is known.
pub(super) fn actual(place: &Place<'_>) -> Option<ValueExcerpt> {
    known(place).map(ValueExcerpt::of)
}

fn known<'a>(place: &Place<'a>) -> Option<&'a Value> {
    match place.node {
        Node::Value(value) if value.as_unknown().is_none() => Some(value),
        _ => None,
    }
}
