//! Changes that would make a failed verdict pass, if the rule leaves no choice.
//!
//! What the rule declares as its fix is in [`rule_fix`]; this is about rules that declare none. A rule leaves no choice
//! if exactly one value passes (`equals`, `in` with one item, `not` of a Boolean), and the author wrote another value,
//! or none, in the resource itself. A value from a parameter or a variable may be used elsewhere, too, and of several
//! alternatives (`anyOf`) the author has to choose one.

use crate::json::Rule;
use crate::json::eval::{Hit, LeafHit, TestedCondition};
use crate::json::message::bare_name;
use crate::json::operators::{Operand, Test};
use crate::lookup::{PathStep, Position, Target, locate, walk_along, walk_from};
use crate::model::{Document, FixSite, ResourceId, ValueFix};
use crate::rule_fix::{self, Failure, RuleFix};
use crate::value::{Data, Str, Value};

/// Failures of one verdict that the fixes of a rule are compared with. Each fix is compared with each failure.
const MAX_FAILURES: usize = 100;

/// Returns changes of all values that made a verdict fail, or an empty list if one of them has no change. If the rule
/// declares fixes, only those are used.
pub(super) fn value_fixes(rule: &Rule, document: &Document, hit: &Hit<'_>) -> Vec<ValueFix> {
    if let Some(fixes) = &rule.fixes {
        return declared(fixes, document, hit);
    }
    let each: Option<Vec<ValueFix>> = hit.leaves.iter().map(|leaf| value_fix(document, leaf)).collect();
    each.unwrap_or_default()
}

/// Returns the declared fixes for the resources in which the rule failed: a rule about apps is about their slots, too.
fn declared(fixes: &[RuleFix], document: &Document, hit: &Hit<'_>) -> Vec<ValueFix> {
    let failed: Vec<&LeafHit<'_>> = hit.leaves.iter().filter(|leaf| leaf.failed).collect();
    // Whoever has to look at so many places does not want them edited by a program.
    if failed.len() > MAX_FAILURES {
        return Vec::new();
    }
    let mut resources: Vec<ResourceId> = Vec::new();
    for id in failed.iter().filter_map(|leaf| leaf.position.resource_id()).chain(hit.position.resource_id()) {
        if !resources.contains(&id) {
            resources.push(id);
        }
    }
    let failures: Vec<Failure> = failed
        .iter()
        .map(|leaf| Failure { path: locate(document, &leaf.position).path, is_alternative: leaf.is_alternative })
        .collect();
    rule_fix::value_fixes(document, &resources, fixes, &failures)
}

fn value_fix(document: &Document, leaf: &LeafHit<'_>) -> Option<ValueFix> {
    if !leaf.failed || leaf.is_alternative {
        return None;
    }
    let name = bare_name(&leaf.position)?;
    let TestedCondition::Value(test) = leaf.wanted else { return None };
    let value = passing_value(test, leaf.negated, &leaf.position)?;
    let value_fix = ValueFix { name, value, site: site(document, &leaf.position)?, is_guess: false };
    rule_fix::may_have(document, leaf.position.owner, &leaf.position.steps, &value_fix).then_some(value_fix)
}

/// Returns the only value that passes the test, or `None` if there are several, or if it is unknown.
fn passing_value(test: &Test, negated: bool, position: &Position<'_>) -> Option<Value> {
    let (operand, unwanted) = match (&test.operand, test.operator.name) {
        (Operand::Value(value), "equals" | "is") => (value, negated),
        (Operand::Value(value), "notEquals") => (value, !negated),
        (Operand::List(values), _) => match values.as_slice() {
            [only] => (only, negated),
            _ => return None,
        },
        _ => return None,
    };
    let value = match (&operand.data, unwanted) {
        // Of two Booleans, anything other than one is the other. A missing value would pass, too.
        (Data::Bool(bad), true) if matches!(position.target, Target::Value(_)) => Value::from(!bad),
        (Data::Bool(good), false) => Value::from(*good),
        (Data::Int(good), false) => Value::from(*good),
        (Data::Float(good), false) => Value::from(*good),
        // A bracket would begin an expression.
        (Data::String(good), false) if !good.starts_with('[') => Value::from(good.clone()),
        _ => return None,
    };
    Some(value)
}

/// Returns the text to change, or `None` if the author did not write the value in the resource itself.
fn site(document: &Document, position: &Position<'_>) -> Option<FixSite> {
    let (last, above) = position.steps.split_last()?;
    let mut walk = walk_from(document, position.owner);
    for step in above {
        walk_along(&mut walk, *step);
    }
    match (position.target, last) {
        (Target::Value(found), step) => {
            walk_along(&mut walk, *step);
            let span = found.span.filter(|_| walk.is_in_place())?;
            let is_scalar = matches!(found.data, Data::Bool(_) | Data::Int(_) | Data::Float(_) | Data::String(_));
            is_scalar.then(|| FixSite::Value { span, found: found.clone() })
        }
        (Target::Missing, PathStep::Key(key)) => {
            let above = walk.value().filter(|object| walk.is_in_place() && object.via.is_none())?;
            // A member that is written and computed as `null` cannot be added a second time.
            above.as_object().filter(|object| object.dropped(key).is_none())?;
            Some(FixSite::Member { object: above.span?, key: Str::from(*key) })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::json::{parse, testing};
    use crate::text::Sources;
    use crate::value::{Member, Step, Via};
    use crate::{RuleSet, Verdict};

    const TEMPLATE: &str = r#"{"resources": [{
      "type": "A/b", "name": "one",
      "properties": {"on": false, "text": "x", "count": 1, "none": null, "list": [1, 2], "inner": {"on": false}}
    }]}"#;

    /// Checks the fixes of the failed verdicts: `name = value`, with a `+` before that of a missing member.
    #[track_caller]
    fn check(evaluation: &str, expected: &str) {
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
        for value_fix in verdicts.iter().flat_map(|verdict| &verdict.value_fixes) {
            let sign = if matches!(value_fix.site, FixSite::Member { .. }) { "+" } else { "" };
            let _ = write!(found, "{sign}{} = {};", value_fix.name, value_fix.value.to_json());
        }
        assert_eq!(found, expected, "{evaluation}");
    }

    fn on_properties(operator: &str) -> String {
        format!(r#"{{"resourceType": "A/b", "path": "properties", {operator}}}"#)
    }

    #[track_caller]
    fn check_property(name: &str, operator: &str, expected: &str) {
        check(&format!(r#"{{"resourceType": "A/b", "path": "properties.{name}", {operator}}}"#), expected);
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
    fn of_two_booleans_the_other_is_certain() {
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
    fn all_that_failed_is_fixed_or_nothing() {
        let both = |second: &str| on_properties(&format!(r#""allOf": [{{"path": "on", "equals": true}}, {second}]"#));
        check(&both(r#"{"path": "count", "equals": 2}"#), "on = true;count = 2;");
        check(&both(r#"{"path": "count", "greater": 2}"#), "");
        check(&both(r#"{"path": "count", "greater": 0}"#), "on = true;");
    }

    #[test]
    fn nothing_is_added_to_what_is_written_elsewhere() {
        let text = r#"{"id": "X", "name": "X", "shortDescription": "s", "fullDescription": "f", "evaluation":
            {"resourceType": "A/b", "path": "properties.inner.new", "equals": true}}"#;
        let (rules, _) = parse(Sources::new().add("rule.json", text), &text.into());
        let rules = RuleSet::new(rules);
        let (_sources, mut document) = testing::document(TEMPLATE);
        let sites = |document: &Document| rules.check(document)[0].value_fixes.len();
        assert_eq!(sites(&document), 1);
        let via = Via::new(Step::Variable("v".into()), None, []);
        let body = document.resources[0].body.as_object().unwrap();
        let of_variable = |member: &Member| match &*member.key {
            "properties" => Member { value: member.value.clone().through(Some(via.clone())), ..member.clone() },
            _ => member.clone(),
        };
        document.resources[0].body = Value::object(body.iter().map(of_variable).collect());
        assert_eq!(sites(&document), 0);
    }
}
