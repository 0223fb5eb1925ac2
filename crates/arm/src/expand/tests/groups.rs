//! Results of `resourceGroup()` and `deployment()` about the target of a deployment.

use super::check;
use crate::context::Context;
use crate::model::Assumptions;
use crate::value::{Member, Value};

const TAGS: &str = r#""tags": {"a": "b"}"#;

const ANYWHERE: &str =
    "unknown: only Azure knows the location of the resource group, unless `AZURE_RESOURCE_GROUP` sets it";

/// Returns a deployment to a subscription, which creates the resource group `g` with these members and deploys into
/// `target`.
fn template(group: &str, target: &str, output: &str) -> String {
    format!(
        r#"{{"$schema": "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#",
        "parameters": {{"p": {{"type": "bool"}}}}, "resources": [
        {{"type": "Microsoft.Resources/deployments", "name": "d", "resourceGroup": "{target}", "dependsOn": ["g"], "properties": {{
            "expressionEvaluationOptions": {{"scope": "inner"}},
            "template": {{"resources": [], "outputs": {{"o": {{"type": "string", "value": "{output}"}}}}}}}}}},
        {{"type": "Microsoft.Resources/resourceGroups", "name": "g", "location": "West US", {group}}}],
        "outputs": {{"o": {{"type": "string", "value": "[reference('d').outputs.o.value]"}}}}}}"#
    )
}

#[track_caller]
fn check_output(group: &str, target: &str, output: &str, expected: &str) {
    check_output_in(&Context::default(), group, target, output, expected);
}

#[track_caller]
fn check_output_in(context: &Context, group: &str, target: &str, output: &str, expected: &str) {
    let found = super::show_in(context, &template(group, target, output), "");
    let last = found.lines().rfind(|line| line.starts_with("o = ")).unwrap_or_default();
    assert_eq!(last, format!("o = {expected}"), "{found}");
}

#[test]
fn a_group_that_the_deployment_creates_has_its_declared_location_and_tags() {
    let unknown = "unknown: only Azure knows all tags of the resource group";
    check_output(TAGS, "g", "[resourceGroup().location]", r#""westus""#);
    check_output(TAGS, "G", "[resourceGroup().location]", r#""westus""#);
    check_output(TAGS, "g", "[resourceGroup().tags.a]", r#""b""#);
    check_output(TAGS, "g", "[resourceGroup().tags.c]", unknown);
    check_output(r#""tags": "a wrong one""#, "g", "[resourceGroup().tags.c]", unknown);
    let why = "unknown: parameter `p` has no value";
    check_output(r#""condition": "[parameters('p')]""#, "g", "[resourceGroup().location]", why);
}

#[test]
fn nothing_is_invented_about_another_group() {
    check_output(TAGS, "h", "[resourceGroup().location]", ANYWHERE);
    check_output(r#""condition": false"#, "g", "[resourceGroup().location]", ANYWHERE);
    check_output(TAGS, "h", "[startsWith(resourceGroup().id, '/subscriptions/')]", "true");
    check_output(TAGS, "h", "[empty(resourceGroup().location)]", "false");
}

#[test]
fn what_settings_tell_about_a_named_group_is_true_of_this_one() {
    let context = |name: &str| {
        let location = vec![Member::new("location", Value::from("northeurope"))];
        let members = location.into_iter().chain((!name.is_empty()).then(|| Member::new("name", Value::from(name))));
        let group = Some(Value::object(members.collect()));
        Context::new(&Assumptions { resource_group: group, ..Assumptions::default() })
    };
    let output = "[resourceGroup().location]";
    check_output_in(&context("H"), TAGS, "h", output, r#""northeurope""#);
    check_output_in(&context("other"), TAGS, "h", output, ANYWHERE);
    check_output_in(&context(""), TAGS, "h", output, r#""northeurope""#);
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
