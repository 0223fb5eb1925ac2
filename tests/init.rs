//! `formwork init`, and what suppressions for other tools do in a check.

use std::fs;

use crate::harness::{Ended, Folder, template};

const CHECK: [&str; 3] = ["check", "--format", "concise"];

/// A storage account that breaks AZ-STORAGE-001 and AZ-STORAGE-002.
fn store(name: &str, more: &str) -> String {
    format!(
        r#"{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "{name}", {more}
  "location": "westeurope", "sku": {{"name": "Standard_LRS"}}, "kind": "StorageV2",
  "properties": {{"supportsHttpsTrafficOnly": false, "minimumTlsVersion": "TLS1_0", "allowBlobPublicAccess": false}}}}"#
    )
}

fn main_template(resources: &[String]) -> String {
    template(&format!("\"resources\": [{}]", resources.join(",\n")))
}

/// The parts of a settings file after its introduction that are not comments.
fn active(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#') && !line.is_empty());
    lines.map(|line| line.split(" # ").next().unwrap().to_owned() + "\n").collect()
}

/// What `init` prints for a folder, and whether it can be used as it is.
#[track_caller]
fn import(folder: &Folder) -> (String, Ended) {
    let ended = folder.run(&["init", "--dry-run", "."]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let used = Folder::new();
    let checked = used.write("formwork.yaml", &ended.stdout).run(&CHECK);
    assert!(!checked.stderr.contains("config/"), "{checked:?}\n{}", ended.stdout);
    (active(&ended.stdout), ended)
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &str, notes: &[&str]) {
    let folder = Folder::new();
    for (name, text) in files {
        folder.write(name, text);
    }
    let (text, ended) = import(&folder);
    assert_eq!(text, expected, "{ended:?}");
    for note in notes {
        assert!(ended.stderr.contains(note), "{note}\n{}", ended.stderr);
    }
    assert_eq!(ended.stderr.matches("note[").count(), notes.len(), "{}", ended.stderr);
}

#[test]
fn the_settings_of_template_analyzer_are_imported() {
    let text = r#"{"exclusions": {"ids": ["TA-000022", "TA-000004", "TA-000001"], "severity": [3]}, "severityOverrides": {"TA-000021": 1, "TA-000036": 2}}"#;
    check(
        &[("configuration.json", text)],
        "rules:\n  exclude:\n    - AZ-REDIS-001\n  severity:\n    AZ-AUTOMATION-001: high\n    AZ-APIMANAGEMENT-002: medium\nmin-severity: medium\n",
        &[
            "`TA-000001` finds only a part of what `AZ-APPSERVICE-017` finds, so `AZ-APPSERVICE-017` still runs",
            "`TA-000001` finds only a part of what `AZ-APPSERVICE-018` finds, so `AZ-APPSERVICE-018` still runs",
            "`TA-000004` finds only a part of what `AZ-APPSERVICE-001` finds, so `AZ-APPSERVICE-001` still runs",
        ],
    );
    let text = r#"{"inclusions": {"ids": ["TA-000004"]}, "exclusions": {"ids": ["TA-000022"]}}"#;
    check(
        &[("configuration.json", text)],
        "rules:\n  include:\n    - AZ-APPSERVICE-001\n",
        &["Template Analyzer ignores `exclusions` beside `inclusions`"],
    );
    check(&[("configuration.json", r#"{"logging": {"level": 1}}"#)], "", &[]);
}

const PS_RULE: &str = "\
binding: { preferTargetInfo: true }
configuration:
  AZURE_RESOURCE_GROUP: { location: westeurope }
  AZURE_AKS_MINIMUM: 1
rule:
  exclude:
    - Azure.KeyVault.PurgeProtect # the vault is recreated
    - Azure.VM.Name
suppression:
  Azure.Storage.SecureTransfer:
    targetName: [demo1, 'demo2']
  Azure.AKS.Name: [a]
override:
  level:
    Azure.Storage.MinTLS: Information
";

#[test]
fn the_options_of_ps_rule_are_imported() {
    check(
        &[("ps-rule.yaml", PS_RULE)],
        "rules:\n  exclude:\n    - AZ-KEYVAULT-001\n  severity:\n    AZ-STORAGE-002: low\n\
         suppressions:\n  - rule: AZ-STORAGE-001\n    resource: [demo1, demo2]\n    reason: \"suppressed in ps-rule.yaml\"\n",
        &[
            "`AZURE_AKS_MINIMUM` of PSRule has no counterpart",
            "`Azure.VM.Name` of PSRule has no counterpart",
            "`Azure.AKS.Name` of PSRule has no counterpart",
            "`binding` of PSRule has no counterpart",
        ],
    );
    let folder = Folder::new();
    folder.write("ps-rule.yaml", PS_RULE);
    let printed = folder.run(&["init", "--dry-run", "."]).stdout;
    let line = "    - AZ-KEYVAULT-001 # Azure.KeyVault.PurgeProtect of ps-rule.yaml: the vault is recreated\n";
    assert!(printed.contains(line), "{printed}");
}

const GROUPS: &str = "\
---
# Synopsis: Dependencies of tests.
apiVersion: github.com/microsoft/PSRule/v1
kind: SuppressionGroup
metadata: { name: Dependencies }
spec:
  if:
    name: '.'
    startsWith: [dep, ms.]
---
# Synopsis: Old module
kind: SuppressionGroup
metadata: { name: Old }
spec:
  expiresOn: '2030-01-31T00:00:00Z'
  rule: [Azure.Storage.MinTLS, Azure.Storage.Name]
  type: [Microsoft.Storage/storageAccounts]
  if:
    anyOf:
      - source: Template
        withinPath: avm/old/
      - allOf:
          - source: Template
            withinPath: [samples]
          - name: '.'
            equals: demo
---
kind: SuppressionGroup
metadata: { name: ByTag }
spec:
  rule: [Azure.Storage.MinTLS]
  if: { field: tags.env, equals: test }
---
kind: Rule
metadata: { name: Own }
";

#[test]
fn suppression_groups_become_suppressions() {
    let expected = "\
suppressions:
  - rule: \"*\"
    resource: [\"dep*\", \"ms.*\"]
    reason: \"Dependencies of tests\"
  - rule: AZ-STORAGE-002
    path: avm/old
    resource-type: Microsoft.Storage/storageAccounts
    reason: \"Old module\"
    until: \"2030-01-31\"
  - rule: AZ-STORAGE-002
    path: \"./samples\"
    resource-type: Microsoft.Storage/storageAccounts
    resource: demo
    reason: \"Old module\"
    until: \"2030-01-31\"
";
    let notes = [
        "`Azure.Storage.Name` of PSRule has no counterpart",
        "suppression group `ByTag` is not imported: its condition has `field`, `equals`",
        "Rule `Own` of PSRule has no counterpart",
    ];
    check(&[(".ps-rule/groups.Rule.yaml", GROUPS)], expected, &notes);
    let folder = Folder::new();
    folder.write("x.Rule.yaml", GROUPS);
    let stderr = folder.run(&["init", "--dry-run", "."]).stderr;
    assert!(stderr.contains("x.Rule.yaml:28:7"), "{stderr}");
    let json = r#"[{"kind": "SuppressionGroup", "metadata": {"name": "G"}, "spec": {"rule": ["Azure.ACR.AdminUser"], "type": null}}]"#;
    let expected =
        "suppressions:\n  - rule: AZ-CONTAINERREGISTRY-001\n    reason: \"suppression group G of g.Rule.jsonc\"\n";
    check(&[("g.Rule.jsonc", json)], expected, &[]);
}

#[test]
fn the_baseline_that_is_used_is_imported() {
    let one = |name: &str, rule: &str| {
        format!("---\nkind: Baseline\nmetadata: {{ name: {name} }}\nspec: {{ rule: {{ exclude: [{rule}] }} }}\n")
    };
    let (a, b) = (one("A", "Azure.ACR.AdminUser"), one("B", "Azure.CDN.HTTP"));
    let only = "baseline `A` is imported, because it is the only one";
    check(&[("a.Rule.yaml", &a)], "rules:\n  exclude:\n    - AZ-CONTAINERREGISTRY-001\n", &[only]);
    let other = "baseline `A` is not imported: PSRule uses it only where its command line names it";
    let both = format!("{a}{b}");
    let chosen = ("ps-rule.yaml", "rule: { baseline: b }\n");
    check(&[("a.Rule.yaml", &both), chosen], "rules:\n  exclude:\n    - AZ-CDN-001\n", &[other]);
    check(&[("a.Rule.yaml", &both)], "", &[other, "baseline `B` is not imported"]);
}

#[test]
fn the_settings_of_checkov_are_imported() {
    let text = "\
skip-check:
  - CKV_AZURE_3 # clients of 2015
  - CKV_AZURE_9,CKV_AZURE_10
  - CKV_AZURE_9999
  - LOW
check: CKV_AZURE_4?
skip-path: [tests/, ^a|b$]
soft-fail: true
hard-fail-on: [CRITICAL, MEDIUM, CKV_AWS_1]
framework: [bicep]
compact: true
";
    check(
        &[(".checkov.yaml", text)],
        "exclude:\n  - tests\nrules:\n  include:\n    - AZ-KEYVAULT-001\n    - AZ-KEYVAULT-002\n    - AZ-KEYVAULT-007\n    - AZ-KEYVAULT-008\n    - AZ-STORAGE-002\n    - AZ-VMSS-001\n  \
         exclude:\n    - AZ-NSG-001\n    - AZ-NSG-002\n    - AZ-STORAGE-001\nfail-on: medium\n",
        &[
            "`CKV_AZURE_9999` of checkov has no counterpart",
            "severity `LOW` is not imported",
            "`^a|b$` is a regular expression",
            "`hard-fail-on` of `CKV_AWS_1` is not imported",
            "`framework` is not imported",
            "`compact` of checkov has no counterpart",
        ],
    );
    check(&[(".checkov.yml", "soft-fail: true\nframework: all\n")], "fail-on: never\n", &[]);
}

#[test]
fn the_settings_of_cfn_lint_are_imported() {
    let text = "\
templates: [cfn/*.yaml]
ignore_templates: [./cfn/old/**, 'a,b.yaml', ../up.yaml]
ignore_checks:
  - W2001 # the pipeline sets it
  - E3006
  - E3037
  - W8
  - W9999
mandatory_checks: [E300]
configure_rules: {E3012: {strict: false}}
non_zero_exit_code: error
";
    check(
        &[(".cfnlintrc", text)],
        "exclude:\n  - \"/a,b.yaml\"\n  - \"cfn/old/**\"\nrules:\n  exclude:\n    - parameter/unused\n    - schema/duplicate\nfail-on: high\n",
        &[
            "`ignore_templates`: expected globs of files in this folder",
            "`W8` is not imported: it means all rules of cfn-lint that begin so",
            "`W9999` of cfn-lint has no counterpart",
            "`templates`, `configure_rules` of cfn-lint have no counterparts",
        ],
    );
    check(&[(".cfnlintrc.yaml", "non_zero_exit_code: none\n")], "fail-on: never\n", &[]);
}

#[test]
fn the_file_is_written_into_the_root_and_never_overwritten() {
    let folder = Folder::new();
    folder.write(".git/HEAD", "").write("infra/main.json", main_template(&[store("a", "")])).write("sub/x.txt", "");
    folder.write("stack.yaml", "Resources:\n  T: { Type: AWS::SNS::Topic }\n");
    let program = || std::process::Command::new(env!("CARGO_BIN_EXE_formwork"));
    let run = || program().arg("init").current_dir(folder.path().join("sub")).env_clear().output().unwrap();
    let first = run();
    assert!(first.status.success(), "{first:?}");
    let text = fs::read_to_string(folder.path().join("formwork.yaml")).unwrap();
    assert!(text.starts_with("# yaml-language-server: $schema=https://"), "{text}");
    assert!(text.contains("found 1 ARM template, 1 CloudFormation template.\n"), "{text}");
    assert_eq!(active(&text), "");
    folder.write("formwork.yaml", "fail-on: high\n");
    let second = run();
    assert_eq!(second.status.code(), Some(2), "{second:?}");
    assert!(String::from_utf8_lossy(&second.stderr).contains("formwork.yaml` exists already"), "{second:?}");
    assert_eq!(fs::read_to_string(folder.path().join("formwork.yaml")).unwrap(), "fail-on: high\n");
    assert_eq!(folder.run(&["init", "nowhere"]).code, 2);
}

#[test]
fn every_example_in_the_file_is_valid() {
    let printed = Folder::new().run(&["init", "--dry-run", "."]).stdout;
    let (_, examples) = printed.split_once("\n\n").unwrap();
    let is_example = |line: &&str| {
        line.starts_with("#   ")
            || line.split_once(": ").map_or(line.ends_with(':'), |(key, _)| !key[2..].contains(' '))
    };
    let lines = examples.lines().filter_map(|line| Some(line).filter(|line| line.starts_with("# ")).filter(is_example));
    let text = lines.map(|line| &line[2..]).collect::<Vec<_>>().join("\n") + "\n";
    assert!(text.contains("suppressions:\n  - rule: AZ-STORAGE-003\n") && text.contains("limits: {"), "{text}");
    let folder = Folder::new();
    folder.write("formwork.yaml", &text).write("rules/company/x.json", "[]").write("formwork-baseline.json", "");
    let ended = folder.run(&["check", "--show-files"]);
    assert!(ended.code == 0 && !ended.stderr.contains("config/"), "{text}{ended:?}");
}

#[test]
fn settings_in_other_folders_are_named() {
    let folder = Folder::new();
    folder.write("app/.checkov.yaml", "soft-fail: true\n");
    let ended = folder.run(&["init", "--dry-run", "."]);
    assert!(ended.stderr.contains("`app/.checkov.yaml` is not imported"), "{ended:?}");
    assert!(folder.run(&["init", "--dry-run", "app"]).stdout.contains("\nfail-on: never #"));
}

/// The findings of AZ and AWS rules, as `rule line`, and the notes.
fn findings(name: &str, text: &str) -> (Vec<String>, String) {
    let folder = Folder::new();
    let ended = folder.write(name, text).run(&["check", "--format", "json"]);
    let report = ended.json();
    let results = report["results"].as_array().unwrap().iter();
    let failed = results.filter(|result| result["outcome"] == "failed");
    let shown = failed.map(|result| format!("{} {}", result["rule"].as_str().unwrap(), result["location"]["line"]));
    (shown.filter(|rule| rule.starts_with('A')).collect(), report["diagnostics"].to_string())
}

#[test]
fn comments_for_checkov_hold_for_the_resource_around_them() {
    let (found, _) = findings("main.json", &main_template(&[store("a", ""), store("b", "")]));
    let of_tls =
        ["AZ-STORAGE-001", "AZ-STORAGE-002"].map(|id| found.iter().filter(|rule| rule.starts_with(id)).count());
    assert_eq!(of_tls, [2, 2], "{found:?}");
    let skipped = store("a", "\n  // checkov:skip=CKV_AZURE_3,CKV_AZURE_9999:legacy\n");
    let (found, notes) = findings("main.json", &main_template(&[skipped, store("b", "")]));
    assert_eq!(found.iter().filter(|rule| rule.starts_with("AZ-STORAGE-001")).count(), 1, "{found:?}");
    assert_eq!(found.iter().filter(|rule| rule.starts_with("AZ-STORAGE-002")).count(), 2, "{found:?}");
    assert!(notes.contains("`CKV_AZURE_9999` has no counterpart and suppresses nothing here"), "{notes}");
    for metadata in [
        r#""metadata": {"checkov": [{"id": "CKV_AZURE_3", "comment": "x"}]},"#,
        r#""metadata": {"checkov": ["CKV_AZURE_3:x"]},"#,
        r#""metadata": {"checkov": {"skip": [{"id": "CKV_AZURE_3"}]}},"#,
    ] {
        let (found, notes) = findings("main.json", &main_template(&[store("a", metadata), store("b", "")]));
        assert_eq!(found.iter().filter(|rule| rule.starts_with("AZ-STORAGE-001")).count(), 1, "{metadata} {found:?}");
        assert_eq!(notes, "[]");
    }
}

#[test]
fn in_yaml_a_comment_and_metadata_of_other_tools_hold_for_their_resource() {
    let stack = |first: &str, end: &str| {
        format!(
            "Resources:\n  A:\n    Type: AWS::S3::Bucket\n{first}    Properties:\n      BucketName: a\n{end}  B:\n    Type: AWS::S3::Bucket\n"
        )
    };
    let logs = |text: &str| {
        let (found, _) = findings("stack.yaml", text);
        found.iter().filter(|rule| rule.starts_with("AWS-S3-005")).count()
    };
    assert_eq!(logs(&stack("", "")), 2);
    assert_eq!(logs(&stack("    # checkov:skip=CKV_AWS_18:logs\n", "")), 1);
    assert_eq!(logs(&stack("", "    # checkov:skip=CKV_AWS_18:logs\n")), 1);
    assert_eq!(logs(&stack("    Metadata: {cfn_nag: {rules_to_suppress: [{id: W35, reason: logs}]}}\n", "")), 1);
    assert_eq!(logs(&stack("    Metadata: {guard: {SuppressedRules: [S3_BUCKET_LOGGING_ENABLED]}}\n", "")), 1);
    assert_eq!(logs(&stack("    Metadata: {checkov: {skip: [{id: CKV_AWS_18, comment: logs}]}}\n", "")), 1);
    assert_eq!(logs(&stack("    # checkov:skip=CKV_AWS_21:other\n", "")), 2);
    // The comment at the end of A is not one of B.
    let (found, _) = findings("stack.yaml", &stack("", "    # checkov:skip=CKV_AWS_18:logs\n"));
    assert!(found.contains(&"AWS-S3-005 8".to_owned()), "{found:?}");
}

#[test]
fn the_counterparts_of_rules_are_listed() {
    let folder = Folder::new();
    let listed = folder.run(&["rules", "list", "--map"]).stdout;
    let row = listed.lines().find(|line| line.starts_with("AZ-NSG-001")).unwrap();
    assert!(row.ends_with("Azure.NSG.AnyInboundSource, CKV_AZURE_9 (part), CKV_AZURE_10 (part)"), "{row}");
    let json = folder.run(&["rules", "list", "--map", "--format", "json"]).json();
    let rule = json.as_array().unwrap().iter().find(|rule| rule["id"] == "AWS-S3-005").unwrap();
    let tools: Vec<&str> =
        rule["counterparts"].as_array().unwrap().iter().map(|known| known["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["checkov", "cfn-nag", "guard-rules-registry"]);
    assert!(folder.run(&["rules", "list", "--format", "json"]).json()[0].get("counterparts").is_none());
}
