//! Corrections of misspelled names and values and of old versions, which `check --fix` makes on request.

use std::path::Path;

use crate::harness::{Ended, Folder, standin, template};

/// The members of a storage account between its name and its properties.
const HEAD: &str = r#""type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "account", "location": "westeurope", "kind": "StorageV2", "sku": {"name": "Standard_LRS"}"#;

/// A template with a storage account that has these members besides.
fn account(members: &str) -> String {
    template(&format!(r#""resources": [{{{HEAD}, {members}}}]"#))
}

/// Runs `formwork check` on a file with this text, and returns its text after that. Only the checks that compare a resource
/// with its type run, so that other rules have nothing to say or to fix.
fn fixed(name: &str, text: &str, arguments: &[&str]) -> (String, Ended) {
    let folder = Folder::new();
    folder.write(name, text);
    let cli = standin().display().to_string();
    let is_bicep = Path::new(name).extension().is_some_and(|extension| extension == "bicep");
    if is_bicep {
        folder.write(&format!("{name}.twin"), arguments[0]);
    }
    let arguments = if is_bicep { &arguments[1..] } else { arguments };
    let all = [&["check", "--no-cache", "--rules-include", "schema/*", name], arguments].concat();
    let ended = folder.run_with(&all, &[("PSRULE_AZURE_BICEP_PATH", &cli)], b"");
    (std::fs::read_to_string(folder.path().join(name)).unwrap(), ended)
}

#[track_caller]
fn check(before: &str, after: &str) {
    let (text, ended) = fixed("main.json", &account(before), &["--fix", "--unsafe-fixes"]);
    assert_eq!(text, account(after), "{ended:?}");
}

#[test]
fn a_slip_is_corrected() {
    check(r#""properties": {"accessTeir": "Hot"}"#, r#""properties": {"accessTier": "Hot"}"#);
    check(r#""properties": { "accessTier" : "Hott" }"#, r#""properties": { "accessTier" : "Hot" }"#);
    check(r#""propertise": {"accessTier": "Hot"}"#, r#""properties": {"accessTier": "Hot"}"#);
    let text = account(r#""properties": {"accessTeir": "Hot"}"#);
    assert_eq!(fixed("main.json", &text, &["--fix"]).0, account(r#""properties": {"accessTier": "Hot"}"#));
    let diff = fixed("main.json", &text, &["--diff"]).1.stdout;
    assert!(diff.contains("\"accessTier\""), "{diff}");
}

#[test]
fn a_misspelled_type_is_corrected_and_an_old_version_is_renewed() {
    let text = account(r#""tags": {}"#);
    let slipped = text.replace("storageAccounts", "storageAcounts");
    assert_eq!(fixed("main.json", &slipped, &["--fix", "--unsafe-fixes"]).0, text);
    let old = text.replace("2023-01-01", "2019-06-01");
    assert_eq!(fixed("main.json", &old, &["--fix", "--unsafe-fixes"]).0, old);
    let renewed = fixed("main.json", &old, &["--fix", "--unsafe-fixes", "--profile", "all"]).0;
    assert_eq!(renewed, text.replace("2023-01-01", "2026-04-01"));
    assert_eq!(fixed("main.json", &old, &["--fix", "--profile", "all"]).0, old);
}

#[test]
fn what_may_mean_something_else_stays() {
    for members in [
        // The right name is there, too.
        r#""properties": {"accessTeir": "Hot", "accessTier": "Hot"}"#,
        // One of several names or values.
        r#""properties": {"networkAcls": {"defaultAction": "Denow"}}"#,
        r#""properties": {"allowBlob": true}"#,
        // Computed, or written elsewhere.
        r#""properties": {"accessTier": "[concat('Ho', 'tt')]"}"#,
        r#""properties": "[createObject('accessTeir', 'Hot')]""#,
    ] {
        check(members, members);
    }
    let in_variable = template(&format!(
        r#""variables": {{"v": {{"accessTeir": "Hott"}}}}, "resources": [{{{HEAD}, "properties": "[variables('v')]"}}]"#
    ));
    assert_eq!(fixed("main.json", &in_variable, &["--fix", "--unsafe-fixes"]).0, in_variable);
}

#[test]
fn reports_show_the_correction() {
    let text = account(r#""properties": {"accessTeir": "Hot"}"#);
    let report = fixed("main.json", &text, &["--format", "json"]).1.json();
    let of_types =
        report["results"].as_array().unwrap().iter().find(|finding| finding["rule"] == "schema/unknown-property");
    let fix = &of_types.unwrap()["fix"];
    assert_eq!((fix["title"].as_str(), fix["unsafe"].as_bool()), (Some("rename `accessTeir` to `accessTier`"), None));
    let shown = fixed("main.json", &text, &[]).1.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("`formwork check --fix` does it"), "{shown}");
}

#[test]
fn yaml_keeps_its_style() {
    let stack = |name: &str, kind: &str| {
        format!(
            "Resources:\n  V:\n    Type: AWS::EC2::Volume # x\n    Properties:\n      {name}: {kind} # y\n      AvailabilityZone: a\n"
        )
    };
    let fix = |text: &str| fixed("stack.yaml", text, &["--fix", "--unsafe-fixes"]).0;
    assert_eq!(fix(&stack("VolumeTyp", "gp2")), stack("VolumeType", "gp2"));
    assert_eq!(fix(&stack("'VolumeTyp'", "gp2")), stack("\"VolumeType\"", "gp2"));
    let bucket = |access: &str| {
        format!("Resources:\n  B:\n    Type: AWS::S3::Bucket\n    Properties:\n      AccessControl: {access}\n")
    };
    assert_eq!(fix(&bucket("private")), bucket("Private"));
    assert_eq!(fix(&bucket("\"private\" # x")), bucket("\"Private\" # x"));
    assert_eq!(fix(&bucket("privat")), bucket("Private"));
    assert_eq!(fix(&bucket("public")), bucket("public"));
    let anchored = stack("VolumeTyp", "&a gp2");
    assert_eq!(fix(&anchored), anchored);
}

#[test]
fn bicep_source_is_corrected() {
    let bicep = |member: &str| {
        format!(
            "resource account 'Microsoft.Storage/storageAccounts@2023-01-01' = {{\n  name: 'account'\n  location: 'westeurope'\n  kind: 'StorageV2'\n  sku: {{\n    name: 'Standard_LRS'\n  }}\n  properties: {{\n    {member}\n  }}\n}}\n"
        )
    };
    let check = |before: &str, compiled: &str, after: &str| {
        let twin = account(&format!(r#""properties": {{{compiled}}}"#));
        let (text, ended) = fixed("main.bicep", &bicep(before), &[&twin, "--fix", "--unsafe-fixes"]);
        assert_eq!(text, bicep(after), "{ended:?}");
    };
    check("accessTeir: 'Hot' // x", r#""accessTeir": "Hot""#, "accessTier: 'Hot' // x");
    check("'accessTeir': 'Hot'", r#""accessTeir": "Hot""#, "'accessTier': 'Hot'");
    check("accessTier: 'Hott'", r#""accessTier": "Hott""#, "accessTier: 'Hot'");
    check(
        "networkAlcs: {\n      defaultAction: 'Deny'\n    }",
        r#""networkAlcs": {"defaultAction": "Deny"}"#,
        "networkAcls: {\n      defaultAction: 'Deny'\n    }",
    );
    check("...more", r#""accessTeir": "Hot""#, "...more");
}
