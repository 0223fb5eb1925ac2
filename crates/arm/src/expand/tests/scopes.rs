//! Functions whose result depends on what a deployment targets, or on which resources it has.

use super::check;

#[test]
fn a_deployment_to_another_management_group_makes_ids_in_that_one() {
    check(
        r#"{"$schema": "https://schema.management.azure.com/schemas/2019-08-01/managementGroupDeploymentTemplate.json#",
        "resources": [{"type": "Microsoft.Resources/deployments", "name": "d", "location": "westeurope",
            "scope": "Microsoft.Management/managementGroups/other", "properties": {
            "expressionEvaluationOptions": {"scope": "inner"}, "template": {
                "$schema": "https://schema.management.azure.com/schemas/2019-08-01/managementGroupDeploymentTemplate.json#",
                "resources": [],
                "outputs": {"o": {"type": "string", "value": "[managementGroupResourceId('A.B/c', 'n')]"}}}}}],
        "outputs": {"o": {"type": "string", "value": "[reference('d').outputs.o.value]"}}}"#,
        &[
            r#"resources[0] Microsoft.Resources/deployments d {"expressionEvaluationOptions":{"scope":"inner"}}"#,
            r#"o = "/providers/Microsoft.Management/managementGroups/other/providers/A.B/c/n""#,
        ],
    );
}

#[test]
fn the_states_of_a_loop_are_its_properties_or_whole_resources() {
    check(
        r#"{"languageVersion": "2.0",
        "resources": {"loop": {"type": "A.B/c", "name": "[format('n{0}', copyIndex())]", "location": "here",
            "copy": {"name": "loop", "count": 2}, "properties": {"at": "[copyIndex()]"}}},
        "outputs": {
            "own": {"type": "int", "value": "[references('loop')[1].at]"},
            "properties": {"type": "int", "value": "[references('loop', 'Properties')[1].at]"},
            "full": {"type": "string", "value": "[references('loop', 'FULL')[1].location]"},
            "none": {"type": "int", "value": "[references('loop', 'Full')[1].properties.at]"}}}"#,
        &[
            r#"resources.loop A.B/c n0 {"at":0}"#,
            r#"resources.loop A.B/c n1 {"at":1}"#,
            "own = 1",
            "properties = 1",
            r#"full = "here""#,
            "none = 1",
        ],
    );
}

#[test]
fn the_secure_outputs_of_a_deployment_are_those_of_its_template_if_it_is_known() {
    let template = |template: &str| {
        format!(
            r#"{{"resources": [{{"type": "Microsoft.Resources/deployments", "name": "d", "properties": {{
                "expressionEvaluationOptions": {{"scope": "inner"}}, {template}}}}}],
            "outputs": {{"o": {{"type": "string", "value": "[listOutputsWithSecureValues('d', '2022-09-01').o]"}}}}}}"#
        )
    };
    let output = |text: &str| {
        let shown = super::show(&template(text), "");
        shown.lines().find(|line| line.starts_with("o = ")).map(str::to_owned).unwrap()
    };
    let inline = r#""template": {"resources": [], "outputs": {"o": {"type": "string", "value": "x"}}}"#;
    assert_eq!(output(inline), r#"o = "x""#);
    let linked = r#""templateLink": {"uri": "https://example.com/main.json"}"#;
    let unknown = "o = unknown: only Azure knows what the `list` functions return for `d`";
    assert_eq!(output(linked), unknown);
    let script = template("").replace("Resources/deployments", "Resources/deploymentScripts");
    assert!(super::show(&script, "").contains(unknown), "{}", super::show(&script, ""));
}
