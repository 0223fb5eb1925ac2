//! Which pull request a report goes to, and which reports are refused.

use std::fs::File;

use serde_json::{Value, json};

use crate::github::{HEAD, Job, NEW_SUMMARY, OTHER, REVIEW, check_exit, notices};

/// The end of a workflow that checked a commit of a fork.
fn workflow_run(head: &str) -> Value {
    json!({
        "action": "completed",
        "workflow_run": {
            "head_sha": head, "head_branch": "topic",
            "head_repository": {"id": 2, "full_name": "somebody/infra", "owner": {"login": "somebody"}},
            "pull_requests": [],
        },
        "repository": {"id": 1, "full_name": "org/infra", "default_branch": "main"},
    })
}

/// A job of `workflow_run`, after the workflow of a fork.
fn of_fork() -> Job {
    let job = Job::new(&["a"]);
    "somebody/infra".clone_into(&mut job.github.world().head_repository);
    job.event("workflow_run", &workflow_run(HEAD));
    job
}

/// Asserts that nothing is published, for a reason that is not an error.
#[track_caller]
fn check_nothing(job: &Job, arguments: &[&str], reason: &str) {
    let ended = job.report_with(arguments, &[]);
    check_exit(&ended, 0);
    assert_eq!(notices(&ended), [format!("nothing is published: {reason}")]);
    assert_eq!(job.writes(), [""; 0]);
}

/// The report is refused, and GitHub is not written to.
#[track_caller]
fn check_refused(job: &Job, reason: &str) {
    let ended = job.report();
    check_exit(&ended, 3);
    assert!(ended.stderr.starts_with(&format!("error: the report cannot be used: {reason}")), "{ended:?}");
    assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
    assert_eq!(job.writes(), [""; 0]);
}

#[test]
fn a_pull_request_that_moved_on_is_left_to_the_newer_run() {
    let job = Job::new(&["a"]);
    OTHER.clone_into(&mut job.github.world().head);
    let reason = "pull request 12 has moved on from `2222222` to `3333333`; the run for that commit reports";
    check_nothing(&job, &["--review"], reason);
}

#[test]
fn a_closed_pull_request_is_left_alone() {
    let job = Job::new(&["a"]);
    job.github.world().is_closed = true;
    check_nothing(&job, &["--summary"], "pull request 12 is not open");
}

#[test]
fn an_event_without_a_pull_request_is_not_an_error() {
    let job = Job::new(&["a"]);
    job.event("schedule", &json!({}));
    let reason = "the event `schedule` has no pull request; `--pull-request` can name one";
    check_nothing(&job, &["--review"], reason);
    check_exit(&job.report_with(&["--review", "--pull-request", "12"], &[]), 0);
    assert_eq!(job.writes(), [REVIEW]);
}

#[test]
fn after_the_workflow_of_a_fork_the_pull_request_is_found_by_its_branch() {
    let job = of_fork();
    check_exit(&job.report(), 0);
    assert_eq!(job.writes(), [REVIEW, NEW_SUMMARY]);
}

#[test]
fn after_the_workflow_of_a_branch_the_event_names_the_pull_request() {
    let job = Job::new(&["a"]);
    let mut event = workflow_run(HEAD);
    event["workflow_run"]["pull_requests"] = json!([{"number": 12, "base": {"repo": {"id": 1}}}]);
    job.event("workflow_run", &event);
    check_exit(&job.report(), 0);
    assert_eq!(job.writes(), [REVIEW, NEW_SUMMARY]);
}

#[test]
fn a_report_does_not_choose_its_pull_request() {
    let job = of_fork();
    let mut report = job.read_report();
    report["change"]["pull_request"] = json!(99);
    job.write_report(&report);
    check_exit(&job.report(), 0);
    assert_eq!(job.writes(), [REVIEW, NEW_SUMMARY]);
    // Nor does the branch of a fork choose that of another.
    "other/infra".clone_into(&mut job.github.world().head_repository);
    check_nothing(&job, &["--review"], "no open pull request has the commit `2222222`");
}

#[test]
fn a_report_of_another_commit_is_refused() {
    let job = of_fork();
    let mut report = job.read_report();
    report["change"]["head"] = json!(OTHER);
    job.write_report(&report);
    check_refused(&job, "it is of the commit `3333333`, and the event is about `2222222`");
    report.as_object_mut().unwrap().remove("change");
    job.write_report(&report);
    check_refused(&job, "it does not say which commit it is of");
}

#[test]
fn a_report_that_is_none_is_refused() {
    let job = of_fork();
    for (text, reason) in [("{ broken", "the report is not JSON"), ("[]", ""), ("", "the report is not JSON")] {
        job.folder.write("report.json", text);
        check_refused(&job, reason);
    }
    let file = File::create(job.folder.path().join("report.json")).unwrap();
    file.set_len(1 << 40).unwrap();
    check_refused(&job, "the report is longer than");
}

#[test]
fn a_report_is_a_file() {
    let job = of_fork();
    let path = job.folder.path().join("report.json");
    std::fs::remove_file(&path).unwrap();
    check_refused(&job, "");
    std::fs::create_dir(&path).unwrap();
    check_refused(&job, "`");
    std::fs::remove_dir(&path).unwrap();
    job.folder.write("secret.json", "{}");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(job.folder.path().join("secret.json"), &path).unwrap();
        let ended = job.report();
        check_exit(&ended, 3);
        assert!(ended.stderr.contains("is not a regular file but a link, a folder, or a device"), "{ended:?}");
    }
}

#[test]
fn usage_errors_are_reported_before_anything_is_sent() {
    let job = Job::new(&["a"]);
    let check = |arguments: &[&str], variables: &[(&str, &str)], reason: &str| {
        let ended = job.report_with(arguments, variables);
        check_exit(&ended, 2);
        assert!(ended.stderr.starts_with(&format!("error: {reason}")), "{ended:?}");
        assert!(job.github.world().requests.is_empty());
    };
    check(&[], &[], "nothing to publish");
    check(&["--review"], &[("GITHUB_TOKEN", "")], "no token found");
    check(&["--review"], &[("GITHUB_TOKEN", "a\nb")], "the token has characters");
    check(&["--review"], &[("GITHUB_REPOSITORY", "")], "`GITHUB_REPOSITORY` is not set");
    check(&["--review"], &[("GITHUB_REPOSITORY", "org/infra/../x")], "`GITHUB_REPOSITORY` is invalid");
    check(&["--review"], &[("GITHUB_API_URL", "ftp://host")], "`ftp://host` is not an address");
    check(&["--review"], &[("GITHUB_EVENT_PATH", "missing.json")], "cannot read the file of `GITHUB_EVENT_PATH`");
}
