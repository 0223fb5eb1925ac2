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
];

/// What each definition looks for.
const FIELDS: &[&str] =
    &["tags.a", "Microsoft.Sql/servers/administratorLogin", "Microsoft.Sql/servers/administratorLoginPassword", "name"];

#[test]
fn no_policy_shows_a_secret() {
    let folder = folder();
    folder.write("sql.json", TEMPLATE);
    for (effect, details) in EFFECTS {
        for (at, field) in FIELDS.iter().enumerate() {
            let then = format!(r#"{{"effect": "{effect}", "details": {details}}}"#);
            let rule = format!(r#"{{"if": {{"field": "{field}", "exists": true}}, "then": {then}}}"#);
            let name = format!("{effect}-{at}");
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
