//! A report that is published: the parts that can be shown, and its locations in the pull request.
//!
//! The report may come from a workflow that ran untrusted code. Reading limits and validates it; here its texts are
//! cut to a readable length, and only paths in the repository become links.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod place;

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use foldhash::HashMap;

use crate::MAX_REPORT_BYTES;
use crate::diagnostic::{Check, CheckTable, Level, NotChecked, Outcome, ResourceRef, Severity, is_commit_id};
use crate::report::model::{Finding, Origin, Problem, Rule};
use crate::report::read_report;
use crate::text::cut_long;

pub(super) use self::place::{Basis, InPullRequest, Lines};
pub(super) use crate::report::ReportError;

/// Maximum number of findings and problems that are published. It is more than GitHub shows, and the maximum that
/// code scanning accepts of one run.
const MAX_RESULTS: usize = 25_000;

/// Maximum length of a text, in bytes.
const MAX_TEXT: usize = 2_000;

/// Maximum length of a name, in bytes.
const MAX_NAME: usize = 300;

/// Maximum number of locations of each kind in one finding. Further ones are dropped.
const MAX_PLACES: usize = 100;

/// A report that can be published.
#[derive(Debug)]
pub struct Report(crate::report::Report);

impl Deref for Report {
    type Target = crate::report::Report;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Report {
    /// Reads a report of the schema `formwork/report/v1`. An error names the invalid member, and does not repeat its
    /// value.
    pub fn read(bytes: &[u8], checks: &CheckTable) -> Result<Self, ReportError> {
        let mut report = read_report(bytes, MAX_REPORT_BYTES, checks)?.report;
        report.findings.truncate(MAX_RESULTS);
        report.problems.truncate(MAX_RESULTS);
        report.added_suppressions.truncate(MAX_RESULTS);
        for problem in &mut report.problems {
            shorten(&mut problem.message, MAX_TEXT);
        }
        for added in &mut report.added_suppressions {
            shorten(&mut added.rule, MAX_NAME);
            added.reason.iter_mut().for_each(|reason| shorten(reason, MAX_TEXT));
        }
        report.findings.iter_mut().for_each(shorten_finding);
        replace_rules(&mut report.findings, shortened_rule);
        Ok(Self(report))
    }

    /// Returns the newest commit of the pull request when it was checked, in full.
    pub fn head(&self) -> Option<&str> {
        self.change.as_ref()?.head.as_deref()
    }

    /// Returns the commit that was checked, in full.
    pub(super) fn commit(&self) -> Option<&str> {
        self.change.as_ref().map(|change| change.commit.as_str()).filter(|commit| is_commit_id(commit))
    }

    /// Returns the number of the pull request that was checked.
    pub fn pull_request(&self) -> Option<u64> {
        self.change.as_ref()?.pull_request
    }

    /// Returns the relation of the report's lines to the newest commit `head`. `is_of_head` decides for a report that
    /// names no change.
    pub(super) fn basis(&self, head: &str, is_of_head: bool) -> Basis {
        match &self.change {
            Some(change) if change.head.as_ref().is_some_and(|commit| commit != head) => Basis::Stale,
            Some(change) if change.commit == head => Basis::Head,
            None if is_of_head => Basis::Head,
            _ => Basis::Mapped,
        }
    }

    /// Iterates over the failed findings, in their order.
    pub(super) fn failed(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.outcome == Outcome::Failed)
    }

    /// Returns the findings that comments and summaries list, without those that they only count.
    pub(super) fn listed(&self) -> impl Iterator<Item = &Finding> {
        self.failed().filter(|finding| !self.is_hidden(finding))
    }

    /// Returns the number of findings that comments and summaries only count.
    pub(super) fn hidden(&self) -> usize {
        self.failed().filter(|finding| self.is_hidden(finding)).map(Finding::places).sum()
    }

    fn is_hidden(&self, finding: &Finding) -> bool {
        self.hides_low && finding.rule.severity == Severity::Low
    }

    /// Removes links to pages that the author of a pull request could choose: those of rules that are neither
    /// embedded nor from the base. `builtin` has the links of embedded rules by ID. The report's claim that a rule is
    /// from the base counts only with `trusts_base`, because a job that runs code of the pull request can write
    /// anything.
    pub fn keep_links(&mut self, builtin: &BTreeMap<String, String>, trusts_base: bool) {
        replace_rules(&mut self.0.findings, |rule| {
            let help_uri = match rule.origin {
                Origin::Builtin => builtin.get(&rule.id).cloned(),
                Origin::Base if trusts_base => rule.help_uri.clone(),
                Origin::Base | Origin::Head => None,
            };
            Rule { help_uri, ..rule.clone() }
        });
    }

    /// Iterates over the problems of one level.
    pub(super) fn problems(&self, level: Level) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(move |problem| problem.level == level)
    }

    /// True if everything was analyzed. Only then is a missing finding really fixed.
    pub(super) fn is_whole(&self) -> bool {
        self.summary.unreadable == 0
            && self.problems(Level::Error).next().is_none()
            && !self.failed().any(is_problem_finding)
            && !self.not_checked().any(|(kind, _)| hides_files(kind))
    }
}

/// True if the finding is a problem that left a part unanalyzed.
fn is_problem_finding(finding: &Finding) -> bool {
    finding.rule.check.is_some_and(Check::is_of_problems)
}

/// True if whole files were not read, so that a missing finding may still be in one of them.
fn hides_files(kind: &str) -> bool {
    matches!(kind.parse(), Ok(NotChecked::BicepModule | NotChecked::Pointer))
}

/// Replaces each rule by the result of `other`.
fn replace_rules(findings: &mut [Finding], other: impl Fn(&Rule) -> Rule) {
    let mut others: HashMap<*const Rule, (Arc<Rule>, Arc<Rule>)> = HashMap::default();
    for finding in findings {
        let old = Arc::clone(&finding.rule);
        // The old rule stays alive, so that no other gets its address.
        let pair = others.entry(Arc::as_ptr(&old)).or_insert_with(|| (Arc::clone(&old), Arc::new(other(&old))));
        finding.rule = Arc::clone(&pair.1);
    }
}

fn shortened_rule(rule: &Rule) -> Rule {
    let mut rule = rule.clone();
    shorten(&mut rule.id, MAX_NAME);
    shorten(&mut rule.name, MAX_NAME);
    rule.recommendation.iter_mut().for_each(|text| shorten(text, MAX_TEXT));
    rule
}

fn shorten_finding(finding: &mut Finding) {
    shorten(&mut finding.message, MAX_TEXT);
    finding.parameters.as_vec().truncate(MAX_PLACES);
    finding.failures.as_vec().truncate(MAX_PLACES);
    finding.related.as_vec().truncate(MAX_PLACES);
    finding.related.iter_mut().for_each(|label| shorten(&mut label.message, MAX_TEXT));
    finding.resource = finding.resource.as_ref().map(|resource| {
        let mut resource = ResourceRef::clone(resource);
        shorten(&mut resource.type_name, MAX_NAME);
        shorten(&mut resource.name, MAX_NAME);
        Arc::new(resource)
    });
}

fn shorten(text: &mut String, length: usize) {
    *text = cut_long(std::mem::take(text), length);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::diagnostic::common_checks;
    use crate::plan::sample::{HEAD, document, finding, fingerprint, place, problem, read, report, with_members};

    fn read_bytes(bytes: &[u8]) -> Result<Report, ReportError> {
        Report::read(bytes, &CheckTable::new(common_checks::CHECKS.iter().copied()))
    }

    const MERGE: &str = "1111111111111111111111111111111111111111";

    #[track_caller]
    fn check_refused(document: &Value, expected: &str) {
        assert_eq!(read_bytes(document.to_string().as_bytes()).unwrap_err().to_string(), expected);
    }

    #[test]
    fn what_is_no_report_is_refused() {
        let error = |bytes: &[u8]| read_bytes(bytes).unwrap_err().to_string();
        assert_eq!(error(b""), "the report is not JSON: line 1, column 0");
        assert_eq!(error(b"{\"schema\": \"formwork/report/v1\","), "the report is not JSON: line 1, column 32");
        assert_eq!(error(b"{\"schema\": \"formwork/report/v1\"} x"), "the report is not JSON: line 1, column 34");
        assert_eq!(error(b"[]"), "`.` of the report: expected an object");
        assert_eq!(error(b"{}"), "`.` of the report: missing field `schema`");
        assert_eq!(error(b"{\"schema\": \"x\"}"), "`schema` of the report is not `formwork/report/v1`");
        assert_eq!(error(b"\xff"), "the report is not JSON: line 1, column 1");
        let long = read_report(b"{}", 1, &CheckTable::default()).unwrap_err();
        assert_eq!(long.to_string(), "the report is longer than 1 bytes");
    }

    #[track_caller]
    fn check_member(members: Value, expected: &str) {
        check_refused(&document(&[finding(1, 1), with_members(finding(2, 2), members)], &[]), expected);
    }

    #[test]
    fn the_member_that_is_wrong_is_named_and_not_repeated() {
        check_member(json!({"rule": 1}), "`results[1].rule` of the report: expected a string");
        check_member(
            json!({"outcome": "::error::"}),
            "`results[1].outcome` of the report: expected `failed`, `unknown`, `suppressed` or `passed`",
        );
        check_member(json!({"severity": 4}), "`results[1].severity` of the report: expected 1, 2 or 3");
        check_member(
            json!({"location": {"file": "a", "line": "::error::, expected b at line 3"}}),
            "`results[1].location.line` of the report: expected an integer",
        );
        check_member(
            json!({"location": {"file": "a", "line": -1}}),
            "`results[1].location.line` of the report: expected an integer",
        );
        check_member(
            json!({"location": {"file": "a", "line": 1}}),
            "`results[1].location` of the report: missing field `end_line`",
        );
        check_member(
            json!({"fingerprint": "--> @org"}),
            "`results[1].fingerprint` of the report: expected 8 to 64 hexadecimal digits",
        );
        check_member(json!({"related": [{}]}), "`results[1].related[0]` of the report: missing field `file`");
        check_member(json!({"parameters": {}}), "`results[1].parameters` of the report: expected an array");
        check_member(
            json!({"fix": {"file": "a", "line": 1, "end_line": 1}}),
            "`results[1].fix` of the report: missing field `replacement`",
        );
    }

    #[test]
    fn what_is_around_the_results_is_checked_as_well() {
        let whole = document(&[], &[problem("error", "a")]);
        check_refused(
            &with_members(whole.clone(), json!({"change": {"pull_request": 1, "head": "x", "commit": HEAD}})),
            "`change.head` of the report: expected the 40 or 64 hexadecimal digits of a commit",
        );
        check_refused(
            &with_members(whole.clone(), json!({"change": {"pull_request": 1, "head": null, "commit": 1}})),
            "`change.commit` of the report: expected a string",
        );
        check_refused(
            &with_members(whole.clone(), json!({"summary": {}})),
            "`summary` of the report: missing field `templates`",
        );
        check_refused(
            &with_members(
                whole.clone(),
                json!({"diagnostics": [with_members(problem("error", "a"), json!({"level": "fatal"}))]}),
            ),
            "`diagnostics[0].level` of the report: expected `error`, `warning` or `note`",
        );
        check_refused(&with_members(whole, json!({"rules": 3})), "`rules` of the report: expected an array");
    }

    #[test]
    fn what_formwork_writes_is_read() {
        let snapshot = include_str!("../../../report/src/snapshots/json_output.snap");
        let (_, document) = snapshot.split_once("\n---\n").unwrap();
        let report = read_bytes(document.as_bytes()).unwrap();
        assert_eq!((report.failed().count(), report.0.problems.len(), report.is_whole()), (4, 3, false));
        let rule = &report.failed().next().unwrap().rule;
        assert!(rule.recommendation.is_some() && rule.help_uri.is_some());
    }

    #[test]
    fn links_that_a_change_could_choose_are_dropped() {
        let link = |origin: Value, trusts_base: bool| {
            let mut document = document(&[finding(1, 1)], &[]);
            document["rules"][0]["origin"] = origin;
            let mut report = read(&document);
            let own = ("AZ-STORAGE-001".to_owned(), "https://learn.example.org".to_owned());
            report.keep_links(&[own].into(), trusts_base);
            report.findings[0].rule.help_uri.clone()
        };
        let of_report = Some("https://example.org/rules/AZ-STORAGE-001?a&b".to_owned());
        assert_eq!(link(json!("builtin"), false).as_deref(), Some("https://learn.example.org"));
        assert_eq!((link(json!("base"), true), link(json!("base"), false)), (of_report, None));
        assert_eq!((link(json!("head"), true), link(json!("x"), true)), (None, None));
    }

    #[test]
    fn a_report_is_whole_if_nothing_kept_a_part_from_being_checked() {
        let is_whole = |results: &[Value], diagnostics: &[Value], unreadable: u64| {
            let mut report = document(results, diagnostics);
            report["summary"]["unreadable"] = unreadable.into();
            read_bytes(report.to_string().as_bytes()).unwrap().is_whole()
        };
        let failed = |rule: &str| with_members(finding(1, 1), json!({"rule": rule}));
        assert!(is_whole(&[failed("AZ-STORAGE-001")], &[problem("warning", "a")], 0));
        assert!(!is_whole(&[], &[problem("error", "a")], 0));
        assert!(!is_whole(&[], &[problem("warning", "a")], 1));
        assert!(!is_whole(&[failed("expression/failed")], &[], 0));
    }

    #[test]
    fn at_most_so_many_results_are_read() {
        let results = |count: usize| {
            document(
                &vec![
                    with_members(
                        finding(1, 1),
                        json!({"resource": null, "message": "", "name": "", "failed_paths": []})
                    );
                    count
                ],
                &[],
            )
        };
        assert_eq!(read(&results(MAX_RESULTS)).findings.len(), MAX_RESULTS);
        // A longer one is published as far as there is room.
        assert_eq!(read(&results(MAX_RESULTS + 1)).findings.len(), MAX_RESULTS);
    }

    #[test]
    fn what_publishing_does_not_need_may_be_anything() {
        let members =
            json!({"actual": [[[{"a": null}]]], "failed_paths": [], "new": "x", "resource": null, "fix": null});
        assert_eq!(report(&[with_members(finding(1, 1), members)]).failed().count(), 1);
        let mut old = document(&[finding(1, 1)], &[]);
        old.as_object_mut().unwrap().retain(|key, _| key != "change" && key != "rules");
        let old = read(&old);
        assert_eq!((old.head(), old.pull_request()), (None, None));
    }

    #[test]
    fn long_texts_and_lists_are_cut() {
        let members = json!({"message": "é".repeat(9_999), "failures": vec![place("a", 1, 1); 999]});
        let report = report(&[with_members(finding(1, 1), members)]);
        assert_eq!(report.findings[0].message.len(), MAX_TEXT + "…".len());
        assert_eq!(report.findings[0].failures.len(), MAX_PLACES);
    }

    #[test]
    fn a_report_says_what_it_is_of() {
        let report = report(&[finding(3, 1)]);
        assert_eq!((report.head(), report.pull_request()), (Some(HEAD), Some(12)));
        assert_eq!(report.findings[0].fingerprint, fingerprint(3));
    }

    #[track_caller]
    fn check_path(file: &str, expected: bool) {
        let named = place(file, 1, 1);
        let mapped = with_members(place("a", 1, 1), json!({"head": {"file": file, "line": 1, "end_line": 1}}));
        for location in [named, mapped] {
            let report = report(&[with_members(finding(1, 1), json!({"location": location}))]);
            let path = report.findings[0].place.in_head(Basis::Head).map(|(path, _)| path);
            assert_eq!(path, Some(file).filter(|_| expected));
        }
    }

    #[test]
    fn only_a_file_of_the_repository_has_a_path() {
        for file in ["a.json", "infra/..a/b c.json", "größe/.github/x"] {
            check_path(file, true);
        }
        for file in ["", "/etc/passwd", "../a", "a/../../b", "a/./b", "a//b", "a/", "..\\a"] {
            check_path(file, false);
        }
    }

    #[track_caller]
    fn check_lines(
        change: Option<(Option<&str>, &str)>,
        is_of_head: bool,
        head: Option<Value>,
        expected: Option<(u32, u32)>,
    ) {
        let mut location = place("a", 17, 18);
        if let Some(head) = head {
            location = with_members(location, json!({ "head": head }));
        }
        let change = change.map(|(head, commit)| json!({"pull_request": 1, "head": head, "commit": commit}));
        let document = with_members(
            document(&[with_members(finding(1, 1), json!({"location": location}))], &[]),
            json!({"change": change}),
        );
        let report = read(&document);
        let place = report.findings[0].place.in_head(report.basis(HEAD, is_of_head));
        assert_eq!(place.map(|(_, lines)| (lines.start, lines.end)), expected);
    }

    #[test]
    fn lines_are_those_of_the_head_or_unknown() {
        let mapped = || Some(json!({"line": 15, "end_line": 16}));
        check_lines(Some((Some(HEAD), MERGE)), false, mapped(), Some((15, 16)));
        check_lines(Some((Some(HEAD), MERGE)), false, Some(Value::Null), None);
        check_lines(Some((Some(HEAD), MERGE)), true, None, None);
        check_lines(Some((Some(HEAD), HEAD)), false, None, Some((17, 18)));
        check_lines(Some((None, HEAD)), false, None, Some((17, 18)));
        check_lines(None, true, None, Some((17, 18)));
        check_lines(None, false, None, None);
    }

    #[test]
    fn lines_of_an_older_head_are_unknown() {
        check_lines(Some((Some(MERGE), MERGE)), true, Some(json!({"line": 15, "end_line": 16})), None);
    }

    #[test]
    fn a_range_that_ends_before_it_starts_is_one_line() {
        check_lines(Some((Some(HEAD), MERGE)), false, Some(json!({"line": 15, "end_line": 3})), Some((15, 15)));
    }
}
