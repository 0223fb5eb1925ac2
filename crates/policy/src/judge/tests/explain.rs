//! The conditions of a policy as they are explained.

use super::{assigned, read, request};
use crate::judge::{Evaluated, Explained, Origin, PartKind, Question};
use crate::value::{Member, Str, Value};
use crate::{Assignment, Definition, InForce, Initiative, Policies, Request, Surroundings};
use std::sync::Arc;

/// Returns the explanations of one request.
fn explained(policies: &Policies, request: Request) -> Vec<Explained> {
    let question = Question { policy: "it", requests: &[0], needs_all: true, most: 10 };
    InForce::new(policies).explain(&question, &[request], &Surroundings::default()).all
}

/// A condition and what is in it, each on a line.
fn lines(part: &Evaluated, depth: usize, all: &mut Vec<String>) {
    let text = if part.kind == PartKind::Test { &part.text } else { part.kind.as_str() };
    let right = part.right.as_ref().map_or_else(String::new, |right| format!(" = {right}"));
    let left = part.left.as_ref().map_or_else(String::new, |left| format!("; {}", left.value));
    all.push(format!("{}{} {text}{right}{left}", "  ".repeat(depth), part.answer.as_str()));
    part.parts.iter().for_each(|inner| lines(inner, depth + 1, all));
}

#[track_caller]
fn check(condition: &str, body: Value, expected: &[&str]) {
    let policies = assigned(&format!(r#"{{"if": {condition}, "then": {{"effect": "audit"}}}}"#), r#"{"name": "it"}"#);
    let all = explained(&policies, request(body));
    let mut found = Vec::new();
    lines(all[0].condition.as_ref().expect("a condition"), 0, &mut found);
    assert_eq!(found, expected, "{condition}");
}

#[test]
fn each_condition_has_its_value() {
    let body = || read(r#"{"location": "West Europe", "tags": {"env": "x"}}"#);
    check(
        r#"{"allOf": [{"field": "location", "in": ["westeurope"]}, {"not": {"field": "tags.owner", "exists": true}},
            {"anyOf": [{"value": "[toUpper(field('tags.env'))]", "equals": "[concat('X', 'Y')]"}]}]}"#,
        body(),
        &[
            "false allOf",
            r#"  true location in ["westeurope"]; "West Europe""#,
            "  true not",
            "    false tags.owner exists true; missing",
            "  false anyOf",
            r#"    false [toUpper(field('tags.env'))] equals [concat('X', 'Y')] = "XY"; "X""#,
        ],
    );
    check(
        r#"{"value": "[substring('', 1, 2)]", "equals": "x"}"#,
        body(),
        &[r#"fails [substring('', 1, 2)] equals "x""#],
    );
    check(r#"{"value": "[utcNow()]", "equals": "x"}"#, body(), &[r#"unknown [utcNow()] equals "x"; unknown"#]);
}

#[test]
fn items_of_arrays_have_their_conditions() {
    let acls = r#"{"properties": {"networkAcls": {"ipRules": [{"value": "10.0.0.0/8"}, {"value": "0.0.0.0/0"}]}}}"#;
    let alias = "Microsoft.Storage/storageAccounts/networkAcls.ipRules[*]";
    check(
        &format!(r#"{{"field": "{alias}.value", "notEquals": "0.0.0.0/0"}}"#),
        read(acls),
        &[
            &format!(r#"false {alias}.value notEquals "0.0.0.0/0"; 2 items"#),
            r#"  true item; "10.0.0.0/8""#,
            r#"  false item; "0.0.0.0/0""#,
        ],
    );
    let counted = r#"{"field": "networkRule", "equals": "x"}"#.replace("networkRule", &format!("{alias}.value"));
    check(
        &format!(r#"{{"count": {{"field": "{alias}", "where": {counted}}}, "greater": 0}}"#),
        read(acls),
        &[
            &format!("false count of {alias} where the parts hold, greater 0; 0"),
            r#"  false item; {"value":"10.0.0.0/8"}"#,
            &format!(r#"    false {alias}.value equals "x"; "10.0.0.0/8""#),
            r#"  false item; {"value":"0.0.0.0/0"}"#,
            &format!(r#"    false {alias}.value equals "x"; "0.0.0.0/0""#),
        ],
    );
}

#[test]
fn an_explanation_is_bounded() {
    let tests = vec![r#"{"field": "name", "equals": "st"}"#; 3_000].join(", ");
    let policies =
        assigned(&format!(r#"{{"if": {{"allOf": [{tests}]}}, "then": {{"effect": "audit"}}}}"#), r#"{"name": "it"}"#);
    let all = explained(&policies, request(read("{}")));
    let condition = all[0].condition.as_ref().expect("a condition");
    assert_eq!(condition.parts.len() + condition.omitted, 3_000);
    assert!(condition.omitted > 1_000, "{}", condition.omitted);
}

#[test]
fn no_secret_is_in_an_explanation() {
    let secret = Value::from("S3CRET-value").into_secret();
    let body = Value::object(vec![Member::new("tags", Value::object(vec![Member::new("a", secret)]))]);
    let condition = r#"{"allOf": [{"field": "tags.a", "equals": "[concat(field('tags.a'), 'x')]"},
        {"value": "[base64(field('tags.a'))]", "equals": 1}, {"field": "[concat('tags.', field('tags.a'))]", "exists": true},
        {"value": "[int(field('tags.a'))]", "equals": 1}, {"field": "tags", "containsKey": "b"}]}"#;
    let policies = assigned(&format!(r#"{{"if": {condition}, "then": {{"effect": "audit"}}}}"#), r#"{"name": "it"}"#);
    let shown = format!("{:?}", explained(&policies, request(body)));
    assert!(!shown.to_ascii_lowercase().contains("s3cret") && !shown.contains("UzNDUkVU"), "{shown}");
}

#[test]
fn parameters_say_what_gives_them() {
    let definition = read(
        r#"{"name": "d", "properties": {"mode": "All",
        "parameters": {"a": {"type": "string", "defaultValue": "1"}, "b": {"type": "string"}, "c": {"type": "string"}},
        "policyRule": {"if": {"field": "name", "equals": "[parameters('a')]"}, "then": {"effect": "audit"}}}}"#,
    );
    let set = read(
        r#"{"name": "s", "properties": {"parameters": {"x": {"type": "string"}, "y": {"type": "string", "defaultValue": "3"}},
        "policyDefinitions": [{"policyDefinitionId": "d", "parameters": {"b": {"value": "[parameters('x')]"},
        "c": {"value": "[parameters('y')]"}}}]}}"#,
    );
    let assignment = |definition: &str, parameters: &str| {
        let text = format!(r#"{{"name": "it", "properties": {{"parameters": {parameters}}}}}"#);
        Assignment { definition: Str::from(definition), ..Assignment::read(&read(&text)) }
    };
    let given = |assignment: Assignment| {
        let policies = Policies {
            definitions: vec![Arc::new(Definition::read(&definition))],
            initiatives: vec![Arc::new(Initiative::read(&set))],
            assignments: vec![assignment],
            ..Policies::default()
        };
        let all = explained(&policies, request(read("{}")));
        all[0].parameters.iter().map(|given| (given.value.clone(), given.origin)).collect::<Vec<_>>()
    };
    let of = |value: &str, origin| (format!("\"{value}\""), origin);
    assert_eq!(
        given(assignment("d", r#"{"b": {"value": "2"}, "c": {"value": "4"}}"#)),
        [of("1", Origin::Default), of("2", Origin::Assignment), of("4", Origin::Assignment)]
    );
    assert_eq!(
        given(assignment("s", r#"{"x": {"value": "2"}}"#)),
        [of("1", Origin::Default), of("2", Origin::Assignment), of("3", Origin::Initiative)]
    );
}

#[test]
fn what_says_nothing_says_why() {
    let silent = |rule: &str, mode: &str| {
        let rule = format!(r#"{{"if": {rule}, "then": {{"effect": "deny"}}}}"#);
        let definition = format!(r#"{{"name": "it", "properties": {{"mode": "{mode}", "policyRule": {rule}}}}}"#);
        let policies = Policies {
            definitions: vec![Arc::new(Definition::read(&read(&definition)))],
            assignments: vec![Assignment { definition: Str::from("it"), ..Assignment::read(&read("{}")) }],
            ..Policies::default()
        };
        explained(&policies, request(read("{}"))).remove(0).why
    };
    let other = r#"{"field": "type", "equals": "Microsoft.Web/sites"}"#;
    assert_eq!(silent(other, "All"), "it is not about this resource");
    let kubernetes = silent(other, "Microsoft.Kubernetes.Data");
    assert_eq!(kubernetes, "a service judges the definitions of the mode `Microsoft.Kubernetes.Data` itself");
}

/// A related resource is explained with the existence condition.
#[test]
fn related_resources_are_explained() {
    let rule = r#"{"if": {"field": "type", "equals": "Microsoft.Storage/storageAccounts"}, "then": {"effect": "auditIfNotExists",
        "details": {"type": "Microsoft.KeyVault/vaults", "name": "kv", "existenceCondition": {"field": "location", "equals": "x"}}}}"#;
    let vault = Request {
        type_name: Str::from("Microsoft.KeyVault/vaults"),
        id: Str::from(
            request(Value::NULL).id.replace("Microsoft.Storage/storageAccounts/st", "Microsoft.KeyVault/vaults/kv"),
        ),
        name: Value::from("kv"),
        ..request(read(r#"{"location": "y"}"#))
    };
    let policies = assigned(rule, r#"{"name": "it"}"#);
    let question = Question { policy: "IT", requests: &[0], needs_all: false, most: 1 };
    let answer = InForce::new(&policies).explain(&question, &[request(read("{}")), vault], &Surroundings::default());
    let mut found = Vec::new();
    answer.all[0].related.iter().for_each(|part| lines(part, 0, &mut found));
    assert_eq!(found, ["false related", r#"  false location equals "x"; "y""#]);
}

/// Requests that are not shown are not evaluated.
#[test]
fn an_explanation_ends_after_the_most_that_is_shown() {
    let policies = assigned(r#"{"if": {"field": "name", "like": "*"}, "then": {"effect": "deny"}}"#, "{}");
    let requests = [request(read("{}")), request(read("{}")), request(read("{}"))];
    for (most, is_cut) in [(2, true), (3, false)] {
        let question = Question { policy: "it", requests: &[0, 1, 2], needs_all: false, most };
        let answer = InForce::new(&policies).explain(&question, &requests, &Surroundings::default());
        assert_eq!((answer.all.len(), answer.is_cut), (most, is_cut));
    }
}
