//! A check run instead of annotations in the log of a job, of which GitHub shows ten per level.

use serde_json::json;

use crate::github::fake::{Fault, denied, status};
use crate::github::{HEAD, Job, OTHER, REVIEW, check_exit, notices, sites};
use crate::server::Reply;

const NEW: &str = "POST /repos/org/infra/check-runs";

/// A pull request with this many findings.
fn with_findings(count: usize) -> Job {
    let names: Vec<String> = (0..count).map(|number| format!("site{number}")).collect();
    Job::new(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The lines that are annotated.
fn annotated(job: &Job) -> Vec<u64> {
    let world = job.github.world();
    let all = world.check_runs.iter().flat_map(|run| &run.annotations);
    all.map(|annotation| annotation["start_line"].as_u64().unwrap()).collect()
}

/// The lines of `count` findings.
fn lines(count: u64) -> Vec<u64> {
    let text = sites(&(0..count).map(|_| "x").collect::<Vec<_>>(), 0);
    let wrong = text.lines().zip(1..).filter(|(line, _)| line.contains("httpsOnly"));
    wrong.map(|(_, number)| number).collect()
}

#[test]
fn annotates_more_than_ten_lines() {
    let job = with_findings(25);
    let ended = job.report_with(&["--check-run"], &[]);
    check_exit(&ended, 0);
    assert_eq!(job.writes(), [NEW]);
    assert_eq!(annotated(&job), lines(25));
    assert_eq!(ended.stderr, "check run with 25 annotations: https://github.com/org/infra/runs/1001\n");
    let world = job.github.world();
    let run = &world.check_runs[0];
    assert_eq!((run.head.as_str(), &run.content["name"]), (HEAD, &json!("formwork")));
    assert_eq!((&run.content["status"], &run.content["conclusion"]), (&json!("completed"), &json!("neutral")));
    assert!(run.annotations.iter().all(|it| it["path"] == "main.json" && it["annotation_level"] == "warning"));
    assert!(run.content["output"]["summary"].as_str().unwrap().starts_with("## formwork: 25 findings\n"));
}

#[test]
fn is_sent_in_parts_of_fifty_and_once() {
    let job = with_findings(120);
    check_exit(&job.report_with(&["--check-run"], &[]), 0);
    let part = "PATCH /repos/org/infra/check-runs/1001";
    assert_eq!(job.writes(), [NEW, part, part]);
    assert_eq!(annotated(&job), lines(120));
    let again = job.report_with(&["--check-run"], &[]);
    check_exit(&again, 0);
    assert_eq!((job.writes().len(), again.stderr.as_str()), (0, ""));
    job.push(OTHER, &sites(&[], 0));
    check_exit(&job.report_with(&["--check-run"], &[]), 0);
    assert_eq!(job.github.world().check_runs[1].content["conclusion"], "success");
}

#[test]
fn has_each_annotation_once_after_an_unclear_failure() {
    let outage = || Reply::Answer(status(502, &json!(null)));
    for reply in [outage, || Reply::Silence] {
        for (method, end) in [("POST", "/check-runs"), ("PATCH", "/check-runs/1001")] {
            let job = with_findings(120);
            job.github.world().fault(method, end, Fault::Accepted(reply()));
            check_exit(&job.report_with(&["--check-run"], &[]), 0);
            assert_eq!(annotated(&job), lines(120), "{method}");
            assert_eq!(job.github.world().check_runs.len(), 1);
        }
    }
    // What was not accepted is sent again.
    let job = with_findings(60);
    job.github.world().fault("PATCH", "/check-runs/1001", Fault::Refused(status(502, &json!(null))));
    check_exit(&job.report_with(&["--check-run"], &[]), 0);
    assert_eq!(annotated(&job), lines(60));
}

#[test]
fn gives_way_to_annotations_in_the_log_if_the_token_may_not() {
    for code in [403, 404] {
        let job = Job::new(&["a"]);
        job.folder.write("annotations.txt", "::error file=main.json,line=4::m\n");
        job.github.world().fault("POST", "/check-runs", Fault::Refused(denied(code)));
        let ended = job.report_with(&["--check-run", "--or-annotate=annotations.txt"], &[]);
        check_exit(&ended, 0);
        let (notice, rest) = ended.stdout.split_once('\n').unwrap();
        assert!(notice.contains("`permissions: checks: write`"), "{ended:?}");
        assert_eq!(rest, "::error file=main.json,line=4::m\n");
    }
}

#[test]
fn and_comments_do_not_depend_on_each_other() {
    let job = Job::new(&["a"]);
    job.github.world().fault("POST", "/check-runs", Fault::Refused(denied(403)));
    let ended = job.report_with(&["--check-run", "--review"], &[]);
    check_exit(&ended, 0);
    assert_eq!((job.writes(), notices(&ended).len()), (vec![NEW.to_owned(), REVIEW.to_owned()], 1));
}

#[test]
fn needs_no_pull_request_but_the_commit_of_the_report() {
    let job = Job::new(&["a"]);
    job.event("push", &json!({"ref": "refs/heads/main", "before": "1".repeat(40), "after": HEAD, "repository": {"full_name": "org/infra"}}));
    let mut report = job.read_report();
    report["change"] = json!({"event": "push", "pull_request": null, "base": null, "head": null, "commit": HEAD});
    job.write_report(&report);
    check_exit(&job.report_with(&["--check-run"], &[("GITHUB_SHA", HEAD)]), 0);
    assert_eq!(job.github.world().check_runs[0].head, HEAD);
    let other = job.report_with(&["--check-run"], &[("GITHUB_SHA", OTHER)]);
    check_exit(&other, 3);
    assert!(other.stderr.contains("it is of the commit `2222222`, and the workflow runs for `3333333`"), "{other:?}");
}

#[test]
fn can_be_printed_without_being_sent() {
    let job = with_findings(60);
    let dry = job.report_with(&["--check-run", "--dry-run"], &[]);
    check_exit(&dry, 0);
    assert_eq!((job.writes().len(), dry.stdout.lines().count()), (0, 2));
    assert!(dry.stdout.lines().all(|line| line.contains("/repos/org/infra/check-runs")), "{dry:?}");
}
