//! Dependencies on an environment that the settings do not describe: placeholder names must not decide anything.

use super::show_in;
use crate::context::Context;
use crate::value::{Member, Value};

/// Returns a resource with these members.
fn resource(members: &str) -> String {
    format!(r#"{{"resources": [{{"type": "A.B/c", "name": "x", {members}}}]}}"#)
}

/// Expands a template, without the notes about its conditions.
fn shown(context: &Context, template: &str) -> String {
    let all = show_in(context, template, "");
    all.split_inclusive('\n').filter(|line| !line.contains("template/condition")).collect()
}

#[track_caller]
fn check(members: &str, expected: &str) {
    assert_eq!(shown(&Context::default(), &resource(members)), expected, "{members}");
}

const ASSUMED: &str = "maybe resources[0] A.B/c x\n";

#[test]
fn a_condition_on_the_environment_is_unknown() {
    for condition in [
        "equals(resourceGroup().name, 'production')",
        "equals(resourceGroup().name, 'ps-rule-test-rg')",
        "startsWith(resourceGroup().name, 'prod-')",
        "equals(resourceGroup().location, 'x')",
        "contains(resourceGroup().tags, 'x')",
        "equals(resourceGroup().tags.x, 'y')",
        "and(equals(resourceGroup().location, 'x'), true())",
        "empty(replace(resourceGroup().name, 'production', ''))",
        "equals(toLower(subscription().displayName), 'x')",
        "equals(subscription().subscriptionId, 'x')",
        "endsWith(resourceGroup().id, 'x')",
        "equals(subscription().displayName, 'Production')",
        "equals(tenant().tenantId, 'x')",
        "equals(tenant().countryCode, 'DE')",
        "equals(deployment().name, 'release')",
        "equals(deployer().objectId, 'x')",
        "greater(length(deployment().name), 40)",
        "contains(resourceId('A.B/c', 'x'), 'production')",
        "equals(split(resourceId('A.B/c', 'x'), '/')[4], 'production')",
        "equals(last(split(resourceGroup().name, '-')), 'production')",
        "and(true(), equals(resourceGroup().name, 'production'))",
        "not(equals(resourceGroup().name, 'ps-rule-test-rg'))",
        "if(equals(resourceGroup().name, 'production'), true(), false())",
        "contains(createObject('production', 1), resourceGroup().name)",
        "contains(createObject(resourceGroup().name, 1), 'production')",
        "coalesce(tryGet(createObject('production', true()), resourceGroup().name), false())",
        "json(concat('{\\\"a\\\": ', toLower(string(equals(resourceGroup().name, 'production'))), '}')).a",
        "createArray(false(), true())[sub(length(resourceGroup().name), 15)]",
        "not(empty(filter(createArray('production'), lambda('x', equals(lambdaVariables('x'), resourceGroup().name)))))",
    ] {
        check(&format!(r#""condition": "[{condition}]""#), ASSUMED);
    }
}

#[test]
fn the_way_to_a_condition_does_not_matter() {
    let with = |sections: &str, condition: &str| {
        let members = format!(r#""condition": "[{condition}]""#);
        format!("{{{sections}, {}", resource(&members).strip_prefix('{').unwrap())
    };
    for (sections, condition) in [
        (r#""variables": {"v": {"deploy": "[equals(resourceGroup().name, 'p')]"}}"#, "variables('v').deploy"),
        (
            r#""parameters": {"p": {"type": "bool", "defaultValue": "[equals(subscription().displayName, 'p')]"}}"#,
            "parameters('p')",
        ),
        (
            r#""parameters": {"p": {"type": "string", "defaultValue": "[utcNow('yyyy')]"}}"#,
            "greater(int(parameters('p')), 2030)",
        ),
        (
            r#""parameters": {"p": {"type": "string", "defaultValue": "[newGuid()]"}}"#,
            "startsWith(parameters('p'), '0')",
        ),
        (r#""variables": {"p": {"production": true}}"#, "contains(variables('p'), deployment().name)"),
        (
            r#""functions": [{"namespace": "n", "members": {"f": {"parameters": [{"name": "a", "type": "string"}], "output": {"type": "bool", "value": "[equals(parameters('a'), 'p')]"}}}}]"#,
            "n.f(resourceGroup().name)",
        ),
        (r#""variables": {"v": {"[resourceGroup().name]": true}}"#, "contains(variables('v'), 'p')"),
        (
            r#""variables": {"copy": [{"name": "v", "count": 2, "input": "[resourceGroup().name]"}]}"#,
            "equals(variables('v')[1], 'p')",
        ),
    ] {
        assert_eq!(shown(&Context::default(), &with(sections, condition)), ASSUMED, "{condition}");
    }
}

#[test]
fn counts_and_choices_on_the_environment_are_unknown() {
    let count = |count: &str| format!(r#""copy": {{"name": "l", "count": "[{count}]"}}"#);
    let once = "resources[0] A.B/c x\n";
    check(&count("if(equals(resourceGroup().name, 'p'), 1, 0)"), once);
    check(&count("sub(length(resourceGroup().name), 15)"), once);
    check(&count("length(split(resourceGroup().name, '-production'))"), once);
    let output = r#"{"resources": [], "outputs": {"o": {"type": "int", "value": "[if(equals(resourceGroup().name, 'p'), 1, 2)]"}}}"#;
    assert!(shown(&Context::default(), output).starts_with("o = unknown: it depends on the environment"));
}

#[test]
fn what_is_certain_is_still_decided() {
    for (members, expected) in [
        (r#""condition": "[equals('a', 'b')]""#, ""),
        (r#""condition": "[not(empty(createArray(resourceGroup().name)))]""#, "resources[0] A.B/c x\n"),
        (r#""condition": "[contains(createObject('a', resourceGroup().id), 'b')]""#, ""),
        (r#""condition": "[first(createArray(false(), resourceGroup().name))]""#, ""),
        (r#""condition": "[or(true(), equals(resourceGroup().name, 'p'))]""#, "resources[0] A.B/c x\n"),
        (r#""condition": "[and(equals(resourceGroup().name, 'p'), false())]""#, ""),
        (r#""condition": "[empty(resourceGroup().name)]""#, ""),
        (r#""condition": "[equals(resourceId('A.B/c', 'x'), '')]""#, ""),
        (r#""condition": "[startsWith(concat('a-', resourceGroup().name), 'b')]""#, ""),
        (r#""condition": "[endsWith(resourceId('A.B/c', 'x'), '/y')]""#, ""),
    ] {
        check(members, expected);
    }
}

#[test]
fn what_the_settings_say_is_known() {
    let config = Value::object(vec![
        Member::new("AZURE_RESOURCE_GROUP", Value::from("production")),
        Member::new("AZURE_DEPLOYMENT", Value::from("release")),
        Member::new("AZURE_SUBSCRIPTION", Value::object(vec![Member::new("subscriptionId", Value::from("s"))])),
    ]);
    let context = Context::from_config(&config);
    for (condition, expected) in [
        ("equals(resourceGroup().name, 'production')", "resources[0] A.B/c x\n"),
        ("equals(resourceGroup().name, 'test')", ""),
        ("equals(deployment().name, 'release')", "resources[0] A.B/c x\n"),
        ("equals(subscription().subscriptionId, 't')", ""),
        ("contains(resourceId('A.B/c', 'x'), 'production')", "resources[0] A.B/c x\n"),
        ("equals(subscription().displayName, 't')", ASSUMED),
    ] {
        let template = resource(&format!(r#""condition": "[{condition}]""#));
        assert_eq!(shown(&context, &template), expected, "{condition}");
    }
}
