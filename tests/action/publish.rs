//! What the action publishes to a pull request, and what comes of it where it may not.

use serde_json::{Value, json};

use crate::action::job::{Ended, Job};
use crate::harness::template;
use crate::server::{Incoming, Reply, Server};

/// A template with a finding.
fn site() -> String {
    template(
        r#""resources": [
    {
      "type": "Microsoft.Web/sites",
      "apiVersion": "2022-09-01",
      "name": "a",
      "location": "westeurope",
      "properties": {
        "httpsOnly": false
      }
    }
  ]"#,
    )
}

/// GitHub, with one pull request without comments. It answers 403 to the requests that `refuses` accepts.
fn github(head: &str, refuses: impl Fn(&Incoming) -> bool + Send + Sync + 'static) -> Server {
    let pull = json!({
        "number": 12, "state": "open", "draft": false, "locked": false, "user": {"login": "stranger", "type": "User"},
        "head": {"sha": head, "ref": "topic", "label": "stranger:topic", "repo": {"full_name": "stranger/infra"}},
        "base": {"sha": "0".repeat(40), "ref": "main", "label": "owner:main", "repo": {"full_name": "owner/infra"}},
        "html_url": "https://github.com/owner/infra/pull/12",
    });
    let added: Vec<String> = site().lines().map(|it| format!("+{it}")).collect();
    let patch = format!("@@ -0,0 +1,{} @@\n{}", added.len(), added.join("\n"));
    let file = json!({"filename": "main.json", "status": "added", "sha": "1", "patch": patch});
    Server::start(move |request| {
        let answer = |status, body: &Value| Reply::json(status, body.to_string());
        if refuses(request) {
            return answer(403, &json!({"message": "Resource not accessible by integration"}));
        }
        let path = request.target.split('?').next().unwrap();
        match (request.method.as_str(), path) {
            ("GET", "/repos/owner/infra/pulls/12") => answer(200, &pull),
            ("GET", "/repos/owner/infra/pulls") => answer(200, &json!([pull.clone()])),
            ("GET", "/repos/owner/infra/pulls/12/files") => answer(200, &json!([file.clone()])),
            ("POST", "/repos/owner/infra/pulls/12/reviews") => answer(
                200,
                &json!({"id": 8, "node_id": "r", "state": "COMMENTED", "html_url": "https://github.com/owner/infra/pull/12#r8"}),
            ),
            ("GET", path) if path.starts_with("/repos/owner/infra/") => answer(200, &json!([])),
            ("POST", "/repos/owner/infra/issues/12/comments") => {
                let body: Value = serde_json::from_slice(&request.body).unwrap();
                let user = json!({"login": "github-actions[bot]", "type": "Bot"});
                let url = "https://github.com/owner/infra/pull/12#issuecomment-7";
                answer(201, &json!({"id": 7, "node_id": "n", "body": body["body"], "user": user, "html_url": url}))
            }
            ("POST", "/graphql") => answer(200, &json!({"data": {"viewer": {"login": "github-actions[bot]"}}})),
            _ => answer(404, &json!({"message": "Not Found"})),
        }
    })
}

/// A job for a pull request that adds a template with a finding, and the commit of its head.
fn pull_request() -> (Job, String) {
    let job = Job::new();
    job.write("workspace/readme", "infra").git(&["init", "--quiet", "--initial-branch=main"]);
    let base = job.commit();
    job.write("workspace/main.json", site());
    let head = job.commit();
    job.event(
        "pull_request",
        &json!({
            "number": 12,
            "pull_request": {
                "number": 12, "draft": false,
                "base": {"ref": "main", "sha": base, "repo": {"id": 1, "full_name": "owner/infra"}},
                "head": {"ref": "topic", "sha": head, "repo": {"id": 2, "full_name": "stranger/infra"}},
            },
            "repository": {"id": 1, "full_name": "owner/infra", "default_branch": "main"},
        }),
    );
    job.variable("GITHUB_REPOSITORY", "owner/infra").variable("GITHUB_SHA", &head).variable("GITHUB_RUN_ID", "5");
    (job, head)
}

fn served(job: &Job, server: &Server) {
    job.variable("GITHUB_API_URL", &server.url()).variable("GITHUB_GRAPHQL_URL", &format!("{}/graphql", server.url()));
    job.variable("GITHUB_SERVER_URL", "https://github.com");
}

/// The methods and paths of requests that write.
fn written(server: &Server) -> Vec<String> {
    let requests = server.asked().into_iter().filter(|request| request.method != "GET" && request.target != "/graphql");
    requests.map(|request| format!("{} {}", request.method, request.target)).collect()
}

#[track_caller]
fn check_code(ended: &Ended, code: i32) {
    assert_eq!((ended.code, ended.outputs["exit-code"].as_str()), (code, code.to_string().as_str()), "{ended:?}");
}

#[test]
fn nothing_is_published_without_an_input() {
    let (job, head) = pull_request();
    let server = github(&head, |_| false);
    served(&job, &server);
    check_code(&job.run(), 1);
    assert_eq!(server.asked().len(), 0);
}

#[test]
fn a_summary_becomes_a_comment_before_the_job_fails() {
    let (job, head) = pull_request();
    let server = github(&head, |_| false);
    served(&job, &server);
    let ended = job.input("summary-comment", "true").input("category", "infra").run();
    check_code(&ended, 1);
    assert_eq!(written(&server), ["POST /repos/owner/infra/issues/12/comments"], "{ended:?}");
    assert_eq!(ended.outputs["comment-url"], "https://github.com/owner/infra/pull/12#issuecomment-7");
    assert!(
        ended.log.contains("::debug::formwork github report --from=")
            && ended.log.contains(" --summary --category=infra")
    );
}

#[test]
fn a_review_comments_on_the_changed_lines() {
    let (job, head) = pull_request();
    let server = github(&head, |_| false);
    served(&job, &server);
    let ended = job.input("review-comments", "true").run();
    check_code(&ended, 1);
    assert_eq!(written(&server), ["POST /repos/owner/infra/pulls/12/reviews"], "{ended:?}");
    let review =
        server.asked().into_iter().find(|request| request.method == "POST" && request.target.ends_with("/reviews"));
    let review: Value = serde_json::from_slice(&review.unwrap().body).unwrap();
    let comments = review["comments"].as_array().unwrap();
    assert!(!comments.is_empty() && comments.iter().all(|it| it["path"] == "main.json"), "{review}");
    assert_eq!((ended.messages("notice").len(), review["commit_id"].as_str()), (0, Some(head.as_str())));
}

#[test]
fn a_token_that_may_not_write_is_one_notice_and_changes_nothing_else() {
    let (job, head) = pull_request();
    let server = github(&head, |it| it.method != "GET");
    served(&job, &server);
    let ended = job.input("summary-comment", "true").input("review-comments", "true").run();
    check_code(&ended, 1);
    let notices = ended.messages("notice");
    assert!(notices.len() == 1 && notices[0].contains("`permissions: pull-requests: write`"), "{ended:?}");
    assert_eq!(ended.outputs["comment-url"], "");
    assert!(ended.summary.contains("main.json"), "nothing is lost: {ended:?}");
}

#[test]
fn a_server_that_cannot_be_reached_is_one_notice() {
    let (job, _) = pull_request();
    job.variable("GITHUB_API_URL", "http://127.0.0.1:9").variable("GITHUB_GRAPHQL_URL", "http://127.0.0.1:9/graphql");
    let ended = job.input("summary-comment", "true").run();
    check_code(&ended, 1);
    assert_eq!(ended.messages("notice").len(), 1, "{ended:?}");
}

#[test]
fn a_second_workflow_publishes_what_the_first_one_found() {
    let (first, head) = pull_request();
    first.input("token", "");
    let found = first.run();
    check_code(&found, 1);

    let server = github(&head, |_| false);
    let second = Job::new();
    served(&second, &server);
    second.variable("GITHUB_REPOSITORY", "owner/infra").variable("GITHUB_SHA", &"f".repeat(40));
    second.event(
        "workflow_run",
        &json!({
            "action": "completed",
            "workflow_run": {
                "head_sha": head, "head_branch": "topic", "event": "pull_request", "pull_requests": [],
                "head_repository": {"full_name": "stranger/infra", "owner": {"login": "stranger"}},
            },
            "repository": {"id": 1, "full_name": "owner/infra", "default_branch": "main"},
        }),
    );
    let report = std::fs::read(&found.outputs["json-file"]).unwrap();
    second.write("temp/formwork/report.json", report);
    second.input("report", second.path("temp/formwork/report.json").to_str().unwrap()).input("summary-comment", "true");
    let ended = second.run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(written(&server), ["POST /repos/owner/infra/issues/12/comments"], "{ended:?}");
    let comment =
        server.asked().into_iter().find(|request| request.method == "POST" && request.target.contains("comments"));
    let body = String::from_utf8(comment.unwrap().body).unwrap();
    assert!(body.contains("main.json"), "{body}");
    assert_eq!((ended.outputs["exit-code"].as_str(), ended.summary.as_str()), ("", ""), "nothing is checked");
    assert_eq!(ended.outputs["comment-url"], "https://github.com/owner/infra/pull/12#issuecomment-7");
}

#[test]
fn a_report_that_cannot_be_used_fails_the_job_that_is_there_to_publish_it() {
    for (report, wanted) in [("{}", "the report was not published; see the log"), ("", "nothing to publish")] {
        let job = Job::new();
        job.variable("GITHUB_REPOSITORY", "owner/infra").write("temp/report.json", report);
        job.input("report", job.path("temp/report.json").to_str().unwrap());
        job.input("summary-comment", if report.is_empty() { "false" } else { "true" });
        let ended = job.run();
        assert!(ended.code != 0 && ended.messages("error").iter().any(|it| it.contains(wanted)), "{ended:?}");
    }
}

#[test]
fn the_name_of_a_report_is_neither_an_option_nor_a_command() {
    let job = Job::new();
    job.variable("GITHUB_REPOSITORY", "owner/infra").input("summary-comment", "true").input("report", "--dry-run");
    let ended = job.run();
    assert!(ended.code != 0 && ended.log.contains("/workspace/--dry-run`: No such file"), "{ended:?}");
    job.input("report", "a\n::error::forged");
    let ended = job.run();
    assert_eq!(ended.messages("error")[0], "`report` cannot contain a line break", "{ended:?}");
    assert!(!ended.commands().contains(&"::error::forged"));
}
