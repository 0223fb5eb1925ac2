//! Few lines that make a report or a comparison long: each is bounded, and what is left out is said.

use std::fmt::Write as _;

use serde_json::Value;

use crate::harness::{Folder, template};

#[test]
fn findings_that_a_stack_repeats_are_bounded_and_it_does_not_pass() {
    const COUNT: usize = 120;
    let keys: Vec<String> = (0..COUNT).map(|at| format!("k{at}: {at}")).collect();
    let mut text =
        format!("AWSTemplateFormatVersion: '2010-09-09'\nMetadata:\n  a: &a {{{}}}\nResources:\n", keys.join(", "));
    for at in 0..COUNT {
        let _ = write!(text, "  b{at}:\n    Type: AWS::S3::Bucket\n    Properties:\n      <<: *a\n");
    }
    text.push_str("  canary:\n    Type: AWS::S3::Bucket\n    Properties: {AccessControl: PublicReadWrite}\n");
    let folder = Folder::new();
    folder.write("main.yaml", &text);
    let ended = folder.run(&["check", "--format", "json", "main.yaml"]);
    let report = ended.json();
    let results = report["results"].as_array().unwrap();
    assert_eq!((ended.code, results.len()), (3, 10_000 + text.len() / 8), "{}", ended.stderr);
    // Each fault is among them.
    let has = |rule: &str, text: &str| {
        let says = |result: &Value| result["message"].as_str().unwrap().contains(text);
        results.iter().any(|result| result["rule"] == rule && (result["resource"]["name"] == text || says(result)))
    };
    assert!(has("AWS-S3-002", "canary") && has("schema/unknown-property", "`k119`"));
    let problem = report["diagnostics"][0]["message"].as_str().unwrap();
    assert!(problem.starts_with("the template has 1") && problem.contains("are reported"), "{problem}");
}

#[test]
fn resources_that_differ_are_listed_up_to_a_bound_and_all_are_counted() {
    let side = |name: &str| {
        let account = |at: usize| {
            format!(
                r#"{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "kind": "StorageV2", "location": "eastus",
                "sku": {{"name": "Standard_LRS"}}, "tags": {{"side": "{name}"}}, "name": "[concat('{name}{at}', copyIndex())]", "copy": {{"name": "l{at}", "count": 800}}}}"#
            )
        };
        template(&format!("\"resources\": [{}]", (10..14).map(account).collect::<Vec<_>>().join(", ")))
    };
    let folder = Folder::new();
    folder.write("old.json", side("a")).write("new.json", side("b"));
    let json = folder.run(&["diff", "old.json", "new.json", "--format", "json"]).json();
    let deployment = &json["deployments"][0];
    assert_eq!(deployment["resources"].as_array().unwrap().len(), 5_000);
    // Accounts that get another name and other content are a risk, so all of the old ones are listed.
    assert_eq!(deployment["moreResources"], serde_json::json!({"create": 1_400}));
    assert_eq!(
        (&json["summary"]["resources"]["create"], &json["summary"]["resources"]["remove"]),
        (&3_200.into(), &3_200.into())
    );
    let page = folder.run(&["diff", "old.json", "new.json", "--format", "markdown"]).stdout;
    assert!(page.contains("3200 to create, 0 to change, 3200 no longer deployed"), "{page}");
}

#[test]
fn undefined_names_of_a_ruleset_share_a_budget_for_suggestions() {
    const COUNT: usize = 4_000;
    let mut text = String::new();
    (0..COUNT).for_each(|at| writeln!(text, "AWS::S3::Bucket BucketName == %v{at}x").unwrap());
    (0..COUNT).for_each(|at| writeln!(text, "let v{at} = x{at}").unwrap());
    let folder = Folder::new();
    folder.write("own.ruleset", text);
    let ended = folder.run(&["rules", "lint", "own.ruleset"]);
    let said = format!("{}{}", ended.stdout, ended.stderr);
    // The table of a long list has the first one, too.
    assert_eq!(said.matches("no value is defined for").count(), COUNT + 1);
    let hints = said.matches("did you mean").count();
    assert!((1..COUNT / 2).contains(&hints), "{hints}");
}
