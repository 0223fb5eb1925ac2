//! What policies do with one storage account.

use std::sync::Arc;

use formwork_syntax::json;

use crate::model::Limits;
use crate::text::Sources;
use crate::value::{Kind, Str, Unknown, Value};
use crate::{Assignment, Definition, InForce, Outcome, Policies, Request, Standing, Surroundings};

fn read(text: &str) -> Value {
    let sources = Sources::new();
    let file = sources.add("policy.json", text);
    json::parse(file, sources.get(file).text(), Limits::default().nesting).value.expect("the text is JSON")
}

fn request(body: Value) -> Request {
    let group = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/rg";
    Request {
        id: Str::from(format!("{group}/providers/Microsoft.Storage/storageAccounts/st")),
        type_name: Str::from("Microsoft.Storage/storageAccounts"),
        name: Value::from("st"),
        api_version: Value::from("2023-05-01"),
        body,
        doubt: None,
    }
}

/// What a definition does, which is given by its rule: the name of its effect, `none`, or `unknown`.
fn effect(rule: &str, body: Value, assignment: &str) -> (&'static str, Standing) {
    let definition = read(&format!(r#"{{"name": "it", "properties": {{"mode": "All", "policyRule": {rule}}}}}"#));
    let assignment = Assignment { definition: Str::from("it"), ..Assignment::read(&read(assignment)) };
    let policies = Policies {
        definitions: vec![Arc::new(Definition::read(&definition))],
        assignments: vec![assignment],
        ..Policies::default()
    };
    let judged = InForce::new(&policies).judge(&[request(body)], &Surroundings::default());
    match judged.first().and_then(|judged| judged.verdicts.first()) {
        None => ("none", Standing::Excluded),
        Some(verdict) => match verdict.outcome {
            Outcome::None => ("none", verdict.standing),
            Outcome::Effect(effect) => (effect.as_str(), verdict.standing),
            Outcome::Unknown => ("unknown", verdict.standing),
        },
    }
}

#[track_caller]
fn check(condition: &str, body: Value, expected: &str) {
    let rule = format!(r#"{{"if": {condition}, "then": {{"effect": "audit"}}}}"#);
    assert_eq!(effect(&rule, body, "{}").0, expected, "{condition}");
}

#[test]
fn conditions_have_three_values() {
    let known = || read(r#"{"location": "West Europe", "tags": {"env": "x"}}"#);
    let unknown = || {
        let location = Value::unknown(Unknown::new(Kind::Any, "a test says so"));
        Value::object(vec![crate::value::Member::new("location", location)])
    };
    let here = r#"{"field": "location", "equals": "westeurope"}"#;
    check(here, known(), "audit");
    check(here, unknown(), "unknown");
    check(&format!(r#"{{"anyOf": [{here}, {{"field": "name", "equals": "ST"}}]}}"#), unknown(), "audit");
    check(&format!(r#"{{"allOf": [{here}, {{"field": "name", "equals": "other"}}]}}"#), unknown(), "none");
    check(r#"{"field": "tags.ENV", "exists": "false"}"#, known(), "none");
    check(r#"{"field": "tags", "containsKey": "env"}"#, known(), "audit");
}

#[test]
fn a_function_that_fails_denies() {
    let fails = r#"{"value": "[substring(field('name'), 0, 3)]", "equals": "abc"}"#;
    let all = |other: &str| format!(r#"{{"allOf": [{other}, {fails}]}}"#);
    check(fails, read("{}"), "deny");
    check(&all(r#"{"field": "type", "equals": "Microsoft.Web/sites"}"#), read("{}"), "none");
    check(&all(r#"{"field": "tags.env", "exists": true}"#), read("{}"), "unknown");
    check(&all(r#"{"field": "tags.env", "exists": false}"#), read("{}"), "deny");
}

#[test]
fn an_assignment_applies_at_its_scope() {
    let rule = r#"{"if": {"field": "name", "like": "s*"}, "then": {"effect": "deny"}}"#;
    let at = |scope: &str| effect(rule, read("{}"), &format!(r#"{{"properties": {{"scope": "{scope}"}}}}"#));
    let subscription = "/subscriptions/00000000-0000-0000-0000-000000000001";
    assert_eq!(at(subscription), ("deny", Standing::Applies));
    assert_eq!(at(&format!("{subscription}/resourceGroups/r")), ("none", Standing::Excluded));
    assert_eq!(at("/providers/Microsoft.Management/managementGroups/corp"), ("deny", Standing::Conditional));
    let silent = effect(rule, read("{}"), r#"{"properties": {"enforcementMode": "DoNotEnforce"}}"#);
    assert_eq!(silent, ("deny", Standing::NotEnforced));
}

#[test]
fn a_definition_that_azure_refuses_decides_nothing() {
    for condition in [
        r#"{"value": "[newGuid()]", "equals": "x"}"#,
        r#"{"value": "[parameters('x')]", "equals": "x"}"#,
        r#"{"field": "name", "equal": "x"}"#,
        r#"{"field": "name", "equals": ["x"]}"#,
        r#"{"allOf": {}}"#,
        "[]",
    ] {
        check(condition, read("{}"), "unknown");
    }
}
