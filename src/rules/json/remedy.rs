//! What would make a failed verdict pass, where the rule leaves no choice.
//!
//! A rule leaves none where it wants exactly one value (`equals`, `in` with one item, "not" of a truth value), at a place
//! where the author wrote another one, or none, himself. What came from a parameter or a variable may be meant for other
//! places too, and of several alternatives (`anyOf`) the author has to choose one.

use crate::model::Document;
use crate::rules::json::eval::{Hit, LeafHit};
use crate::rules::json::message::bare_name;
use crate::rules::json::operators::{Operand, Test};
use crate::rules::lookup::{Link, Node, Place};
use crate::rules::lookup::{start, step};
use crate::rules::verdict::{Remedy, Spot};
use crate::value::{Data, Str, Value};

/// What makes all the values pass that made a verdict fail. Empty if that is not certain of each.
pub(super) fn remedies(document: &Document, hit: &Hit<'_>) -> Vec<Remedy> {
    let each: Option<Vec<Remedy>> = hit.leaves.iter().map(|leaf| remedy(document, leaf)).collect();
    each.unwrap_or_default()
}

fn remedy(document: &Document, leaf: &LeafHit<'_>) -> Option<Remedy> {
    if !leaf.failed || leaf.is_alternative {
        return None;
    }
    let name = bare_name(&leaf.place)?;
    let value = wanted(leaf.test, leaf.negated, &leaf.place)?;
    let spot = spot(document, &leaf.place)?;
    Some(Remedy { name, value, spot })
}

/// The one value that passes.
fn wanted(test: &Test, negated: bool, place: &Place<'_>) -> Option<Value> {
    let (operand, unwanted) = match (&test.operand, test.operator.name) {
        (Operand::Value(value), "equals") => (value, negated),
        (Operand::Value(value), "notEquals") => (value, !negated),
        (Operand::List(values), _) => match values.as_slice() {
            [only] => (only, negated),
            _ => return None,
        },
        _ => return None,
    };
    let value = match (&operand.data, unwanted) {
        // Of two truth values, anything else than one is the other; something missing would pass.
        (Data::Bool(it), true) if matches!(place.node, Node::Value(_)) => Value::from(!it),
        (Data::Bool(it), false) => Value::from(*it),
        (Data::Int(it), false) => Value::from(*it),
        (Data::Float(it), false) => Value::from(*it),
        // A bracket would begin an expression.
        (Data::String(it), false) if !it.starts_with('[') => Value::from(it.clone()),
        _ => return None,
    };
    Some(value)
}

fn spot(document: &Document, place: &Place<'_>) -> Option<Spot> {
    let (last, above) = place.trail.split_last()?;
    let mut walk = start(document, place.origin);
    for link in above {
        step(&mut walk, *link);
    }
    match (place.node, last) {
        (Node::Value(found), link) => {
            step(&mut walk, *link);
            let span = found.span.filter(|_| walk.is_in_place())?;
            let is_scalar = matches!(found.data, Data::Bool(_) | Data::Int(_) | Data::Float(_) | Data::String(_));
            is_scalar.then(|| Spot::Value { span, found: found.clone() })
        }
        (Node::Missing, Link::Key(key)) => {
            let above = walk.value().filter(|it| walk.is_in_place() && it.via.is_none())?;
            above.as_object()?;
            Some(Spot::Member { object: above.span?, key: Str::from(*key) })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::rules::json::{parse, testing};
    use crate::rules::{RuleSet, Verdict};
    use crate::text::Sources;

    const TEMPLATE: &str = r#"{"resources": [{
      "type": "A/b", "name": "one",
      "properties": {"on": false, "text": "x", "count": 1, "none": null, "list": [1, 2], "inner": {"on": false}}
    }]}"#;

    /// The remedies of the failed verdicts: `name = value`, with a `+` before that of a missing member.
    #[track_caller]
    fn check(evaluation: &str, wanted: &str) {
        let sources = Sources::new();
        let text = format!(
            r#"{{"id": "X", "name": "X", "shortDescription": "s", "fullDescription": "f", "evaluation": {evaluation}}}"#
        );
        let (rules, problems) = parse(sources.add("rule.json", text.as_str()), &text.into());
        assert!(problems.is_empty(), "{problems:#?}");
        let (_sources, document) = testing::document(TEMPLATE);
        let verdicts: Vec<Verdict> = RuleSet::new(rules).check(&document);
        assert!(!verdicts.is_empty(), "the rule says nothing");
        let mut found = String::new();
        for it in verdicts.iter().flat_map(|it| &it.remedies) {
            let sign = if matches!(it.spot, Spot::Member { .. }) { "+" } else { "" };
            let _ = write!(found, "{sign}{} = {};", it.name, it.value.to_json());
        }
        assert_eq!(found, wanted, "{evaluation}");
    }

    fn on_properties(operator: &str) -> String {
        format!(r#"{{"resourceType": "A/b", "path": "properties", {operator}}}"#)
    }

    #[track_caller]
    fn check_property(name: &str, operator: &str, wanted: &str) {
        check(&format!(r#"{{"resourceType": "A/b", "path": "properties.{name}", {operator}}}"#), wanted);
    }

    #[test]
    fn one_wanted_value_is_certain() {
        check_property("on", r#""equals": true"#, "on = true;");
        check_property("text", r#""equals": "y""#, r#"text = "y";"#);
        check_property("text", r#""in": ["y"]"#, r#"text = "y";"#);
        check_property("count", r#""equals": 1.5"#, "count = 1.5;");
        check_property("list[*]", r#""equals": 2"#, "list[0] = 2;");
    }

    #[test]
    fn of_two_truth_values_the_other_is_certain() {
        check_property("on", r#""notEquals": false"#, "on = true;");
        check(&on_properties(r#""not": {"path": "on", "equals": false}"#), "on = true;");
        check(&on_properties(r#""not": {"path": "on", "notEquals": true}"#), "on = true;");
        check(&on_properties(r#""not": {"not": {"path": "on", "equals": true}}"#), "on = true;");
    }

    #[test]
    fn a_missing_member_of_an_object_that_is_there_is_certain() {
        check_property("new", r#""equals": true"#, "+new = true;");
        check_property("inner.new", r#""equals": "x""#, r#"+new = "x";"#);
        check(r#"{"resourceType": "A/b", "path": "kind", "equals": "x"}"#, r#"+kind = "x";"#);
        check_property("missing.new", r#""equals": true"#, "");
        check_property("list.new", r#""equals": true"#, "");
    }

    #[test]
    fn what_leaves_a_choice_is_not_certain() {
        check_property("on", r#""exists": false"#, "");
        check_property("none", r#""hasValue": true"#, "");
        check_property("text", r#""notEquals": "x""#, "");
        check_property("text", r#""in": ["y", "z"]"#, "");
        check_property("text", r#""regex": "^y$""#, "");
        check_property("count", r#""greater": 1"#, "");
        check_property("new", r#""equals": null"#, "");
        check_property("list", r#""equals": []"#, "");
        check_property("text", r#""equals": "[y]""#, "");
        check_property("none", r#""equals": true"#, "");
        check(&on_properties(r#""anyOf": [{"path": "on", "equals": true}, {"path": "text", "equals": "y"}]"#), "");
        check(
            &on_properties(r#""not": {"allOf": [{"path": "on", "equals": false}, {"path": "text", "equals": "x"}]}"#),
            "",
        );
    }

    #[test]
    fn all_that_failed_is_mended_or_nothing() {
        let both = |second: &str| on_properties(&format!(r#""allOf": [{{"path": "on", "equals": true}}, {second}]"#));
        check(&both(r#"{"path": "count", "equals": 2}"#), "on = true;count = 2;");
        check(&both(r#"{"path": "count", "greater": 2}"#), "");
        check(&both(r#"{"path": "count", "greater": 0}"#), "on = true;");
    }
}
