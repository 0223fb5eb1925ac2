//! The workflow of `docs/scale-out.md`, run: its matrix, its artifacts, and the job that joins them.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::action::expression::interpolate;
use crate::action::job::{Ended, Job};
use crate::harness::template;
use crate::yaml;

/// The jobs of the page.
fn workflow() -> Value {
    let page = include_str!("../../docs/scale-out.md");
    let (_, rest) = page.split_once("```yaml\n").unwrap();
    yaml::parse(rest.split_once("```").unwrap().0)
}

/// The step of a job that uses an action.
fn step<'a>(job: &'a Value, action: &str) -> &'a Value {
    let mut steps = job["steps"].as_array().unwrap().iter();
    steps.find(|step| step["uses"].as_str().is_some_and(|used| used.starts_with(action))).unwrap()
}

fn runner() -> Job {
    let job = Job::new();
    job.git(&["init", "--quiet"]);
    for number in 0..6 {
        let https = number % 2 == 0;
        let site = format!(
            r#""resources": [{{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "app{number}", "location": "westeurope",
  "properties": {{"httpsOnly": {https}, "siteConfig": {{"minTlsVersion": "1.2", "ftpsState": "Disabled"}}}}}}]"#
        );
        job.write(&format!("workspace/infra/{number}/main.json"), template(&site));
    }
    job.commit();
    job
}

/// Runs the step of the action with its inputs from the page.
fn run(job: &Job, step: &Value, known: &BTreeMap<String, String>) -> Ended {
    let lookup = |name: &str| known.get(name).cloned().unwrap_or_default();
    for (name, value) in step["with"].as_object().unwrap() {
        job.input(name, &interpolate(value.as_str().unwrap(), &lookup));
    }
    job.run()
}

/// Runs the matrix, without one of its jobs if `lost` names it, and then the job that joins.
fn joined(lost: Option<usize>) -> (Job, Ended) {
    let workflow = workflow();
    let (check, merge) = (&workflow["jobs"]["check"], &workflow["jobs"]["merge"]);
    let parts = check["strategy"]["matrix"]["shard"].as_array().unwrap();
    assert_eq!(merge["needs"], "check");
    let last = runner();
    let temp = last.path("temp").display().to_string();
    let downloads = step(merge, "actions/download-artifact@");
    for (index, part) in parts.iter().enumerate().filter(|(index, _)| Some(*index) != lost) {
        let job = runner();
        let mut known = BTreeMap::from([
            ("matrix.shard".to_owned(), part.as_str().unwrap().to_owned()),
            ("strategy.job-index".to_owned(), index.to_string()),
        ]);
        let ended = run(&job, step(check, "OWNER/formwork@"), &known);
        assert_eq!((ended.code, ended.outputs["exit-code"].as_str()), (0, "0"), "{ended:?}");
        known.insert("steps.formwork.outputs.json-file".to_owned(), ended.outputs["json-file"].clone());
        let lookup = |name: &str| known.get(name).cloned().unwrap_or_default();
        let upload = &step(check, "actions/upload-artifact@")["with"];
        let text = |value: &Value| interpolate(value.as_str().unwrap(), &lookup);
        let artifact = text(&upload["name"]);
        let pattern = downloads["with"]["pattern"].as_str().unwrap().trim_end_matches('*');
        assert!(artifact.starts_with(pattern) && !artifact.contains('/'), "{artifact}");
        last.write(&format!("temp/formwork/{artifact}/report.json"), fs::read(text(&upload["path"])).unwrap());
    }
    let known = BTreeMap::from([("runner.temp".to_owned(), temp)]);
    let lookup = |name: &str| known.get(name).cloned().unwrap_or_default();
    let uses = step(merge, "OWNER/formwork@");
    let path = |value: &Value| interpolate(value.as_str().unwrap(), &lookup);
    assert_eq!(path(&downloads["with"]["path"]), path(&uses["with"]["merge"]));
    let ended = run(&last, uses, &known);
    (last, ended)
}

#[test]
fn the_workflow_of_the_page_is_a_check_on_one_machine() {
    let whole = runner();
    let expected = whole.input("fail-on", "medium").run();
    let (_last, ended) = joined(None);
    assert_eq!((ended.code, ended.outputs["exit-code"].as_str()), (1, "1"), "{ended:?}");
    for name in ["findings", "errors", "warnings", "notices", "new-findings"] {
        assert_eq!(ended.outputs[name], expected.outputs[name], "{name}");
    }
    assert!(ended.outputs["findings"].parse::<usize>().unwrap() >= 3);
    assert_eq!(
        (ended.messages("error"), ended.messages("warning")),
        (expected.messages("error"), expected.messages("warning"))
    );
    assert_eq!(ended.summary, expected.summary);
    for report in ["json-file", "sarif-file"] {
        let read = |ended: &Ended| fs::read_to_string(&ended.outputs[report]).unwrap();
        assert!(read(&ended) == read(&expected), "{report}");
    }
}

#[test]
fn without_the_report_of_a_part_the_job_fails_and_reports_nothing() {
    let (_last, ended) = joined(Some(2));
    assert_eq!(
        (ended.code, ended.outputs["exit-code"].as_str(), ended.outputs["sarif-file"].as_str()),
        (3, "3", ""),
        "{ended:?}"
    );
    assert_eq!(ended.messages("error"), ["the report of part 3 of 4 is missing; its check may have failed"]);
}
