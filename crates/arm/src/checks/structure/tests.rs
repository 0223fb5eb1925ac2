//! Tests of the structure of templates: what Resource Manager refuses, each next to what it accepts.

use crate::diagnostic::Diagnostic;
use crate::expand::testing::expanded;

/// Returns the messages about a template.
fn messages(template: &str) -> Vec<String> {
    expanded(template).1.diagnostics.into_iter().map(|problem: Diagnostic| problem.message).collect()
}

#[track_caller]
fn refused(template: &str, message: &str) {
    let found = messages(template);
    assert!(found.len() == 1 && found[0].contains(message), "{template}: {found:?}");
}

#[track_caller]
fn accepted(template: &str) {
    assert_eq!(messages(template), [""; 0], "{template}");
}

/// Returns a whole template for a scope, with further sections.
fn template(schema: &str, sections: &str) -> String {
    let comma = if sections.is_empty() { "" } else { ", " };
    format!(
        r#"{{"$schema": "https://schema.management.azure.com/schemas/{schema}#", "contentVersion": "1.0.0.0",
            "resources": []{comma}{sections}}}"#
    )
}

const GROUP: &str = "2019-04-01/deploymentTemplate.json";
const SUBSCRIPTION: &str = "2018-05-01/subscriptionDeploymentTemplate.json";
const MANAGEMENT_GROUP: &str = "2019-08-01/managementGroupDeploymentTemplate.json";
const TENANT: &str = "2019-08-01/tenantDeploymentTemplate.json";

/// Returns a template with a nested deployment of these members and properties.
fn nested(schema: &str, members: &str, properties: &str) -> String {
    let resource = format!(
        r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "n", {members}
            "properties": {{{properties}}}}}"#
    );
    template(schema, "").replace(r#""resources": []"#, &format!(r#""resources": [{resource}]"#))
}

const MODE: &str = r#""mode": "Incremental""#;

fn inner() -> String {
    let options = r#""expressionEvaluationOptions": {"scope": "inner"}"#;
    format!(r#"{MODE}, {options}, "template": {}"#, template(GROUP, ""))
}

#[test]
fn a_template_has_its_versions_and_sections() {
    accepted(&template(GROUP, ""));
    refused(&template(GROUP, "").replace(r#""contentVersion": "1.0.0.0","#, ""), "has no `contentVersion`");
    refused(&template(GROUP, "").replace(r#""resources": []"#, r#""outputs": {}"#), "has no `resources`");
    for version in [r#""1.0""#, r#""x""#, "1", r#""1.0.0.0.0""#, r#""1.0.0.-1""#] {
        refused(&template(GROUP, "").replace(r#""1.0.0.0""#, version), "`contentVersion`");
    }
    for version in ["2.0", "1.0", "2.1-experimental", "1.10-experimental"] {
        accepted(&template(GROUP, &format!(r#""languageVersion": "{version}""#)));
    }
    for version in [r#""3.0""#, r#""2""#, r#""latest""#, "2"] {
        refused(&template(GROUP, &format!(r#""languageVersion": {version}"#)), "`languageVersion`");
    }
    accepted(&template(GROUP, "").replace("[]", "{}"));
    let symbolic = r#"{"a": {"type": "Microsoft.Resources/tags", "apiVersion": "2021-04-01", "name": "default"}}"#;
    refused(&template(GROUP, "").replace("[]", symbolic), "needs a language version");
    refused(&template(GROUP, r#""functions": {}"#), "`functions` must be an array");
}

#[test]
fn a_nested_deployment_has_a_mode_and_one_template() {
    accepted(&nested(GROUP, "", &inner()));
    refused(&nested(GROUP, "", &inner().replace(MODE, r#""parameters": {}"#)), "has no `mode`");
    let neither = messages(&nested(GROUP, "", MODE));
    assert!(neither.iter().any(|message| message.contains("neither `template` nor `templateLink`")));
    let both = format!(r#"{}, "templateLink": {{"uri": "https://example.com/a.json"}}"#, inner());
    assert!(messages(&nested(GROUP, "", &both)).iter().any(|message| message.contains("both `template` and")));
    let both = format!(r#"{}, "parameters": {{}}, "parametersLink": {{"uri": "https://example.com/p.json"}}"#, inner());
    assert!(messages(&nested(GROUP, "", &both)).iter().any(|message| message.contains("both `parameters` and")));
    let link = format!(r#"{MODE}, "templateLink": {{"contentVersion": "1.0.0.0"}}"#);
    assert!(messages(&nested(GROUP, "", &link)).iter().any(|message| message.contains("no `uri`")));
    for (setting, message) in [
        (r#""debugSetting": {"detailLevel": "all"}"#, "`detailLevel`"),
        (r#""onErrorDeployment": {"type": "Last"}"#, "`onErrorDeployment`"),
    ] {
        refused(&nested(GROUP, "", &format!("{}, {setting}", inner())), message);
    }
    let levels = r#""debugSetting": {"detailLevel": "requestContent, ResponseContent"}"#;
    accepted(&nested(GROUP, "", &format!("{}, {levels}", inner())));
    refused(&nested(GROUP, "", &inner().replace("\"inner\"", "\"innr\"")), "`expressionEvaluationOptions`");
}

#[test]
fn a_nested_deployment_is_in_a_group_or_has_a_location() {
    let location = r#""location": "westeurope","#;
    for scope in [SUBSCRIPTION, MANAGEMENT_GROUP, TENANT] {
        accepted(&nested(scope, location, &inner()));
        refused(&nested(scope, "", &inner()), "has no `location`");
    }
    let group = r#""resourceGroup": "g","#;
    accepted(&nested(SUBSCRIPTION, group, &inner()));
    let subscription = r#""subscriptionId": "11111111-1111-1111-1111-111111111111","#;
    for scope in [MANAGEMENT_GROUP, TENANT] {
        refused(&nested(scope, group, &inner()), "has no resource groups");
        accepted(&nested(scope, &format!("{group} {subscription}"), &inner()));
        refused(&nested(scope, subscription, &inner()), "to a subscription has no `location`");
    }
}

#[test]
fn declarations_have_bounds_that_their_types_know() {
    let parameter =
        |declaration: &str| template(GROUP, &format!(r#""parameters": {{"p": {{"type": {declaration}}}}}"#));
    accepted(&parameter(r#""string", "minLength": 1, "maxLength": 5"#));
    accepted(&parameter(r#""int", "minValue": -5, "maxValue": "5""#));
    accepted(&parameter(r#""array", "minLength": 1"#));
    refused(&parameter(r#""int", "minLength": 1"#), "the type `int` has no `minLength`");
    refused(&parameter(r#""string", "maxValue": 1"#), "the type `string` has no `maxValue`");
    refused(&parameter(r#""string", "minLength": "x""#), "`minLength` must be an integer");
    refused(&parameter(r#""string", "minLength": -1"#), "expected 0 or more");
    refused(&parameter(r#""string", "allowedValues": "x""#), "`allowedValues` must be an array");
}

#[test]
fn functions_are_whole_and_see_only_their_arguments() {
    let functions =
        |namespace: &str, version: &str| template(GROUP, &format!(r#"{version}"functions": [{namespace}]"#));
    let with =
        |output: &str| format!(r#"{{"namespace": "n", "members": {{"f": {{"parameters": [], "output": {output}}}}}}}"#);
    accepted(&functions(&with(r#"{"type": "string", "value": "x"}"#), ""));
    refused(&functions(r#"{"members": {}}"#, ""), "has no `namespace`");
    refused(&functions(r#"{"namespace": "n"}"#, ""), "has no `members`");
    refused(&functions(r#"{"namespace": "n", "members": {"f": {"parameters": []}}}"#, ""), "`f` has no `output`");
    let variable = with(r#"{"type": "string", "value": "[variables('v')]"}"#);
    refused(&functions(&variable, r#""variables": {"v": 1}, "#), "not available in a function");
    accepted(&functions(&variable, r#""languageVersion": "2.0", "variables": {"v": 1}, "#));
    let calls = r#"{"namespace": "n", "members": {"f": {"output": {"type": "int", "value": "[n.g()]"}},
        "g": {"output": {"type": "int", "value": 1}}}}"#;
    refused(&functions(calls, ""), "`n.g()` is not available");
    accepted(&functions(calls, r#""languageVersion": "2.0", "#));
    let unnamed = r#"{"namespace": "n", "members": {"f": {"parameters": [{"type": "int"}],
        "output": {"type": "int", "value": 1}}}}"#;
    refused(&functions(unnamed, ""), "has no `name`");
}

#[test]
fn a_default_value_sees_no_variables_and_a_loop_of_a_variable_is_named() {
    let default =
        r#""parameters": {"p": {"type": "string", "defaultValue": "[variables('v')]"}}, "variables": {"v": "x"}"#;
    refused(&template(GROUP, default), "not available in the default value");
    let loops = |input: &str| {
        template(GROUP, &format!(r#""variables": {{"copy": [{{"name": "v", "count": 2, "input": "[{input}]"}}]}}"#))
    };
    refused(&loops("copyIndex()"), "needs the name of its loop");
    refused(&loops("copyIndex(1)"), "needs the name of its loop");
    accepted(&loops("copyIndex('v', 1)"));
    refused(&template(GROUP, r#""variables": {"copy": [{"count": 1, "input": 1}]}"#), "has no `name`");
}

#[test]
fn a_resource_in_another_one_has_no_loop() {
    let child = |copy: &str| {
        let child = format!(r#"{{"type": "d", "apiVersion": "2020-01-01", "name": "y"{copy}}}"#);
        let parent = format!(r#"{{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "x", "resources": [{child}]}}"#);
        template(GROUP, "").replace(r#""resources": []"#, &format!(r#""resources": [{parent}]"#))
    };
    let count =
        |problems: Vec<String>| problems.iter().filter(|problem| problem.contains("cannot have a loop")).count();
    assert_eq!(count(messages(&child(""))), 0);
    assert_eq!(count(messages(&child(r#", "copy": {"name": "l", "count": 1}"#))), 1);
}

#[test]
fn a_resource_has_a_name_a_version_and_dependencies_that_are_strings() {
    let resource = |members: &str| {
        let resource = format!(r#"{{"type": "A.B/c", {members}}}"#);
        template(GROUP, "").replace(r#""resources": []"#, &format!(r#""resources": [{resource}]"#))
    };
    accepted(&resource(r#""apiVersion": "2020-01-01-preview", "name": "x", "dependsOn": []"#));
    accepted(&resource(r#""apiVersion": "[concat('2020', '-01-01')]", "name": "x""#));
    refused(&resource(r#""apiVersion": "latest", "name": "x""#), "is not an API version");
    refused(&resource(r#""apiVersion": "2020-1-1", "name": "x""#), "is not an API version");
    assert!(
        messages(&resource(r#""apiVersion": "2020-01-01", "name": """#)).iter().any(|found| found.contains("is empty"))
    );
    refused(&resource(r#""apiVersion": "2020-01-01", "name": "x", "dependsOn": [5]"#), "must be a string");
    let copy = |size: &str| {
        let copy = format!(r#""copy": {{"name": "l", "count": 2, "mode": "serial", "batchSize": {size}}}"#);
        resource(&format!(r#""apiVersion": "2020-01-01", "name": "[concat('x', copyIndex())]", {copy}"#))
    };
    accepted(&copy("1"));
    refused(&copy("0"), "expected 1 or more");
    refused(&copy(r#""x""#), "must be an integer");
}
