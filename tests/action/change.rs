//! What the action makes of the event that it runs for.

use std::fs;

use serde_json::json;

use crate::action::job::{Ended, Job};
use crate::harness::template;
use crate::schemas::assert_described;

/// A template of two sites, of which rules want `httpsOnly`.
fn sites(first: &str, second: &str) -> String {
    let site = |name: &str, https: &str| {
        format!(
            r#"    {{
      "type": "Microsoft.Web/sites",
      "apiVersion": "2022-09-01",
      "name": "{name}",
      "location": "westeurope",
      "properties": {{
        "httpsOnly": {https}
      }}
    }}"#
        )
    };
    template(&format!("\"resources\": [\n{},\n{}\n  ]", site("a", first), site("b", second)))
}

const RULE: &str = r#"{"id": "ACME-1", "name": "Acme.Https", "shortDescription": "https", "fullDescription": "https", "recommendation": "https",
  "severity": 1, "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}}"#;

/// A job for a push to `main`: of three templates with a finding, it touches two, and brings a finding into one of them.
fn pushed() -> Job {
    let job = Job::new();
    job.write("workspace/formwork.yaml", "rules:\n  paths: [rules]\n  builtin: false\n")
        .write("workspace/rules/acme.json", RULE);
    for name in ["main", "other", "sub/third"] {
        job.write(&format!("workspace/{name}.json"), sites("true", "false"));
    }
    job.git(&["init", "--quiet", "--initial-branch=main"]);
    let before = job.commit();
    job.write("workspace/main.json", sites("false", "false"));
    job.write("workspace/other.json", sites("true", "false").replace("westeurope", "northeurope"));
    let after = job.commit();
    job.event(
        "push",
        &json!({
            "ref": "refs/heads/main", "before": before, "after": after, "forced": false, "created": false,
            "repository": {"full_name": "owner/infra", "default_branch": "main"},
        }),
    );
    job
}

/// The numbers of findings, and of those that are new; and the files that the change touches.
fn told(ended: &Ended) -> (&str, &str, Vec<&str>) {
    let outputs = &ended.outputs;
    (&outputs["findings"], &outputs["new-findings"], outputs["changed-files"].lines().collect())
}

#[track_caller]
fn check(inputs: &[(&str, &str)], code: i32, expected: (&str, &str, &[&str])) -> (Job, Ended) {
    let job = pushed();
    for (name, value) in inputs {
        job.input(name, value);
    }
    let ended = job.run();
    let (findings, new, files) = told(&ended);
    assert_eq!((ended.code, findings, new, files.as_slice()), (code, expected.0, expected.1, expected.2), "{ended:?}");
    (job, ended)
}

const TOUCHED: &[&str] = &["main.json", "other.json"];

#[test]
fn what_the_push_changes_is_checked() {
    check(&[], 1, ("3", "1", TOUCHED));
}

#[test]
fn everything_is_checked_where_there_is_nothing_to_compare_with() {
    check(&[("diff-base", "none")], 1, ("4", "4", &[]));
}

#[test]
fn a_commit_can_be_named_to_compare_with() {
    check(&[("diff-base", "HEAD~1")], 1, ("3", "1", TOUCHED));
    let job = pushed();
    let ended = job.input("diff-base", "nowhere").run();
    assert_eq!((ended.code, ended.outputs["exit-code"].as_str()), (2, "2"));
    assert!(ended.messages("error")[0].contains("`nowhere`"), "{ended:?}");
}

#[test]
fn findings_outside_the_change_are_hidden_on_demand() {
    check(&[("filter-mode", "added")], 1, ("1", "1", TOUCHED));
    check(&[("filter-mode", "file")], 1, ("3", "1", TOUCHED));
}

#[test]
fn the_gate_may_look_at_the_change_alone() {
    check(&[("fail-on-scope", "changed")], 1, ("3", "1", TOUCHED));
    let paths = ("paths", "other.json");
    check(&[paths, ("fail-on-scope", "changed")], 0, ("1", "0", &["other.json"]));
    check(&[paths], 1, ("1", "0", &["other.json"]));
}

#[test]
fn code_scanning_gets_a_report_of_everything() {
    let (_job, ended) = check(&[("upload-sarif", "true"), ("fail-on-scope", "changed")], 1, ("4", "1", TOUCHED));
    let sarif = fs::read_to_string(&ended.outputs["sarif-file"]).unwrap();
    assert!(sarif.contains(r#""uri": "sub/third.json""#) && ended.upload.is_some());
    let job = pushed();
    let ended = job.input("upload-sarif", "true").input("filter-mode", "added").run();
    assert_eq!((ended.code, ended.upload.is_none()), (2, true));
    assert!(ended.messages("error")[0].starts_with("the input `filter-mode` is `added`, expected `none`"), "{ended:?}");
}

#[test]
fn names_of_files_cannot_set_other_outputs() {
    let job = pushed();
    job.write("workspace/a\nEOF\nfindings=0\n.json", sites("true", "true"));
    let ended = job.input("diff-base", "HEAD~1").run();
    let files: Vec<&str> = ended.outputs["changed-files"].lines().collect();
    assert_eq!(ended.outputs["findings"], "3");
    assert_eq!(files, [r"a\nEOF\nfindings=0\n.json", "main.json", "other.json"], "{ended:?}");
}

#[test]
fn what_the_change_deploys_is_told() {
    let job = pushed();
    job.input("deployment-diff", "true");
    let ended = job.run();
    let summary = &ended.summary;
    let section = "### What this change deploys\n\n2 of 2 deployments differ: 0 to create, 3 to change";
    assert!(summary.contains(section), "{summary}");
    assert!(summary.contains("**medium risk**: requests without encryption are accepted"), "{summary}");
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&ended.outputs["difference-file"]).unwrap()).unwrap();
    // One site without HTTPS, and two that move to another region.
    assert_eq!(json["summary"]["risks"], serde_json::json!({"high": 2, "medium": 1, "low": 0}));
    let report = fs::read_to_string(&ended.outputs["json-file"]).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["difference"], &report["schema"]), (&json, &"formwork/report/v1".into()));
    assert_described("report", &[report]);
    job.input("deployment-diff", "perhaps");
    assert!(job.run().messages("error")[0].contains("the input `deployment-diff` is `perhaps`"));
}

#[test]
fn a_comparison_that_crashes_costs_only_its_section() {
    let job = pushed();
    job.input("deployment-diff", "true");
    // Nothing is known to crash it, so git ends whoever calls it once the report of the check is written.
    let git = job.path("path").join("git");
    let real = fs::read_link(&git).unwrap();
    fs::remove_file(&git).unwrap();
    let reports = format!("{}/formwork.*/*.json", job.path("temp").display());
    job.program("git", &format!("ls {reports} >/dev/null 2>&1 && kill -s SEGV $PPID\nexec {} \"$@\"", real.display()));
    std::os::unix::fs::symlink("/bin/ls", job.path("path").join("ls")).unwrap();
    let ended = job.run();
    assert_eq!((ended.code, ended.outputs["findings"].as_str()), (1, "3"), "{ended:?}");
    assert!(ended.summary.contains("findings") && ended.outputs["difference-file"].is_empty(), "{ended:?}");
    assert!(
        ended.messages("error")[0].starts_with("what the change deploys cannot be told: `formwork diff` crashed"),
        "{ended:?}"
    );
}

#[test]
fn settings_ask_for_what_the_change_deploys_unless_the_input_does() {
    let job = pushed();
    let settings = "rules:\n  paths: [rules]\n  builtin: false\ndeployment-diff: true\n";
    job.write("workspace/formwork.yaml", settings);
    assert!(job.run().summary.contains("### What this change deploys"));
    assert!(!job.input("deployment-diff", "false").run().summary.contains("### What this change deploys"));
    // There is no change to tell of, and nobody asked for one here.
    let ended = job.input("deployment-diff", "").input("diff-base", "none").run();
    assert!(ended.code == 1 && !ended.summary.contains("### What this change deploys"), "{ended:?}");
}

#[test]
fn only_new_findings_are_reported() {
    let job = pushed();
    job.input("new-only", "true");
    assert_eq!(told(&job.run()).0, "1");
    job.input("upload-sarif", "true");
    assert!(job.run().messages("error")[0].contains("the input `new-only` is `true`, expected `false`"));
}

#[test]
fn the_gate_and_the_outputs_know_what_a_change_brings_to_lines_that_it_does_not_touch() {
    let job = pushed();
    // The first resource was secure, and its property gives way to another on its line.
    let text = sites("true", "true").replacen("\"httpsOnly\": true", "\"clientCertEnabled\": true", 1);
    job.write("workspace/main.json", text);
    job.git(&["add", "--all"]);
    job.git(&["commit", "--quiet", "--amend", "--message=x"]);
    let ended = job.input("paths", "main.json").run();
    assert_eq!((ended.code, told(&ended)), (1, ("1", "1", vec!["main.json"])), "{ended:?}");
    assert_eq!(job.input("fail-on-scope", "changed").run().code, 1);
    // What was there before, on a line that the change does not touch.
    let ended = job.input("paths", "other.json").run();
    assert_eq!((ended.code, told(&ended)), (0, ("1", "0", vec!["other.json"])), "{ended:?}");
}
