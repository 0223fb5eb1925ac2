//! The words of a verdict.

use std::fmt::Write as _;
use std::io;

use crate::diagnostic::{Outcome, RuleInfo};
use crate::rules::json::eval::{Hit, LeafHit};
use crate::rules::json::operators::{Operand, Test};
use crate::rules::json::place::{Link, Node, Place};
use crate::value::{Data, Masking, Value, write_json};

/// Longest value in a report, in bytes.
const MAX_ACTUAL: usize = 200;

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
    let found = match actual_up_to(&leaf.place, MAX_QUOTED) {
        Some(actual) => format!("is `{actual}`"),
        None if is_present => "is not known".to_owned(),
        None => "is missing".to_owned(),
    };
    format!("{name} {found}, wanted {}", wanted(leaf.test, leaf.negated))
}

/// The last name of a trail with the indexes behind it.
fn name(place: &Place<'_>) -> String {
    let start = place.trail.iter().rposition(|link| matches!(link, Link::Key(_)));
    let Some(start) = start else {
        return if place.resource_id().is_some() { "the resource".to_owned() } else { "the template".to_owned() };
    };
    let parts = place.trail[start..].iter().map(|link| match link {
        Link::Key(key) => (*key).to_owned(),
        Link::Index(index) => format!("[{index}]"),
        Link::Items => "[*]".to_owned(),
    });
    format!("`{}`", parts.collect::<String>())
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
    format!("`{}`", json_up_to(value, MAX_QUOTED))
}

/// The value at a place as compact JSON, secrets masked. `None` where there is none, or none is known.
pub(super) fn actual(place: &Place<'_>) -> Option<String> {
    actual_up_to(place, MAX_ACTUAL)
}

/// A value as compact JSON, as far as a report shows it.
pub(in crate::rules) fn actual_of(value: &Value) -> String {
    json_up_to(value, MAX_ACTUAL)
}

fn actual_up_to(place: &Place<'_>, length: usize) -> Option<String> {
    match place.node {
        Node::Value(value) if value.as_unknown().is_none() => Some(json_up_to(value, length)),
        _ => None,
    }
}

/// Compact JSON, cut with an ellipsis. A large value is not written to its end.
fn json_up_to(value: &Value, length: usize) -> String {
    let mut prefix = Prefix { bytes: Vec::new(), length };
    // The only error is that of `Prefix`: there is enough.
    let complete = write_json(value, Masking::Secrets, false, &mut prefix).is_ok();
    let text = String::from_utf8_lossy(&prefix.bytes);
    if complete { cut(&text, length) } else { cut(&format!("{text} "), length) }
}

/// `text`, or as many characters of it as fit into `length` bytes, with an ellipsis.
pub(super) fn cut(text: &str, length: usize) -> String {
    if text.len() <= length {
        return text.to_owned();
    }
    let fits = |(at, character): &(usize, char)| at + character.len_utf8() <= length;
    text.char_indices().take_while(fits).map(|(_, character)| character).chain(['…']).collect()
}

/// Takes bytes until it has more than `length`.
struct Prefix {
    bytes: Vec<u8>,
    length: usize,
}

impl io::Write for Prefix {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = (self.length + 1).saturating_sub(self.bytes.len());
        if room == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        let taken = bytes.len().min(room);
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
