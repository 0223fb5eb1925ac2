//! More findings than annotations, the job summary, or code scanning have room for.

use std::fs;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::action::job::{Ended, Job};
use crate::harness::template;

/// The sites of the template, each with a finding of both rules.
const SITES: usize = 2_600;

const RULES: &str = r#"[
  {"id": "ACME-1", "name": "Acme.Https", "shortDescription": "https", "fullDescription": "https", "recommendation": "https",
   "severity": 1, "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}},
  {"id": "ACME-3", "name": "Acme.Kind", "shortDescription": "kind", "fullDescription": "kind", "recommendation": "kind",
   "severity": 3, "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "kind", "equals": "app"}}]"#;

/// What a run over many findings leaves.
struct Flood {
    ended: Ended,
    sarif: Value,
    json: Value,
}

/// The run is long, and the tests look at it from several sides.
static FLOOD: LazyLock<Flood> = LazyLock::new(|| {
    let job = Job::new();
    let site = |at: usize| {
        format!(
            "{{\"type\": \"Microsoft.Web/sites\", \"apiVersion\": \"2022-09-01\", \"name\": \"a{at}\",\n\
             \"kind\": \"api\", \"properties\": {{\n\"httpsOnly\": false}}}}"
        )
    };
    let sites: Vec<String> = (0..SITES).map(site).collect();
    job.write("workspace/main.json", template(&format!("\"resources\": [\n{}\n]", sites.join(",\n"))));
    job.write(
        "workspace/formwork.yaml",
        "rules:\n  paths: [rules]\n  builtin: false\n  exclude: [template/limits]\nmin-severity: low\n",
    );
    job.write("workspace/rules/acme.json", RULES);
    job.variable("GITHUB_SERVER_URL", "https://github.com").variable("GITHUB_REPOSITORY", "owner/infra");
    job.variable("GITHUB_RUN_ID", "5").input("upload-sarif", "true");
    let ended = job.run();
    let read = |output: &str| serde_json::from_str(&fs::read_to_string(&ended.outputs[output]).unwrap()).unwrap();
    Flood { sarif: read("sarif-file"), json: read("json-file"), ended }
});

#[test]
fn the_json_report_has_all_findings() {
    let failed = FLOOD.json["summary"]["failed"].as_u64().unwrap();
    assert_eq!(failed, 2 * SITES as u64, "{:?}", FLOOD.json["summary"]);
    assert_eq!(FLOOD.json["results"].as_array().unwrap().len() as u64, failed);
    assert_eq!((FLOOD.ended.code, FLOOD.ended.outputs["findings"].as_str()), (1, failed.to_string().as_str()));
}

#[test]
fn code_scanning_gets_the_most_severe_results_and_everybody_is_told() {
    let run = &FLOOD.sarif["runs"][0];
    let results = run["results"].as_array().unwrap();
    let of = |rule: &str| results.iter().filter(|result| result["ruleId"] == rule).count();
    assert_eq!((results.len(), of("ACME-1"), of("ACME-3")), (5_000, SITES, 5_000 - SITES));
    let said = "200 results omitted, least severe first: code scanning accepts at most 5000 results and 10 MB";
    let notifications = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(notifications.last().unwrap()["message"]["text"], json!(said));
    assert!(FLOOD.ended.log.contains(&format!("of the report for code scanning, {said}")));
    assert!(FLOOD.ended.summary.contains(&format!("\nOf the report for code scanning, {said}.\n")));
}

#[test]
fn the_job_summary_uses_its_mebibyte_and_says_what_it_has_no_room_for() {
    let summary = &FLOOD.ended.summary;
    assert!(summary.len() > 700_000 && summary.len() <= 1024 * 1024, "{} bytes", summary.len());
    let rows = summary.lines().filter(|line| line.starts_with("| high ") || line.starts_with("| low ")).count();
    let rest = 2 * SITES - rows;
    let said = format!("… and {rest} more, for which this page has no room; a JSON report has all of them");
    assert!(rest == 0 || summary.contains(&said), "{rows} rows");
    assert!(rows > 2_000, "{rows} rows");
}

#[test]
fn the_log_says_how_many_annotations_are_shown_and_where_the_others_are() {
    let log = &FLOOD.ended.log;
    let url = "https://github.com/owner/infra/actions/runs/5";
    for level in ["error", "notice"] {
        let said = format!("showing 10 of {SITES} {level} annotations; all are in {url}\n");
        assert!(log.contains(&said), "{level}");
    }
    let first = FLOOD.ended.commands().into_iter().find(|command| command.starts_with("::error file=")).unwrap();
    assert!(first.contains(&format!("and {} more in this file", SITES - 1)), "{first}");
}
