//! The fixes that rules declare, on the files of an author.

use std::fs;

use crate::harness::{Folder, template};

const RULES: &str = r#"[{
  "id": "T-1", "name": "Acls", "shortDescription": "deny", "fullDescription": "deny", "severity": 2,
  "fix": {"path": "properties.networkAcls.defaultAction", "value": "Deny", "unsafe": true},
  "evaluation": {"resourceType": "Contoso.Lab/accounts",
    "path": "properties.networkAcls.defaultAction", "equals": "Deny"}
}, {
  "id": "T-2", "name": "Delete", "shortDescription": "keep", "fullDescription": "keep", "severity": 2,
  "fix": [{"path": "properties.keep.enabled", "value": true}, {"path": "properties.keep.days", "value": 7}],
  "evaluation": {"resourceType": "Contoso.Lab/accounts", "allOf": [
    {"path": "properties.keep.enabled", "is": true}, {"path": "properties.keep.days", "greaterOrEquals": 7}]}
}]"#;

const GUARD: &str = "# id: T-3\n# strict: true\n# fix: Access.Block = true\nContoso::S3::Bucket Access.Block == true\n";

/// The file after `check` with these arguments. The second check finds nothing that was fixed.
#[track_caller]
fn fixed(name: &str, before: &str, arguments: &[&str]) -> String {
    let folder = Folder::new();
    let read = |folder: &Folder| fs::read_to_string(folder.path().join(name)).unwrap();
    folder.write("rules/own.json", RULES).write("rules/own.ruleset", GUARD).write(name, before);
    let check = ["check", "--no-builtin-rules", "--rules", "rules", "--no-cache", name];
    folder.run(&[&check[..], &["--fix"], arguments].concat());
    let after = read(&folder);
    let ended = folder.run(&[&check[..], &["--fix"], arguments].concat());
    assert_eq!(read(&folder), after, "{ended:?}");
    after
}

fn account(properties: &str) -> String {
    template(&format!(
        r#""resources": [
    {{
      "type": "Contoso.Lab/accounts",
      "apiVersion": "2023-01-01",
      "name": "acct", // the account
      "properties": {properties}
    }}
  ]"#
    ))
}

#[test]
fn a_fix_writes_what_is_missing_on_the_way_and_keeps_the_rest() {
    let before = account("{\n        \"x\": 1 // one\n      }");
    let kept = "\"keep\": {\n          \"enabled\": true,\n          \"days\": 7\n        }";
    let expected = account(&format!("{{\n        \"x\": 1, // one\n        {kept}\n      }}"));
    assert_eq!(fixed("main.json", &before, &[]), expected);
}

#[test]
fn a_fix_that_can_break_what_works_is_made_on_request() {
    let kept = r#""keep": {"enabled": true, "days": 30}"#;
    let before = account(&format!("{{{kept}}}"));
    assert_eq!(fixed("main.json", &before, &[]), before);
    let expected = account(&format!(r#"{{{kept}, "networkAcls": {{"defaultAction":"Deny"}}}}"#));
    assert_eq!(fixed("main.json", &before, &["--unsafe-fixes"]), expected);
}

#[test]
fn only_what_failed_is_changed() {
    let of = |enabled: &str, days: u32| account(&format!(r#"{{"keep": {{"enabled": {enabled}, "days": {days}}}}}"#));
    assert_eq!(fixed("main.json", &of("false", 30), &[]), of("true", 30));
    assert_eq!(fixed("main.json", &of("\"True\"", 3), &[]), of("\"True\"", 7));
    let computed = account(r#"{"keep": "[json('{}')]"}"#);
    assert_eq!(fixed("main.json", &computed, &[]), computed);
}

#[test]
fn a_fix_is_written_as_bicep() {
    let of = |properties: &str| {
        format!("resource a 'Contoso.Lab/accounts@2023-01-01' = {{\n  name: 'acct'\n  properties: {properties}\n}}\n")
    };
    let expected = of("{\n    x: 1 // one\n    keep: {\n      enabled: true\n      days: 7\n    }\n  }");
    assert_eq!(fixed("main.bicep", &of("{\n    x: 1 // one\n  }"), &["--bicep", "builtin"]), expected);
    let line = of("{ x: 1, keep: { enabled: true, days: 7 } }");
    assert_eq!(fixed("main.bicep", &of("{ x: 1 }"), &["--bicep", "builtin"]), line);
}

#[test]
fn a_guard_rule_fixes_yaml() {
    let of = |properties: &str| {
        format!(
            "Resources:\n  B:\n    Type: Contoso::S3::Bucket # it\n    Properties:\n      BucketName: x # y\n{properties}\nOutputs: {{}}\n"
        )
    };
    assert_eq!(fixed("main.yaml", &of(""), &[]), of("      Access:\n        Block: true\n"));
    assert_eq!(fixed("main.yaml", &of("      Access: {Block: false}\n"), &[]), of("      Access: {Block: true}\n"));
    let none = "Resources:\n  B:\n    Type: Contoso::S3::Bucket\n";
    assert_eq!(fixed("main.yaml", &of("      Access: {}\n"), &[]), of("      Access: {\"Block\": true}\n"));
    let anchored = of("      Access: &x\n        Block: false\n      Other: *x\n");
    assert_eq!(fixed("main.yaml", &anchored, &[]), anchored);
    assert_eq!(fixed("main.yaml", none, &[]), format!("{none}    Properties:\n      Access:\n        Block: true\n"));
}

/// Whether `--fix` adds `supportsHttpsTrafficOnly` to a storage account of an API version.
#[cfg(feature = "types")]
fn is_made_secure(version: &str) -> bool {
    let folder = Folder::new();
    let account = format!(
        r#""resources": [{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "{version}", "name": "orders",
          "location": "westeurope", "sku": {{"name": "Standard_ZRS"}}, "kind": "Storage", "properties": {{}}}}]"#
    );
    folder.write("main.json", template(&account));
    folder.run(&["check", "--rules-include", "AZ-STORAGE-001", "--fix"]);
    fs::read_to_string(folder.path().join("main.json")).unwrap().contains("supportsHttpsTrafficOnly")
}

#[cfg(feature = "types")]
#[test]
fn a_property_that_the_api_version_lacks_is_not_written() {
    assert!(is_made_secure("2018-02-01"));
    assert!(!is_made_secure("2015-06-15"));
}

#[test]
fn what_sam_generates_is_not_written_into_what_it_is_generated_from() {
    let function = "Transform: AWS::Serverless-2016-10-31\nResources:\n  Orders:\n    Type: AWS::Serverless::Function\n    \
                    Properties:\n      Handler: a.b\n      Runtime: python3.13\n      InlineCode: x\n";
    let rule = "# id: T-4\n# strict: true\n# fix: TracingConfig.Mode = \"Active\"\n\
                AWS::Lambda::Function TracingConfig.Mode == Active\n";
    let folder = Folder::new();
    folder.write("rules/own.ruleset", rule).write("main.yaml", function);
    let ended = folder.run(&["check", "main.yaml", "--no-builtin-rules", "--rules", "rules", "--fix"]);
    assert!(ended.stdout.contains("T-4"), "{ended:?}");
    assert_eq!(fs::read_to_string(folder.path().join("main.yaml")).unwrap(), function);
}
