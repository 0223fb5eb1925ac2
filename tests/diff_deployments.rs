//! What `formwork diff` says of deployments themselves: what decides what is deployed or deleted, and is in no resource.

use crate::diff::{check_same, compared};
use crate::harness::{Ended, Folder, template};

const VAULTS: &str =
    "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/rg/providers/Microsoft.KeyVault/vaults";

const ACCOUNT: &str = r#"{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "stone",
    "location": "eastus", "kind": "StorageV2", "sku": {"name": "Standard_LRS"}}"#;

const BUCKET: &str = "Resources:\n  B:\n    Type: AWS::S3::Bucket\n";

fn resources(text: &str) -> String {
    template(&format!("\"resources\": [{text}]"))
}

/// A nested deployment in this mode that deploys an account, with more properties.
fn nested(name: &str, mode: &str, more: &str) -> String {
    format!(
        r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "{name}",
            "properties": {{"mode": "{mode}"{more}, "template": {}}}}}"#,
        resources(ACCOUNT)
    )
}

/// A nested deployment that passes a secret of this vault.
fn of_vault(name: &str, vault: &str) -> String {
    let inner = template(
        r#""parameters": {"pw": {"type": "securestring"}}, "resources": [{"type": "Microsoft.Sql/servers",
            "apiVersion": "2021-11-01", "name": "srv", "location": "eastus",
            "properties": {"administratorLogin": "a", "administratorLoginPassword": "[parameters('pw')]"}}]"#,
    );
    format!(
        r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "{name}", "properties": {{
            "mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}}, "template": {inner},
            "parameters": {{"pw": {{"reference": {{"keyVault": {{"id": "{VAULTS}/{vault}"}}, "secretName": "s"}}}}}}}}}}"#
    )
}

/// Both directions differ, and neither side from itself.
#[track_caller]
fn check(old: &[(&str, String)], new: &[(&str, String)], expected: &str) {
    let folder = Folder::new();
    for (side, files) in [("old", old), ("new", new)] {
        for (name, text) in files {
            folder.write(&format!("{side}/{name}"), text);
        }
    }
    let run = |arguments: [&str; 2]| -> Ended { folder.run(&["diff", arguments[0], arguments[1], "--exit-code"]) };
    let there = run(["old", "new"]);
    assert!(there.code == 1 && there.stdout.contains(expected), "{expected}: {there:?}");
    let back = run(["new", "old"]);
    assert_eq!(back.code, 1, "{back:?}");
    for side in ["old", "new"] {
        let same = run([side, side]);
        assert!(same.code == 0 && same.stdout.contains("No difference"), "{same:?}");
    }
}

#[track_caller]
fn check_template(old: &str, new: &str, expected: &str) {
    check(&[("main.json", old.to_owned())], &[("main.json", new.to_owned())], expected);
}

#[track_caller]
fn check_stack(old: &str, new: &str, expected: &str) {
    let stack = |text: &str| [("main.yaml", format!("AWSTemplateFormatVersion: '2010-09-09'\n{text}"))];
    check(&stack(old), &stack(new), expected);
}

#[test]
fn a_complete_deployment_differs_from_an_incremental_one_and_is_a_high_risk() {
    let mode = |mode: &str| resources(&nested("inner", mode, ""));
    check_template(&mode("Incremental"), &mode("Complete"), "properties.mode: (none) → \"Complete\"");
    let ended = compared(&mode("Incremental"), &mode("complete"), &["--fail-on-risk", "high"]);
    assert!(ended.stdout.contains("! high risk: a complete deployment deletes everything in its scope"), "{ended:?}");
    let ended = compared(&mode("Complete"), &mode("Incremental"), &["--fail-on-risk", "low"]);
    assert!(ended.stdout.contains("Complete") && !ended.stdout.contains("risk:"), "{ended:?}");
    // One that is new, with nothing in it, deletes as well.
    let alone = nested("inner", "Complete", "").replace(ACCOUNT, "");
    check_template(
        &resources(ACCOUNT),
        &resources(&format!("{ACCOUNT}, {alone}")),
        "+ Microsoft.Resources/deployments inner",
    );
    // Another resource group is cleared.
    let target = |group: &str| {
        let deployment = nested("inner", "Complete", "").replace(ACCOUNT, "");
        resources(&deployment.replacen('{', &format!("{{\"resourceGroup\": \"{group}\", "), 1))
    };
    check_template(&target("one"), &target("two"), "! high risk: a complete deployment");
}

#[test]
fn what_a_failed_deployment_is_replaced_by_counts() {
    let old = resources(&nested("inner", "Incremental", ""));
    let new = resources(&nested("inner", "Incremental", r#", "onErrorDeployment": {"type": "LastSuccessful"}"#));
    check_template(&old, &new, "properties.onErrorDeployment.type: (none) → \"LastSuccessful\"");
}

#[test]
fn another_name_of_a_deployment_makes_no_difference() {
    let of = |name: &str| resources(&nested(name, "Incremental", ""));
    check_same(&of("one"), &of("two"));
    let complete = |name: &str| resources(&nested(name, "Complete", ""));
    check_same(&complete("one"), &complete("two"));
    check_same(&resources(&of_vault("one", "kv")), &resources(&of_vault("two", "kv")));
}

#[test]
fn a_secret_of_another_key_vault_is_told_and_no_secret_is() {
    let main = template(
        r#""parameters": {"pw": {"type": "securestring"}}, "resources": [{"type": "Microsoft.Sql/servers",
            "apiVersion": "2021-11-01", "name": "srv", "location": "eastus",
            "properties": {"administratorLogin": "a", "administratorLoginPassword": "[parameters('pw')]"}}]"#,
    );
    let with = |vault: &str, secret: &str| {
        let reference = format!(r#"{{"keyVault": {{"id": "{VAULTS}/{vault}"}}, {secret}}}"#);
        let values = format!(
            r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#",
                "contentVersion": "1.0.0.0", "parameters": {{"pw": {{"reference": {reference}}}}}}}"#
        );
        [("main.json", main.clone()), ("main.parameters.json", values)]
    };
    let name = r#""secretName": "s""#;
    // The ends of long values are what differs.
    check(&with("good", name), &with("other", name), "/vaults/good\" → ");
    check(&with("good", name), &with("other", name), "/vaults/other\"");
    check(
        &with("good", name),
        &with("good", r#""secretName": "t""#),
        "parameters.pw.reference.secretName: \"s\" → \"t\"",
    );
    let version = r#""secretName": "s", "secretVersion": "2""#;
    check(&with("good", name), &with("good", version), "parameters.pw.reference.secretVersion: (none) → \"2\"");
    check_template(&resources(&of_vault("m", "good")), &resources(&of_vault("m", "other")), "/vaults/other\"");
    // Nor does it help to move the deployment and to rename it.
    let moved = format!("{ACCOUNT}, {}", of_vault("n", "other"));
    let old = format!("{}, {ACCOUNT}", of_vault("m", "good"));
    check_template(&resources(&old), &resources(&moved), "Microsoft.Resources/deployments");
}

#[test]
fn bicep_that_takes_a_secret_from_another_key_vault_differs() {
    let module = "@secure()\nparam pw string\nresource s 'Microsoft.Sql/servers@2021-11-01' = {\n  name: 'srv'\n  \
                  location: 'eastus'\n  properties: { administratorLogin: 'a', administratorLoginPassword: pw }\n}\n";
    let main = |vault: &str| {
        format!(
            "resource kv 'Microsoft.KeyVault/vaults@2023-07-01' existing = {{\n  name: '{vault}'\n}}\nmodule m 'm.bicep' = \
             {{\n  name: 'm'\n  params: {{ pw: kv.getSecret('x') }}\n}}\n"
        )
    };
    let files = |vault: &str| [("main.bicep", main(vault)), ("m.bicep", module.to_owned())];
    check(&files("good"), &files("other"), "/vaults/other\"");
    let values = |vault: &str| {
        let subscription = "00000000-0000-0000-0000-000000000001";
        let text = format!("using 'main.bicep'\nparam pw = az.getSecret('{subscription}', 'rg', '{vault}', 's')\n");
        [("main.bicep", module.to_owned()), ("main.bicepparam", text)]
    };
    check(&values("good"), &values("other"), "/vaults/other\"");
}

#[test]
fn macros_differ_by_name_and_parameters_wherever_they_are() {
    check_stack(BUCKET, &format!("Transform: [Own]\n{BUCKET}"), "Transform[0]: (none) → \"Own\"");
    let include =
        |bucket: &str| format!("Fn::Transform: {{Name: AWS::Include, Parameters: {{Location: s3://{bucket}/x.yaml}}}}");
    let top = |bucket: &str| format!("{}\n{BUCKET}", include(bucket).replace("Fn::Transform", "Transform"));
    check_stack(&top("good"), &top("other"), "Parameters.Location: \"s3://good/x.yaml\" → \"s3://other/x.yaml\"");
    let places: [fn(&str) -> String; 5] = [
        |call| format!("{BUCKET}  {call}\n"),
        |call| format!("{BUCKET}    {call}\n"),
        |call| format!("{BUCKET}    Properties:\n      {call}\n"),
        |call| format!("{BUCKET}    Properties:\n      BucketName:\n        {call}\n"),
        |call| format!("Mappings:\n  {call}\n{BUCKET}"),
    ];
    for place in places {
        check_stack(&place(&include("good")), &place(&include("other")), "s3://other/x.yaml");
    }
    // What formwork applies itself is in the resources.
    let known = format!("AWSTemplateFormatVersion: '2010-09-09'\nTransform: AWS::Serverless-2016-10-31\n{BUCKET}");
    let folder = Folder::new();
    folder.write("old.yaml", format!("AWSTemplateFormatVersion: '2010-09-09'\n{BUCKET}")).write("new.yaml", known);
    assert_eq!(folder.run(&["diff", "old.yaml", "new.yaml", "--exit-code"]).code, 0);
}

#[test]
fn nested_stacks_and_exports_differ() {
    let child = || ("child.yaml", format!("AWSTemplateFormatVersion: '2010-09-09'\n{BUCKET}"));
    let main = |before: &str, tag: &str| {
        let text = format!(
            "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  N:\n    Type: AWS::CloudFormation::Stack\n{before}    \
             Properties:\n      TemplateURL: child.yaml\n      Tags: [{{Key: a, Value: {tag}}}]\n"
        );
        [("main.yaml", text), child()]
    };
    let retain = "    DeletionPolicy: Retain\n";
    check(&main(retain, "x"), &main("", "x"), "DeletionPolicy: \"Retain\" → (none)");
    check(&main("", "x"), &main("", "y"), "Properties.Tags[key=a].Value: \"x\" → \"y\"");
    let export = |name: &str| format!("{BUCKET}Outputs:\n  O:\n    Value: 1\n    Export: {{Name: {name}}}\n");
    check_stack(&export("a"), &export("b"), "Outputs.O.Export.Name: \"a\" → \"b\"");
    // Other outputs deploy nothing.
    let output =
        |value: &str| format!("AWSTemplateFormatVersion: '2010-09-09'\n{BUCKET}Outputs:\n  O:\n    Value: {value}\n");
    let folder = Folder::new();
    folder.write("old.yaml", output("a")).write("new.yaml", output("b"));
    assert_eq!(folder.run(&["diff", "old.yaml", "new.yaml", "--exit-code"]).code, 0);
}

#[test]
fn where_resources_of_a_template_are_deployed_counts() {
    let with = |space: &str| {
        template(&format!(
            r#""languageVersion": "2.1-experimental",
                "imports": {{"k": {{"provider": "Kubernetes", "version": "1.0.0", "config": {{"namespace": "{space}"}}}}}},
                "resources": {{"n": {{"import": "k", "type": "core/Namespace@v1", "properties": {{"metadata": {{"name": "x"}}}}}}}}"#
        ))
    };
    check_template(&with("one"), &with("two"), "imports.k.config.namespace: \"one\" → \"two\"");
    let profile = |name: &str| template(&format!(r#""apiProfile": "{name}", "resources": [{ACCOUNT}]"#));
    check_template(&profile("2018-03-01-hybrid"), &profile("2020-09-01-hybrid"), "apiProfile: ");
}
