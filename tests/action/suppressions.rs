//! Each kind of suppression in a job: the gate ignores what is suppressed, and the log and the summary count it.

use std::fs;

use serde_json::Value;

use crate::action::job::Job;
use crate::harness::{Folder, template};

/// The start of the settings, with which other rules have nothing to say about the site.
const SETTINGS: &str = "rules: {include: [AZ-APPSERVICE-001, suppression/*]}\n";

fn site(metadata: &str, comment: &str) -> String {
    template(&format!(
        r#""resources": [
  {{
    "type": "Microsoft.Web/sites", "apiVersion": "2023-12-01", "name": "app", "location": "westeurope", {metadata}
    "properties": {{
      "httpsOnly": false, {comment}
      "siteConfig": {{"minTlsVersion": "1.2", "ftpsState": "Disabled"}}
    }}
  }}]"#
    ))
}

/// Runs a job over these files and with these further settings: its exit code, the kind and the reason of what is
/// suppressed, and the last line of its log.
#[track_caller]
fn check(files: &[(&str, &str)], settings: &str, code: i32, expected: &[(&str, &str)], counted: &str) {
    let job = Job::new();
    for (name, content) in files {
        job.write(&format!("workspace/{name}"), content);
    }
    job.write("workspace/formwork.yaml", format!("{SETTINGS}{settings}"));
    let ended = job.run();
    assert_eq!(ended.code, code, "{ended:?}");
    let report: Value = serde_json::from_str(&fs::read_to_string(&ended.outputs["json-file"]).unwrap()).unwrap();
    let results = report["results"].as_array().unwrap().iter().filter(|it| it["outcome"] == "suppressed");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let by: Vec<(String, String)> =
        results.map(|it| (text(&it["suppressed"]["kind"]), text(&it["suppressed"]["reason"]))).collect();
    let expected: Vec<(String, String)> =
        expected.iter().map(|(kind, reason)| ((*kind).to_owned(), (*reason).to_owned())).collect();
    assert_eq!(by, expected, "{ended:?}");
    assert!(ended.log.contains(counted), "{ended:?}");
    assert_eq!(ended.outputs["findings"], report["summary"]["failed"].to_string());
    assert!(ended.summary.contains("| Suppressed |"), "{ended:?}");
}

#[test]
fn comments_are_obeyed() {
    let text = site("", "// formwork:ignore AZ-APPSERVICE-001 until 2999-12-31 -- a gateway redirects");
    check(&[("main.json", &text)], "", 0, &[("comment", "a gateway redirects")], "1 suppressed");
}

#[test]
fn metadata_is_obeyed() {
    let metadata =
        r#""metadata": {"formwork": {"suppress": [{"rule": "AZ-APPSERVICE-001", "reason": "a gateway redirects"}]}},"#;
    check(&[("main.json", &site(metadata, ""))], "", 0, &[("metadata", "a gateway redirects")], "1 suppressed");
}

#[test]
fn settings_are_obeyed() {
    let settings = "suppressions:\n  - {rule: AppService.*, path: '*.json', reason: a gateway redirects}\n";
    check(&[("main.json", &site("", ""))], settings, 0, &[("settings", "a gateway redirects")], "1 suppressed");
}

#[test]
fn baselines_are_obeyed() {
    let folder = Folder::new();
    folder.write("main.json", site("", "")).write("formwork.yaml", SETTINGS);
    assert_eq!(folder.run(&["check", "--write-baseline", "baseline.json"]).code, 0);
    let baseline = fs::read_to_string(folder.path().join("baseline.json")).unwrap();
    let files = [("main.json", &*site("", "")), ("baseline.json", &baseline)];
    check(&files, "baseline: baseline.json\n", 0, &[("baseline", "")], "1 accepted by the baseline");
}

#[test]
fn what_is_expired_or_has_no_reason_fails_the_job() {
    let expired = site("", "// formwork:ignore AZ-APPSERVICE-001 until 2020-01-31 -- a gateway redirects");
    check(&[("main.json", &expired)], "", 1, &[], "2 findings (2 medium)");
    check(&[("main.json", &site("", "// formwork:ignore *"))], "", 1, &[], "2 findings (2 medium)");
}
