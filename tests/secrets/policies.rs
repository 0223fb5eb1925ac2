//! Azure policies judge resources with secrets, and say nothing of them.

use crate::secrets::{FORMATS, folder, run};

const TEMPLATE: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "parameters": {"set": {"type": "securestring"}, "default": {"type": "securestring", "defaultValue": "S3CRET-default"}},
  "resources": [{
    "type": "Microsoft.Sql/servers", "apiVersion": "2022-05-01", "name": "[concat('s', parameters('set'))]",
    "location": "westeurope", "tags": {"a": "[parameters('default')]"},
    "properties": {"administratorLogin": "[parameters('default')]", "administratorLoginPassword": "[parameters('set')]"}
  }]
}"#;

/// The effect of each definition, and its details.
const EFFECTS: &[(&str, &str)] = &[
    ("audit", "{}"),
    ("deny", "{}"),
    (
        "modify",
        r#"{"roleDefinitionIds": [], "operations": [{"operation": "addOrReplace", "field": "tags['b']", "value": "[field('tags.a')]"}]}"#,
    ),
    ("append", r#"[{"field": "tags.c", "value": "[concat(field('tags.a'), 'x')]"}]"#),
    ("auditIfNotExists", r#"{"type": "Microsoft.Sql/servers/auditingSettings", "name": "[field('tags.a')]"}"#),
    (
        "modify",
        r#"{"roleDefinitionIds": [], "operations": [{"operation": "add", "field": "[concat('tags[', field('tags.a'), ']')]", "value": "x"}]}"#,
    ),
    ("append", r#"[{"field": "[concat('tags[', field('name'), ']')]", "value": "x"}]"#),
];

/// What each definition looks for.
const CONDITIONS: &[&str] = &[
    r#"{"field": "tags.a", "exists": true}"#,
    r#"{"field": "Microsoft.Sql/servers/administratorLogin", "exists": true}"#,
    r#"{"field": "Microsoft.Sql/servers/administratorLoginPassword", "exists": true}"#,
    r#"{"field": "name", "exists": true}"#,
    r#"{"field": "fullName", "exists": true}"#,
    r#"{"field": "id", "contains": "/"}"#,
    r#"{"value": "[concat(field('id'), 'x')]", "contains": "/"}"#,
    r#"{"field": "[concat('tags[', field('tags.a'), ']')]", "exists": false}"#,
    r#"{"field": "[concat('Microsoft.Sql/servers/', field('tags.a'))]", "exists": true}"#,
    r#"{"value": "[int(field('tags.a'))]", "equals": 1}"#,
    r#"{"value": "[parameters(field('tags.a'))]", "equals": 1}"#,
];

#[test]
fn no_policy_shows_a_secret() {
    let folder = folder();
    folder.write("sql.json", TEMPLATE);
    for (number, (effect, details)) in EFFECTS.iter().enumerate() {
        for (at, condition) in CONDITIONS.iter().enumerate() {
            let then = format!(r#"{{"effect": "{effect}", "details": {details}}}"#);
            let rule = format!(r#"{{"if": {condition}, "then": {then}}}"#);
            let name = format!("{effect}-{number}-{at}");
            let definition = format!(r#"{{"name": "{name}", "properties": {{"mode": "All", "policyRule": {rule}}}}}"#);
            folder.write(&format!("policies/{name}.json"), definition);
        }
    }
    for format in FORMATS {
        let ended = run(
            &folder,
            &[
                "check",
                "sql.json",
                "--set",
                "set=S3CRET-set",
                "--policy",
                "policies",
                "--show-unknown",
                "--format",
                format,
            ],
        );
        assert!(ended.stdout.contains("azure-policy/"), "{format}: {ended:?}");
    }
}
