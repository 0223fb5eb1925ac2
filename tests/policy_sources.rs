//! Where Azure policies come from besides files of their own, and what exempts from them, as users of the program see it.

use std::fs;

use crate::changes::Repository;
use crate::harness::{Ended, Folder};

const SCOPE: &str = "/subscriptions/11111111-2222-3333-4444-555555555555";

const SETTINGS: &str = "policy: { paths: [policies] }
configuration:
  AZURE_SUBSCRIPTION: { subscriptionId: 11111111-2222-3333-4444-555555555555 }
  AZURE_RESOURCE_GROUP: { name: rg-web, location: westeurope }
";

/// A template of one storage account, which allows HTTP if `is_open`.
fn account(is_open: bool) -> String {
    format!(
        r#"{{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "resources": [
    {{
      "type": "Microsoft.Storage/storageAccounts",
      "apiVersion": "2023-05-01",
      "name": "stcontoso",
      "location": "westeurope",
      "kind": "StorageV2",
      "sku": {{ "name": "Standard_LRS" }},
      "properties": {{ "supportsHttpsTrafficOnly": {} }}
    }}
  ]
}}
"#,
        !is_open
    )
}

/// What a definition has that denies storage accounts that allow HTTP.
const PROPERTIES: &str = r#"{
  "mode": "All",
  "parameters": { "effect": { "type": "String", "defaultValue": "deny" } },
  "policyRule": {
    "if": { "field": "Microsoft.Storage/storageAccounts/supportsHttpsTrafficOnly", "equals": false },
    "then": { "effect": "[[parameters('effect')]" }
  }
}"#;

/// A template of a subscription with these resources.
fn governance(parameters: &str, resources: &[String]) -> String {
    format!(
        r#"{{
  "$schema": "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "parameters": {{ {parameters} }},
  "resources": [{}]
}}
"#,
        resources.join(",\n")
    )
}

fn resource(kind: &str, name: &str, properties: &str) -> String {
    format!(
        r#"{{ "type": "Microsoft.Authorization/{kind}", "apiVersion": "2023-04-01", "name": "{name}",
  "properties": {properties} }}"#
    )
}

fn definition() -> String {
    resource("policyDefinitions", "Deny-http", PROPERTIES)
}

fn assignment(more: &str) -> String {
    let id = "[subscriptionResourceId('Microsoft.Authorization/policyDefinitions', 'Deny-http')]";
    resource("policyAssignments", "no-http", &format!(r#"{{ "policyDefinitionId": "{id}"{more} }}"#))
}

fn exemption(more: &str) -> String {
    format!(
        r#"{{ "name": "until-spring", "id": "{SCOPE}/resourceGroups/rg-web/providers/Microsoft.Authorization/policyExemptions/until-spring",
  "properties": {{ "policyAssignmentId": "{SCOPE}/providers/Microsoft.Authorization/policyAssignments/no-http",
    "exemptionCategory": "Waiver", "description": "the old portal needs it" {more} }} }}"#
    )
}

fn folder(template: &str) -> Folder {
    let folder = Folder::new();
    folder.write("main.json", account(true)).write("formwork.yaml", SETTINGS).write("policies/main.json", template);
    folder
}

fn check(folder: &Folder, arguments: &[&str]) -> Ended {
    let own = [
        "check",
        "main.json",
        "--no-builtin-rules",
        "--format",
        "concise",
        "--min-severity",
        "low",
        "--today",
        "2027-01-15",
    ];
    folder.run(&[&own, arguments].concat())
}

#[test]
fn policies_that_a_template_deploys_are_in_force() {
    let folder = folder(&governance("", &[definition(), assignment("")]));
    let ended = check(&folder, &[]);
    let expected = format!("policy `Deny-http` (assignment `no-http` at `{SCOPE}`) denies this resource");
    assert!(ended.stdout.contains(&expected), "{ended:?}");
    folder.write("main.json", account(false));
    assert_eq!(check(&folder, &[]).code, 0);
}

#[test]
fn a_template_is_named_like_any_file_of_policies() {
    let folder = folder(&governance("", &[definition(), assignment("")]));
    folder.write("formwork.yaml", SETTINGS.replace("[policies]", "[policies/main.json]"));
    assert!(check(&folder, &[]).stdout.contains("azure-policy/deny"));
    folder.write("policies/main.json", governance("", &[]));
    let ended = check(&folder, &[]);
    assert!(ended.stderr.contains("the template deploys no policy"), "{ended:?}");
}

#[test]
fn bicep_deploys_policies_from_files_that_it_loads() {
    let folder = Folder::new();
    let plain = PROPERTIES.replace("[[", "[");
    folder.write("main.json", account(true)).write("formwork.yaml", SETTINGS);
    folder.write("policies/lib/deny-http.json", format!(r#"{{ "name": "Deny-http", "properties": {plain} }}"#));
    folder.write(
        "policies/main.bicep",
        "targetScope = 'subscription'

var definitions = [loadJsonContent('lib/deny-http.json')]

resource all 'Microsoft.Authorization/policyDefinitions@2023-04-01' = [for one in definitions: {
  name: one.name
  properties: one.properties
}]

module assignment 'assignment.bicep' = {
  params: { name: 'no-http', definition: all[0].id }
}
",
    );
    folder.write(
        "policies/assignment.bicep",
        "targetScope = 'subscription'
param name string
param definition string

resource it 'Microsoft.Authorization/policyAssignments@2023-04-01' = {
  name: name
  properties: { policyDefinitionId: definition }
}
",
    );
    let ended = check(&folder, &["--bicep", "builtin"]);
    let expected = format!("policy `Deny-http` (assignment `no-http` at `{SCOPE}`) denies this resource");
    assert!(ended.stdout.contains(&expected), "{ended:?}");
    assert_eq!(ended.stdout.matches("azure-policy/deny").count(), 1, "{ended:?}");
    assert_eq!(ended.stderr.matches("azure-policy/invalid").count(), 0, "{ended:?}");
}

#[test]
fn parameter_files_of_a_template_count() {
    let mode = r#"{ "mode": { "type": "string" } }"#;
    let enforced = assignment(r#", "enforcementMode": "[parameters('mode')]""#);
    let folder = folder(&governance(mode.trim_matches(['{', '}']), &[definition(), enforced]));
    let parameters = |mode: &str| {
        format!(
            r#"{{ "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#",
            "contentVersion": "1.0.0.0", "parameters": {{ "mode": {{ "value": "{mode}" }} }} }}"#
        )
    };
    for (mode, is_denied) in [("Default", true), ("DoNotEnforce", false)] {
        folder.write("policies/main.parameters.json", parameters(mode));
        let ended = check(&folder, &[]);
        assert_eq!(ended.stdout.contains("azure-policy/deny"), is_denied, "{mode}: {ended:?}");
    }
}

/// An unknown value in a policy denies nothing, but an assignment with an unknown scope, name, or state may apply.
#[test]
fn unknown_values_in_policies_deny_only_perhaps() {
    let parameter = r#""x": { "type": "string" }"#;
    let unknown = r#""[parameters('x')]""#;
    let compared = definition().replace(r#""equals": false"#, &format!(r#""equals": {unknown}"#));
    let effect = definition().replace(r#""[[parameters('effect')]""#, unknown);
    let mode = definition().replace(r#""All""#, unknown);
    let elsewhere = assignment("").replace("'Deny-http'", "parameters('x')");
    let open = assignment(r#", "notScopes": ["[parameters('x')]"]"#);
    let unnamed = assignment("").replace(r#""no-http""#, unknown);
    let perhaps =
        assignment("").replace(r#""properties""#, r#""condition": "[equals(parameters('x'), 'a')]", "properties""#);
    let idle = assignment(r#", "enforcementMode": "[parameters('x')]""#);
    let of_group = assignment("").replace(
        "[subscriptionResourceId('Microsoft.Authorization/policyDefinitions', 'Deny-http')]",
        "[concat('/providers/Microsoft.Management/managementGroups/', parameters('x'), '/providers/Microsoft.Authorization/policyDefinitions/Deny-http')]",
    );
    let applies = format!("policy `Deny-http` (assignment `no-http` at `{SCOPE}`) denies this resource");
    for (what, definition, assignment, is_said, expected) in [
        ("compared", compared, assignment(""), false, None),
        ("effect", effect, assignment(""), true, None),
        ("mode", mode, assignment(""), true, None),
        ("elsewhere", definition(), elsewhere, true, None),
        ("of group", definition(), of_group, false, Some(applies.as_str())),
        ("open", definition(), open, true, Some("where it applies")),
        ("idle", definition(), idle, true, Some("where it applies")),
        ("unnamed", definition(), unnamed, true, Some("where it applies")),
        ("perhaps", definition(), perhaps, true, Some("where it applies")),
    ] {
        let folder = folder(&governance(parameter, &[definition, assignment]));
        let ended = check(&folder, &["--show-unknown"]);
        assert_eq!(ended.stdout.contains("azure-policy/deny"), expected.is_some(), "{what}: {ended:?}");
        assert!(ended.stdout.contains(expected.unwrap_or_default()), "{what}: {ended:?}");
        let shown = format!("{}{}", ended.stdout, ended.stderr);
        assert_eq!(shown.contains("[azure-policy/undecided]"), what == "compared", "{what}: {ended:?}");
        assert_eq!(shown.contains("[azure-policy/unresolved]"), is_said, "{what}: {ended:?}");
        let code = check(&folder, &["--strict"]).code;
        assert_eq!(code, if is_said { 3 } else { i32::from(expected.is_some()) }, "{what}");
    }
}

/// A placeholder in a scope hides nothing: the assignment applies perhaps, and every report says so.
#[test]
fn an_assignment_with_a_placeholder_applies_perhaps() {
    let folder = folder(&governance("", &[definition()]));
    let settings = SETTINGS.replace("[policies] }", "[policies], management-groups: [contoso] }");
    folder.write("formwork.yaml", settings);
    for scope in [
        "/providers/Microsoft.Management/managementGroups/${group}",
        "/providers/Microsoft.Management/managementGroups/{{var-group}}",
        "/subscriptions/<subscription>",
    ] {
        let assignment = format!(
            r#"{{ "name": "no-http", "properties": {{ "scope": "{scope}", "policyDefinitionId": "{scope}/providers/Microsoft.Authorization/policyDefinitions/Deny-http" }} }}"#
        );
        folder.write("policies/assignment.json", assignment);
        let ended = check(&folder, &["--output", "json=r.json"]);
        assert!(ended.code == 1 && ended.stdout.contains("where it applies"), "{scope}: {ended:?}");
        let report = fs::read_to_string(folder.path().join("r.json")).unwrap().replace("\": ", "\":");
        assert!(report.contains(r#""code":"azure-policy/unresolved""#) && report.contains(scope), "{report}");
        assert_eq!(check(&folder, &["--strict"]).code, 3, "{scope}");
    }
}

/// An exemption of which a part is unknown may be one of anything.
#[test]
fn an_exemption_with_unknown_parts_makes_a_denial_conditional() {
    let properties = format!(
        r#"{{ "policyAssignmentId": "{SCOPE}/providers/Microsoft.Authorization/policyAssignments/no-http",
        "policyDefinitionReferenceIds": ["[parameters('x')]"] }}"#
    );
    let exemption = resource("policyExemptions", "perhaps", &properties);
    let folder = folder(&governance(r#""x": { "type": "string" }"#, &[definition(), assignment(""), exemption]));
    let ended = check(&folder, &[]);
    assert!(ended.stdout.contains("where it applies"), "{ended:?}");
}

#[test]
fn what_is_not_there_is_said_once() {
    let folder = folder(&governance("", &[assignment("")]));
    let two = account(true).replace("\"resources\": [", "\"resources\": [\n    { \"type\": \"Microsoft.Storage/storageAccounts\", \"apiVersion\": \"2023-05-01\", \"name\": \"st2\", \"location\": \"westeurope\", \"kind\": \"StorageV2\", \"sku\": { \"name\": \"Standard_LRS\" }, \"properties\": {} },");
    folder.write("main.json", two);
    let ended = check(&folder, &["--show-unknown"]);
    let shown = format!("{}{}", ended.stdout, ended.stderr);
    assert_eq!(shown.matches("the definition `Deny-http` is not there").count(), 1, "{ended:?}");
    assert!(!shown.contains("azure-policy/undecided"), "{ended:?}");
    // Every report has it, and `--strict` refuses it.
    let outputs = ["json=r.json", "sarif=r.sarif", "markdown=r.md", "html=r.html"].map(|it| format!("--output={it}"));
    let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
    assert_eq!(check(&folder, &outputs).code, 0);
    for name in ["r.json", "r.sarif", "r.md", "r.html"] {
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(text.contains("is not there"), "{name}: {text}");
    }
    let report = fs::read_to_string(folder.path().join("r.json")).unwrap().replace("\": ", "\":");
    assert!(report.contains(r#""code":"azure-policy/unresolved""#), "{report}");
    assert!(report.contains(r#""kind":"azure-policy""#), "{report}");
    assert_eq!(check(&folder, &["--strict", "--allow-unreadable"]).code, 3);
}

#[test]
fn an_exemption_suppresses_what_it_exempts() {
    let folder = folder(&governance("", &[definition(), assignment("")]));
    folder.write("policies/exemption.json", exemption(r#", "expiresOn": "2027-03-01T00:00:00Z""#));
    let ended = check(&folder, &["--output", "json=report.json", "--output", "sarif=report.sarif"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap().replace("\": ", "\":");
    let json = read("report.json");
    for expected in [
        r#""kind":"exemption""#,
        "Waiver `until-spring` until 2027-03-01T00:00:00Z: the old portal needs it",
        "which the exemption `until-spring` exempts until 2027-03-01T00:00:00Z",
        "policies/exemption.json",
    ] {
        assert!(json.contains(expected), "{expected}: {json}");
    }
    assert!(!json.contains("where it applies"), "{json}");
    let sarif = read("report.sarif");
    assert!(sarif.contains(r#""kind":"external""#) && sarif.contains("Waiver `until-spring`"), "{sarif}");
}

#[test]
fn an_expired_exemption_is_said_as_an_expired_suppression() {
    let folder = folder(&governance("", &[definition(), assignment("")]));
    folder.write("policies/exemption.json", exemption(r#", "expiresOn": "2027-01-15T00:00:00Z""#));
    let ended =
        folder.run(&["check", "main.json", "--format", "concise", "--min-severity", "low", "--today", "2027-01-15"]);
    assert!(ended.stdout.contains("azure-policy/deny"), "{ended:?}");
    let exempted = "which the exemption `until-spring` exempted until 2027-01-15T00:00:00Z";
    assert!(ended.stdout.contains(exempted), "{ended:?}");
    let expired = "[suppression/expired] the exemption held until 2027-01-14, and exempts nothing now";
    assert!(ended.stdout.contains(expired), "{ended:?}");
}

/// A loop of a template writes several exemptions at one place.
#[test]
fn exemptions_of_one_loop_end_each_at_its_own_time() {
    let other = r#"{ "group": "other", "end": END }"#;
    let own = r#"{ "group": "rg-web", "end": END }"#;
    let (past, never) = (r#""2026-01-01T00:00:00Z""#, "null");
    let exemption = format!(
        r#"{{ "type": "Microsoft.Authorization/policyExemptions", "apiVersion": "2022-07-01-preview", "name": "ex",
        "copy": {{ "name": "loop", "count": "[length(parameters('all'))]" }},
        "scope": "[concat('{SCOPE}/resourceGroups/', parameters('all')[copyIndex()].group)]",
        "properties": {{ "policyAssignmentId": "{SCOPE}/providers/Microsoft.Authorization/policyAssignments/no-http",
        "exemptionCategory": "Waiver", "expiresOn": "[parameters('all')[copyIndex()].end]" }} }}"#
    );
    for (ends, is_exempt) in [([never, past], false), ([past, never], true)] {
        let all = [other.replace("END", ends[0]), own.replace("END", ends[1])];
        for all in [all.join(", "), all.iter().rev().cloned().collect::<Vec<_>>().join(", ")] {
            let parameters = format!(r#""all": {{ "type": "array", "defaultValue": [{all}] }}"#);
            let folder = folder(&governance(&parameters, &[definition(), assignment(""), exemption.clone()]));
            let ended = folder.run(&[
                "check",
                "main.json",
                "--format",
                "concise",
                "--min-severity",
                "low",
                "--today",
                "2027-01-15",
            ]);
            assert_eq!(!ended.stdout.contains("azure-policy/deny"), is_exempt, "{all}: {ended:?}");
            assert_eq!(ended.stdout.contains("suppression/expired"), !is_exempt, "{all}: {ended:?}");
        }
    }
}

/// Only of one resource is it known that it is all that the exemption is for.
#[test]
fn an_exemption_of_a_resource_that_complies_is_said_as_an_unused_suppression() {
    let folder = folder(&governance("", &[definition(), assignment("")]));
    let of_group = exemption("");
    let id = "rg-web/providers/Microsoft.Storage/storageAccounts/stcontoso";
    let of_resource = of_group.replace("rg-web", id);
    for (exemption, is_open, is_unused) in
        [(&of_resource, false, true), (&of_resource, true, false), (&of_group, false, false)]
    {
        folder.write("main.json", account(is_open)).write("policies/exemption.json", exemption);
        let ended =
            folder.run(&["check", ".", "--format", "concise", "--min-severity", "low", "--today", "2027-01-15"]);
        assert_eq!(ended.stdout.contains("the resource complies without this exemption"), is_unused, "{ended:?}");
        assert!(!ended.stdout.contains("azure-policy/deny"), "{ended:?}");
    }
}

#[test]
fn an_exemption_from_an_assignment_that_is_not_there_is_reported() {
    let folder = folder(&governance("", &[definition(), assignment("")]));
    folder.write(
        "policies/exemption.json",
        exemption("").replace("policyAssignments/no-http", "policyAssignments/other"),
    );
    let ended = check(&folder, &[]);
    let shown = format!("{}{}", ended.stdout, ended.stderr);
    assert!(shown.contains("exemption `until-spring`: the assignment `"), "{ended:?}");
    assert!(shown.contains("azure-policy/deny"), "{ended:?}");
}

/// Something that is not judged may need the exemption.
#[test]
fn an_exemption_from_what_is_not_judged_is_not_unused() {
    let named =
        |name: &str| format!(r#""[subscriptionResourceId('Microsoft.Authorization/policyDefinitions', '{name}')]""#);
    let references = |last: &str| {
        let references = [named("Deny-http"), named(last)].map(|id| format!(r#"{{ "policyDefinitionId": {id} }}"#));
        resource("policySetDefinitions", "both", &format!(r#"{{ "policyDefinitions": [{}] }}"#, references.join(", ")))
    };
    let set = "[subscriptionResourceId('Microsoft.Authorization/policySetDefinitions', 'both')]";
    let assignment = resource("policyAssignments", "no-http", &format!(r#"{{ "policyDefinitionId": "{set}" }}"#));
    let other = |from: &str, to: &str| resource("policyDefinitions", "other", &PROPERTIES.replace(from, to));
    for (other, is_unused) in [
        (other(r#""equals": false"#, r#""equals": "x""#), true),
        (other(r#""defaultValue": "deny""#, r#""defaultValue": "disabled""#), true),
        (other(r#""defaultValue": "deny""#, r#""defaultValue": "manual""#), false),
        (other(r#""mode": "All""#, r#""mode": "Microsoft.Kubernetes.Data""#), false),
        (String::new(), false),
    ] {
        let policies = [definition(), other.clone(), references("other"), assignment.clone()];
        let policies: Vec<String> = policies.into_iter().filter(|policy| !policy.is_empty()).collect();
        let folder = folder(&governance("", &policies));
        let id = "rg-web/providers/Microsoft.Storage/storageAccounts/stcontoso";
        folder.write("main.json", account(false)).write("policies/exemption.json", exemption("").replace("rg-web", id));
        let ended =
            folder.run(&["check", ".", "--format", "concise", "--min-severity", "low", "--today", "2027-01-15"]);
        assert_eq!(
            ended.stdout.contains("the resource complies without this exemption"),
            is_unused,
            "{other}: {ended:?}"
        );
    }
}

#[test]
fn an_exemption_with_an_incomplete_assignment_exempts_nothing_for_certain() {
    let folder = folder(&governance("", &[definition(), assignment("")]));
    for id in ["${root}/providers/Microsoft.Authorization/policyAssignments/no-http", "no-http"] {
        let whole = format!("{SCOPE}/providers/Microsoft.Authorization/policyAssignments/no-http");
        folder.write("policies/exemption.json", exemption("").replace(&whole, id));
        let ended = check(&folder, &[]);
        assert_eq!(ended.code, 1, "{ended:?}");
        assert!(ended.stdout.contains("unless the exemption `until-spring` exempts it"), "{ended:?}");
        let shown = format!("{}{}", ended.stdout, ended.stderr);
        let said = format!("exemption `until-spring`: `{id}` is not the whole ID of an assignment");
        assert_eq!(shown.matches(&said).count(), 1, "{ended:?}");
    }
}

#[test]
fn an_exemption_with_a_member_of_the_wrong_type_exempts_nothing() {
    let folder = folder(&governance("", &[definition(), assignment("")]));
    for (more, member) in [
        (r#", "policyDefinitionReferenceIds": "other""#, "policyDefinitionReferenceIds"),
        (r#", "resourceSelectors": {}"#, "resourceSelectors"),
        (r#", "expiresOn": 20200101"#, "expiresOn"),
    ] {
        folder.write("policies/exemption.json", exemption(more));
        let ended = check(&folder, &[]);
        assert!(ended.code == 1 && ended.stdout.contains("azure-policy/deny"), "{more}: {ended:?}");
        let said = format!("the exemption `until-spring` exempts nothing: `{member}` has the wrong type");
        assert!(format!("{}{}", ended.stdout, ended.stderr).contains(&said), "{more}: {ended:?}");
    }
}

/// The settings and the command line name a definition of the same ID.
#[test]
fn a_definition_that_another_file_replaces_is_reported() {
    let id = format!("{SCOPE}/providers/Microsoft.Authorization/policyDefinitions/Deny-http");
    let of = |effect: &str, title: &str| {
        let properties = PROPERTIES.replace("[[", "[").replace(r#""deny""#, &format!(r#""{effect}""#));
        format!(r#"{{ "id": "{id}", "name": "Deny-http", "displayName": "{title}", "properties": {properties} }}"#)
    };
    let folder = folder("{}");
    folder.write("policies/main.json", of("audit", "a"));
    for (other, is_said) in [(of("deny", "a"), true), (of("audit", "b"), false)] {
        folder.write("mine/definition.json", other);
        let ended = check(&folder, &["--policy", "mine"]);
        assert!(ended.stdout.contains("azure-policy/audit"), "{ended:?}");
        let said = format!("another file says something else of `{id}` and comes first");
        assert_eq!(format!("{}{}", ended.stdout, ended.stderr).contains(&said), is_said, "{ended:?}");
    }
}

/// Templates are built from what is checked out, which the change can edit.
#[test]
fn policies_that_only_templates_have_are_not_skipped_with_the_settings_of_the_base() {
    let template = governance("", &[definition(), assignment("")]);
    let base = |files: &[(&str, &str)]| {
        let repository = Repository::with(&[("formwork.yaml", SETTINGS), ("policies/main.json", &template)]);
        repository.put(files).put(&[("main.json", &account(false))]).commit();
        repository.git(&["tag", "base"]);
        repository.put(&[("main.json", &account(true))]).commit();
        repository.run(&["--changed=base", "--config-from=base", "--no-builtin-rules", "--format=concise"])
    };
    let ended = base(&[]);
    assert_eq!(ended.code, 2, "{ended:?}");
    let shown = format!("{}{}", ended.stdout, ended.stderr);
    assert!(shown.contains("the policies that templates deploy are not read"), "{ended:?}");
    assert!(shown.contains("no other file assigns policies"), "{ended:?}");
    let plain = format!(r#"{{ "name": "Deny-http", "properties": {} }}"#, PROPERTIES.replace("[[", "["));
    let assigned = format!(
        r#"{{ "name": "no-http", "properties": {{ "policyDefinitionId": "Deny-http", "scope": "{SCOPE}" }} }}"#
    );
    let ended = base(&[("policies/d.json", &plain), ("policies/a.json", &assigned)]);
    assert!(ended.code == 1 && ended.stdout.contains("azure-policy/deny"), "{ended:?}");
    let shown = format!("{}{}", ended.stdout, ended.stderr);
    assert!(shown.contains("the policies that templates deploy are not read"), "{ended:?}");
}
