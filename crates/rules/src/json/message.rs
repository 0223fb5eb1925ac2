//! Messages of verdicts.

use std::fmt::Write as _;

use foldhash::HashSet;

use crate::diagnostic::{Outcome, RuleInfo};
use crate::json::eval::{Hit, LeafHit, TestedCondition};
use crate::json::operators::{Fault, Operand, Test};
use crate::json::pattern_words;
use crate::json::rule::Reference;
use crate::lookup::{PathStep, Position, Target, walk_along, walk_from};
use crate::model::Document;
use crate::text::cut;
use crate::value::{Data, Kind, Traits, Value, ValueExcerpt};

/// Longest value in a message, in bytes.
const MAX_QUOTED: usize = 60;

/// Longest description of a pattern, in bytes.
const MAX_WORDS: usize = 200;

/// Values that a message names.
const MAX_NAMED: usize = 3;

/// Values of a list that a message names.
const MAX_LISTED: usize = 8;

/// Returns the result of a rule in one sentence.
pub(super) fn message(rule: &RuleInfo, document: &Document, outcome: Outcome, hit: &Hit<'_>) -> String {
    let subject = &rule.short_description;
    match outcome {
        Outcome::Passed | Outcome::Suppressed => subject.clone(),
        Outcome::Failed => format!("{subject}: {}{}", item(document, &hit.position), found_and_expected(document, hit)),
        Outcome::Unknown => match hit.reason() {
            Some(why) => format!("{subject}: not known before the deployment, because {why}"),
            None => format!("{subject}: not known before the deployment"),
        },
    }
}

/// Returns ``in `apps`, `` for a position in an item of an array whose name the author wrote. Items of a loop share
/// their text, so they are not named.
fn item(document: &Document, position: &Position<'_>) -> String {
    let is_name = matches!(position.steps.last(), Some(PathStep::Key(key)) if key.eq_ignore_ascii_case("name"));
    let mut walk = walk_from(document, position.owner);
    let mut name = None;
    // A report names the resource anyway.
    let mut is_resource = false;
    for step in &position.steps {
        walk_along(&mut walk, *step);
        match step {
            PathStep::Key(key) => is_resource = key.eq_ignore_ascii_case("resources"),
            PathStep::Index(_) if !is_resource => name = walk.value().and_then(|item| item.get("name")).or(name),
            PathStep::Index(_) | PathStep::Items => {}
        }
    }
    let name = name.filter(|name| !is_name && name.via.is_none() && !name.traits.has(Traits::SECRET));
    let name = name.and_then(Value::as_str).filter(|name| name.len() <= MAX_QUOTED);
    name.map_or_else(String::new, |name| format!("in `{name}`, "))
}

fn found_and_expected(document: &Document, hit: &Hit<'_>) -> String {
    // Iterations of a loop often fail alike.
    let mut known = HashSet::default();
    let mut clauses: Vec<(String, Option<String>)> = Vec::new();
    // Of the clauses, those that other values can make up for.
    let mut alternatives: Vec<usize> = Vec::new();
    let mut more = 0;
    for (leaf, clause) in hit.leaves.iter().filter(|leaf| leaf.failed).map(|leaf| (leaf, clause(document, leaf))) {
        if !known.insert(clause.clone()) {
            continue;
        }
        let same = alternatives
            .iter()
            .find(|at: &&usize| clauses.get(**at).is_some_and(|(found, _)| *found == clause.0))
            .filter(|_| leaf.is_alternative);
        if let Some((_, Some(expected))) = same.and_then(|at| clauses.get_mut(*at))
            && let Some(other) = &clause.1
        {
            *expected = format!("{expected} or {other}");
        } else if clauses.len() < MAX_NAMED {
            alternatives.extend(leaf.is_alternative.then_some(clauses.len()));
            clauses.push(clause);
        } else {
            more += 1;
        }
    }
    // Among several clauses, semicolons already separate one from the next.
    let separator = if clauses.len() == 1 { "; " } else { ", " };
    // Any one of them makes the rule pass, or it takes all.
    let (between, before_rest) = if hit.is_choice { ("; or ", "or") } else { ("; ", "and") };
    let mut text = clauses
        .into_iter()
        .map(|(found, expected): (String, Option<String>)| match expected {
            Some(expected) => format!("{found}{separator}expected {expected}"),
            None => found,
        })
        .collect::<Vec<_>>()
        .join(between);
    if more > 0 {
        let _ = write!(text, "; {before_rest} {more} more");
    }
    text
}

/// Returns the actual value and the expected one: `` `httpsOnly` is `false` `` and `` `true` ``.
fn clause(document: &Document, leaf: &LeafHit<'_>) -> (String, Option<String>) {
    match &leaf.wanted {
        TestedCondition::Value(test) => clause_of_value(document, leaf, test),
        TestedCondition::Count(count, least, most) => {
            let number = match *most {
                Some(most) if most == *least => least.to_string(),
                Some(most) if *least == 0 => format!("at most {most}"),
                _ => format!("at least {least}"),
            };
            let is_one = (*least, *most) == (1, Some(1));
            let what = count.what.strip_suffix('s').filter(|_| is_one).unwrap_or(&count.what);
            let found = format!("{} has {number} {what}", name(&leaf.position));
            let not = if leaf.negated { "not " } else { "" };
            (found, Some(format!("{not}{}", count.bounds)))
        }
        TestedCondition::Reference(reference) => (referenced(reference, leaf.negated), None),
        TestedCondition::Target(resource, leaves) => {
            let mut inner: Vec<String> = Vec::new();
            for (found, expected) in leaves.iter().filter(|inner| inner.failed).map(|leaf| clause(document, leaf)) {
                inner.push(expected.map_or(found.clone(), |expected| format!("{found}, expected {expected}")));
            }
            inner.truncate(MAX_NAMED);
            (format!("{} refers to `{resource}`, where {}", name(&leaf.position), inner.join(" and ")), None)
        }
        TestedCondition::Id => {
            let found = match known_value(&leaf.position) {
                Some(value) => format!("is `{}`", value.to_json_up_to(MAX_QUOTED)),
                None => "is missing".to_owned(),
            };
            (format!("{} {found}", name(&leaf.position)), Some("the ID of a resource".to_owned()))
        }
    }
}

/// Describes a wrong or missing reference to a resource.
fn referenced(reference: &Reference, negated: bool) -> String {
    let that = if reference.condition.is_some() { " that meets the conditions" } else { "" };
    let some = if negated { "a" } else { "no" };
    format!("{some} `{}`{that} refers to it", reference.type_name)
}

fn clause_of_value(document: &Document, leaf: &LeafHit<'_>, test: &Test) -> (String, Option<String>) {
    let name = name(&leaf.position);
    if let ("exists", Operand::Flag(expected)) = (test.operator.name, &test.operand) {
        let found =
            if *expected == leaf.negated { "must not be set".to_owned() } else { missing(document, &leaf.position) };
        return (format!("{name} {found}"), None);
    }
    if let ("secret", Operand::Flag(expected)) = (test.operator.name, &test.operand) {
        let found = if *expected == leaf.negated { "holds a secret" } else { "holds no secret" };
        return (format!("{name} {found}"), None);
    }
    let found = match known_value(&leaf.position).map(|value| value.to_json_up_to(MAX_QUOTED)) {
        Some(actual) => format!("is `{actual}`"),
        None if let Some(likely) = likely(&leaf.position) => format!("is `{likely}`"),
        None if matches!(leaf.position.target, Target::Missing) => missing(document, &leaf.position),
        None => "is not known".to_owned(),
    };
    if let Operand::Extension(extension) = &test.operand {
        return match extension.fault(known_value(&leaf.position), leaf.negated) {
            Fault::Expected(expected) => (format!("{name} {found}"), Some(expected)),
            // Arrays and objects are long, and the fault says what counts.
            Fault::Which(which) if is_composite(&leaf.position) => (format!("{name} {which}"), None),
            Fault::Which(which) => (format!("{name} {found}, which {which}"), None),
        };
    }
    (format!("{name} {found}"), Some(expected(test, leaf.negated)))
}

/// Returns ``is missing``, or describes which ancestor of the value is computed as `null`.
fn missing(document: &Document, position: &Position<'_>) -> String {
    let mut walk = walk_from(document, position.owner);
    for (at, step) in position.steps.iter().enumerate() {
        let null = match (step, walk.value().and_then(Value::as_object)) {
            (PathStep::Key(key), Some(object)) if object.member(key).is_none() => object.dropped(key).map(|_| *key),
            _ => None,
        };
        if let Some(key) = null {
            let is_last = at + 1 == position.steps.len();
            return if is_last { "is `null`".to_owned() } else { format!("is missing, because `{key}` is `null`") };
        }
        walk_along(&mut walk, *step);
    }
    "is missing".to_owned()
}

fn is_composite(position: &Position<'_>) -> bool {
    known_value(position).is_some_and(|value| matches!(value.kind(), Kind::Array | Kind::Object))
}

/// Returns the last name of a position with the indexes after it, in backticks.
fn name(position: &Position<'_>) -> String {
    match bare_name(position) {
        Some(name) => format!("`{name}`"),
        None if position.resource_id().is_some() => "the resource".to_owned(),
        None => "the template".to_owned(),
    }
}

/// Returns the last name of a position without backticks. `None` for a resource or a template.
pub(super) fn bare_name(position: &Position<'_>) -> Option<String> {
    let start = position.steps.iter().rposition(|step| matches!(step, PathStep::Key(_)))?;
    let parts = position.steps.iter().skip(start).map(|step| match step {
        PathStep::Key(key) => (*key).to_owned(),
        PathStep::Index(index) => format!("[{index}]"),
        PathStep::Items => "[*]".to_owned(),
    });
    Some(parts.collect())
}

/// Describes the values that a test expects.
fn expected(test: &Test, negated: bool) -> String {
    let not = |text: String| if negated { format!("not {text}") } else { text };
    match (&test.operand, test.operator.name) {
        (Operand::Flag(flag), _) => if *flag != negated { "a value" } else { "no value" }.to_owned(),
        (Operand::Value(value), operator) => match (&value.data, (operator == "notEquals") != negated) {
            (_, false) => quoted(value),
            // Of two Booleans, anything other than one is the other.
            (Data::Bool(unwanted), true) => format!("`{}`", !unwanted),
            (_, true) => format!("anything other than {}", quoted(value)),
        },
        (Operand::List(values), _) => {
            let list = listed(values, if negated { "and" } else { "or" });
            if negated { format!("a value other than {list}") } else { list }
        }
        (Operand::Pattern(text, _), _) => {
            let verb = if negated { "does not match" } else { "matches" };
            let words = || pattern_words::words(text, negated).filter(|words| words.len() <= MAX_WORDS);
            words().unwrap_or_else(|| format!("a value that {verb} `{}`", cut(text, MAX_QUOTED)))
        }
        (Operand::Number(bound), operator) => not(format!("{} {}", comparison(operator), quoted(bound))),
        (Operand::Date(text, _), operator) => not(format!("{} `{text}`", comparison(operator))),
        (Operand::Extension(extension), _) => match extension.fault(None, negated) {
            Fault::Expected(text) | Fault::Which(text) => text,
        },
    }
}

/// Lists values: `` `"a"`, `"b"`, or `"c"` ``. A number that is also in the list as a string is written once.
fn listed(values: &[Value], conjunction: &str) -> String {
    let is_string = |text: &str| values.iter().any(|value| value.as_str() == Some(text));
    let known: Vec<String> = values
        .iter()
        .filter(|value| value.as_str().is_some() || !is_string(&value.to_json_up_to(MAX_QUOTED)))
        .map(quoted)
        .collect();
    let shown = known.get(..known.len().min(MAX_LISTED)).unwrap_or_default();
    match (shown, known.len() - shown.len()) {
        (shown, more) if more > 0 => format!("{}, {conjunction} others", shown.join(", ")),
        ([one, other], _) => format!("{one} {conjunction} {other}"),
        ([first @ .., last], _) if !first.is_empty() => format!("{}, {conjunction} {last}", first.join(", ")),
        (shown, _) => shown.concat(),
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

/// Returns the approximation of an unknown string with a known beginning or end, since that known part fails.
fn likely(position: &Position<'_>) -> Option<String> {
    let Target::Value(value) = position.target else { return None };
    let unknown = value.as_unknown().filter(|unknown| unknown.ends.is_some())?;
    let is_secret = value.traits.has(Traits::SECRET);
    (!is_secret).then(|| unknown.approximation.to_json_up_to(MAX_QUOTED))
}

/// Returns the value at a position, or `None` if it is missing or unknown.
pub(super) fn actual(position: &Position<'_>) -> Option<ValueExcerpt> {
    known_value(position).map(ValueExcerpt::new)
}

fn known_value<'a>(position: &Position<'a>) -> Option<&'a Value> {
    match position.target {
        Target::Value(value) if value.as_unknown().is_none() => Some(value),
        _ => None,
    }
}
