//! Rules of Guard 2 and 3, as users of the program see them.

use std::fmt::Write as _;

use crate::harness::{Ended, Folder};

const STACK: &str = "\
Parameters:
  Retention: {Type: Number, Default: 7}
  Key: {Type: String}
Conditions:
  Never: !Equals [a, b]
Resources:
  Logs:
    Type: AWS::Logs::LogGroup
    Properties:
      RetentionInDays: !Ref Retention
  Data:
    Type: AWS::EC2::Volume
    Properties:
      Encrypted: !If [Never, false, true]
      KmsKeyId: !Ref Key
  Off:
    Type: AWS::EC2::Volume
    Condition: Never
";

const RULES: &str = "\
let logs = Resources.*[ Type == 'AWS::Logs::LogGroup' ]

# severity: high
rule RETENTION when %logs !empty {
  %logs.Properties.RetentionInDays >= 30 <<keep logs>>
}

rule ENCRYPTED {
  AWS::EC2::Volume { Properties.Encrypted == true }
}

rule KEY {
  AWS::EC2::Volume { Properties.KmsKeyId == /^arn:/ }
}

rule WRITTEN {
  AWS::EC2::Volume { Properties.KmsKeyId.Ref == 'Key' }
}
";

fn check(arguments: &[&str]) -> Ended {
    let folder = Folder::new();
    folder.write("stack.yaml", STACK).write("rules/own.guard", RULES);
    let mut all = vec!["check", "stack.yaml", "--no-builtin-rules", "--rules", "rules"];
    all.extend(arguments);
    folder.run(&all)
}

#[test]
fn rules_see_what_is_deployed() {
    let ended = check(&["--format", "concise", "--show-unknown"]);
    let lines: Vec<&str> = ended.stdout.lines().filter(|line| line.starts_with("stack.yaml:")).collect();
    assert_eq!(
        lines,
        [
            "stack.yaml:10:7: high[RETENTION] keep logs",
            "stack.yaml:15:7: undecided[KEY] `Resources.Data.Properties.KmsKeyId` is `\"${Key}\"`; expected `== /^arn:/`: \
             not known before the deployment, because parameter `Key` has no value",
        ],
        "{ended:?}"
    );
}

/// A list that only a deployment knows is compared item by item, and one of a few values is compared with each.
#[test]
fn lists_that_are_not_known_do_not_fail() {
    let stack = "Parameters:\n  Key: {Type: String}\n  Names: {Type: CommaDelimitedList}\nConditions:\n  HasKey: !Not [!Equals [!Ref Key, '']]\n\
                 Resources:\n  Queue:\n    Type: A::B::C\n    Properties:\n      Names: !Ref Names\n      Mode: !If [HasKey, kms, aes]\n      \
                 Both: !If [HasKey, [a, b], [b]]\n      A: a\n      N: 1\n";
    let clauses = [
        ("Names in ['a', 'b']", "unknown"),
        ("Names not in ['a']", "unknown"),
        ("Names == 'a'", "unknown"),
        ("some Names != 'a'", "unknown"),
        ("Names == ['a']", "unknown"),
        ("Names in 'abc'", "unknown"),
        ("Names > 1", "unknown"),
        ("A in %names", "unknown"),
        ("N <= %names", "unknown"),
        ("Mode in ['kms', 'aes']", "passed"),
        ("Mode not in ['other']", "passed"),
        ("Mode in ['other', 'another']", "failed"),
        ("Mode in ['kms', 'other']", "failed"),
        ("Both in ['a', 'b', 'c']", "passed"),
        ("Both in ['b']", "failed"),
        ("Both == 'c'", "failed"),
        ("some Both == 'b'", "passed"),
        ("Both == 'b'", "failed"),
    ];
    let mut rules = "let names = Resources.Queue.Properties.Names\n".to_owned();
    for (at, (clause, _)) in clauses.iter().enumerate() {
        let _ = writeln!(rules, "rule r{at:02} {{ A::B::C {{ Properties {{ {clause} }} }} }}");
    }
    let folder = Folder::new();
    folder.write("stack.yaml", stack).write("own.guard", rules);
    let all = ["check", "stack.yaml", "--no-builtin-rules", "--rules", "own.guard", "--rules-exclude", "schema/*"];
    let report = folder.run(&[&all[..], &["--format", "json", "--show-passed"]].concat()).json();
    for (at, (clause, expected)) in clauses.iter().enumerate() {
        let results = report["results"].as_array().unwrap().iter();
        // What fails in some deployments is reported as that.
        let own = results.filter(|result| result["rule"] == format!("r{at:02}"));
        let outcomes: Vec<&str> = own.filter_map(|result| result["outcome"].as_str()).collect();
        assert_eq!(outcomes.first(), Some(expected), "{clause}: {outcomes:?}");
    }
}

#[test]
fn a_finding_names_the_value_its_origin_and_the_clause() {
    let report = check(&["--format", "json"]).json();
    let result = &report["results"][0];
    assert_eq!(result["rule"], "RETENTION");
    assert_eq!(result["path"], "Resources.Logs.Properties.RetentionInDays");
    assert_eq!((&result["actual"], &result["severity"]), (&7.into(), &1.into()));
    let related: Vec<(&str, u64)> = result["related"]
        .as_array()
        .unwrap()
        .iter()
        .map(|label| (label["file"].as_str().unwrap(), label["line"].as_u64().unwrap()))
        .collect();
    assert_eq!(related, [("stack.yaml", 2), ("rules/own.guard", 5)]);
}

#[test]
fn raw_rules_see_what_is_written() {
    let report = check(&["--format", "json", "--guard-raw"]).json();
    let failed: Vec<&str> =
        report["results"].as_array().unwrap().iter().map(|result| result["rule"].as_str().unwrap()).collect();
    assert_eq!(failed, ["RETENTION", "ENCRYPTED", "KEY", "ENCRYPTED", "KEY", "WRITTEN"]);
}

#[test]
fn rulesets_of_both_languages_may_be_in_one_folder() {
    let folder = Folder::new();
    folder
        .write("stack.yaml", STACK)
        .write("rules/own.guard", RULES)
        .write("rules/old.guard", "AWS::Logs::LogGroup RetentionInDays >= 30\n");
    let ended = folder.run(&["check", "stack.yaml", "--no-builtin-rules", "--rules", "rules", "--format", "json"]);
    let report = ended.json();
    let results = report["results"].as_array().unwrap().iter().filter(|result| result["outcome"] == "failed");
    let mut failed: Vec<&str> = results.map(|result| result["rule"].as_str().unwrap()).collect();
    failed.sort_unstable();
    assert_eq!(failed, ["RETENTION", "old:1"]);
}

#[test]
fn all_problems_of_a_file_are_reported() {
    let folder = Folder::new();
    let rules = "rule A {\n  B exits\n  C == %missing\n  nothing\n}\nrule D {\n  d == \n}\n";
    folder.write("own.guard", rules);
    let ended = folder.run(&["rules", "lint", "own.guard"]);
    assert_eq!(ended.code, 2);
    for expected in ["did you mean `exists`?", "no variable `missing`", "no rule `nothing`", "own.guard:8:1"] {
        assert!(ended.stderr.contains(expected), "{expected} in {}", ended.stderr);
    }
}

#[test]
fn unit_tests_run() {
    let folder = Folder::new();
    let tests = "\
- name: kept
  input: {Resources: {L: {Type: 'AWS::Logs::LogGroup', Properties: {RetentionInDays: 30}}}}
  expectations: {rules: {RETENTION: PASS, KEY: SKIP}}
- name: lost
  input: {Resources: {L: {Type: 'AWS::Logs::LogGroup', Properties: {RetentionInDays: 1}}}}
  expectations:
    rules:
      RETENTION: PASS
      GONE: PASS
";
    folder.write("rules/own.guard", RULES).write("rules/tests/own_tests.yaml", tests);
    let ended = folder.run(&["rules", "test", "rules"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let expected = "rules/tests/own_tests.yaml:8:7: lost: `RETENTION` is `FAIL`; expected `PASS`";
    assert!(ended.stdout.contains(expected), "{}", ended.stdout);
    assert!(ended.stdout.ends_with("1 unit tests passed, 1 failed\n"), "{}", ended.stdout);
}

/// Nothing is known of a rule that leads too deep, so it is not said to fail.
#[test]
fn a_rule_that_leads_too_deep_is_unknown() {
    let folder = Folder::new();
    let mut rules = String::new();
    for at in 0..500 {
        let next = at + 1;
        writeln!(rules, "rule a{at} {{\n  a{next}\n}}\nlet v{at} = %v{next}").unwrap();
    }
    let ends = "rule a500 {\n  Resources exists\n}\nlet v500 = Resources\nrule b {\n  %v0 exists\n}\n";
    folder.write("stack.yaml", STACK).write("own.guard", rules + ends);
    let check = ["check", "stack.yaml", "--no-builtin-rules", "--rules", "own.guard", "--format", "json"];
    let report = folder.run(&[&check[..], &["--show-unknown"]].concat()).json();
    assert_eq!(report["summary"]["failed"], 0, "{report}");
    for rule in ["a0", "b"] {
        let result = report["results"].as_array().unwrap().iter().find(|result| result["rule"] == rule).unwrap();
        assert_eq!(
            (&result["outcome"], &result["message"]),
            (
                &"unknown".into(),
                &"the rule cannot be evaluated: rules and variables refer to each other in too many levels".into()
            )
        );
    }
}

#[test]
fn a_template_that_is_not_evaluated_is_read_as_cfn_guard_reads_it() {
    let folder = Folder::new();
    let stack =
        "Resources:\n  A:\n    Type: AWS::S3::Bucket\n    Properties:\n      Lock: True\n      Name: !GetAtt B.Arn\n";
    let rules = "rule LOCK { Resources.*.Properties.Lock == true }\n\
                 rule NAME { Resources.*.Properties.Name.'Fn::GetAtt' is_string }\n";
    folder.write("stack.yaml", stack).write("own.guard", rules);
    let arguments = ["check", "stack.yaml", "--no-builtin-rules", "--rules", "own.guard", "--format", "concise"];
    let failed = |more: &[&str]| {
        let ended = folder.run(&[&arguments, more].concat());
        ["LOCK", "NAME"].into_iter().filter(|rule| ended.stdout.contains(rule)).collect::<Vec<_>>()
    };
    assert_eq!(failed(&["--guard-raw"]), ["LOCK"]);
}

#[test]
fn mappings_give_controls_to_rules() {
    let folder = Folder::new();
    let mapping =
        r#"{"ruleSetName": "PCI-DSS", "mappings": [{"guardFilePath": "rules/a.guard", "controls": ["1.2", "3.4 b"]}]}"#;
    folder.write("registry/rules/a.guard", "rule ENCRYPTED { AWS::EC2::Volume { Properties.Encrypted == true } }\n");
    folder.write("registry/rules/b.guard", "rule TAGGED { AWS::EC2::Volume { Properties.Tags exists } }\n");
    folder.write("registry/mappings/pci.json", mapping);
    let list = |control: &str| {
        folder.run(&["rules", "list", "--no-builtin-rules", "--rules", "registry", "--control", control])
    };
    let listed = list("pci-dss:3.4 B");
    assert!(listed.stdout.contains("ENCRYPTED") && !listed.stdout.contains("TAGGED"), "{}", listed.stdout);
    assert_eq!(list("pci-dss:9").stdout, "");
    assert!(list("pci-dsx").stderr.contains("`pci-dsx` is not a framework of controls"));
}

#[test]
fn a_reference_is_found_as_yaml_spells_it() {
    let folder = Folder::new();
    let rules =
        "rule SPELLED { AWS::EC2::Volume { Properties.KmsKeyId.'!Ref' == 'Key' or Properties.KmsKeyId !exists } }\n";
    folder.write("stack.yaml", STACK).write("own.guard", rules);
    for view in [&[][..], &["--guard-raw"]] {
        let arguments = ["check", "stack.yaml", "--no-builtin-rules", "--rules", "own.guard", "--format", "concise"];
        let ended = folder.run(&[&arguments, view].concat());
        assert!(!ended.stdout.contains("SPELLED"), "{view:?}: {}", ended.stdout);
    }
}

#[test]
fn values_of_azure_are_different_from_those_of_other_kinds_in_a_list() {
    let folder = Folder::new();
    let template = r#"{
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "resources": [{
            "type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-05-01", "name": "a",
            "properties": {"minimumTlsVersion": "TLS1_0"}
        }]
    }"#;
    let rules = "rule TLS { Microsoft::Storage::storageAccounts { properties.minimumTlsVersion in ['TLS1_2', 13] } }\n";
    folder.write("main.json", template).write("own.guard", rules);
    let check = ["check", "main.json", "--no-builtin-rules", "--rules", "own.guard", "--format", "json"];
    let report = folder.run(&check).json();
    assert_eq!((&report["summary"]["failed"], &report["summary"]["unknown"]), (&1.into(), &0.into()), "{report}");
}

/// A called rule that does not apply does not fail its caller, as in cfn-guard 3.1.1. With `--guard-raw`, it does, as in
/// 3.2.1.
#[test]
fn a_called_rule_that_does_not_apply_does_not_fail() {
    let rules = "rule keeps(group) { when %group.KeepForever exists { %group.KeepForever == true } }\n\
                 rule KEEPS { AWS::Logs::LogGroup { keeps(Properties) } }\n\
                 rule NOT_KEEPS { AWS::Logs::LogGroup { not keeps(Properties) } }\n";
    let folder = Folder::new();
    folder.write("stack.yaml", STACK).write("own.guard", rules);
    let arguments = ["check", "stack.yaml", "--no-builtin-rules", "--rules", "own.guard", "--format", "concise"];
    assert_eq!(folder.run(&arguments).code, 0);
    let raw = folder.run(&[&arguments[..], &["--guard-raw"]].concat());
    assert!(raw.stdout.contains("KEEPS") && raw.stdout.contains("NOT_KEEPS"), "{raw:?}");
}

/// A failure inside a called rule belongs to the resource of the call, also if the clause is about a literal.
#[test]
fn a_failure_of_a_called_rule_belongs_to_the_resource() {
    let rules = "let allowed = ['a']\n\
                 rule never(group) { %allowed == 'b' }\n\
                 rule NEVER { AWS::Logs::LogGroup { never(Properties) <<nothing is allowed>> } }\n\
                 rule EMPTY { AWS::Logs::LogGroup { let tags = Tags[*]\n %tags !empty <<tag it>> } }\n";
    let folder = Folder::new();
    folder.write("stack.yaml", STACK).write("own.guard", rules);
    let ended =
        folder.run(&["check", "stack.yaml", "--no-builtin-rules", "--rules", "own.guard", "--format", "concise"]);
    let lines: Vec<&str> = ended.stdout.lines().filter(|line| line.starts_with("stack.yaml:")).collect();
    let has = |start: &str, end: &str| lines.iter().any(|line| line.starts_with(start) && line.contains(end));
    assert!(has("stack.yaml:10:", "nothing is allowed") && has("stack.yaml:8:", "tag it"), "{ended:?}");
    assert_eq!(lines.len(), 2, "{ended:?}");
}

/// Types and locations of Azure are compared in each of their notations.
#[test]
fn types_and_locations_of_azure_have_several_notations() {
    let template = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0", "resources": [{"type": "Microsoft.Storage/storageAccounts",
        "apiVersion": "2023-05-01", "name": "st", "location": "North Europe", "kind": "StorageV2",
        "sku": {"name": "Standard_LRS"}, "properties": {}}]}"#;
    let rules = "let own = Resources.*[ Type == 'Microsoft::Storage::storageAccounts' ]\n\
                 rule TYPED when %own !empty { %own.name == 'other' }\n\
                 rule LISTED { Resources.*[ Type in ['Microsoft::Storage::storageAccounts'] ].name == 'other' }\n\
                 rule PLACED { %own.location in ['northeurope'] }\n\
                 rule ELSEWHERE { %own.location == 'westeurope' }\n";
    let folder = Folder::new();
    folder.write("main.json", template).write("own.guard", rules);
    let ended =
        folder.run(&["check", "main.json", "--no-builtin-rules", "--rules", "own.guard", "--format", "concise"]);
    for (rule, fails) in [("TYPED", true), ("LISTED", true), ("PLACED", false), ("ELSEWHERE", true)] {
        assert_eq!(ended.stdout.contains(&format!("[{rule}]")), fails, "{rule}: {ended:?}");
    }
}
