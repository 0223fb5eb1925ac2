//! Files in the shapes in which people keep policies.

use formwork_model::text::Sources;

use super::*;

fn gather(files: &[(&str, &str)]) -> Policies {
    let sources = Sources::new();
    let mut gathering = Gathering::default();
    for (path, text) in files {
        let file = sources.add(*path, *text);
        let value = formwork_syntax::json::parse(file, sources.get(file).text(), 100).value.expect("JSON");
        assert!(gathering.add(path, &value), "{path} is recognized");
    }
    gathering.finish()
}

#[test]
fn rest_objects_and_lists_of_the_cli_are_recognized() {
    let policies = gather(&[
        ("a.json", r#"{"properties": {"policyRule": {"if": {}, "then": {"effect": "deny"}}}, "name": "a"}"#),
        ("b.json", r#"[{"id": "/x/b", "policyDefinitions": [{"policyDefinitionId": "/x/a"}]}]"#),
        ("c.json", r#"{"value": [{"name": "c", "properties": {"policyDefinitionId": "/x/b", "scope": null}}]}"#),
        ("d.json", r#"{"properties": {"policyAssignmentId": "/x/c", "exemptionCategory": "Waiver"}}"#),
    ]);
    assert_eq!(&*policies.definitions[0].name, "a");
    assert_eq!(&*policies.initiatives[0].name, "b");
    assert_eq!(&*policies.assignments[0].name, "c");
    assert_eq!(&*policies.exemptions[0].assignment, "/x/c");
}

#[test]
fn templates_and_other_files_are_not_policies() {
    let sources = Sources::new();
    for text in [
        r#"{"resources": [], "properties": {"policyDefinitionId": "a"}}"#,
        r#"{"type": "Microsoft.Storage/storageAccounts", "properties": {"policyRule": {}}}"#,
        r#"{"name": "package"}"#,
        "[1, {}]",
    ] {
        let file = sources.add("a.json", text);
        let value = formwork_syntax::json::parse(file, sources.get(file).text(), 100).value.expect("JSON");
        assert!(!Gathering::default().add("a.json", &value), "{text}");
    }
}

#[test]
fn escaped_expressions_are_those_of_a_template() {
    let text = r#"{"name": "a", "properties": {"policyRule":
        {"if": {"field": "[[concat('tags[', 'x', ']')]"}, "then": {"effect": "[[parameters('effect')]"}}}}"#;
    let policies = gather(&[("a.json", text)]);
    let rule = policies.definitions[0].rule.as_ref().expect("a rule");
    assert_eq!(rule.effect.as_str(), Some("[parameters('effect')]"));
    assert_eq!(rule.written.get("field").and_then(Value::as_str), Some("[concat('tags[', 'x', ']')]"));
}

#[test]
fn the_parts_of_a_sample_are_one_definition() {
    let policies = gather(&[
        ("samples/tags/azurepolicy.rules.json", r#"{"if": {}, "then": {"effect": "audit"}}"#),
        ("samples/tags/azurepolicy.parameters.json", r#"{"tag": {"type": "String"}}"#),
    ]);
    let definition = &policies.definitions[0];
    assert_eq!((&*definition.name, definition.parameters.len(), definition.rule.is_some()), ("tags", 1, true));
}

#[test]
fn a_tree_of_assignments_stands_for_one_at_each_scope() {
    let text = r#"{
        "nodeName": "/root", "parameters": {"effect": "Audit"}, "scope": {"dev": ["/a"], "prod": ["/b", "/c"]},
        "children": [
            {"nodeName": "one", "assignment": {"name": "one"}, "definitionEntry": {"policyName": "x"},
             "parameters": {"effect": "Deny"}},
            {"nodeName": "two", "definitionEntryList": [
                {"policyId": "/y", "assignment": {"name": "two-y"}}, {"policySetName": "z", "assignment": {"name": "two-z"}}]}
        ]}"#;
    let policies = gather(&[("assignments.jsonc", text)]);
    let found: Vec<(&str, &str, Option<&str>)> = policies
        .assignments
        .iter()
        .map(|assignment| {
            (
                &*assignment.name,
                assignment.scope.as_deref().unwrap_or_default(),
                assignment.arguments.get("effect").and_then(Value::as_str),
            )
        })
        .collect();
    assert_eq!(found.len(), 9);
    assert_eq!(found[..3], [("one", "/a", Some("Deny")), ("one", "/b", Some("Deny")), ("one", "/c", Some("Deny"))]);
    assert_eq!(found[3], ("two-y", "/a", Some("Audit")));
}
