//! Spans of the parts of a computed value, which findings and `explain` refer to.

use std::sync::Arc;

use crate::expand::testing::expanded;
use crate::text::Span;
use crate::value::{Step, Value, Via};

/// Checks the text at the span of a part of the first resource's properties, or of the name of a member.
#[track_caller]
fn check(template: &str, find: fn(&Value) -> Option<Span>, expected: &str) {
    let document = expanded(template).1.document.unwrap();
    let properties = document.resources.last().and_then(|resource| resource.body.get("properties")).unwrap();
    let span = find(properties).expect("it is written somewhere");
    assert_eq!(template.get(span.start as usize..span.end as usize), Some(expected));
}

fn template(value: &str) -> String {
    format!(
        r#"{{"variables": {{"o": {{"first": 1}}}},
        "resources": [{{"type": "A.B/c", "name": "n", "properties": {{"value": "[{value}]"}}}}]}}"#
    )
}

#[test]
fn what_is_made_of_the_members_of_an_object_is_written_where_they_are() {
    let first = |value: &Value| value.get("value")?.as_array()?[0].span;
    check(&template("objectKeys(variables('o'))"), first, r#""first""#);
    check(&template("items(variables('o'))"), first, r#""first": 1"#);
    let key = |value: &Value| value.get("value")?.as_array()?[0].get("key")?.span;
    check(&template("items(variables('o'))"), key, r#""first""#);
}

/// Returns the span of a variable in the provenance of a value.
fn variable(via: &Arc<Via>) -> Option<Span> {
    if matches!(via.step, Step::Variable(_)) { via.span } else { via.earlier.iter().find_map(variable) }
}

#[test]
fn the_tags_of_a_group_are_written_where_the_deployment_declares_them() {
    let template = r#"{"$schema": "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#",
        "variables": {"tags": {"a": "b"}}, "resources": [
        {"type": "Microsoft.Resources/resourceGroups", "name": "g", "location": "here", "tags": "[variables('tags')]"},
        {"type": "Microsoft.Resources/deployments", "name": "d", "resourceGroup": "g", "dependsOn": ["g"], "properties": {
            "expressionEvaluationOptions": {"scope": "inner"}, "template": {"resources": [
                {"type": "A.B/c", "name": "n", "properties": {"group": "[resourceGroup()]"}}]}}}]}"#;
    check(template, |value| value.get("group")?.get("tags")?.span, "\"[variables('tags')]\"");
    check(template, |value| variable(value.get("group")?.get("tags")?.via.as_ref()?), r#"{"a": "b"}"#);
}

#[test]
fn an_argument_with_a_computed_name_is_undeclared_where_its_name_is_written() {
    let at = |arguments: &str| {
        let template = format!(
            r#"{{"variables": {{"name": "gone"}},
            "resources": [{{"type": "Microsoft.Resources/deployments", "name": "d", "properties": {{
                "expressionEvaluationOptions": {{"scope": "inner"}},
                "parameters": "[{arguments}]",
                "template": {{"resources": []}}}}}}]}}"#
        );
        let shown = super::show(&template, "");
        let place = shown.lines().find_map(|line| line.split_once(" parameter/undefined"));
        place.unwrap_or_else(|| panic!("nothing is undefined: {shown}")).0.to_owned()
    };
    assert_eq!(at("createObject(variables('name'), createObject('value', 1))"), "1:24");
    assert_eq!(at("createObject('gone', createObject('value', 1))"), "4:17");
}
