//! Parts that may never be deployed, because of a condition or a count that only a deployment can know: their faults
//! are reasons of unknowns and not diagnostics, unless the text itself is wrong.

use super::{check, show};

/// A member of a template that fails unless `p` has a value.
const FAULT: &str = "[split(parameters('n'), '/')[2]]";

/// Returns a template with a parameter `b` that is unknown, a parameter `n` that is null, and these members.
fn template(members: &str) -> String {
    let parameters = r#""b": {"type": "bool"}, "n": {"type": "string", "nullable": true}, "c": {"type": "int"}"#;
    format!(r#"{{"languageVersion": "2.0", "parameters": {{{parameters}}}, {members}}}"#).replace("FAULT", FAULT)
}

#[track_caller]
fn is_silent(members: &str) {
    let found = show(&template(members), "");
    assert!(!found.contains("expression/"), "{members}\n{found}");
}

#[track_caller]
fn is_reported(members: &str, code: &str) {
    let found = show(&template(members), "");
    assert!(found.contains(code), "{members}\n{found}");
}

#[test]
fn a_fault_after_an_unknown_condition_is_only_a_reason() {
    for resource in [
        r#""type": "A.B/c", "condition": "[parameters('b')]", "name": "FAULT""#,
        r#""type": "A.B/c", "condition": "[parameters('b')]", "name": "x", "properties": {"a": {"b": "FAULT"}}"#,
        r#""type": "A.B/c", "condition": "[parameters('b')]", "name": "x", "dependsOn": ["FAULT"]"#,
        r#""type": "A.B/c", "condition": "[parameters('b')]", "name": "x", "scope": "FAULT""#,
        r#""type": "A.B/c", "condition": "[parameters('b')]", "existing": true, "name": "FAULT", "resourceGroup": "FAULT""#,
        r#""type": "A.B/c", "copy": {"name": "l", "count": "[parameters('c')]"}, "name": "FAULT", "properties": {"p": "FAULT"}"#,
        r#""type": "A.B/c", "condition": "[parameters('b')]", "copy": {"name": "l", "count": 2}, "name": "FAULT""#,
        r#""type": "A.B/c", "condition": false, "name": "FAULT", "dependsOn": ["FAULT"]"#,
        r#""type": "A.B/c", "condition": false, "name": "x", "tags": "FAULT", "copy": {"name": "l", "count": 1}"#,
    ] {
        is_silent(&format!(r#""resources": {{"r": {{{resource}}}}}"#));
        // Without what guards it, the same is a fault.
        let bare = resource.replace(r#""condition": "[parameters('b')]", "#, "");
        if bare != resource && !bare.contains("existing") {
            is_reported(&format!(r#""resources": {{"r": {{{bare}}}}}"#), "expression/arguments");
        }
    }
    is_silent(
        r#""resources": {}, "outputs": {"o": {"condition": "[parameters('b')]", "type": "string", "value": "FAULT"}}"#,
    );
    is_reported(r#""resources": {}, "outputs": {"o": {"type": "string", "value": "FAULT"}}"#, "expression/arguments");
}

#[test]
fn everything_in_a_deployment_that_may_not_take_place_is_guarded() {
    let nested = |condition: &str, scope: &str, inner: &str| {
        format!(
            r#""resources": {{"d": {{"type": "Microsoft.Resources/deployments", {condition} "name": "d", "properties": {{
                "expressionEvaluationOptions": {{"scope": "{scope}"}}, "parameters": {{"n": {{"value": "[parameters('n')]"}}}},
                "template": {{"parameters": {{"n": {{"type": "string", "nullable": true}}}}, {inner}}}}}}}}}"#
        )
    };
    for inner in [
        r#""resources": [{"type": "A.B/c", "name": "FAULT", "properties": {"a": "FAULT"}}]"#,
        r#""variables": {"v": "FAULT"}, "resources": []"#,
        r#""resources": [{"type": "A.B/c", "name": "x", "resources": [{"type": "d", "name": "FAULT"}]}]"#,
        r#""resources": [], "outputs": {"o": {"type": "string", "value": "FAULT"}}"#,
        r#""resources": [{"type": "Microsoft.Resources/deployments", "name": "e", "properties": {"template": {
            "resources": [{"type": "A.B/c", "name": "FAULT"}]}}}]"#,
    ] {
        is_silent(&nested(r#""condition": "[parameters('b')]","#, "inner", inner));
        is_reported(&nested("", "inner", inner), "expression/arguments");
        if !inner.contains("variables") {
            is_silent(&nested(r#""condition": "[parameters('b')]","#, "outer", inner));
            is_reported(&nested("", "outer", inner), "expression/arguments");
        }
    }
}

#[test]
fn a_wrong_text_is_a_fault_after_any_condition() {
    for wrong in ["[parameters('none')]", "[nothing()]", "[concat(]", "[empty()]"] {
        let members = format!(
            r#""resources": {{"r": {{"type": "A.B/c", "condition": "[parameters('b')]", "name": "x", "tags": "{wrong}"}}}}"#
        );
        is_reported(&members, "expression/");
    }
}

#[test]
fn definitions_are_evaluated_whatever_guards_their_uses() {
    let members = r#""variables": {"v": "FAULT"}, "resources": {
        "r": {"type": "A.B/c", "condition": "[parameters('b')]", "name": "[variables('v')]"}}"#;
    is_reported(members, "expression/arguments");
}

#[test]
fn the_reason_of_an_unknown_tells_the_fault() {
    check(
        r#"{"parameters": {"b": {"type": "bool"}}, "resources": [], "outputs": {"o": {
            "condition": "[parameters('b')]", "type": "string", "value": "[split('a', '/')[3]]"}}}"#,
        &["o = unknown: its expression fails: index 3 is out of range for an array of length 1"],
    );
}

#[test]
fn a_user_function_in_a_branch_that_may_not_be_taken_is_guarded() {
    let members = r#""functions": [{"namespace": "n", "members": {"f": {"parameters": [{"name": "s", "type": "string"}],
        "output": {"type": "object", "value": {"x": "[split(parameters('s'), '/')[2]]"}}}}}], "resources": {},
        "outputs": {"o": {"type": "object", "value": "[if(parameters('b'), n.f(''), createObject())]"}}"#;
    is_silent(members);
}
