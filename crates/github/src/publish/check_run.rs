//! Posts a check run, whose annotations are sent in parts of fifty.
//!
//! A part is added to earlier ones, so it is sent again only if it is known to be missing: GitHub returns the number
//! of annotations of a check run, and formwork recognizes its check run by the ID of its content.

use serde_json::json;

use crate::plan::CheckRunPlan;
use crate::publish::api::{Api, RepositoryName};
use crate::publish::failure::Failure;
use crate::publish::patience::TRIES;
use crate::publish::request::{Method, Request};
use crate::wire::CheckRun;

/// Maximum number of annotations in one request.
const PART: usize = 50;

/// Returns the next request for a check run, given its current state. `None` if it is complete.
fn next(plan: &CheckRunPlan, repository: &RepositoryName, existing: Option<&CheckRun>) -> Option<Request> {
    if existing.is_some_and(|run| run.status == "completed") {
        return None;
    }
    let sent = existing.map_or(0, |run| run.output.annotations_count);
    let rest = plan.annotations.get(sent..).unwrap_or_default();
    let part = rest.get(..PART).unwrap_or(rest);
    let mut body = json!({"output": {"title": plan.title, "summary": plan.summary, "annotations": part}});
    if part.len() == rest.len() {
        body["status"] = "completed".into();
        body["conclusion"] = plan.conclusion.into();
    } else {
        body["status"] = "in_progress".into();
    }
    let path = format!("{}/check-runs", repository.path());
    if let Some(run) = existing {
        return Some(Request::write(Method::Patch, format!("{path}/{}", run.id), &body));
    }
    for (name, value) in [("name", &plan.name), ("head_sha", &plan.head), ("external_id", &plan.external_id)] {
        body[name] = value.as_str().into();
    }
    Some(Request::write(Method::Post, path, &body))
}

/// Returns all requests for a check run that does not exist, for a dry run. The ID is known only after the first one.
pub(super) fn requests(plan: &CheckRunPlan, repository: &RepositoryName) -> Vec<Request> {
    let mut requests = Vec::new();
    let mut existing: Option<CheckRun> = None;
    while let Some(request) = next(plan, repository, existing.as_ref()) {
        let sent = requests.len().saturating_add(1).saturating_mul(PART);
        existing = Some(CheckRun::unfinished(sent.min(plan.annotations.len())));
        let is_last = request.body["status"] == "completed";
        requests.push(request);
        if is_last {
            break;
        }
    }
    requests
}

/// Posts the missing parts of a check run. Returns its address, and `true` if anything was missing.
pub(super) async fn post(
    plan: &CheckRunPlan,
    repository: &RepositoryName,
    api: &mut Api<'_>,
) -> Result<(String, bool), Failure> {
    let mut existing = api.check_run(&plan.head, &plan.name, &plan.external_id).await?;
    let (mut failures, mut has_written) = (0, false);
    while let Some(request) = next(plan, repository, existing.as_ref()) {
        match api.write(&request).await {
            Ok(answer) => {
                has_written = true;
                existing = Some(CheckRun::read(&answer.body)?);
            }
            Err(Failure::Unclear(text)) => {
                failures += 1;
                if failures == TRIES {
                    return Err(Failure::Unclear(text));
                }
                api.wait_after_unclear_write(failures - 1).await;
                existing = api.check_run(&plan.head, &plan.name, &plan.external_id).await?;
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok((existing.and_then(|run| run.html_url).unwrap_or_default(), has_written))
}

impl CheckRun {
    /// Reads the answer to a write.
    fn read(body: &[u8]) -> Result<Self, Failure> {
        serde_json::from_slice(body).map_err(|error| Failure::Other(format!("its answer cannot be read: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::CheckAnnotation;

    fn plan(annotations: u32) -> CheckRunPlan {
        let annotation = |line| CheckAnnotation {
            path: "a.json".to_owned(),
            start_line: line,
            end_line: line,
            annotation_level: "failure",
            title: "R".to_owned(),
            message: "m".to_owned(),
        };
        CheckRunPlan {
            name: "formwork".to_owned(),
            head: "2".repeat(40),
            external_id: "x".to_owned(),
            conclusion: "neutral",
            title: "t".to_owned(),
            summary: "s".to_owned(),
            annotations: (1..=annotations).map(annotation).collect(),
        }
    }

    #[track_caller]
    fn check(annotations: u32, expected: &[(&str, usize, &str)]) {
        let repository = RepositoryName::read("o/r").unwrap();
        let requests = requests(&plan(annotations), &repository);
        let shown = requests.iter().map(|request| {
            let part = request.body["output"]["annotations"].as_array().unwrap().len();
            (request.method.as_str(), part, request.body["status"].as_str().unwrap())
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn annotations_are_sent_in_parts() {
        check(0, &[("POST", 0, "completed")]);
        check(50, &[("POST", 50, "completed")]);
        check(51, &[("POST", 50, "in_progress"), ("PATCH", 1, "completed")]);
        let parts = [("POST", 50, "in_progress"), ("PATCH", 50, "in_progress"), ("PATCH", 20, "completed")];
        check(120, &parts);
    }
}
