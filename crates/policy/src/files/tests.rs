//! Files in the shapes in which people keep policies.

use formwork_model::text::Sources;

use super::*;
use crate::documents::Assigned;

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

fn is_recognized(path: &str, text: &str) -> bool {
    let sources = Sources::new();
    let file = sources.add(path, text);
    let value = formwork_syntax::json::parse(file, sources.get(file).text(), 100).value.expect("JSON");
    Gathering::default().add(path, &value)
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

#[test]
fn a_whole_document_is_not_joined_from_its_parts_again() {
    let rule = r#"{"if": {}, "then": {"effect": "audit"}}"#;
    let policies = gather(&[
        ("a/azurepolicy.json", &format!(r#"{{"properties": {{"policyRule": {rule}}}}}"#)),
        ("a/azurepolicy.rules.json", rule),
        ("a/azurepolicy.parameters.json", r#"{"tag": {"type": "String"}}"#),
    ]);
    let names: Vec<&str> = policies.definitions.iter().map(|definition| &*definition.name).collect();
    assert_eq!(names, ["a"]);
    for (path, text) in
        [("policy.json", "{}"), ("policyset.parameters.json", r#"{"a": 1}"#), ("policy.rules.json", "[]")]
    {
        assert!(!is_recognized(path, text), "{path}");
    }
}

#[test]
fn documents_without_a_name_are_called_like_their_files() {
    let definition =
        |field: &str| format!(r#"{{"policyRule": {{"if": {{"field": "{field}"}}, "then": {{"effect": "deny"}}}}}}"#);
    let policies = gather(&[
        ("p/one.json", &definition("one")),
        ("p/two.json", &definition("two")),
        ("p/set.json", r#"{"policyDefinitions": [{"policyDefinitionId": "one"}]}"#),
        ("p/prod.json", r#"{"properties": {"policyDefinitionId": "one", "scope": "/a"}}"#),
    ]);
    assert_eq!(&*policies.assignments[0].name, "prod");
    let index = Index::new(&policies);
    let field = |id: &str| {
        let definition = index.definition(id)?;
        Some(definition.rule.as_ref()?.written.get("field")?.as_str()?.to_owned())
    };
    assert_eq!(
        [field("one"), field("/x/policyDefinitions/two"), field("")],
        [Some("one".into()), Some("two".into()), None]
    );
    assert!(index.initiative("").is_none() && index.assigned("").is_none());
}

#[test]
fn documents_with_the_same_name_are_told_apart() {
    let definition = |id: &str| {
        format!(r#"{{"name": "same", {id} "policyRule": {{"if": {{"field": "name"}}, "then": {{"effect": "deny"}}}}}}"#)
    };
    let policies = gather(&[
        ("a.json", &definition("")),
        ("b.json", &definition(r#""id": "/x/policyDefinitions/same","#)),
        ("c.json", r#"{"name": "Same", "policyDefinitions": []}"#),
        ("d.json", r#"{"name": "other", "policyDefinitions": []}"#),
    ]);
    let definitions = policies.definitions.iter().map(|own| &*own.id);
    let ids: Vec<&str> = definitions.chain(policies.initiatives.iter().map(|own| &*own.id)).collect();
    assert_eq!(ids, ["same (1)", "/x/policyDefinitions/same", "Same (3)", ""]);
}

#[test]
fn the_id_of_an_assignment_says_what_it_assigns() {
    let policies = gather(&[
        ("a.json", r#"{"name": "same", "policyRule": {"if": {}, "then": {"effect": "deny"}}}"#),
        ("b.json", r#"{"name": "same", "policyDefinitions": [{"policyDefinitionId": "same"}]}"#),
        ("c.json", r#"{"name": "set", "policyDefinitions": [{"policyDefinitionId": "same"}]}"#),
    ]);
    let index = Index::new(&policies);
    let kind = |id: &str| match index.assigned(id) {
        Some(Assigned::Definition(_)) => "definition",
        Some(Assigned::Initiative(_)) => "initiative",
        None => "none",
    };
    let all =
        ["/x/policyDefinitions/same", "/x/policySetDefinitions/SAME", "same", "/x/policyDefinitions/set"].map(kind);
    assert_eq!(all, ["definition", "initiative", "none", "initiative"]);
}

/// Each node inherits what is above it, and each leaf stands for an assignment at each scope.
#[test]
fn a_tree_that_multiplies_is_cut() {
    let list = |count: usize, item: &str| vec![item; count].join(", ");
    let (scopes, entries) = (list(300, r#""/a""#), list(300, r#"{"policyName": "x"}"#));
    let wide = format!(r#"{{"nodeName": "a", "scope": {{"*": [{scopes}]}}, "definitionEntryList": [{entries}]}}"#);
    let leaf = r#"{"nodeName": "a", "scope": {"*": ["/a"]}, "definitionEntry": {"policyName": "x"}}"#.to_owned();
    let name = "n".repeat(1 << 14);
    let deep = (0..8).fold(leaf, |inner, _| {
        format!(r#"{{"nodeName": "a", "assignment": {{"name": "{name}"}}, "children": [{inner}, {inner}]}}"#)
    });
    for text in [wide, deep] {
        let sources = Sources::new();
        let file = sources.add("a.json", text.as_str());
        let value = formwork_syntax::json::parse(file, sources.get(file).text(), 100).value.expect("JSON");
        let mut gathering = Gathering { trees: tree::ValueBudget(10_000), ..Gathering::default() };
        assert!(gathering.add("a.json", &value));
        let policies = gathering.finish();
        assert!(policies.assignments.len() <= 500, "{}", policies.assignments.len());
        assert_eq!(policies.problems.len(), 1);
    }
}
