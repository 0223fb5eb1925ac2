//! Functions whose result depends on what a deployment targets, or on which resources it has.

use super::{check, show};

/// Returns the kind of scope that a template nested in one for `outer` deploys to, with these properties of its
/// deployment, and the schema of `inner`.
fn target(outer: &str, properties: &str, inner: &str) -> String {
    let schema = |kind: &str| format!("https://schema.management.azure.com/schemas/2019-08-01/{kind}#");
    let (outer, inner) = (schema(outer), schema(inner));
    let text = show(
        &format!(
            r#"{{"$schema": "{outer}", "parameters": {{"name": {{"type": "string"}}, "blank": {{"type": "string",
            "defaultValue": ""}}}}, "resources": [{{"type": "Microsoft.Resources/deployments", "name": "d", {properties}
            "properties": {{"expressionEvaluationOptions": {{"scope": "inner"}}, "template": {{"$schema": "{inner}",
            "resources": [{{"type": "A.B/c", "name": "n"}}],
            "outputs": {{"id": {{"type": "string", "value": "[resourceId('A.B/c', 'n')]"}}}}}}}}}}],
            "outputs": {{"o": {{"type": "string", "value": "[reference('d').outputs.id.value]"}}}}}}"#
        ),
        "",
    );
    text.lines().find_map(|line| line.strip_prefix("o = ")).unwrap_or(&text).to_owned()
}

/// Allowed targets of each scope, from
/// <https://learn.microsoft.com/azure/azure-resource-manager/templates/deploy-to-resource-group> and the pages about
/// the other scopes: a tenant to all, a management group to all, a subscription and a resource group to all but
/// management groups. The name of the target may be known, blank, or unknown.
#[test]
fn a_nested_deployment_targets_the_kind_of_scope_that_it_names() {
    const RG: &str = "deploymentTemplate.json";
    const SUB: &str = "subscriptionDeploymentTemplate.json";
    const MG: &str = "managementGroupDeploymentTemplate.json";
    const TENANT: &str = "tenantDeploymentTemplate.json";
    let kind = |id: &str| match id {
        id if id.contains("/resourceGroups/") => "resource group",
        id if id.contains("/subscriptions/") => "subscription",
        id if id.contains("/managementGroups/") => "management group",
        id if id.contains("\"/providers/") => "tenant",
        _ => "other",
    };
    let names = ["'x'", "parameters('blank')", "parameters('name')"];
    for outer in [RG, SUB, MG, TENANT] {
        for name in names {
            let subscription = format!(r#""subscriptionId": "[{name}]","#);
            let group = format!(r#""subscriptionId": "[{name}]", "resourceGroup": "[{name}]","#);
            let scope = |start: &str| format!(r#""scope": "[concat('{start}', {name})]","#);
            let rows = [
                (group, RG, "resource group"),
                (scope("/subscriptions/s/resourceGroups/"), RG, "resource group"),
                (subscription, SUB, "subscription"),
                (scope("/subscriptions/"), SUB, "subscription"),
                (scope("Microsoft.Management/managementGroups/"), MG, "management group"),
                (scope("/providers/Microsoft.Management/managementGroups/"), MG, "management group"),
                (r#""scope": "/","#.to_owned(), TENANT, "tenant"),
            ];
            for (properties, inner, expected) in rows {
                if expected == "management group" && [RG, SUB].contains(&outer) {
                    continue;
                }
                let found = target(outer, &properties, inner);
                assert_eq!(kind(&found), expected, "{outer} {properties} {found}");
            }
        }
    }
    // Nothing is known of the scope, but of its kind.
    for (inner, expected) in
        [(RG, "resource group"), (SUB, "subscription"), (MG, "management group"), (TENANT, "tenant")]
    {
        let found = target(MG, r#""scope": "[parameters('name')]","#, inner);
        assert_eq!(kind(&found), expected, "{found}");
    }
    // A blank leaves the scope of the enclosing deployment.
    assert_eq!(kind(&target(RG, r#""resourceGroup": "[parameters('blank')]","#, RG)), "resource group");
    // An ID where a name should be is not a part of another ID.
    let found = target(SUB, r#""subscriptionId": "[subscription().id]", "resourceGroup": "g","#, RG);
    assert_eq!((kind(&found), found.matches("/subscriptions/").count()), ("resource group", 1), "{found}");
}

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
        let shown = show(&template(text), "");
        shown.lines().find(|line| line.starts_with("o = ")).map(str::to_owned).unwrap()
    };
    let inline = r#""template": {"resources": [], "outputs": {"o": {"type": "string", "value": "x"}}}"#;
    assert_eq!(output(inline), r#"o = "x""#);
    let linked = r#""templateLink": {"uri": "https://example.com/main.json"}"#;
    let unknown = "o = unknown: only Azure knows what the `list` functions return for `d`";
    assert_eq!(output(linked), unknown);
    let script = template("").replace("Resources/deployments", "Resources/deploymentScripts");
    assert!(show(&script, "").contains(unknown), "{}", show(&script, ""));
}
