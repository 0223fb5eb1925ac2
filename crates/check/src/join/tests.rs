//! Reports that are wrong, and reports that lie.

use serde_json::{Value, json};

use super::*;
use crate::report::model::Head;

/// Returns a report with these members in place of its own.
fn report(members: &Value) -> Value {
    let mut report = json!({
        "schema": "formwork/report/v1",
        "tool": {"name": "formwork", "version": env!("CARGO_PKG_VERSION")},
        "summary": {"templates": 1, "deployments": 1, "resources": 1, "rules": 1, "passed": 0},
        "results": [],
        "diagnostics": []
    });
    for (name, value) in members.as_object().unwrap() {
        report[name] = value.clone();
    }
    report
}

fn part(index: u32, count: u32) -> Value {
    report(&json!({"shard": shard(index, count)}))
}

/// Returns the member that makes a report one of a part.
fn shard(index: u32, count: u32) -> Value {
    json!({
        "index": index, "count": count, "rules": [], "stale": [], "head": [],
        "gate": {"fail_on": "low", "fail_on_unknown": false, "baseline": null, "file_bytes": 1000},
        "suppressions": {"files": [], "everything": true, "in_doubt": false, "findings": []}
    })
}

fn finding(file: &str, line: u32, column: u32) -> Value {
    json!({
        "rule": "T-1", "name": "T", "severity": 1, "outcome": "failed", "message": "m", "template": file,
        "parameters": [], "resource": null, "path": "", "failed_paths": [], "failures": [], "related": [],
        "location": {"file": file, "line": line, "column": column, "end_line": line, "end_column": column},
        "fingerprint": "0123456789abcdef", "fault": "0123456789abcdef", "resource_fingerprint": "fedcba9876543210",
        "deployments": ["0000000000000001"]
    })
}

fn joined(reports: &[Value]) -> Result<Report, String> {
    let named = |(at, report): (usize, &Value)| Named::read(format!("{}.json", at + 1), report.to_string().as_bytes());
    let named: Result<Vec<Named>, Error> = reports.iter().enumerate().map(named).collect();
    let chain = |error: Error| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        format!("{error}{cause}")
    };
    named.and_then(join).map(|joined| joined.report).map_err(chain)
}

#[track_caller]
fn check_refused(reports: &[Value], expected: &str) {
    assert_eq!(joined(reports).unwrap_err(), expected);
}

#[test]
fn all_parts_are_needed_each_once() {
    assert!(joined(&[part(2, 2), part(1, 2)]).is_ok());
    check_refused(&[part(1, 4), part(3, 4)], "the report of part 2, 4 of 4 is missing; its check may have failed");
    check_refused(&[part(1, 2), part(1, 2)], "`1.json` and `2.json` are both part 1; give one report for each part");
    let count =
        "is not a part of the same run as the reports before it: expected the same N in `--shard I/N`, from 1 to 1000";
    check_refused(&[part(1, 2), part(2, 3)], &format!("`2.json` {count}"));
    check_refused(&[part(3, 2)], &format!("`1.json` {count}"));
    check_refused(&[part(1, 4_000_000_000)], &format!("`1.json` {count}"));
    check_refused(
        &[report(&json!({})), part(1, 1)],
        "`1.json` is not the report of a part, and others are; check with `--shard` everywhere or nowhere",
    );
    assert!(joined(&[report(&json!({})), report(&json!({}))]).is_ok(), "runs over different folders");
}

#[test]
fn reports_are_of_one_commit() {
    let about = |index: u32, commit: &str| {
        let mut part = part(index, 2);
        part["change"] = json!({"event": "push", "pull_request": null, "base": null, "head": null, "commit": commit});
        part
    };
    assert!(joined(&[about(1, "a"), about(2, "a")]).is_ok());
    let message = "`1.json` and `2.json` are not about the same change; check the same commit everywhere";
    check_refused(&[about(1, "a"), about(2, "b")], message);
}

#[test]
fn the_same_settings_decided_on_all_parts() {
    let other = |member: &str, value: Value| {
        let mut part = part(2, 2);
        *part["shard"].pointer_mut(member).unwrap() = value;
        part
    };
    let rule = json!({
        "id": "T", "name": "T", "description": "", "full_description": "", "recommendation": null, "help_uri": null,
        "severity": 1, "resource_types": [], "origin": "head"
    });
    let message = "`1.json` and `2.json` were not checked with the same settings and rules; \
                   use the same commit and flags everywhere";
    for (member, value) in [
        ("/gate/fail_on", json!("never")),
        ("/gate/fail_on_unknown", json!(true)),
        ("/gate/baseline", json!("b.json")),
        ("/rules", json!([rule])),
    ] {
        check_refused(&[part(1, 2), other(member, value)], message);
    }
    let wrong = "cannot use `2.json`: `shard.gate.fail_on` of the report: expected `high`, `medium`, `low` or `never`";
    check_refused(&[part(1, 2), other("/gate/fail_on", json!("x"))], wrong);
}

#[test]
fn a_suppression_is_unused_only_if_it_is_in_all_parts_that_know_it() {
    let unused = |everything: bool, files: &[&str], is_claimed: bool| {
        let mut finding = finding("main.json", 2, 3);
        finding["rule"] = json!("suppression/unused");
        json!({
            "files": files, "everything": everything, "in_doubt": false,
            "findings": if is_claimed { vec![finding] } else { Vec::new() }
        })
    };
    let count = |other: Value| {
        let part = |index: u32, suppressions: Value| {
            let mut part = part(index, 2);
            part["shard"]["suppressions"] = suppressions;
            part
        };
        let run = joined(&[part(1, unused(true, &["main.json"], true)), part(2, other)]).unwrap();
        assert_eq!(run.findings.len(), run.summary.failed);
        run.findings.len()
    };
    assert_eq!(count(unused(true, &["main.json"], true)), 1, "in both");
    assert_eq!(count(unused(true, &["main.json"], false)), 0, "used in the other");
    assert_eq!(count(unused(true, &[], false)), 1, "the other does not know the file");
    assert_eq!(count(unused(false, &[], false)), 0, "the other did not check everything");
}

#[test]
fn what_is_no_report_of_this_version_is_refused() {
    let own = env!("CARGO_PKG_VERSION");
    let other = report(&json!({"tool": {"version": "9.9.9"}}));
    let message =
        format!("`1.json` was not written by formwork {own}; use one version for all parts and for `formwork merge`");
    check_refused(&[other], &message);
    let schema = "cannot use `1.json`: `schema` of the report is not `formwork/report/v1`";
    check_refused(&[json!({"schema": "x"})], schema);
    let mut wrong = finding("main.json", 1, 1);
    wrong["location"]["line"] = json!("::error::forged");
    let message = "cannot use `1.json`: `results[0].location.line` of the report: expected an integer";
    check_refused(&[report(&json!({"results": [wrong]}))], message);
    let problem = json!({"code": "A b", "level": "error", "message": "m", "file": "x", "line": 1, "column": 1, "end_line": 1, "end_column": 1});
    let message = "cannot use `1.json`: `diagnostics[0].code` of the report: expected words in lower case with `/` or `-` between them";
    check_refused(&[report(&json!({"diagnostics": [problem]}))], message);
}

#[test]
fn places_may_be_anywhere() {
    for (line, column) in [(9, 7), (4_000_000_000, 1), (1, 4_000_000_000), (u32::MAX, u32::MAX)] {
        let report = joined(&[report(&json!({"results": [finding("gone.json", line, column)]}))]).unwrap();
        let place = &report.findings[0].place;
        assert_eq!((place.start.line, place.start.column, place.file.line(line)), (line, column, None));
    }
}

#[test]
fn lines_are_those_of_the_parts() {
    let mut shard = shard(1, 1);
    shard["files"] = json!([{"file": "main.json", "lines": {"2": "  \"é\": 1"}, "hashes": {"2": "abc:1"}}]);
    let mut finding = finding("main.json", 2, 4);
    finding["location"]["byte_column"] = json!(5);
    let report = joined(&[report(&json!({"shard": shard, "results": [finding]}))]).unwrap();
    let place = &report.findings[0].place;
    assert_eq!((place.file.line(2), place.file.line_hash(2)), (Some("  \"é\": 1"), Some("abc:1")));
    assert_eq!((place.start.byte_column, place.file.line(1)), (5, None));
}

#[test]
fn a_finding_counts_with_the_severity_that_it_has() {
    let run = joined(&[report(&json!({"results": [finding("main.json", 1, 1)]}))]).unwrap();
    assert_eq!((run.findings[0].rule.severity, run.summary.failed), (crate::diagnostic::Severity::High, 1));
}

#[test]
fn lines_of_the_head_are_those_that_the_parts_know() {
    let part = |index: u32, head: Value| {
        let results = if index == 1 { vec![finding("main.json", 3, 1)] } else { Vec::new() };
        let mut shard = shard(index, 2);
        shard["head"] = head;
        report(&json!({
            "shard": shard,
            "change": {"event": "pull_request", "pull_request": 7, "base": null, "head": null, "commit": "c"},
            "results": results
        }))
    };
    let head = json!([{"file": "main.json", "name": "old.json", "hunks": [[1, 0, 2, 1]]}]);
    let run = joined(&[part(2, json!([])), part(1, head)]).unwrap();
    let expected = Head::At { file: "old.json".into(), line: 2, end_line: 2 };
    assert_eq!(run.findings[0].place.head.as_deref(), Some(&expected));
}

#[test]
fn a_fix_whose_lines_are_secret_stays_without_lines() {
    let edits = json!({"title": "t", "replacements": [
        {"file": "main.json", "line": 2, "column": 8, "end_line": 2, "end_column": 9, "text": "2"}]});
    let lines = json!({"title": "t", "file": "main.json", "line": 2, "end_line": 2, "replacement": "  \"a\": 2"});
    let fix = |members: &Value| {
        let mut finding = finding("main.json", 2, 8);
        for (name, value) in members.as_object().unwrap() {
            finding[name] = value.clone();
        }
        let run = joined(&[report(&json!({"results": [finding]}))]).unwrap();
        let fix = run.findings[0].fix.clone().unwrap();
        (fix.edits.first().map(|edit| edit.replacement.clone()), fix.lines.map(|lines| lines.text))
    };
    let edited = Some("2".to_owned());
    assert_eq!(fix(&json!({"edits": edits, "fix": lines})), (edited.clone(), Some("  \"a\": 2".to_owned())));
    assert_eq!(fix(&json!({"edits": edits})), (edited, None));
    assert_eq!(fix(&json!({"fix": lines})).1, Some("  \"a\": 2".to_owned()));
}
