//! Treatment of `null`: dropped where an expression computes it, and unknown where Azure fills it.

use super::check;

#[test]
fn computed_nulls_are_dropped_wherever_they_are_in_a_resource() {
    check(
        r#"{
        "parameters": {"o": {"type": "object", "defaultValue": {"a": null, "b": {"c": null, "d": 1}, "e": [null, {"f": null}]}}},
        "variables": {"k": "key"},
        "resources": [
            {"type": "A.B/c", "name": "x", "properties": "[parameters('o')]"},
            {"type": "A.B/c", "name": "y", "properties": {
                "written": null, "computed": "[null()]", "[variables('k')]": "[null()]",
                "object": "[createObject('a', null(), 'b', createObject('c', null()))]",
                "copy": [{"name": "l", "count": 1, "input": {"written": null, "computed": "[null()]", "i": "[copyIndex('l')]"}}]}}
        ],
        "outputs": {"o": {"type": "object", "value": "[parameters('o')]"}}}"#,
        &[
            r#"resources[0] A.B/c x {"b":{"d":1},"e":[null,{}]}"#,
            r#"resources[1] A.B/c y {"written":null,"object":{"b":{}},"l":[{"written":null,"i":0}]}"#,
            r#"o = {"a":null,"b":{"c":null,"d":1},"e":[null,{"f":null}]}"#,
        ],
    );
}

#[test]
fn arguments_of_a_nested_deployment_keep_their_nulls() {
    check(
        r#"{"resources": [{"type": "Microsoft.Resources/deployments", "name": "d", "properties": {
            "expressionEvaluationOptions": {"scope": "inner"},
            "parameters": {"o": {"value": "[createObject('a', null())]"}},
            "template": {"parameters": {"o": {"type": "object"}}, "resources": [],
                "outputs": {"keys": {"type": "array", "value": "[objectKeys(parameters('o'))]"}}}}}],
        "outputs": {"keys": {"type": "array", "value": "[reference('d').outputs.keys.value]"}}}"#,
        &[
            r#"resources[0] Microsoft.Resources/deployments d {"expressionEvaluationOptions":{"scope":"inner"},"parameters":{"o":{"value":{"a":null}}}}"#,
            r#"keys = ["a"]"#,
        ],
    );
}

#[test]
fn a_property_that_is_left_null_is_for_azure_to_fill() {
    check(
        r#"{"languageVersion": "2.0", "resources": {
            "r": {"type": "A.B/c", "name": "r", "sku": null, "properties": {
                "a": null, "b": "[null()]", "c": {"d": null, "e": 1}, "primaryLocation": "West US 2"}}},
        "outputs": {
            "a": {"type": "string", "value": "[reference('r').a]"}, "b": {"type": "string", "value": "[reference('r').b]"},
            "d": {"type": "string", "value": "[reference('r').c.d]"}, "e": {"type": "int", "value": "[reference('r').c.e]"},
            "sku": {"type": "object", "value": "[reference('r', '2020-01-01', 'full').sku]"},
            "primary": {"type": "string", "value": "[reference('r').primaryLocation]"}}}"#,
        &[
            r#"resources.r A.B/c r {"a":null,"c":{"d":null,"e":1},"primaryLocation":"West US 2"}"#,
            "a = unknown: only Azure knows the whole state of `r`",
            "b = unknown: only Azure knows the whole state of `r`",
            "d = unknown: only Azure knows the whole state of `r`",
            "e = 1",
            "sku = unknown: only Azure knows the whole state of `r`",
            r#"primary = "westus2""#,
        ],
    );
}
