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
        let mut gathering = Gathering { epac: Epac::with_values(10_000), ..Gathering::default() };
        assert!(gathering.add("a.json", &value));
        let policies = gathering.finish();
        assert!(policies.assignments.len() <= 500, "{}", policies.assignments.len());
        let first = policies.problems.first().map(|problem| problem.message.as_str()).unwrap_or_default();
        assert!(first.contains("too many assignments"), "{:?}", policies.problems);
    }
}

/// A file of global settings, a tree of assignments, and exemptions, for two environments.
const SETTINGS: &str = r#"{"pacOwnerId": "x", "pacEnvironments": [
    {"pacSelector": "dev", "deploymentRootScope": "/dev", "globalNotScopes": []},
    {"pacSelector": "prod", "deploymentRootScope": "/prod", "globalNotScopes": ["/subscriptions/*/resourceGroups/managed-*"]}]}"#;

const TREE: &str = r#"{
    "nodeName": "/root", "definitionEntry": {"policySetName": "set", "assignment": {"name": "set", "append": true}},
    "scope": {"dev": ["/a"], "PROD": ["/b"]}, "notScopes": {"*": ["/x"], "prod": ["/resourceGroupPatterns/rg*"]},
    "overrides": [{"kind": "policyEffect", "value": "Audit"}],
    "children": [{"nodeName": "one", "assignment": {"name": "one-"}, "parameters": {"effect": "Deny", "other": 1},
        "overrides": [{"kind": "policyEffect", "value": "Deny"}]}]}"#;

const SET: &str = r#"{"name": "set", "properties": {"parameters": {"effect": {"type": "String"}}, "policyDefinitions": [
    {"policyDefinitionReferenceId": "first", "policyDefinitionName": "own"},
    {"policyDefinitionReferenceId": "second", "policyDefinitionName": "own"},
    {"policyDefinitionReferenceId": "third", "policyDefinitionName": "other"}]}}"#;

const OWN: &str = r#"{"name": "own", "properties": {"policyRule": {"if": {}, "then": {"effect": "deny"}}}}"#;

/// A scope that is excluded in one environment is not excluded in another.
#[test]
fn each_environment_of_a_tree_has_its_scopes() {
    let policies = gather(&[("a.jsonc", TREE), ("global-settings.jsonc", SETTINGS)]);
    let all = policies.assignments.iter();
    let found: Vec<(&str, Option<&str>, Vec<&str>, usize)> = all
        .map(|own| {
            let not_scopes = own.not_scopes.iter().map(|scope| &**scope).collect();
            (&*own.name, own.scope.as_deref(), not_scopes, own.overrides.len())
        })
        .collect();
    let patterns = ["/subscriptions/*/resourceGroups/rg*", "/subscriptions/*/resourceGroups/managed-*"];
    assert_eq!(
        found,
        [("one-set", Some("/a"), vec!["/x"], 2), ("one-set", Some("/b"), [&["/x"][..], &patterns[..]].concat(), 2),]
    );
    let sources = Sources::new();
    let file = sources.add("a.jsonc", TREE);
    let value = formwork_syntax::json::parse(file, sources.get(file).text(), 100).value.expect("JSON");
    let mut gathering = Gathering::new(&["dev".to_owned()]);
    assert!(gathering.add("a.jsonc", &value));
    let scopes: Vec<Option<Str>> = gathering.finish().assignments.into_iter().map(|own| own.scope).collect();
    assert_eq!(scopes, [Some(Str::from("/a"))]);
}

/// A branch without an assignment is not dropped in silence.
#[test]
fn a_branch_that_assigns_nothing_is_reported() {
    for (text, expected) in [
        (r#"{"nodeName": "a", "definitionEntry": {"policyName": "x"}}"#, "`scope`"),
        (r#"{"nodeName": "a", "children": [{"nodeName": "b", "scope": {"dev": ["/a"]}}]}"#, "`definitionEntry`"),
        (r#"{"nodeName": "a", "definitionEntry": {"name": "x"}, "scope": {"dev": ["/a"]}}"#, "names neither a policy"),
    ] {
        let policies = gather(&[("a.jsonc", text)]);
        assert_eq!((policies.assignments.len(), policies.problems.len()), (0, 1), "{text}");
        assert!(policies.problems[0].message.contains(expected), "{}", policies.problems[0].message);
    }
    let tabled = gather(&[(
        "a.jsonc",
        r#"{"nodeName": "a", "parameterFile": "a.csv", "definitionEntry": {"policyName": "x"}, "scope": {"dev": ["/a"]}}"#,
    )]);
    assert!(tabled.problems[0].message.contains("`a.csv`, which is not read"), "{}", tabled.problems[0].message);
    assert!(tabled.assignments[0].doubt.is_some());
    let ignored = r#"{"nodeName": "a", "ignoreBranch": true, "children": [{"nodeName": "b"}]}"#;
    assert!(gather(&[("a.jsonc", ignored)]).problems.is_empty());
}

/// An exemption can name a definition, an initiative, or an assignment, in JSON and in CSV.
#[test]
fn exemptions_of_epac_are_from_all_assignments_of_what_they_name() {
    let files = [("a.jsonc", TREE), ("set.json", SET), ("own.json", OWN)];
    let found = |policies: &Policies| -> Vec<(String, String, String)> {
        let all = policies.exemptions.iter();
        all.map(|own| {
            assert!(own.problems.is_empty(), "{:?}", own.problems);
            let scope = own.scope.as_deref().unwrap_or_default().to_owned();
            let assignment = own.assignment.split("/providers").next().unwrap_or_default().to_owned();
            (assignment, scope, own.references.join(" "))
        })
        .collect()
    };
    let entry = |target: &str| {
        format!(
            r#"{{"exemptions": [{{"name": "ex", "exemptionCategory": "Waiver", "scopes": ["title:/a/s", "/a/t"], {target}}}]}}"#
        )
    };
    let set = r#""policySetDefinitionName": "SET""#;
    for (path, text, expected) in [
        ("x/policyExemptions/dev/a.json", entry(r#""policyDefinitionName": "own""#), "first second"),
        ("x/policyExemptions/dev/b.json", entry(set), ""),
        (
            "x/policyExemptions/dev/c.json",
            entry(&format!(r#"{set}, "policyDefinitionReferenceIds": ["policyDefinitions/own", "third"]"#)),
            "first second third",
        ),
        (
            "x/policyExemptions/dev/d.json",
            entry(r#""policyAssignmentId": "/a/providers/x", "policyDefinitionReferenceIds": ["third"]"#),
            "third",
        ),
    ] {
        let policies = gather(&[&files[..], &[(path, &text)]].concat());
        let of = |scope: &str| ("/a".to_owned(), scope.to_owned(), expected.to_owned());
        assert_eq!(found(&policies), [of("/a/s"), of("/a/t")], "{text}");
    }
    let missing =
        gather(&[&files[..], &[("policyExemptions/dev/a.json", &entry(r#""policyDefinitionName": "gone""#))]].concat());
    assert!(missing.exemptions.is_empty() && missing.problems[0].message.contains("nothing assigns its definition"));
    let sources = Sources::new();
    let table = "name,exemptionCategory,scope,scopes,expiresOn,assignmentReferenceId\nex,Waiver,,/a/s&/a/t,,policyDefinitions/own\n";
    let mut gathering = Gathering::default();
    for (path, text) in files {
        let file = sources.add(path, text);
        gathering.add(path, &formwork_syntax::json::parse(file, sources.get(file).text(), 100).value.expect("JSON"));
    }
    assert!(gathering.add_table("policyExemptions/prod/e.csv", table, sources.add("e.csv", table)));
    assert!(!gathering.add_table("policyAssignments/e.csv", "name,prodEffect\n", sources.add("f.csv", "")));
    let of = |scope: &str| ("/b".to_owned(), scope.to_owned(), "first second".to_owned());
    assert_eq!(found(&gathering.finish()), [of("/a/s"), of("/a/t")]);
}

/// A list of the definitions in an initiative assigns nothing.
#[test]
fn the_parts_of_an_initiative_are_not_assignments() {
    let list = r#"[{"policyDefinitionId": "/x/policyDefinitions/a", "parameters": {"effect": {"value": "Deny"}}}]"#;
    let policies = gather(&[
        ("one/azurepolicyset.definitions.json", list),
        ("one/azurepolicyset.parameters.json", r#"{"effect": {"type": "String"}}"#),
        ("two/policyset.definitions.json", list),
    ]);
    let names: Vec<&str> = policies.initiatives.iter().map(|own| &*own.name).collect();
    assert_eq!((names.as_slice(), policies.assignments.len()), (&["one", "two"][..], 0));
    assert!(!is_recognized("other.json", list));
}
