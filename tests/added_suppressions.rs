//! Suppressions that a change adds are shown, and cover no more than they say.

use serde_json::Value;

use crate::changes::{RULE, Repository, site};
use crate::harness::{Ended, template};

const BARE: &str = "\"httpsOnly\": false";

/// A site whose finding a comment suppresses.
fn suppressed(reason: &str) -> String {
    site("false").replace(BARE, &format!("// formwork:ignore T-1 -- {reason}\n        {BARE}"))
}

fn check(repository: &Repository, arguments: &[&str]) -> Ended {
    let common = ["--no-builtin-rules", "--rules=rules.json", "--rules-exclude=suppression/*", "--changed=HEAD"];
    repository.run(&[&common, arguments].concat())
}

/// What a JSON report lists, as `rule kind file:line reason`.
#[track_caller]
fn listed(repository: &Repository, arguments: &[&str]) -> Vec<String> {
    let ended = check(repository, &[&["--format=json", "--filter-mode=added"], arguments].concat());
    let report = ended.json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = report["added_suppressions"].as_array().cloned().unwrap_or_default();
    let shown = |it: &Value| {
        let place = &it["place"];
        format!(
            "{} {} {}:{} {}",
            text(&it["rule"]),
            text(&it["kind"]),
            text(&place["file"]),
            place["line"],
            text(&it["reason"])
        )
    };
    all.iter().map(shown).collect()
}

fn repository() -> Repository {
    Repository::with(&[("rules.json", RULE), ("old.json", &suppressed("known")), ("main.json", &site("false"))])
}

#[test]
fn comments_and_metadata_of_a_change_are_listed() {
    let repository = repository();
    assert_eq!(listed(&repository, &[]), [""; 0]);
    let main = suppressed("trust me");
    let old = suppressed("known").replace("\"app\"", "\"web\"");
    let metadata = site("false").replace(
        "\"name\": \"app\",",
        "\"name\": \"app\",\n      \"metadata\": {\"formwork\": {\"suppress\": [{\"rule\": \"T-*\", \"reason\": \"x\"}]}},",
    );
    repository.put(&[("main.json", &main), ("old.json", &old), ("new.json", &metadata)]);
    let expected = ["T-1 comment main.json:11 trust me", "T-1 metadata new.json:10 x"];
    assert_eq!(listed(&repository, &[]), expected);
    assert_eq!(listed(&repository, &["--new-only"]), expected);
    assert_eq!(listed(&repository, &["--all"]), expected);
    let console = check(&repository, &["--filter-mode=added"]).stdout;
    assert!(console.contains("suppressed by this change: T-1 at main.json:11:12: trust me\n"), "{console}");
    let page = check(&repository, &["--filter-mode=added", "--format=markdown"]).stdout;
    let row = "### Suppressed by this change\n\n| Rule | Findings | Reason | Place |\n|---|---:|---|---|\n\
               | <code>T-1</code> | 1 | trust me | <code>main.json:11</code> |";
    assert!(page.contains(row), "{page}");
}

#[test]
fn settings_and_baselines_are_listed_if_those_of_the_change_count() {
    let repository = repository();
    let settings = "baseline: b.json\nsuppressions:\n  - {rule: T-1, path: main.json, reason: later}\n";
    repository.put(&[("formwork.yaml", settings), ("main.json", &site("false").replace("\"app\"", "\"web\""))]);
    repository.put(&[("more.json", &site("false"))]);
    let written = check(&repository, &["--write-baseline=b.json"]);
    assert_eq!(written.code, 0, "{written:?}");
    let found = listed(&repository, &[]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("T-1 baseline b.json:"), "{found:?}");
    assert_eq!(found[1], "T-1 settings formwork.yaml:3 later");
    assert_eq!(listed(&repository, &["--config-from=base"]), [""; 0]);
}

#[test]
fn merged_reports_list_them() {
    let repository = repository();
    repository.put(&[("main.json", &suppressed("a")), ("more.json", &suppressed("b"))]);
    let whole = check(&repository, &["--format=json", "--filter-mode=added"]).json();
    std::fs::create_dir_all(repository.root.join("reports")).unwrap();
    for index in 1..=2 {
        let (shard, output) = (format!("--shard={index}/2"), format!("--output=json=reports/{index}.json"));
        check(&repository, &["--filter-mode=added", &shard, &output]);
    }
    let mut command = repository.command(env!("CARGO_BIN_EXE_formwork"), "");
    let output = command.args(["merge", "--format=json", "reports/1.json", "reports/2.json"]).output().unwrap();
    let merged: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(merged["added_suppressions"].as_array().map(Vec::len), Some(2), "{merged}");
    assert_eq!(merged["added_suppressions"], whole["added_suppressions"]);
}

#[test]
fn a_path_covers_neither_modules_elsewhere_nor_modules_there_that_others_deploy() {
    let linking = |file: &str| {
        template(&format!(
            r#""resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "d",
  "properties": {{"mode": "Incremental", "templateLink": {{"relativePath": "{file}"}}}}}}]"#
        ))
    };
    let module =
        "resource a 'Microsoft.Web/sites@2022-09-01' = {\n  name: 'a'\n  properties: {\n    httpsOnly: false\n  }\n}\n";
    let using = |file: &str| format!("module m '{file}' = {{\n  name: 'm'\n}}\n");
    let repository = Repository::with(&[
        ("rules.json", RULE),
        ("formwork.yaml", "suppressions: [{rule: T-1, path: samples, reason: x}]\n"),
        ("samples/own.json", &linking("part.json")),
        ("samples/part.json", &site("false")),
        ("samples/shared.json", &site("false")),
        ("samples/user.json", &linking("shared.json")),
        ("infra/user.json", &linking("../samples/shared.json")),
        ("samples/far.json", &linking("../infra/part.json")),
        ("infra/part.json", &site("false")),
        ("samples/own.bicep", module),
        ("samples/shared.bicep", module),
        ("samples/user.bicep", &using("shared.bicep")),
        ("infra/user.bicep", &using("../samples/shared.bicep")),
    ]);
    let arguments = ["--no-builtin-rules", "--rules=rules.json", "--rules-include=T-1", "--bicep=builtin", "."];
    let report = repository.run(&[&arguments[..], &["--format=json"]].concat()).json();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let results = report["results"].as_array().unwrap().iter();
    let mut found: Vec<String> = results
        .map(|it| format!("{} {} {}", text(&it["outcome"]), text(&it["location"]["file"]), text(&it["template"])))
        .collect();
    found.sort();
    let expected = [
        "failed infra/part.json samples/far.json",
        "failed samples/shared.bicep infra/user.bicep",
        "failed samples/shared.json infra/user.json",
        "suppressed samples/own.bicep samples/own.bicep",
        "suppressed samples/part.json samples/own.json",
        "suppressed samples/shared.bicep samples/user.bicep",
    ];
    assert_eq!(found, expected);
}
