//! Holds each JSON document that formwork writes against its published schema, `formwork schema SUBJECT`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Ended, Folder, parameters, template};

/// Forbids members that a schema does not have: later versions may add some, and this one has none.
fn forbid_others(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(forbid_others);
            if members.get("properties").is_some_and(Value::is_object) && !members.contains_key("additionalProperties")
            {
                members.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(forbid_others),
        _ => {}
    }
}

/// Holds documents against the schema of a subject. Nothing may be in them that it does not describe.
#[track_caller]
pub(crate) fn assert_described(subject: &str, documents: &[Value]) {
    let mut schema = Folder::new().run(&["schema", subject]).json();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    forbid_others(&mut schema);
    let validator = jsonschema::validator_for(&schema).unwrap();
    for document in documents {
        let wrong: Vec<String> =
            validator.iter_errors(document).map(|error| format!("{} {error}", error.instance_path())).collect();
        assert!(wrong.is_empty(), "{subject}: {wrong:#?}");
    }
}

/// Runs the program on files of this repository, whose path follows the arguments.
fn on(path: &str, arguments: &[&str]) -> Ended {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    Folder::new().run(&[arguments, &[path.to_str().unwrap()]].concat())
}

/// A folder with a template and its parameter file. What they say has problems, secrets, and unknown values.
fn sample() -> Folder {
    let declared = r#""parameters": {"sku": {"type": "string"}, "key": {"type": "securestring"}, "count": {"type": "int"}},
        "variables": {"tags": {"sku": "[parameters('sku')]"}}"#;
    let account = r#"{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "[concat('logs', parameters('sku'))]",
        "tags": "[variables('tags')]", "properties": {"supportsHttpsTrafficOnly": false, "a": "[parameters('key')]", "b": "[parameters('gone')]"},
        "resources": [{"type": "blobServices", "apiVersion": "2023-01-01", "name": "[concat('logs', parameters('sku'), '/default')]"}]}"#;
    let site = r#"{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "shop", "condition": "[greater(parameters('count'), 1)]",
        "properties": {"httpsOnly": false, "serverFarmId": "[reference(concat('logs', parameters('sku'))).x]"}}"#;
    let folder = Folder::new();
    let outputs = r#""outputs": {"id": {"type": "string", "value": "[parameters('key')]"}}"#;
    folder.write("main.json", template(&format!("{declared}, \"resources\": [{account}, {site}], {outputs}")));
    folder.write("main.parameters.json", parameters(r#""sku": {"value": "A"}, "key": {"value": "x"}"#));
    folder.write("broken.json", template("\"resources\": [}"));
    folder
}

#[test]
fn reports() {
    let folder = sample();
    let check = ["check", "--format", "json", "--show-passed"];
    let documents = [
        folder.run(&check).json(),
        folder.run(&[&check[..], &["--shard", "1/2"]].concat()).json(),
        folder.run(&[&check[..], &["--shard", "2/2"]].concat()).json(),
        on("tests/golden/diff", &check).json(),
        on("tests/rules", &check).json(),
    ];
    assert!(documents[0]["results"].as_array().is_some_and(|results| results.len() > 3));
    assert_described("report", &documents);
}

#[test]
fn baselines() {
    let folder = sample();
    folder.run(&["check", "--write-baseline", "baseline.json"]);
    let text = fs::read_to_string(folder.path().join("baseline.json")).unwrap();
    let mut written: Value = serde_json::from_str(&text).unwrap();
    assert!(written["findings"].as_array().is_some_and(|findings| !findings.is_empty()));
    written["findings"][0]["note"] = "a reason".into();
    folder.write("baseline.json", written.to_string());
    folder.run(&["check", "--write-baseline", "baseline.json"]);
    let renewed: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("baseline.json")).unwrap()).unwrap();
    assert_eq!(renewed["findings"][0]["note"], "a reason");
    assert_described("baseline", &[written, renewed]);
}

#[test]
fn expansions() {
    let folder = sample();
    let main = folder.run(&["expand", "main.json"]).json();
    assert!(!main["issues"].as_array().unwrap().is_empty() || !main["diagnostics"].as_array().unwrap().is_empty());
    let documents = [
        main,
        folder.run(&["expand", "main.json", "--flat"]).json(),
        folder.run(&["expand", "main.json", "--resource", "Microsoft.Web/sites"]).json(),
        on("tests/golden/diff/new/stack.yaml", &["expand"]).json(),
        on("tests/golden/diff/new/main.json", &["expand"]).json(),
    ];
    assert_described("expand", &documents);
}

#[test]
fn explanations() {
    let folder = sample();
    let mut lines = Vec::new();
    for path in [
        "resources[0].name",
        "resources[0].tags.sku",
        "resources[0].properties.a",
        "resources[1].properties.serverFarmId",
        "outputs.id",
        "parameters.sku",
    ] {
        let ended = folder.run(&["explain", "main.json", path, "--format", "json"]);
        lines.extend(ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()));
    }
    assert!(lines.len() > 3, "{lines:?}");
    assert_described("explain", &lines);
}

#[test]
fn explanations_of_policies() {
    let folder = sample();
    let condition = r#"{"allOf": [{"field": "type", "like": "Microsoft.*"}, {"anyOf": [{"field": "tags.sku", "in": "[parameters('all')]"},
        {"value": "[substring('', 1, 1)]", "equals": ""}]}, {"count": {"value": [1, 2], "where": {"not": {"value": 1, "equals": 2}}}, "less": 9}]}"#;
    let details = r#"{"type": "Microsoft.Web/sites", "existenceCondition": {"field": "location", "exists": true}}"#;
    let definition = |name: &str, then: &str| {
        let parameters = r#"{"all": {"type": "array", "defaultValue": ["A"]}}"#;
        let rule = format!(r#"{{"if": {condition}, "then": {then}}}"#);
        format!(
            r#"{{"name": "{name}", "displayName": "A title", "mode": "All", "parameters": {parameters}, "policyRule": {rule}}}"#
        )
    };
    folder.write("policies/a.json", definition("a", r#"{"effect": "audit"}"#));
    folder.write(
        "policies/b.json",
        definition("b", &format!(r#"{{"effect": "auditIfNotExists", "details": {details}}}"#)),
    );
    folder.write(
        "policies/set.json",
        r#"{"name": "set", "policyDefinitions": [{"policyDefinitionId": "a"}, {"policyDefinitionId": "b"}]}"#,
    );
    let ended = folder.run(&["policy", "explain", "set", "main.json", "--policy", "policies", "--format", "json"]);
    let lines: Vec<Value> = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() > 3 && ended.stdout.contains("\"related\""), "{ended:?}");
    assert_described("policy-explain", &lines);
}

#[test]
fn lists_of_rules() {
    let list = ["rules", "list", "--format", "json"];
    let folder = Folder::new();
    assert_described("rules-list", &[folder.run(&list).json(), folder.run(&[&list[..], &["--map"]].concat()).json()]);
}

#[test]
fn environments() {
    let folder = Folder::new();
    folder.write("event.json", r#"{"number": 7, "pull_request": {"number": 7}}"#);
    let event = folder.path().join("event.json");
    let variables = [
        ("GITHUB_EVENT_NAME", "pull_request"),
        ("GITHUB_EVENT_PATH", event.to_str().unwrap()),
        ("HTTPS_PROXY", "http://user:word@proxy.example:8080"),
        ("HOME", folder.path().to_str().unwrap()),
    ];
    let doctor = ["doctor", "--format", "json"];
    let within = folder.run_with(&doctor, &variables, b"").json();
    assert!(within["workflow"].is_object() && within["proxies"][0].is_object(), "{within}");
    assert_described("doctor", &[within, folder.run(&doctor).json()]);
}
