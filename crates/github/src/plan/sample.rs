//! Reports and a pull request for tests, in parts that can be combined, and a stand-in for GitHub that carries out
//! plans.

#![cfg_attr(not(test), expect(dead_code, reason = "the fuzz targets use a part of it"))]
#![expect(clippy::unwrap_used, reason = "a sample that is wrong should stop the test")]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::diagnostic::{CheckTable, common_checks};
use crate::plan::body::Style;
use crate::plan::marker::Category;
use crate::plan::page::Links;
use crate::plan::{Existing, Options, PublishPlan, State, SummaryWrite, plan};
use crate::published::Report;
use crate::wire::{IssueComment, PullFile, ReviewComment, User};

/// Newest commit of the pull request.
pub(crate) const HEAD: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// Login that formwork writes as.
pub(crate) const BOT: &str = "github-actions[bot]";

/// Returns a fingerprint that differs for each `number`.
pub(crate) fn fingerprint(number: u32) -> String {
    format!("{number:016x}")
}

/// Returns a finding on one line of `infra/main.json`.
pub(crate) fn finding(number: u32, line: u32) -> Value {
    json!({
        "rule": "AZ-STORAGE-001",
        "name": "Storage.MinTls12",
        "severity": 1,
        "level": "error",
        "outcome": "failed",
        "message": format!("storage account `st{number}` accepts TLS older than 1.2"),
        "template": "infra/main.json",
        "parameters": ["infra/dev.json", "infra/prod.json"],
        "resource": {"type": "Microsoft.Storage/storageAccounts", "name": format!("st{number}"), "id": "/x"},
        "path": "resources[0].properties.minimumTlsVersion",
        "failed_paths": ["resources[0].properties.minimumTlsVersion"],
        "location": place("infra/main.json", line, line),
        "failures": [],
        "related": [],
        "actual": "TLS1_0",
        "fingerprint": fingerprint(number),
    })
}

/// Returns a location in a report.
pub(crate) fn place(file: &str, line: u32, end_line: u32) -> Value {
    json!({"file": file, "line": line, "column": 1, "end_line": end_line, "end_column": 9})
}

/// Returns `object` with `members` added or replaced.
pub(crate) fn with_members(mut object: Value, members: Value) -> Value {
    if let (Value::Object(object), Value::Object(members)) = (&mut object, members) {
        object.extend(members);
    }
    object
}

/// Returns a problem of the run.
pub(crate) fn problem(level: &str, message: &str) -> Value {
    with_members(place("infra/broken.json", 3, 3), json!({"code": "syntax/json", "level": level, "message": message}))
}

/// Returns a report with these findings and problems.
pub(crate) fn document(results: &[Value], diagnostics: &[Value]) -> Value {
    json!({
        "schema": "formwork/report/v1",
        "tool": {"name": "formwork", "version": "0.1.0"},
        "change": {"event": "pull_request", "pull_request": 12, "base": null, "head": HEAD, "commit": HEAD},
        "summary": {
            "templates": 2, "deployments": 3, "resources": 5, "rules": 9,
            "failed": results.len(), "passed": 1, "unknown": 1, "suppressed": 0, "errors": 0,
        },
        "results": results,
        "diagnostics": diagnostics,
        "rules": [{
            "id": "AZ-STORAGE-001",
            "description": "Storage accounts require TLS 1.2.",
            "recommendation": "set `minimumTlsVersion` to `TLS1_2`",
            "help_uri": "https://example.org/rules/AZ-STORAGE-001?a&b",
        }],
    })
}

pub(crate) fn read(document: &Value) -> Report {
    let checks = CheckTable::new(common_checks::CHECKS.iter().copied());
    Report::read(document.to_string().as_bytes(), &checks).unwrap()
}

pub(crate) fn report(results: &[Value]) -> Report {
    read(&document(results, &[]))
}

/// Returns a file in which lines `first..=last` are new.
pub(crate) fn file(name: &str, first: u32, last: u32) -> PullFile {
    let mut patch = format!("@@ -{first},0 +{first},{} @@\n", last + 1 - first);
    for line in first..=last {
        let _ = writeln!(patch, "+line {line}");
    }
    PullFile { filename: name.to_owned(), status: "modified".to_owned(), patch: Some(patch.trim_end().to_owned()) }
}

pub(crate) fn user(login: &str) -> Option<User> {
    let kind = if login.ends_with("[bot]") { "Bot" } else { "User" };
    Some(User { login: login.to_owned(), kind: kind.to_owned() })
}

/// Returns a pull request that changes lines 1 to 50 of `infra/main.json` and has no comments.
pub(crate) fn existing() -> Existing {
    Existing {
        viewer: BOT.to_owned(),
        head: HEAD.to_owned(),
        files: vec![file("infra/main.json", 1, 50)],
        comments: Vec::new(),
        summaries: Vec::new(),
        hidden: Some(BTreeSet::new()),
    }
}

/// Returns the style for texts on a report.
pub(super) fn style(report: &Report) -> Style<'_> {
    let basis = report.basis(HEAD, false);
    let links = Links { server: "https://github.com", repository: "octo/infra", head: HEAD, basis, has_lines: true };
    Style { category: Category::new(""), links }
}

/// Returns options with everything turned on.
pub(crate) fn options() -> Options {
    Options {
        review: true,
        summary: true,
        category: String::new(),
        rejected: BTreeSet::new(),
        is_of_head: false,
        repository: "octo/infra".to_owned(),
        server_url: "https://github.com".to_owned(),
        run_url: Some("https://github.com/octo/infra/actions/runs/7".to_owned()),
        difference: None,
    }
}

pub(crate) fn review_comment(id: u64, author: &str, body: &str) -> ReviewComment {
    ReviewComment {
        id,
        node_id: format!("node{id}"),
        user: user(author),
        body: body.to_owned(),
        path: "infra/main.json".to_owned(),
        line: Some(1),
        start_line: None,
        in_reply_to_id: None,
    }
}

pub(crate) fn issue_comment(id: u64, author: &str, body: &str) -> IssueComment {
    let html_url = format!("https://github.com/octo/infra/pull/12#issuecomment-{id}");
    IssueComment { id, user: user(author), body: Some(body.to_owned()), html_url }
}

/// Carries out a plan like GitHub does.
pub(crate) fn apply(plan: &PublishPlan, existing: &mut Existing) {
    let comments = existing.comments.iter().map(|comment| comment.id);
    let mut id = comments.chain(existing.summaries.iter().map(|comment| comment.id)).max().unwrap_or(100);
    for edit in &plan.edits {
        let comment = existing.comments.iter_mut().find(|comment| comment.id == edit.id).unwrap();
        assert_eq!(comment.node_id, edit.node_id);
        if let Some(body) = &edit.body {
            comment.body.clone_from(&body.body);
        }
        if let Some(hidden) = &mut existing.hidden {
            match edit.state {
                State::Open => hidden.remove(&edit.node_id),
                State::Fixed => hidden.insert(edit.node_id.clone()),
            };
        }
    }
    for new in plan.review.iter().flat_map(|review| &review.comments) {
        id += 1;
        let comment = review_comment(id, &existing.viewer, &new.body);
        let path = new.path.clone();
        existing.comments.push(ReviewComment { path, line: Some(new.line), start_line: new.start_line, ..comment });
    }
    match &plan.summary {
        Some(SummaryWrite::Create(body)) => {
            existing.summaries.push(issue_comment(id + 1, &existing.viewer, &body.body));
        }
        Some(SummaryWrite::Update { id, body }) => {
            let comment = existing.summaries.iter_mut().find(|comment| comment.id == *id).unwrap();
            comment.body = Some(body.body.clone());
        }
        None => {}
    }
    existing.summaries.retain(|comment| !plan.surplus.contains(&comment.id));
}

/// Plans, carries out the plan, and asserts that nothing is left to do.
#[track_caller]
pub(crate) fn publish(report: &Report, existing: &mut Existing, options: &Options) -> PublishPlan {
    let first = plan(report, existing, options);
    apply(&first, existing);
    let second = plan(report, existing, options);
    assert!(second.is_empty(), "something is left to do: {second:#?}");
    first
}
