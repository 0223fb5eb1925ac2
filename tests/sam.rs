//! Templates of AWS SAM: what the transform makes of them, and where rules find it.
//!
//! `tests/golden/sam` has templates, and next to each what it expands to: a line for each resource with the line of its
//! text, its properties, and the notices. `INSTA_UPDATE=always` rewrites them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::harness::{Folder, is_blessing};

fn templates() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/sam");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut templates: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|it| it == "yaml")).collect();
    templates.sort();
    templates
}

/// What a template expands to, as the golden files show it.
fn expanded(template: &Path) -> String {
    let folder = Folder::new();
    folder.write("main.yaml", fs::read_to_string(template).unwrap());
    let ended = folder.run(&["expand", "main.yaml", "--flat"]);
    let document: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    let mut text = String::new();
    for resource in document["resources"].as_array().unwrap() {
        // The stack itself.
        if resource["_formwork"]["path"].as_str().is_none_or(str::is_empty) {
            continue;
        }
        let line = &resource["_formwork"]["line"];
        let (id, kind) = (resource["id"].as_str().unwrap(), resource["type"].as_str().unwrap());
        let condition = resource.get("condition").map(|condition| format!(" if {condition}")).unwrap_or_default();
        writeln!(text, "{id} {kind} line {line}{condition}").unwrap();
        for (name, value) in resource["properties"].as_object().into_iter().flatten() {
            writeln!(text, "  {name}: {value}").unwrap();
        }
    }
    let report = folder.run(&["check", "main.yaml", "--format", "json"]).json();
    for problem in report["diagnostics"].as_array().into_iter().flatten() {
        let [level, code, message] = ["level", "code", "message"].map(|name| problem[name].as_str().unwrap());
        writeln!(text, "{}: {level} {code}: {message}", problem["line"]).unwrap();
    }
    text
}

#[test]
fn templates_expand_as_the_golden_files_say() {
    let mut wrong = Vec::new();
    for template in templates() {
        let golden = template.with_extension("txt");
        let found = expanded(&template);
        if is_blessing() {
            fs::write(&golden, &found).unwrap();
        } else if fs::read_to_string(&golden).unwrap_or_default() != found {
            wrong.push(format!("{}:\n{found}", golden.display()));
        }
    }
    assert!(wrong.is_empty(), "set INSTA_UPDATE=always to rewrite these:\n{}", wrong.join("\n"));
}

/// The results of a rule, as `outcome line resource`.
fn outcomes(text: &str, rule: &str) -> Vec<String> {
    let folder = Folder::new();
    folder.write("a.yaml", text);
    let report = folder.run(&["check", "a.yaml", "--format", "json"]).json();
    let results = report["results"].as_array().unwrap().iter().filter(|result| result["rule"] == rule);
    let shown = |result: &Value| {
        let [outcome, name] = [&result["outcome"], &result["resource"]["name"]].map(|text| text.as_str().unwrap());
        format!("{outcome} {} {name}", result["location"]["line"])
    };
    results.map(shown).collect()
}

const OLD: &str = "Transform: AWS::Serverless-2016-10-31
Resources:
  Worker:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: ./src
      Handler: a.b
      Runtime: nodejs18.x
      Policies:
        - AdministratorAccess
        - Statement:
            - Effect: Allow
              Action: '*'
              Resource: '*'
";

#[test]
fn rules_see_generated_resources_at_the_lines_of_the_sam_resource() {
    assert_eq!(outcomes(OLD, "AWS-LAMBDA-001"), ["failed 8 Worker"]);
    assert_eq!(outcomes(OLD, "AWS-IAM-001"), ["failed 10 WorkerRole"]);
    assert_eq!(outcomes(OLD, "AWS-IAM-005"), ["failed 13 WorkerRole"]);
}

#[test]
fn a_runtime_that_aws_refuses_is_reported_once() {
    let text = OLD.replace("nodejs18.x", "nodejs12.x");
    assert_eq!(outcomes(&text, "schema/retired"), ["failed 8 Worker"]);
    assert_eq!(outcomes(&text, "AWS-LAMBDA-001"), [""; 0]);
}

#[test]
fn metadata_of_a_sam_resource_suppresses_rules_on_what_it_generates() {
    let accepted = "    Metadata: {formwork: {suppress: [{rule: AWS-IAM-001, reason: x}, {rule: AWS-LAMBDA-001, reason: x}]}}\n    Properties:";
    let text = OLD.replace("    Properties:", accepted);
    assert_eq!(outcomes(&text, "AWS-LAMBDA-001"), ["suppressed 9 Worker"]);
    assert_eq!(outcomes(&text, "AWS-IAM-001"), ["suppressed 11 WorkerRole"]);
}

#[test]
fn a_function_that_refers_to_its_own_api_is_no_cycle() {
    let text = "Transform: AWS::Serverless-2016-10-31
Resources:
  Api: {Type: AWS::Serverless::Api, Properties: {StageName: p, Auth: {Authorizers: {A: {FunctionArn: !GetAtt Worker.Arn}}}}}
  Worker:
    Type: AWS::Serverless::Function
    Properties:
      InlineCode: x
      Handler: a.b
      Runtime: python3.13
      Events: {A: {Type: Api, Properties: {RestApiId: !Ref Api, Path: /, Method: get}}}
";
    let folder = Folder::new();
    folder.write("a.yaml", text);
    assert_eq!(folder.run(&["check", "a.yaml", "--format", "json"]).diagnostics(), Vec::<String>::new());
}
