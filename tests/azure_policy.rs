//! Azure policies from the files of a repository, as users of the program see them.

use std::fs;

use crate::harness::{Ended, Folder};

const TEMPLATE: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "resources": [
    {
      "type": "Microsoft.Storage/storageAccounts",
      "apiVersion": "2023-05-01",
      "name": "stcontoso",
      "location": "westeurope",
      "kind": "StorageV2",
      "sku": { "name": "Standard_LRS" },
      "properties": {
        "supportsHttpsTrafficOnly": false
      }
    }
  ]
}
"#;

const DEFINITION: &str = r#"{
  "name": "Storage-https",
  "properties": {
    "mode": "Indexed",
    "parameters": { "effect": { "type": "String", "defaultValue": "Audit" } },
    "policyRule": {
      "if": {
        "allOf": [
          { "field": "type", "equals": "Microsoft.Storage/storageAccounts" },
          { "field": "Microsoft.Storage/storageAccounts/supportsHttpsTrafficOnly", "notEquals": true }
        ]
      },
      "then": { "effect": "[parameters('effect')]" }
    }
  }
}
"#;

const SCOPE: &str = "/providers/Microsoft.Management/managementGroups/contoso";

fn assignment(effect: &str) -> String {
    format!(
        r#"{{"name": "https", "properties": {{"scope": "{SCOPE}", "policyDefinitionId": "{SCOPE}/providers/Microsoft.Authorization/policyDefinitions/Storage-https",
        "parameters": {{"effect": {{"value": "{effect}"}}}}, "nonComplianceMessages": [{{"message": "Ask the platform team."}}]}}}}"#
    )
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("main.json", TEMPLATE).write("policies/https.json", DEFINITION);
    folder
}

fn check(folder: &Folder, arguments: &[&str]) -> Ended {
    folder.run(&[&["check", "main.json", "--no-builtin-rules", "--format", "concise"], arguments].concat())
}

#[test]
fn a_definition_is_tried_as_if_it_were_assigned_everywhere() {
    let folder = folder();
    let ended = check(&folder, &["--policy", "policies/https.json"]);
    assert!(ended.stdout.starts_with("main.json:13:37: medium[azure-policy/audit] "), "{}", ended.stdout);
    folder.write("deny.json", r#"{"effect": {"value": "Deny"}}"#);
    let ended = check(&folder, &["--policy", "policies", "--policy-parameters", "deny.json"]);
    assert!(ended.stdout.starts_with("main.json:13:37: high[azure-policy/deny] "), "{}", ended.stdout);
    folder.write("allowed.json", TEMPLATE.replace("false", "true"));
    let ended = folder.run(&["check", "allowed.json", "--no-builtin-rules", "--policy", "policies"]);
    assert_eq!(ended.code, 0, "{}", ended.stdout);
}

#[test]
fn settings_say_which_assignments_apply() {
    let folder = folder();
    folder.write("policies/assignment.json", assignment("Deny"));
    folder.write("formwork.yaml", "policy:\n  paths: [policies]\n");
    let ended = check(&folder, &[]);
    assert!(ended.stdout.contains("where it applies"), "{}", ended.stdout);
    assert!(ended.stdout.contains("Ask the platform team."), "{}", ended.stdout);
    folder.write("formwork.yaml", "policy:\n  paths: [policies]\n  management-groups: [contoso]\n");
    let ended = check(&folder, &[]);
    assert!(ended.stdout.contains("high[azure-policy/deny]"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("where it applies"), "{}", ended.stdout);
    folder.write("formwork.yaml", "policy:\n  paths: [policies]\n  management-groups: [fabrikam]\n");
    assert_eq!(check(&folder, &[]).code, 0);
}

#[test]
fn findings_are_weighed_and_suppressed_like_those_of_rules() {
    let folder = folder();
    folder.write("policies/assignment.json", assignment("Deny"));
    let settings = "policy: { paths: [policies], management-groups: [contoso] }\n";
    folder.write("formwork.yaml", format!("{settings}rules: {{ severity: {{ azure-policy/deny: low }} }}\n"));
    assert!(check(&folder, &["--min-severity", "low"]).stdout.contains("low[azure-policy/deny]"));
    folder.write("formwork.yaml", format!("{settings}rules: {{ exclude: [azure-policy/deny] }}\n"));
    assert_eq!(check(&folder, &[]).code, 0);
    let suppression = "suppressions: [{ rule: azure-policy/deny, path: main.json, reason: exempt }]\n";
    folder.write("formwork.yaml", format!("{settings}{suppression}"));
    assert_eq!(check(&folder, &[]).code, 0);
}

#[test]
fn files_that_are_no_policies_are_refused() {
    let folder = folder();
    folder.write("package.json", r#"{"secret": "S3CRET"}"#).write("broken.json", "{");
    for (file, expected) in
        [("package.json", "the file has no policy document"), ("broken.json", "the file is not JSON")]
    {
        let ended = check(&folder, &["--policy", file]);
        assert!(ended.stderr.contains(expected), "{}", ended.stderr);
        assert!(!ended.stderr.contains("S3CRET"), "{}", ended.stderr);
    }
    let ended = folder.run(&["check", "policies/https.json"]);
    assert!(format!("{}{}", ended.stdout, ended.stderr).contains("is an Azure policy and not a template"));
}

#[test]
fn files_of_a_folder_that_cannot_be_read_are_reported() {
    let folder = folder();
    folder.write("policies/broken.json", "{ \"policyRule\": S3CRET").write("policies/package.json", "{}");
    folder
        .write("policies/.vscode/settings.json", "{ // none")
        .write("policies/a/node_modules/b/package.json", "{ // none");
    let ended = check(&folder, &["--policy", "policies"]);
    assert_eq!(ended.code, 2, "{ended:?}");
    let shown = format!("{}{}", ended.stdout, ended.stderr);
    assert!(shown.contains("policies/broken.json") && shown.contains("the file is not JSON"), "{shown}");
    assert!(!shown.contains("S3CRET") && !shown.contains("package.json"), "{shown}");
    assert!(!shown.contains("settings.json"), "{shown}");
    // What was not meant as a policy ends nothing.
    folder.write("policies/broken.json", "{ \"compilerOptions\": S3CRET");
    let ended = check(&folder, &["--policy", "policies"]);
    let shown = format!("{}{}", ended.stdout, ended.stderr);
    assert!(ended.code == 1 && shown.contains("[azure-policy/audit]"), "{ended:?}");
    assert!(shown.contains("policies/broken.json") && !shown.contains("S3CRET"), "{shown}");
}

/// What Azure would refuse ends a check, as a broken rule file does, wherever it is named.
#[test]
fn policies_that_cannot_be_used_end_a_check() {
    let condition = r#"{ "field": "type", "equals": "Microsoft.Storage/storageAccounts" }"#;
    let replaced = |from: &str, to: &str| {
        assert!(DEFINITION.contains(from), "{from}");
        DEFINITION.replace(from, to)
    };
    let deep = format!("{}{condition}{}", r#"{"not": "#.repeat(300), "}".repeat(300));
    let typed =
        |kind: &str| format!(r#"{{"type": "Microsoft.Authorization/{kind}", "name": "x", "properties": {{}}}}"#);
    let cases = [
        (replaced(r#""field": "type""#, r#""feild": "type""#), "the condition is about nothing"),
        (replaced("\"equals\"", "\"eqals\""), "`eqals` is not an operator"),
        (replaced("[parameters('effect')]", "dney"), "there is no effect `dney`"),
        (replaced("\"Audit\"", "\"Adit\""), "there is no effect `Adit`"),
        (replaced("parameters('effect')", "parameters('efect')"), "there is no parameter `efect`"),
        (replaced(condition, &vec![condition; 4_200].join(",")), "more than 4096 conditions"),
        (replaced(condition, &deep), "the file is not JSON"),
        (replaced("\"then\"", "\"them\""), "`policyRule` has no effect"),
        (replaced("\"policyRule\"", "\"polcyRule\""), "the definition has no `policyRule`"),
        (replaced("\"Indexed\",", "\"Indexed\""), "the file is not JSON"),
        (r#"{"name": "x", "properties": {"policyRule": "none"}}"#.to_owned(), "`policyRule` must be an object"),
        (typed("policyDefinitions"), "the definition has no `policyRule`"),
        (typed("policySetDefinitions"), "the initiative has no `policyDefinitions`"),
        (typed("policyAssignments"), "the assignment has no `policyDefinitionId`"),
        (
            assignment("Audit").replace("\"scope\"", "\"enforcementMode\": \"Of\", \"scope\""),
            "`enforcementMode` is `Of`",
        ),
    ];
    for (text, expected) in cases {
        let folder = folder();
        folder.write("policies/other.json", &text);
        for arguments in [
            &["--policy", "policies"][..],
            &["--policy", "policies/https.json", "--policy", "policies/other.json", "--allow-unreadable"],
        ] {
            let ended = check(&folder, arguments);
            let shown = format!("{}{}", ended.stdout, ended.stderr);
            assert!(ended.code == 2 && shown.contains(expected), "{expected}: {ended:?}");
        }
        folder.write("formwork.yaml", "policy: { paths: [policies] }");
        let ended = check(&folder, &["--allow-unreadable"]);
        assert_eq!(ended.code, 2, "{expected}: {ended:?}");
        let ended = folder.run(&["rules", "lint", "policies/other.json"]);
        assert_eq!(ended.code, 2, "{expected}: {ended:?}");
    }
    let folder = folder();
    folder.write("formwork.yaml", "policy: { paths: [policies, policies/gone.json] }");
    let ended = check(&folder, &[]);
    assert!(ended.code == 2 && ended.stderr.contains("policies/gone.json"), "{ended:?}");
}

/// Only files that are policies have to be right.
#[test]
fn other_files_in_a_folder_of_policies_are_ignored() {
    let folder = folder();
    folder
        .write("policies/schema.json", r#"{"properties": {"a": {"if": {}, "then": {"required": ["b"]}}}}"#)
        .write("policies/structure.json", r#"{"managedIdentityLocations": {"*": "westeurope"}}"#)
        .write("policies/values.json", r#"{"policyDefinitions": "none", "type": "x"}"#);
    let ended = check(&folder, &["--policy", "policies"]);
    assert!(ended.code == 1 && ended.stdout.contains("[azure-policy/audit]"), "{ended:?}");
    assert!(!format!("{}{}", ended.stdout, ended.stderr).contains("azure-policy/invalid"), "{ended:?}");
}

#[test]
fn definitions_beside_an_initiative_are_tried_as_well() {
    let folder = folder();
    let other =
        DEFINITION.replace("Storage-https", "other").replace("supportsHttpsTrafficOnly", "allowSharedKeyAccess");
    folder.write("policies/other.json", other);
    folder.write("policies/set.json", r#"{"name": "set", "policyDefinitions": [{"policyDefinitionId": "other"}]}"#);
    let ended = check(&folder, &["--policy", "policies"]);
    for expected in ["policy `Storage-https` audits", "policy `other` (assignment `set`) audits"] {
        assert!(ended.stdout.contains(expected), "{ended:?}");
    }
    assert_eq!(ended.stdout.matches("policy `other`").count(), 1, "{ended:?}");
}

#[test]
fn definitions_without_a_name_are_told_apart() {
    let folder = folder();
    let nameless = DEFINITION.replace(r#""name": "Storage-https","#, "");
    folder.write("policies/https.json", &nameless);
    folder.write("policies/keys.json", nameless.replace("supportsHttpsTrafficOnly", "allowSharedKeyAccess"));
    let ended = check(&folder, &["--policy", "policies"]);
    for expected in ["policy `https` audits", "policy `keys` audits"] {
        assert!(ended.stdout.contains(expected), "{ended:?}");
    }
}

#[test]
fn definitions_are_linted_with_the_rules() {
    let folder = folder();
    folder.write("policies/https.json", DEFINITION.replace("supportsHttpsTrafficOnly", "supportsHttpTrafficOnly"));
    let ended = folder.run(&["rules", "lint", "policies/https.json"]);
    let shown = format!("{}{}", ended.stdout, ended.stderr);
    assert!(shown.contains("no resource type is known to have the alias"), "{shown}");
    assert!(shown.contains("did you mean `Microsoft.Storage/storageAccounts/supportsHttpsTrafficOnly`?"), "{shown}");
}

/// Assignments are no rules, also where a file has a list of them.
#[test]
fn a_folder_of_policies_is_linted_without_errors() {
    let policies = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/examples/azure-policy/policies");
    let ended = Folder::new().run(&["rules", "lint", policies]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
}

/// A folder of policies has other files, too, and only what looks like a rule is linted as one.
#[test]
fn files_of_a_linted_folder_are_told_apart() {
    let folder = folder();
    folder
        .write(
            "policies/parts/azurepolicy.rules.json",
            r#"{"if": {"field": "type", "equals": "a/b"}, "then": {"effect": "audit"}}"#,
        )
        .write("policies/parts/azurepolicy.parameters.json", r#"{"effect": {"type": "String"}}"#)
        .write(
            "policies/set.json",
            r#"{"name": "set", "policyDefinitions": [{"policyDefinitionId": "Storage-https"}]}"#,
        )
        .write("policies/assignment.json", assignment("Deny"))
        .write("policies/role.json", r#"{"Name": "r", "Actions": ["*"], "AssignableScopes": ["/"]}"#)
        .write("policies/main.json", TEMPLATE)
        .write("policies/settings.json", r#"{"evaluationDelay": "none"}"#)
        .write("policies/package.json", "{ // none")
        .write("policies/.vscode/settings.json", "{ // none");
    let ended = folder.run(&["rules", "lint", "policies"]);
    let summary = "2 policies, 1 initiative, 1 assignment, 0 rules, 0 errors, 1 warning; \
                   not linted: 2 other files, 1 role definition, 1 template\n";
    assert_eq!((ended.code, ended.stdout.as_str()), (0, summary), "{ended:?}");
    assert!(ended.stderr.contains("parameter `effect` is never used"), "{ended:?}");
    folder.write("policies/rule.json", r#"[{"name": "TA-000001", "evaluation": {"path": "x", "exsts": true}}]"#);
    folder.write("policies/broken.json", "{ \"policyRule\": ");
    let ended = folder.run(&["rules", "lint", "policies"]);
    assert!(ended.code == 2 && ended.stderr.contains("exsts") && ended.stderr.contains("broken.json"), "{ended:?}");
}

/// A role assignment with further members.
fn role(members: &str) -> String {
    format!(
        r#"{{"type": "Microsoft.Authorization/roleAssignments", "apiVersion": "2022-04-01", {members}
        "name": "11111111-2222-3333-4444-555555555556", "properties": {{"roleDefinitionId": "x", "principalId": "y"}}}}"#
    )
}

/// A template with one resource, and a parameter without a value.
fn template(resource: &str) -> String {
    format!(
        r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0", "parameters": {{"x": {{"type": "string"}}}}, "resources": [{resource}]}}"#
    )
}

/// What settings declare of a scope is not true of one that only a parameter knows.
#[test]
fn an_unknown_scope_is_not_the_declared_one() {
    const GROUP: &str = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups";
    let nested = |members: &str| {
        format!(
            r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "n", {members},
            "properties": {{"mode": "Incremental", "template": {}}}}}"#,
            template(&role("")).replace(r#""x": {"type": "string"}"#, "")
        )
    };
    let vault = |name: &str| role(&format!(r#""scope": "[concat('Microsoft.KeyVault/vaults/', {name})]","#));
    let folder = Folder::new();
    let settings = "policy: { paths: [policies] }\nconfiguration:\n  AZURE_SUBSCRIPTION: { subscriptionId: 11111111-2222-3333-4444-555555555555 }\n  AZURE_RESOURCE_GROUP: { name: rg-web }\n";
    let rule =
        r#"{"if": {"field": "type", "equals": "Microsoft.Authorization/roleAssignments"}, "then": {"effect": "deny"}}"#;
    folder.write("formwork.yaml", settings).write(
        "policies/deny.json",
        format!(r#"{{"name": "den", "properties": {{"mode": "All", "policyRule": {rule}}}}}"#),
    );
    for (resource, web, other) in [
        (nested(r#""resourceGroup": "rg-web""#), "denies", "nothing"),
        (nested(r#""resourceGroup": "[parameters('x')]""#), "perhaps", "perhaps"),
        (nested(r#""resourceGroup": "[concat('rg-', parameters('x'))]""#), "perhaps", "perhaps"),
        (nested(r#""resourceGroup": "rg-web", "subscriptionId": "[parameters('x')]""#), "perhaps", "nothing"),
        (role(r#""scope": "[parameters('x')]","#), "perhaps", "perhaps"),
        (
            role(r#""scope": "[concat('/subscriptions/', parameters('x'), '/resourceGroups/rg-web')]","#),
            "perhaps",
            "perhaps",
        ),
        (vault("'kv'"), "denies", "nothing"),
        (vault("parameters('x')"), "denies", "nothing"),
    ] {
        folder.write("main.json", template(&resource));
        for (group, expected) in [("rg-web", web), ("rg-other", other)] {
            let assignment = format!(
                r#"{{"name": "as", "properties": {{"policyDefinitionId": "den", "scope": "{GROUP}/{group}"}}}}"#
            );
            folder.write("policies/as.json", assignment);
            let ended = check(&folder, &[]);
            let found = match ended.stdout.contains("azure-policy/deny") {
                true if ended.stdout.contains("where it applies") => "perhaps",
                true => "denies",
                false => "nothing",
            };
            assert_eq!(found, expected, "{group} {resource}: {ended:?}");
        }
    }
}

fn explain(folder: &Folder, arguments: &[&str]) -> Ended {
    folder.run(&[&["policy", "explain"], arguments, &["--policy", "policies"]].concat())
}

#[test]
fn an_explanation_has_each_condition() {
    let folder = folder();
    folder.write("policies/assignment.json", assignment("Deny"));
    let ended = explain(&folder, &["https", "main.json"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let expected = format!(
        "Microsoft.Storage/storageAccounts `stcontoso`, at main.json:5:5
policy `Storage-https` of assignment `https` at `{SCOPE}`: deny, where the assignment applies: \
         `Microsoft.Storage/storageAccounts/supportsHttpsTrafficOnly` is false
effect: deny
parameter effect: \"Deny\", from the assignment, at policies/assignment.json:2:44
true     allOf
true       type equals \"Microsoft.Storage/storageAccounts\"; it is \"Microsoft.Storage/storageAccounts\"
true       Microsoft.Storage/storageAccounts/supportsHttpsTrafficOnly notEquals true; it is false, at main.json:13:37
"
    );
    assert_eq!(ended.stdout, expected);
}

#[test]
fn an_explanation_is_of_the_resources_that_are_named() {
    let folder = folder();
    let other = r#"{"type": "Microsoft.Network/publicIPAddresses", "apiVersion": "2023-09-01", "name": "ip", "location": "westeurope"}"#;
    folder.write("main.json", TEMPLATE.replace("\"resources\": [", &format!("\"resources\": [{other},")));
    assert!(!explain(&folder, &["Storage-https", "main.json"]).stdout.contains("`ip`"));
    for name in ["ip", "IP", "microsoft.network/publicIPAddresses", "resources[0]"] {
        let ended = explain(&folder, &["Storage-https", "main.json", name]);
        assert!(ended.stdout.contains("does nothing: it is not about this resource"), "{ended:?}");
        assert!(ended.stdout.contains("\nfalse      type equals"), "{ended:?}");
    }
    for (policy, resource, message) in [
        (
            "Storage-http",
            "ip",
            "there is no assignment or assigned definition `Storage-http`, did you mean `Storage-https`?",
        ),
        (
            "Storage-https",
            "gone",
            "the template deploys no resource `gone`; expected its name, symbolic name, type, or ID",
        ),
    ] {
        let ended = explain(&folder, &[policy, "main.json", resource]);
        assert_eq!((ended.stderr, ended.code), (format!("error: {message}\n"), 2));
    }
    let ended = folder.run(&["policy", "explain", "x", "main.json"]);
    assert!(ended.code == 2 && ended.stderr.contains("there are no policies"), "{ended:?}");
}

#[test]
fn an_explanation_shows_no_secret() {
    let folder = folder();
    let secret = r#""parameters": {"key": {"type": "securestring"}}, "resources": ["#;
    let template = TEMPLATE.replace("\"resources\": [", secret);
    folder.write(
        "main.json",
        template
            .replace("\"supportsHttpsTrafficOnly\": false", "\"supportsHttpsTrafficOnly\": \"[parameters('key')]\""),
    );
    for format in ["console", "json"] {
        let arguments = ["Storage-https", "main.json", "--set", "key=S3CRET", "--format", format];
        let ended = explain(&folder, &arguments);
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(ended.stdout.contains("{{Secret}}") && !ended.stdout.contains("S3CRET"), "{ended:?}");
    }
}

const TESTS: &str = r"# Tests of one definition
- name: HTTP is refused
  input: {type: Microsoft.Storage/storageAccounts, name: st, location: westeurope, properties: {supportsHttpsTrafficOnly: false}}
  parameters: {effect: Deny}
  expectations:
    policies: {Storage-https: deny}
- name: HTTPS is fine
  template: ../../allowed.json
  expectations:
    policies: {storage-HTTPS: none}
- name: the default is an audit
  template: ../../main.json
  expectations:
    policies: {Storage-https: audit}
";

#[test]
fn unit_tests_of_policies_are_run() {
    let folder = folder();
    folder.write("allowed.json", TEMPLATE.replace("false", "true")).write("policies/tests/https.yaml", TESTS);
    let ended = folder.run(&["rules", "test", "policies", "--output", "junit=results.xml"]);
    assert_eq!(
        (ended.stdout.as_str(), ended.code),
        ("pass policies/tests/https.yaml: 3 tests\n3 unit tests passed, 0 failed\n", 0),
        "{ended:?}"
    );
    assert!(fs::read_to_string(folder.path().join("results.xml")).unwrap().contains("HTTP is refused"));
    folder.write("policies/tests/https.yaml", TESTS.replace("Storage-https: audit", "Storage-https: deny"));
    let ended = folder.run(&["rules", "test", "policies"]);
    let expected = "FAIL policies/tests/https.yaml\n  policies/tests/https.yaml:14:16: the default is an audit: \
                    `Storage-https` is `audit`, because `Microsoft.Storage/storageAccounts/supportsHttpsTrafficOnly` is false; expected `deny`\n\
                    2 unit tests passed, 1 failed\n";
    assert_eq!((ended.stdout.as_str(), ended.code), (expected, 1), "{ended:?}");
}

#[test]
fn wrong_unit_tests_of_policies_fail() {
    let folder = folder();
    for (part, other, expected) in [
        (
            "{Storage-https: deny}",
            "{Storage-http: deny}",
            "there is no policy `Storage-http`, did you mean `Storage-https`?",
        ),
        ("{Storage-https: deny}", "{Storage-https: denied}", "\"denied\" is not an outcome; expected deny, unknown, "),
        ("{effect: Deny}", "{efect: Deny}", "no policy has a parameter `efect`, did you mean `effect`?"),
        (
            "{effect: Deny}",
            "{effect: Refuse}",
            "`Storage-https` is `unknown`, because there is no effect `Refuse`; expected `deny`",
        ),
        ("../../allowed.json", "gone.json", "the input cannot be evaluated: the file cannot be read"),
        ("name: st,", "name: \"[parameters('x')]\",", "the input cannot be evaluated: there is no parameter `x`"),
    ] {
        folder
            .write("allowed.json", TEMPLATE.replace("false", "true"))
            .write("policies/tests/https.yaml", TESTS.replacen(part, other, 1));
        let ended = folder.run(&["rules", "test", "policies"]);
        assert_eq!(ended.code, 1, "{other}: {ended:?}");
        assert!(ended.stdout.contains(expected), "{other}: {ended:?}");
    }
}

#[test]
fn samples_are_judged_by_policies() {
    let folder = folder();
    let mark = "        \"supportsHttpsTrafficOnly\": false\n      //                            ^^^^^ warning azure-policy/audit: policy `Storage-https` audits";
    let sample = TEMPLATE.replace("        \"supportsHttpsTrafficOnly\": false", mark);
    folder.write("samples/main.json", sample);
    let ended = folder.run(&["rules", "test", "samples", "--policy", "policies"]);
    assert_eq!(
        (ended.stdout.as_str(), ended.code),
        ("pass samples/main.json: 1 mark\n1 passed, 0 failed\n", 0),
        "{ended:?}"
    );
}

#[test]
fn definitions_that_services_judge_are_counted() {
    let folder = folder();
    folder.write("policies/assignment.json", assignment("Deny"));
    folder.write("policies/https.json", DEFINITION.replace("Indexed", "Microsoft.Kubernetes.Data"));
    let ended = check(&folder, &["--policy", "policies"]);
    let expected = "1 assigned definition not evaluated, because services judge these modes themselves: `Microsoft.Kubernetes.Data` (1)";
    assert!(ended.code == 0 && ended.stdout.contains(expected), "{ended:?}");
}
