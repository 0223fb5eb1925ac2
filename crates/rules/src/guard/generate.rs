//! Generates rulesets from templates, as cfn-guard's `rulegen` did.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::guard::ast::Joint;
use crate::guard::eval::branch;
use crate::guard::index::rule_type;
use crate::guard::json_text::text_of;
use crate::guard::parse::parse_line;
use crate::guard::rule::Rule;
use crate::guard::select::properties;
use crate::model::Document;
use crate::outcomes::Outcomes;
use crate::value::{Traits, Value};

/// Values of a property that a rule lists. A property with more is an identifier, which needs no rule.
const MAX_VALUES: usize = 200;

/// Values of properties, by type and property name.
type Properties = BTreeMap<(String, String), BTreeSet<String>>;

/// Generates a ruleset that allows each property only the values that it has in a document.
///
/// Each rule is parsed again and checked against the document. A rule that cannot be written, for example because a
/// value contains the separator of rules, becomes a comment. Secrets and unknown values are skipped.
pub fn generate(document: &Document) -> String {
    let mut ruleset = String::new();
    for ((type_name, property), values) in collect(document) {
        let line = line(&type_name, &property, &values);
        let holds =
            values.len() <= MAX_VALUES && parse_line(&line).is_some_and(|rule| is_kept(&rule, document, values.len()));
        if holds {
            ruleset.push_str(&line);
        } else {
            let name: String = property.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            let _ = write!(ruleset, "# {type_name} {name}: no rule can be written for these values");
        }
        ruleset.push('\n');
    }
    ruleset
}

fn collect(document: &Document) -> Properties {
    let mut all = Properties::new();
    for resource in &document.resources {
        let object = resource.body.get(properties(resource)).and_then(Value::as_object);
        for member in object.into_iter().flatten() {
            let value = &member.value;
            if value.traits.has(Traits::UNKNOWN) || value.traits.has(Traits::SECRET) {
                continue;
            }
            let key = (rule_type(&resource.type_name), member.key.to_string());
            all.entry(key).or_default().insert(text_of(value).trim().replace('\n', ""));
        }
    }
    all
}

fn line(type_name: &str, property: &str, values: &BTreeSet<String>) -> String {
    let rules: Vec<String> = values.iter().map(|value| format!("{type_name} {property} == {value}")).collect();
    rules.join(&format!(" {} ", Joint::Or.as_str()))
}

/// True if a generated rule is parsed as intended, and no resource violates it.
fn is_kept(rule: &Rule, document: &Document, alternatives: usize) -> bool {
    rule.branches.len() == alternatives
        && rule.branches.iter().all(|branch| branch.condition.is_none() && branch.check.message.is_none())
        && document
            .resources
            .iter()
            .filter(|resource| {
                let name = rule_type(&resource.type_name);
                rule.branches.iter().all(|branch| *branch.type_name == *name)
            })
            .all(|resource| {
                let mut outcomes = rule.branches.iter().map(|one| branch(one, resource, false));
                outcomes.any(|outcome| outcome != Outcomes::FALSE)
            })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::testing::document;

    #[track_caller]
    fn check(properties: &str, expected: &str) {
        let template = format!(
            r#"{{"Resources": {{"R": {{"Type": "AWS::T::R", "Properties": {properties}}},
            "S": {{"Type": "AWS::T::R", "Properties": {{"A": 1}}}}}}}}"#
        );
        let (_sources, document) = document(&template);
        assert_eq!(generate(&document), expected, "{properties}");
    }

    #[test]
    fn each_property_has_a_line_with_its_values_in_order() {
        check(
            r#"{"B": {"y": 1, "x": "a b"}, "A": true, "C": " c\nd "}"#,
            "AWS::T::R A == 1 |OR| AWS::T::R A == true\nAWS::T::R B == {\"x\":\"a b\",\"y\":1}\nAWS::T::R C == cd\n",
        );
    }

    #[test]
    fn what_a_ruleset_cannot_say_is_a_comment() {
        let one = "AWS::T::R A == 1\n";
        for value in [r#""""#, r#""%x""#, r#""a << b""#, r#""a |OR| b""#, r#""/[/""#, r#""a\rb""#] {
            let comment = "# AWS::T::R B: no rule can be written for these values\n";
            check(&format!(r#"{{"B": {value}}}"#), &format!("{one}{comment}"));
        }
        check(r#"{"b-c": 1}"#, &format!("{one}# AWS::T::R b-c: no rule can be written for these values\n"));
        check(r#"{"B": "<unknown>"}"#, one);
    }
}
