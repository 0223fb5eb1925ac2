//! Guard rulesets, as users of the program see them.

use crate::harness::{Ended, Folder, template};

const STACK: &str = r#"{"Resources": {
  "Data": {"Type": "AWS::EC2::Volume", "Properties": {"Size": 200,
    "Tags": [{"Key": "Stage", "Value": "prod"}]}},
  "Logs": {"Type": "AWS::EC2::Volume", "Properties": {"Size": {"Ref": "Size"}}}},
  "Parameters": {"Size": {"Type": "Number", "Default": 50}}}"#;

fn check(folder: &Folder, arguments: &[&str]) -> Ended {
    let mut all = vec!["check", "stack.json", "--no-builtin-rules", "--rules", "volumes.ruleset"];
    all.extend(arguments);
    folder.run(&all)
}

/// Runs a ruleset on [`STACK`]: the messages of what failed.
#[track_caller]
fn messages(ruleset: &str, arguments: &[&str]) -> Vec<String> {
    let folder = Folder::new();
    folder.write("stack.json", STACK).write("volumes.ruleset", ruleset);
    let mut all = vec!["--format", "json"];
    all.extend(arguments);
    let ended = check(&folder, &all);
    let report = ended.json();
    let failed = report["results"].as_array().unwrap().iter().filter(|it| it["outcome"] == "failed");
    failed.map(|it| it["message"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_finding_names_the_resource_the_value_and_the_rule() {
    let folder = Folder::new();
    folder
        .write("stack.json", STACK)
        .write("volumes.ruleset", "# Large volumes cost money.\nAWS::EC2::Volume Size <= 100\n");
    let ended = check(&folder, &["--format", "json"]);
    let report = ended.json();
    let result = &report["results"][0];
    assert_eq!(ended.code, 1);
    assert_eq!(report["results"].as_array().unwrap().len(), 1, "{ended:?}");
    assert_eq!(result["rule"], "volumes:2");
    assert_eq!(result["message"], "[Data] failed because [Size] is [200] and the permitted value is [<= 100]");
    assert_eq!(result["resource"]["type"], "AWS::EC2::Volume");
    assert_eq!(result["path"], "Resources.Data.Properties.Size");
    assert_eq!((&result["location"]["line"], &result["actual"]), (&2.into(), &200.into()));
    let related = result["related"].as_array().unwrap().last().unwrap();
    assert_eq!((&related["file"], &related["line"]), (&"volumes.ruleset".into(), &2.into()));
    assert_eq!(result["fingerprint"].as_str().unwrap().len(), 16);
}

#[test]
fn every_format_reports_findings_of_rulesets() {
    let folder = Folder::new();
    folder.write("stack.json", STACK).write("volumes.ruleset", "AWS::EC2::Volume Size <= 100 << too large\n");
    for format in ["console", "concise", "json", "sarif", "github", "markdown", "junit"] {
        let ended = check(&folder, &["--format", format]);
        assert_eq!(ended.code, 1, "{format}");
        for wanted in ["stack.json", "too large"] {
            assert!(ended.stdout.contains(wanted), "{format} without {wanted}: {}", ended.stdout);
        }
    }
}

#[test]
fn functions_are_evaluated_unless_the_template_is_taken_as_written() {
    let ruleset = "AWS::EC2::Volume Size IN [50, 200]";
    assert_eq!(messages(ruleset, &[]), [""; 0]);
    let raw = ["[Logs] failed because [{\"Ref\":\"Size\"}] is not in [50, 200] for [Size]"];
    assert_eq!(messages(ruleset, &["--guard-raw"]), raw);
}

#[test]
fn strict_checks_want_every_property() {
    let ruleset = "AWS::EC2::Volume Tags.*.Key == Stage";
    assert_eq!(messages(ruleset, &[]), [""; 0]);
    let missing = ["[Logs] failed because it does not contain the required property of [Tags.*.Key]"];
    assert_eq!(messages(ruleset, &["--guard-strict"]), missing);
}

#[test]
fn a_ruleset_runs_on_azure_deployments_and_a_json_rule_on_stacks() {
    let folder = Folder::new();
    let resources = r#""resources": [{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "st",
      "location": "westeurope", "properties": {"minimumTlsVersion": "[concat('TLS', '1_0')]"}}]"#;
    folder
        .write("main.json", template(resources))
        .write("storage.guard", "Microsoft::Storage::storageAccounts minimumTlsVersion == TLS1_2\n");
    let ended =
        folder.run(&["check", "main.json", "--no-builtin-rules", "--rules", "storage.guard", "--format", "json"]);
    let report = ended.json();
    let message = "[st] failed because [minimumTlsVersion] is [TLS1_0] and the permitted value is [TLS1_2]";
    assert_eq!(report["results"][0]["message"], message, "{ended:?}");
    assert_eq!(report["results"][0]["path"], "resources[0].properties.minimumTlsVersion");

    let rule = r#"{"id": "X-1", "name": "X", "shortDescription": "small", "fullDescription": "small",
      "evaluation": {"resourceType": "AWS::EC2::Volume", "path": "Properties.Size", "lessOrEquals": 100}}"#;
    folder.write("stack.json", STACK).write("rule.json", format!("[{rule}]"));
    let ended = folder.run(&["check", "stack.json", "--no-builtin-rules", "--rules", "rule.json", "--format", "json"]);
    assert_eq!(ended.json()["summary"]["failed"], 1, "{ended:?}");
}

#[test]
fn a_wrong_ruleset_stops_the_run_and_shows_every_mistake() {
    let folder = Folder::new();
    folder
        .write("stack.json", STACK)
        .write("volumes.ruleset", "AWS::EC2::Volume Size = 5\nAWS::EC2::Volume Size < %{\n");
    let ended = check(&folder, &[]);
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
    for wanted in ["volumes.ruleset:1:23", "did you mean `==`?", "volumes.ruleset:2:25"] {
        assert!(ended.stderr.contains(wanted), "{wanted}: {}", ended.stderr);
    }
}

#[test]
fn lint_takes_a_variable_without_a_value_for_an_error_and_a_check_fails_what_is_compared_with_it() {
    let ruleset = "let limit = 100\nAWS::EC2::Volume Size <= %limt\n";
    let folder = Folder::new();
    let ended = folder.write("volumes.ruleset", ruleset).run(&["rules", "lint", "volumes.ruleset"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (2, "1 rule, 1 error, 0 warnings\n"));
    assert!(ended.stderr.contains("did you mean `limit`?"), "{}", ended.stderr);
    let undefined = "failed because there is no value defined for [%limt] to check [Size] against";
    assert_eq!(messages(ruleset, &[]), [format!("[Data] {undefined}"), format!("[Logs] {undefined}")]);
}

#[test]
fn rules_of_a_ruleset_are_listed_and_shown() {
    let folder = Folder::new();
    folder.write("volumes.ruleset", "# Large volumes cost money.\nAWS::EC2::Volume Size <= 100 << too large\n");
    let arguments = ["--no-builtin-rules", "--rules", "volumes.ruleset"];
    let listed = folder.run(&[&["rules", "list"], &arguments[..]].concat());
    // The width of the columns depends on the checks, which are listed, too.
    let cells = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let rules: Vec<String> = listed.stdout.lines().filter(|line| !line.contains('/')).map(cells).collect();
    assert_eq!(rules, ["volumes:2 medium AWS::EC2::Volume Size AWS::EC2::Volume"]);
    let shown = folder.run(&[&["rules", "show", "volumes:2"], &arguments[..]].concat()).stdout;
    assert!(shown.contains("too large") && shown.contains("Large volumes cost money."), "{shown}");
}

#[test]
fn settings_name_rulesets_and_set_severities_of_their_rules() {
    let folder = Folder::new();
    folder.write("stack.json", STACK).write("rules/volumes.ruleset", "AWS::EC2::Volume Size <= 100\n").write(
        "formwork.json",
        r#"{"rules": {"builtin": false, "paths": ["rules"], "severity": {"volumes:1": "low"}}}"#,
    );
    let ended = folder.run(&["check", "stack.json", "--format", "json"]);
    assert_eq!(ended.json()["results"][0]["severity"], 3, "{ended:?}");
}

#[test]
fn a_generated_ruleset_holds_for_its_own_template() {
    let folder = Folder::new();
    let generated = folder.write("stack.json", STACK).run(&["rules", "gen", "stack.json"]);
    let expected = "AWS::EC2::Volume Size == 200 |OR| AWS::EC2::Volume Size == 50\n\
        AWS::EC2::Volume Tags == [{\"Key\":\"Stage\",\"Value\":\"prod\"}]\n";
    assert_eq!((generated.code, generated.stdout.as_str()), (0, expected));
    assert_eq!(messages(&generated.stdout, &["--guard-strict"]).len(), 1, "only the missing tags of `Logs`");
    assert_eq!(messages(&generated.stdout, &[]), [""; 0]);
}

/// Where cfn-guard 1.0 departs from its own grammar and documentation, and what holds here, by the decisions at the top of
/// `crates/rules/src/guard/mod.rs`. `failures` is missing where the ruleset or the template is wrong.
#[test]
fn the_defects_of_cfn_guard_are_resolved_as_decided() {
    let cases = include_str!("golden/guard/defects.jsonl");
    let mut wrong = Vec::new();
    for case in cases.lines().map(|it| serde_json::from_str::<serde_json::Value>(it).unwrap()) {
        let expected = case["failures"].as_array().map(|all| all.iter().map(text_of).collect::<Vec<_>>());
        let found = failures(&case);
        if found != expected {
            wrong.push(format!("{}: {found:?}, wanted {expected:?}", case["id"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn text_of(value: &serde_json::Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// The messages of rules that failed, in order; `None` if nothing could be checked. The templates are not ones that AWS takes.
fn failures(case: &serde_json::Value) -> Option<Vec<String>> {
    let folder = Folder::new();
    let name = format!("template.{}", text_of(&case["format"]));
    folder.write(&name, text_of(&case["template"])).write("case.ruleset", text_of(&case["ruleset"]));
    let mut arguments = vec!["check", &name, "--rules", "case.ruleset", "--no-builtin-rules", "--format", "json"];
    arguments.extend(case["strict"].as_bool().unwrap_or_default().then_some("--guard-strict"));
    let environment = case["environment"].as_object().into_iter().flatten();
    let environment: Vec<(String, String)> = environment.map(|(name, value)| (name.clone(), text_of(value))).collect();
    let variables: Vec<(&str, &str)> =
        environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let ended = folder.run_with(&arguments, &variables, b"");
    if ended.code > 1 {
        return None;
    }
    let report = ended.json();
    let is_of_rule = |result: &serde_json::Value| result["rule"].as_str().is_some_and(|id| !id.contains('/'));
    let results = report["results"].as_array().unwrap().iter();
    let failed = results.filter(|result| result["outcome"] == "failed" && is_of_rule(result));
    let mut messages: Vec<String> = failed.map(|it| text_of(&it["message"])).collect();
    messages.sort();
    Some(messages)
}
