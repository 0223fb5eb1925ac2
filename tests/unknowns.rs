//! What is unknown does not pass: a resource under a condition that only a deployment knows is checked as if it were deployed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::harness::{Ended, Folder, TEMPLATE};

/// The findings of a run that failed, as `rule message`, by `file:line`.
fn failures(ended: &Ended) -> Vec<(String, usize, String)> {
    let report = ended.json();
    let failed = report["results"].as_array().unwrap().iter().filter(|it| it["outcome"] == "failed");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let finding = |it: &serde_json::Value| {
        let place = &it["location"];
        (
            text(&place["file"]),
            place["line"].as_u64().and_then(|line| usize::try_from(line).ok()).unwrap_or_default(),
            format!("{} {}", text(&it["rule"]), text(&it["message"])),
        )
    };
    failed.map(finding).collect()
}

/// Checks that a template has a finding of a rule whose message ends so.
#[track_caller]
fn check(name: &str, text: &str, rule: &str, end: &str) {
    let folder = Folder::new();
    folder.write(name, text);
    check_in(&folder, name, rule, end);
}

#[track_caller]
fn check_in(folder: &Folder, name: &str, rule: &str, end: &str) {
    let ended = folder.run(&["check", name, "--format=json", "--bicep=builtin"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let found = failures(&ended);
    let is_expected = |(_, _, text): &(String, usize, String)| text.starts_with(rule) && text.ends_with(end);
    assert!(found.iter().any(is_expected), "{rule} {end}: {found:#?}");
}

const HTTPS: &str = "AZ-STORAGE-001";

/// A storage account that accepts plain HTTP, with these members.
fn account(members: &str) -> String {
    format!(
        r#"{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "account", "location": "x",
            "kind": "StorageV2", "sku": {{"name": "Standard_LRS"}}, {members}
            "properties": {{"supportsHttpsTrafficOnly": false}}}}"#
    )
}

fn azure(parameters: &str, resources: &str) -> String {
    format!(
        r#"{{"$schema": "{TEMPLATE}", "contentVersion": "1.0.0.0", "parameters": {{{parameters}}}, "resources": [{resources}]}}"#
    )
}

#[test]
fn resources_of_azure_are_checked_under_an_unknown_condition() {
    let on = r#""on": {"type": "bool"}, "env": {"type": "string"}"#;
    let with = |condition: &str| azure(on, &account(&format!(r#""condition": "{condition}","#)));
    check("main.json", &with("[parameters('on')]"), HTTPS, "(if `on`)");
    check("main.json", &with("[not(parameters('on'))]"), HTTPS, "(if `not(parameters('on'))`)");
    check("main.json", &with("[equals(parameters('env'), 'prod')]"), HTTPS, "(if `equals(parameters('env'), 'prod')`)");
    let nested = format!(
        r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "d", "condition": "[parameters('on')]",
            "properties": {{"mode": "Incremental", "template": {}}}}}"#,
        azure("", &account(""))
    );
    check("main.json", &azure(on, &nested), HTTPS, "(if `on`)");
    let count = r#""copy": {"name": "c", "count": "[parameters('n')]"},"#;
    check("main.json", &azure(r#""n": {"type": "int"}"#, &account(count)), HTTPS, "expected `true`");
}

/// A rule that compares two resources is decided if both are under one condition, and not if they may exclude each other.
#[test]
fn resources_under_one_condition_are_deployed_together() {
    let rule = r#"[{"id": "T-1", "name": "T", "shortDescription": "s", "fullDescription": "f", "severity": 1, "evaluation": {
        "resourceType": "Microsoft.Web/sites", "path": "properties.serverFarmId",
        "refersTo": {"path": "sku.name", "equals": "P1"}}}]"#;
    let plan = |condition: &str| {
        format!(
            r#"{{"type": "Microsoft.Web/serverfarms", "apiVersion": "2022-09-01", "name": "plan", "location": "x", "sku": {{"name": "F1"}},
                "condition": "{condition}"}}, {{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "site",
                "location": "x", "condition": "[parameters('on')]",
                "properties": {{"serverFarmId": "[resourceId('Microsoft.Web/serverfarms', 'plan')]"}}}}"#
        )
    };
    let parameters = r#""on": {"type": "bool"}, "off": {"type": "bool"}"#;
    for (condition, code) in [("[parameters('on')]", 1), ("[parameters('off')]", 0)] {
        let folder = Folder::new();
        folder.write("main.json", azure(parameters, &plan(condition))).write("rules.json", rule);
        let ended = folder.run(&["check", "main.json", "--rules=rules.json", "--rules-include=T-1", "--format=json"]);
        assert_eq!(ended.code, code, "{condition}: {ended:?}");
    }
}

/// More conditions than are assumed are not silently left out.
#[test]
fn conditions_beyond_the_maximum_are_noted() {
    let rule = r#"[{"id": "T-1", "name": "T", "shortDescription": "s", "fullDescription": "f", "severity": 1, "evaluation": {
        "resourceType": "Microsoft.Web/sites", "path": "properties.serverFarmId",
        "refersTo": {"path": "sku.name", "equals": "P1"}}}]"#;
    let pair = |at: usize| {
        format!(
            r#"{{"type": "Microsoft.Web/serverfarms", "apiVersion": "2022-09-01", "name": "plan{at}", "location": "x",
                "sku": {{"name": "F1"}}, "condition": "[parameters('p{at}')]"}},
                {{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "site{at}",
                "location": "x", "condition": "[parameters('p{at}')]",
                "properties": {{"serverFarmId": "[resourceId('Microsoft.Web/serverfarms', 'plan{at}')]"}}}}"#
        )
    };
    for (count, notes) in [(8, 0), (9, 1)] {
        let parameters: Vec<String> = (0..count).map(|at| format!(r#""p{at}": {{"type": "bool"}}"#)).collect();
        let resources: Vec<String> = (0..count).map(pair).collect();
        let folder = Folder::new();
        folder.write("main.json", azure(&parameters.join(", "), &resources.join(", "))).write("rules.json", rule);
        let ended = folder.run(&["check", "main.json", "--rules=rules.json", "--rules-include=T-1", "--format=json"]);
        let report = ended.json();
        let found = report["not_checked"].as_array().unwrap().iter().filter(|it| it["kind"] == "branches").count();
        assert_eq!(found, notes, "{ended:?}");
    }
}

#[test]
fn resources_of_bicep_are_checked_under_an_unknown_condition() {
    let account = |condition: &str| {
        format!(
            "resource a 'Microsoft.Storage/storageAccounts@2023-01-01' = {condition}{{\n  name: 'account'\n  location: 'x'\n  \
             kind: 'StorageV2'\n  sku: {{ name: 'Standard_LRS' }}\n  properties: {{ supportsHttpsTrafficOnly: false }}\n}}\n"
        )
    };
    check("main.bicep", &format!("param on bool\n{}", account("if (on) ")), HTTPS, "(if `on`)");
    let equals = format!("param env string\n{}", account("if (env == 'prod') "));
    check("main.bicep", &equals, HTTPS, "(if `env == 'prod'`)");
    let folder = Folder::new();
    folder
        .write("m.bicep", account(""))
        .write("main.bicep", "param on bool\nmodule m 'm.bicep' = if (on) { name: 'm' }\n");
    check_in(&folder, "main.bicep", HTTPS, "(if `on`)");
    let looped = "param names array\nmodule m 'm.bicep' = [for n in names: { name: 'm' }]\n";
    folder.write("main.bicep", looped);
    check_in(&folder, "main.bicep", HTTPS, "expected `true`");
}

/// A stream without encryption, under a condition.
fn stream(parameters: &str, condition: &str) -> String {
    format!(
        "Parameters:\n  P: {{{parameters}}}\nConditions:\n  Is: {condition}\nResources:\n  Stream:\n    \
         Type: AWS::Kinesis::Stream\n    Condition: Is\n    Properties: {{ShardCount: 1}}\n"
    )
}

#[test]
fn stacks_are_checked_under_an_unknown_condition() {
    let rule = "AWS-KINESIS-001";
    for (parameters, condition) in [
        ("Type: String", "!Equals [!Ref P, prod]"),
        ("Type: String", "!Not [!Equals [!Ref P, prod]]"),
        ("Type: String", "!Equals [!Ref 'AWS::Region', us-east-1]"),
        ("Type: String", "!Equals [!Ref 'AWS::AccountId', '1']"),
        ("Type: 'AWS::SSM::Parameter::Value<String>', Default: /a", "!Equals [!Ref P, prod]"),
        ("Type: String", "!Equals [!Select [0, !Split [',', !Ref P]], prod]"),
    ] {
        check("main.yaml", &stream(parameters, condition), rule, "(if `Is`)");
    }
    // No Region is two Regions.
    let never = "!And [!Equals [!Ref 'AWS::Region', us-east-1], !Equals [!Ref 'AWS::Region', eu-west-1]]";
    let folder = Folder::new();
    folder.write("main.yaml", stream("Type: String", never));
    assert_eq!(folder.run(&["check", "main.yaml"]).code, 0);
}

#[test]
fn branches_and_correlated_conditions_of_stacks_are_told_apart() {
    let text = "Parameters:\n  P: {Type: String}\nConditions:\n  Is: !Equals [!Ref P, prod]\n  Not: !Not [!Condition Is]\n\
        Resources:\n  A:\n    Type: AWS::Kinesis::Stream\n    Condition: Is\n    Properties:\n      \
        StreamEncryption: !If [Is, {EncryptionType: KMS, KeyId: k}, !Ref 'AWS::NoValue']\n      ShardCount: !If [Is, 1, [2]]\n  \
        B:\n    Type: AWS::Kinesis::Stream\n    Condition: Not\n    Properties:\n      \
        StreamEncryption: !If [Is, !Ref 'AWS::NoValue', {EncryptionType: KMS, KeyId: k}]\n      Name: !GetAtt C.Arn\n  \
        C:\n    Type: AWS::Kinesis::Stream\n    Condition: Not\n    Properties:\n      \
        StreamEncryption: {EncryptionType: KMS, KeyId: k}\n";
    let folder = Folder::new();
    folder.write("main.yaml", text);
    let ended = folder.run(&["check", "main.yaml", "--format=json"]);
    assert_eq!(failures(&ended), [], "{ended:?}");
    let wrong = "Parameters:\n  P: {Type: String}\nConditions:\n  Is: !Equals [!Ref P, prod]\nResources:\n  \
        A: {Type: 'AWS::Kinesis::Stream', Properties: {StreamEncryption: {EncryptionType: KMS, KeyId: k}, \
        RetentionPeriodHours: !If [Is, 48h, 24]}}\n";
    check("main.yaml", wrong, "schema/type", "expected a number");
}

#[test]
fn nested_stacks_are_checked_under_an_unknown_condition() {
    let folder = Folder::new();
    let parent = "Parameters:\n  Q: {Type: String}\nResources:\n  Child:\n    Type: AWS::CloudFormation::Stack\n    \
        Properties: {TemplateURL: ./child.yaml, Parameters: {P: !Ref Q}}\n";
    folder.write("main.yaml", parent).write("child.yaml", stream("Type: String", "!Equals [!Ref P, prod]"));
    check_in(&folder, "main.yaml", "AWS-KINESIS-001", "(if `Is`)");
    let branch = "Parameters:\n  P: {Type: String}\nConditions:\n  Is: !Equals [!Ref P, prod]\nResources:\n  \
        A: {Type: 'AWS::Kinesis::Stream', Properties: {StreamEncryption: !If [Is, !Ref 'AWS::NoValue', \
        {EncryptionType: KMS, KeyId: k}]}}\n";
    folder.write("child.yaml", branch);
    check_in(&folder, "main.yaml", "AWS-KINESIS-001", "(if `Is`)");
}

#[test]
fn rules_of_guard_3_are_not_passed_by_an_unknown_condition() {
    let folder = Folder::new();
    folder.write("main.yaml", stream("Type: String", "!Equals [!Ref P, prod]"));
    folder.write("r.guard", "rule shards when Resources exists {\n  Resources.*[ Type == 'AWS::Kinesis::Stream' ] {\n    Properties.ShardCount > 1\n  }\n}\n");
    let ended = folder.run(&["check", "main.yaml", "--rules=r.guard", "--no-builtin-rules", "--format=json"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    folder.write("r.guard", "AWS::Kinesis::Stream {\n  Properties.ShardCount > 1\n}\n");
    let ended = folder.run(&["check", "main.yaml", "--rules=r.guard", "--no-builtin-rules", "--format=json"]);
    assert_eq!(ended.code, 1, "{ended:?}");
}

/// A change of a template's text that does not change what is wrong with it. The second value is the line of the original for
/// each line of the result.
type Variant = (String, Vec<usize>);

/// The lines of a template in YAML whose resources are blocks, as `(start, end)` in the lines after `Resources:`.
fn blocks(lines: &[&str]) -> Option<Vec<(usize, usize)>> {
    let start = lines.iter().position(|line| line.trim_end() == "Resources:")? + 1;
    let is_text = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let end =
        (start..lines.len()).find(|at| is_text(lines[*at]) && !lines[*at].starts_with(' ')).unwrap_or(lines.len());
    let first = lines[start..end].iter().find(|line| is_text(line))?;
    let indent = first.len() - first.trim_start().len();
    let is_key = |at: &usize| is_text(lines[*at]) && lines[*at].len() - lines[*at].trim_start().len() == indent;
    let keys: Vec<usize> = (start..end).filter(is_key).collect();
    let is_plain = |at: &usize| {
        let key = lines[*at].trim().strip_suffix(':');
        key.is_some_and(|key| key.chars().all(|char| char.is_ascii_alphanumeric()))
    };
    let ends = keys.iter().skip(1).copied().chain([end]);
    Some(keys.iter().copied().zip(ends).filter(|(at, _)| is_plain(at)).collect())
}

/// Each resource in a loop of one item.
fn looped(text: &str) -> Option<Variant> {
    let lines: Vec<&str> = text.lines().collect();
    let has = |word: &str| lines.iter().any(|line| line.starts_with(word));
    if has("Transform") || text.contains("Fn::Transform") || text.contains("AWS::CloudFormation::Stack") {
        return None;
    }
    let blocks = blocks(&lines)?;
    let (mut result, mut origin) = (Vec::new(), Vec::new());
    let mut push = |line: String, at: usize| {
        result.push(line);
        origin.push(at + 1);
    };
    push("Transform: AWS::LanguageExtensions".to_owned(), 0);
    let mut at = 0;
    while at < lines.len() {
        let Some((start, end)) = blocks.iter().copied().find(|(start, _)| *start == at) else {
            push(lines[at].to_owned(), at);
            at += 1;
            continue;
        };
        let key = lines[start].trim().trim_end_matches(':');
        let indent = " ".repeat(lines[start].len() - lines[start].trim_start().len());
        push(format!("{indent}Fn::ForEach::Loop{key}:"), start);
        push(format!("{indent}  - LoopItem"), start);
        push(format!("{indent}  - [{key}]"), start);
        push(format!("{indent}  - '${{LoopItem}}':"), start);
        for (line, at) in lines[start + 1..end].iter().zip(start + 1..) {
            push(format!("      {line}"), at);
        }
        at = end;
    }
    Some((result.join("\n") + "\n", origin))
}

/// Each resource without a condition under one that is not known.
fn conditioned(text: &str) -> Option<Variant> {
    let lines: Vec<&str> = text.lines().collect();
    if text.contains("Transform") || lines.iter().any(|line| line.starts_with("Hooks")) {
        return None;
    }
    let blocks = blocks(&lines)?;
    let (mut result, mut origin) = (Vec::new(), Vec::new());
    let mut push = |line: String, at: usize| {
        result.push(line);
        origin.push(at + 1);
    };
    let sections = [
        ("Parameters:", "  UnknownValue: {Type: String}"),
        ("Conditions:", "  IsUnknown: !Equals [!Ref UnknownValue, x]"),
    ];
    for (section, entry) in sections {
        if !lines.iter().any(|line| line.trim_end() == section) {
            push(section.to_owned(), 0);
            push(entry.to_owned(), 0);
        }
    }
    for (at, line) in lines.iter().enumerate() {
        push((*line).to_owned(), at);
        for (section, entry) in sections {
            if line.trim_end() == section {
                let next = lines[at + 1..]
                    .iter()
                    .find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))?;
                let indent = " ".repeat(next.len() - next.trim_start().len());
                push(format!("{indent}{}", entry.trim_start()), at);
            }
        }
        if let Some((start, end)) = blocks.iter().find(|(start, _)| *start == at) {
            let body = &lines[start + 1..*end];
            let at =
                at + 1 + body.iter().position(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))?;
            let first = lines[at];
            let indent = " ".repeat(first.len() - first.trim_start().len());
            if !body.iter().any(|line| line.starts_with(&format!("{indent}Condition:"))) {
                push(format!("{indent}Condition: IsUnknown"), at);
            }
        }
    }
    Some((result.join("\n") + "\n", origin))
}

/// The parameters without their default values.
fn undefaulted(text: &str) -> Option<String> {
    let is_section = |line: &&str| line.starts_with(|char: char| char.is_ascii_alphabetic());
    let mut section = "";
    let mut has_changed = false;
    let mut result = String::new();
    for line in text.lines() {
        section = Some(line).filter(is_section).unwrap_or(section);
        let value = line.trim_start().strip_prefix("Default:").map(str::trim);
        let is_default = section.starts_with("Parameters")
            && value.is_some_and(|value| !value.is_empty() && !value.starts_with(['|', '>']));
        has_changed |= is_default;
        let indent = &line[..line.len() - line.trim_start().len()];
        let written = if is_default { [indent, "# no default"] } else { ["", line] };
        result.extend(written);
        result.push('\n');
    }
    has_changed.then_some(result)
}

/// The templates in YAML of a folder, at any depth.
fn templates(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            templates(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml" || ending == "template") {
            found.push(path);
        }
    }
    found.sort();
}

/// Checks that no finding of a template is lost in its variant: neither its rule nor its line. `is_free` says of which rules
/// the variant takes findings away.
#[track_caller]
fn loses_nothing(paths: &[PathBuf], variant: fn(&str) -> Option<Variant>, is_free: fn(&str) -> bool) -> usize {
    let folder = Folder::new();
    let mut origins: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, path) in paths.iter().enumerate() {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let Some((changed, origin)) = variant(&text) else { continue };
        folder.write(&format!("old/{at}.yaml"), &text).write(&format!("new/{at}.yaml"), changed);
        origins.insert(format!("{at}.yaml"), origin);
    }
    let count = origins.len();
    let run = |side: &str| failures(&folder.run(&["check", side, "--format=json", "--profile=all"]));
    let key = |rule: &str| rule.split_once(' ').map_or(rule, |(rule, _)| rule).to_owned();
    let new: Vec<(String, usize, String)> = run("new")
        .into_iter()
        .map(|(file, line, rule)| {
            let name = file.rsplit('/').next().unwrap_or_default().to_owned();
            let line = origins[&name].get(line - 1).copied().unwrap_or_default();
            (name, line, key(&rule))
        })
        .collect();
    let lost: Vec<String> = run("old")
        .into_iter()
        .map(|(file, line, rule)| (file.rsplit('/').next().unwrap_or_default().to_owned(), line, key(&rule), rule))
        .filter(|(name, line, rule, _)| !is_free(rule) && !new.contains(&(name.clone(), *line, rule.clone())))
        .map(|(name, line, _, text)| {
            let at: usize = name.trim_end_matches(".yaml").parse().unwrap_or_default();
            format!("{}:{line} {text}", paths[at].display())
        })
        .collect();
    assert!(lost.is_empty(), "{} lost:\n{}", lost.len(), lost.join("\n"));
    count
}

/// The samples of this repository, and those of the corpus if it is there.
fn samples() -> [Vec<PathBuf>; 2] {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    ["tests/rules/aws", "../shared/corpus/cloudformation"].map(|folder| {
        let mut found = Vec::new();
        templates(&root.join(folder), &mut found);
        found
    })
}

#[test]
fn a_loop_of_one_item_hides_nothing() {
    let [own, corpus] = samples();
    // With the extensions, more is allowed, and names are computed.
    let is_free = |rule: &str| rule.ends_with("/unused");
    assert!(loses_nothing(&own, looped, is_free) > 100);
    loses_nothing(&corpus, looped, is_free);
}

#[test]
fn an_unknown_condition_hides_nothing() {
    let [own, corpus] = samples();
    assert!(loses_nothing(&own, conditioned, |_| false) > 100);
    loses_nothing(&corpus, conditioned, |_| false);
}

/// Without a default value, a check fails as before, or says what it does not know.
#[test]
fn a_default_that_is_deleted_turns_no_failure_into_silence() {
    let folder = Folder::new();
    let mut count = 0;
    for path in samples().iter().flatten() {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let Some(changed) = undefaulted(&text) else { continue };
        folder.write(&format!("old/{count}.yaml"), &text).write(&format!("new/{count}.yaml"), changed);
        count += 1;
    }
    assert!(count > 20);
    let files = |side: &str, outcomes: &[&str]| -> Vec<String> {
        let report = folder.run(&["check", side, "--format=json"]).json();
        let results = report["results"].as_array().unwrap().iter();
        let name =
            |it: &serde_json::Value| it["location"]["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        // A secret that a default shows is gone with it, a key without a default is taken for one that is set, and a type says
        // nothing of a value that it does not know.
        let is_of_default = |it: &serde_json::Value| {
            it["path"].as_str().is_some_and(|path| path.starts_with("Parameters"))
                || it["rule"] == "AWS-LOGS-002"
                || it["rule"].as_str().is_some_and(|rule| rule.starts_with("schema/"))
        };
        let meant = results.filter(|it| outcomes.contains(&it["outcome"].as_str().unwrap()) && !is_of_default(it));
        meant.map(name).collect()
    };
    let (old, new) = (files("old", &["failed"]), files("new", &["failed", "unknown"]));
    let silent: Vec<&String> = old.iter().filter(|file| !new.contains(file)).collect();
    assert!(silent.is_empty(), "{silent:?}");
}
