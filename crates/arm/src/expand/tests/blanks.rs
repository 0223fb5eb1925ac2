//! Parameters that are empty because someone has still to fill them in.

use super::expansion_in;
use crate::context::Context;

/// Checks the problems of a template with a parameter file, each with the ID and the message.
#[track_caller]
fn check(template: &str, file: &str, expected: &[&str]) {
    let (_, expansion) = expansion_in(&Context::default(), template, file);
    let issues = expansion.issues.iter().map(|issue| format!("{} {}", issue.path, issue.message));
    let problems = expansion.diagnostics.iter().filter(|problem| problem.code.as_str() == "expression/failed");
    let problems = problems.map(|problem| problem.message.clone());
    assert_eq!(issues.chain(problems).collect::<Vec<_>>(), expected);
}

const TEMPLATE: &str = r#"{"parameters": {
        "id": {"type": "string", "defaultValue": ""}, "names": {"type": "object", "defaultValue": {"a": ""}}},
    "variables": {"parts": "[split(parameters('id'), '/')]"},
    "resources": [{"type": "Microsoft.Resources/deployments", "name": "d", "properties": {
        "expressionEvaluationOptions": {"scope": "inner"},
        "parameters": {"inner": {"value": "[parameters('id')]"}},
        "template": {"parameters": {"inner": {"type": "string"}}, "resources": [
            {"type": "A.B/c", "name": "n", "properties": {"group": "[split(parameters('inner'), '/')[4]]"}}]}}}],
    "outputs": {"o": {"type": "string", "value": "[variables('parts')[2]]"},
        "p": {"type": "int", "value": "[createObject('a', 1)[parameters('names').a]]"},
        "q": {"type": "bool", "value": "[empty(parameters('id'))]"}}}"#;

#[test]
fn an_expression_that_fails_with_a_blank_is_reported_once_where_the_blank_is() {
    check(
        TEMPLATE,
        r#"{"parameters": {"id": {"value": ""}, "names": {"value": {"a": ""}}}}"#,
        &[
            "parameters.id parameter `id` is empty; expected a value, without which an expression fails",
            "parameters.names parameter `names` is empty; expected a value, without which an expression fails",
        ],
    );
}

#[test]
fn without_a_parameter_file_nothing_is_known_of_a_blank_default() {
    check(TEMPLATE, "", &[]);
}

#[test]
fn without_a_parameter_file_nothing_is_known_of_an_empty_object_or_array() {
    let template = r#"{"parameters": {"nsg": {"type": "object", "defaultValue": {}}, "list": {"type": "array", "defaultValue": []},
            "full": {"type": "object", "defaultValue": {"a": 1}}},
        "resources": [], "outputs": {"o": {"type": "string", "value": "[parameters('nsg').name]"},
            "p": {"type": "string", "value": "[parameters('list')[0].name]"},
            "q": {"type": "int", "value": "[parameters('full').b]"}}}"#;
    let missing = "there is no property `b`; the object has `a`";
    check(template, "", &[missing]);
    let empty =
        ["there is no property `name`: the object is empty", "index 0 is out of range for an array of length 0"];
    check(template, r#"{"parameters": {}}"#, &[&empty[..], &[missing]].concat());
}

#[test]
fn a_blank_default_that_a_parameter_file_leaves_is_a_value() {
    let expected = [
        "index 4 is out of range for an array of length 1",
        "index 2 is out of range for an array of length 1",
        "there is no property ``; the object has `a`",
    ];
    check(TEMPLATE, r#"{"parameters": {}}"#, &expected);
}

#[test]
fn an_expression_that_fails_by_itself_is_reported() {
    let template = r#"{"parameters": {"id": {"type": "string"}}, "resources": [],
        "outputs": {"o": {"type": "string", "value": "[concat(parameters('id'), split('a', '/')[2])]"}}}"#;
    let by_itself = "index 2 is out of range for an array of length 1";
    check(template, r#"{"parameters": {"id": {"value": "x"}}}"#, &[by_itself]);
}
