//! What `resourceGroup()` and `deployment()` tell about where a deployment goes.

use super::check;

/// A deployment to a subscription, which creates the resource group `g` with these members and deploys into `target`.
fn template(group: &str, target: &str, output: &str) -> String {
    format!(
        r#"{{"$schema": "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#",
        "parameters": {{"p": {{"type": "bool"}}}}, "resources": [
        {{"type": "Microsoft.Resources/deployments", "name": "d", "resourceGroup": "{target}", "dependsOn": ["g"], "properties": {{
            "expressionEvaluationOptions": {{"scope": "inner"}},
            "template": {{"resources": [], "outputs": {{"o": {{"type": "string", "value": "{output}"}}}}}}}}}},
        {{"type": "Microsoft.Resources/resourceGroups", "name": "g", "location": "West US", {group} "tags": {{"a": "b"}}}}],
        "outputs": {{"o": {{"type": "string", "value": "[reference('d').outputs.o.value]"}}}}}}"#
    )
}

#[track_caller]
fn check_output(group: &str, target: &str, output: &str, expected: &str) {
    let template = template(group, target, output);
    let found = super::show(&template, "");
    let last = found.lines().rfind(|line| line.starts_with("o = ")).unwrap_or_default();
    assert_eq!(last, format!("o = {expected}"), "{found}");
}

#[test]
fn a_group_that_the_deployment_creates_has_its_declared_location_and_tags() {
    check_output("", "g", "[resourceGroup().location]", r#""westus""#);
    check_output("", "G", "[resourceGroup().location]", r#""westus""#);
    check_output("", "g", "[resourceGroup().tags.a]", r#""b""#);
    check_output("", "g", "[resourceGroup().tags.c]", "unknown: only Azure knows all tags of the resource group");
    let why = "unknown: parameter `p` has no value";
    check_output(r#""condition": "[parameters('p')]","#, "g", "[resourceGroup().location]", why);
}

#[test]
fn nothing_is_invented_about_another_group() {
    let unknown = "unknown: only Azure knows the location of the resource group, unless `AZURE_RESOURCE_GROUP` sets it";
    check_output("", "h", "[resourceGroup().location]", unknown);
    check_output(r#""condition": false,"#, "g", "[resourceGroup().location]", unknown);
    check_output("", "h", "[startsWith(resourceGroup().id, '/subscriptions/')]", "true");
    check_output("", "h", "[empty(resourceGroup().location)]", "false");
}

#[test]
fn a_nested_deployment_has_its_declared_location() {
    check(
        r#"{"$schema": "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#",
        "resources": [{"type": "Microsoft.Resources/deployments", "name": "d", "location": "northeurope", "properties": {
            "expressionEvaluationOptions": {"scope": "inner"},
            "template": {"$schema": "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#",
                "resources": [], "outputs": {"o": {"type": "string", "value": "[deployment().location]"}}}}}],
        "outputs": {"inner": {"type": "string", "value": "[reference('d').outputs.o.value]"},
            "outer": {"type": "string", "value": "[deployment().location]"}}}"#,
        &[
            r#"resources[0] Microsoft.Resources/deployments d {"expressionEvaluationOptions":{"scope":"inner"}}"#,
            r#"inner = "northeurope""#,
            "outer = unknown: the location of the deployment is chosen when it starts, unless `AZURE_RESOURCE_GROUP` sets it",
        ],
    );
}
