//! The JSON report of a run, read back: the members that publishing needs.
//!
//! The report may come from a workflow that ran untrusted code, so its size, its structure, and its paths are validated.
//! Strings are cut, lists are bounded, and only paths in the repository become links.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod raw;

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::diagnostic::{Check, Level, NotChecked, Outcome, Severity};
use crate::github::MAX_REPORT_BYTES;
use crate::report::{bounded, read_report};

pub(super) use crate::report::ReportError;

/// How many findings are read, which are more than GitHub shows. It is what code scanning accepts of one run, too.
const MAX_RESULTS: usize = 25_000;

/// Longest text, in characters.
const MAX_TEXT: usize = 2_000;

/// Longest name, in characters.
const MAX_NAME: usize = 300;

/// Longest path and longest address, in characters.
const MAX_PATH: usize = 1_000;

/// Most places of one finding of each kind; further ones are dropped.
const MAX_PLACES: usize = 100;

/// A report that can be published.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Report {
    #[serde(default)]
    pub(super) change: Option<Change>,
    pub(super) summary: Counts,
    #[serde(default, deserialize_with = "bounded::first::<MAX_RESULTS, _, _>")]
    rules: Vec<Rule>,
    #[serde(deserialize_with = "bounded::first::<MAX_RESULTS, _, _>")]
    pub(super) results: Vec<Finding>,
    #[serde(deserialize_with = "bounded::first::<MAX_RESULTS, _, _>")]
    pub(super) diagnostics: Vec<Problem>,
    /// The suppressions that the change adds.
    #[serde(default, deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) added_suppressions: Vec<AddedSuppression>,
}

/// A suppression that the change adds, with one of its rules.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct AddedSuppression {
    /// The ID of the rule.
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) rule: String,
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) reason: Option<String>,
    /// Where it is written.
    pub(super) place: Place,
    /// How many findings of the rule it suppresses.
    pub(super) findings: u64,
}

/// The change that the run looked at.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Change {
    /// Number of the pull request.
    pub(super) pull_request: Option<u64>,
    /// The newest commit of the pull request.
    #[serde(deserialize_with = "bounded::sha_or_null")]
    pub(super) head: Option<String>,
    /// The commit that was looked at.
    #[serde(deserialize_with = "bounded::sha_or_null")]
    pub(super) commit: Option<String>,
}

/// The counts of the run.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Counts {
    pub(super) templates: u64,
    pub(super) deployments: u64,
    pub(super) resources: u64,
    pub(super) unknown: u64,
    pub(super) suppressed: u64,
    /// Inputs that could not be analyzed, as the user allows it.
    #[serde(default)]
    unreadable: u64,
}

/// The description of a rule.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Rule {
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    id: String,
    /// How to fix what it finds.
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) recommendation: Option<String>,
    /// Where to read more.
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_PATH, _>")]
    pub(super) help_uri: Option<String>,
    /// Who wrote the rule.
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_NAME, _>")]
    origin: Option<String>,
}

/// A verdict of a rule.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Finding {
    /// Id of the rule.
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) rule: String,
    /// Name of the rule.
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) name: String,
    #[serde(deserialize_with = "bounded::severity")]
    pub(super) severity: Severity,
    #[serde(deserialize_with = "bounded::outcome")]
    pub(super) outcome: Outcome,
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) message: String,
    /// The parameter files under which it holds.
    #[serde(deserialize_with = "bounded::first::<MAX_PLACES, _, _>")]
    pub(super) parameters: Vec<String>,
    pub(super) resource: Option<Resource>,
    /// The text to change.
    pub(super) location: Place,
    /// The places of further failing leaves.
    #[serde(deserialize_with = "bounded::first::<MAX_PLACES, _, _>")]
    pub(super) failures: Vec<Place>,
    /// Where the value came from, nearest first.
    #[serde(deserialize_with = "bounded::first::<MAX_PLACES, _, _>")]
    pub(super) related: Vec<Place>,
    #[serde(deserialize_with = "bounded::fingerprint")]
    pub(super) fingerprint: String,
    /// Name of the template.
    #[serde(default, deserialize_with = "bounded::text::<MAX_PATH, _>")]
    pub(super) template: String,
    /// The fault that it belongs to. Absent in reports of older versions.
    #[serde(default, deserialize_with = "bounded::fingerprint_if_any")]
    pub(super) fault: Option<String>,
    /// The fingerprint without the path of the template.
    #[serde(default, deserialize_with = "bounded::fingerprint_if_any")]
    pub(super) resource_fingerprint: Option<String>,
    /// The deployments in which it was found.
    #[serde(default, deserialize_with = "bounded::first::<MAX_RESULTS, _, _>")]
    pub(super) deployments: Vec<String>,
    #[serde(default)]
    pub(super) fix: Option<Fix>,
}

/// The resource of a finding.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Resource {
    #[serde(rename = "type", deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) type_name: String,
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) name: String,
}

/// A problem of the run.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "raw::Problem")]
pub(super) struct Problem {
    pub(super) code: String,
    pub(super) level: Level,
    /// Where it is, and what it is.
    pub(super) place: Place,
    /// The kind, if it says that something is not checked.
    pub(super) not_checked: Option<String>,
}

/// Lines of a file, and what they have to do with the matter.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Place {
    /// The name of the file, as text.
    #[serde(deserialize_with = "bounded::text::<MAX_PATH, _>")]
    pub(super) file: String,
    line: u32,
    end_line: u32,
    #[serde(default, deserialize_with = "raw::head")]
    head: Head,
    #[serde(default, deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) message: String,
}

/// Whole lines, and what they are to be.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "raw::Fix")]
pub(super) struct Fix {
    /// The lines in the run.
    pub(super) place: Place,
    /// The new lines, without the end of the last.
    pub(super) replacement: String,
}

/// Lines, both of them included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Lines {
    /// The first, from 1.
    pub(super) start: u32,
    /// The last line, which may be the same as the first.
    pub(super) end: u32,
}

/// Where a place is in the head of a pull request.
#[derive(Clone, Debug, Default)]
enum Head {
    /// Where it was found.
    #[default]
    Same,
    /// It is not there.
    Absent,
    /// In other lines or another file.
    At(raw::HeadPlace),
}

/// Which lines of a report are lines of the head of a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// None: it is of an older head.
    Stale,
    /// Those that say so: it is of another commit, as of a merge.
    Mapped,
    /// All: it is of the head.
    Head,
}

impl Report {
    /// Reads a report of the schema `formwork/report/v1`. The error names the member that is wrong, and repeats nothing
    /// of its value.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, ReportError> {
        read_report(bytes, MAX_REPORT_BYTES)
    }

    /// The newest commit of the pull request when it was checked, in full.
    pub(crate) fn head(&self) -> Option<&str> {
        self.change.as_ref()?.head.as_deref()
    }

    /// The commit that was checked, in full.
    pub(super) fn commit(&self) -> Option<&str> {
        self.change.as_ref()?.commit.as_deref()
    }

    /// The pull request that was checked.
    pub(crate) fn pull_request(&self) -> Option<u64> {
        self.change.as_ref()?.pull_request
    }

    /// What its lines are, now that `head` is the newest commit. `is_of_head` answers for a report that names no
    /// change.
    pub(super) fn basis(&self, head: &str, is_of_head: bool) -> Basis {
        match &self.change {
            Some(change) if change.head.as_ref().is_some_and(|commit| commit != head) => Basis::Stale,
            Some(change) if change.commit.as_deref() == Some(head) => Basis::Head,
            None if is_of_head => Basis::Head,
            _ => Basis::Mapped,
        }
    }

    /// The findings, in their order.
    pub(super) fn failed(&self) -> impl Iterator<Item = &Finding> {
        self.results.iter().filter(|result| result.outcome == Outcome::Failed)
    }

    /// The rules that it describes, by their ids.
    pub(super) fn rules(&self) -> BTreeMap<&str, &Rule> {
        self.rules.iter().map(|rule| (rule.id.as_str(), rule)).collect()
    }

    /// Drops the links to pages that the author of a pull request could choose: those of rules that are neither embedded
    /// nor from the base. `builtin` has the links of embedded rules by ID. What a report says of the base counts only with
    /// `trusts_base`: a job that runs code of the pull request can write anything.
    pub(crate) fn keep_links(&mut self, builtin: &BTreeMap<String, String>, trusts_base: bool) {
        for rule in &mut self.rules {
            let own = builtin.get(&rule.id).filter(|_| rule.origin.as_deref() == Some("builtin"));
            let of_base = rule.help_uri.take().filter(|_| trusts_base && rule.origin.as_deref() == Some("base"));
            rule.help_uri = own.cloned().or(of_base);
        }
    }

    /// The problems of one level.
    pub(super) fn problems(&self, level: Level) -> impl Iterator<Item = &Problem> {
        self.diagnostics.iter().filter(move |problem| problem.level == level)
    }

    /// What is not checked although nothing is wrong with it, with the kind of each.
    pub(super) fn not_checked(&self) -> impl Iterator<Item = (&str, &Problem)> {
        self.diagnostics.iter().filter_map(|problem| Some((problem.not_checked.as_deref()?, problem)))
    }

    /// Whether everything was analyzed. Only then is a missing finding really gone.
    pub(super) fn is_whole(&self) -> bool {
        let is_problem =
            |finding: &Finding| Check::ALL.iter().any(|check| check.id() == finding.rule && check.is_of_problems());
        // Whole files that the run would read otherwise: a finding that is not reported may still be in one of them.
        let hides_files = |kind: &str| matches!(kind.parse(), Ok(NotChecked::BicepModule | NotChecked::Pointer));
        self.summary.unreadable == 0
            && self.problems(Level::Error).next().is_none()
            && !self.failed().any(is_problem)
            && !self.not_checked().any(|(kind, _)| hides_files(kind))
    }
}

impl Place {
    /// The lines of the report.
    pub(super) fn lines(&self) -> Lines {
        Lines { start: self.line, end: self.end_line.max(self.line) }
    }

    /// Path and lines in the head of the pull request, where they are known.
    pub(super) fn in_head(&self, basis: Basis) -> Option<(&str, Lines)> {
        let (path, lines) = match (&self.head, basis) {
            (_, Basis::Stale) | (Head::Absent, _) | (Head::Same, Basis::Mapped) => return None,
            (Head::At(place), _) => {
                (place.file.as_deref().unwrap_or(&self.file), Lines { start: place.line, end: place.end_line })
            }
            (Head::Same, Basis::Head) => (self.file.as_str(), self.lines()),
        };
        is_path(path).then_some((path, Lines { start: lines.start, end: lines.end.max(lines.start) }))
    }
}

/// Whether a name is the path of a file in a repository. Any other would lead a link to anywhere.
fn is_path(name: &str) -> bool {
    name.split('/').all(|part| !part.is_empty() && part != "." && part != ".." && !part.contains('\\'))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::github::plan::sample::{HEAD, document, finding, fingerprint, place, problem, read, report, with};

    const MERGE: &str = "1111111111111111111111111111111111111111";

    #[track_caller]
    fn check_refused(document: &Value, expected: &str) {
        assert_eq!(Report::read(document.to_string().as_bytes()).unwrap_err().to_string(), expected);
    }

    #[test]
    fn what_is_no_report_is_refused() {
        let error = |bytes: &[u8]| Report::read(bytes).unwrap_err().to_string();
        assert_eq!(error(b""), "the report is not JSON: line 1, column 0");
        assert_eq!(error(b"{\"schema\": \"formwork/report/v1\","), "the report is not JSON: line 1, column 32");
        assert_eq!(error(b"{\"schema\": \"formwork/report/v1\"} x"), "the report is not JSON: line 1, column 34");
        assert_eq!(error(b"[]"), "`.` of the report: expected an object");
        assert_eq!(error(b"{}"), "`.` of the report: missing field `schema`");
        assert_eq!(error(b"{\"schema\": \"x\"}"), "`schema` of the report is not `formwork/report/v1`");
        assert_eq!(error(b"\xff"), "the report is not JSON: line 1, column 1");
        let long = read_report::<Report>(b"{}", 1).unwrap_err();
        assert_eq!(long.to_string(), "the report is longer than 1 bytes");
    }

    #[track_caller]
    fn check_member(members: Value, expected: &str) {
        check_refused(&document(&[finding(1, 1), with(finding(2, 2), members)], &[]), expected);
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
            &with(whole.clone(), json!({"change": {"pull_request": 1, "head": "x", "commit": HEAD}})),
            "`change.head` of the report: expected the 40 or 64 hexadecimal digits of a commit",
        );
        check_refused(
            &with(whole.clone(), json!({"change": {"pull_request": 1, "head": null, "commit": 1}})),
            "`change.commit` of the report: expected a string",
        );
        check_refused(
            &with(whole.clone(), json!({"summary": {}})),
            "`summary` of the report: missing field `templates`",
        );
        check_refused(
            &with(whole.clone(), json!({"diagnostics": [with(problem("error", "a"), json!({"level": "fatal"}))]})),
            "`diagnostics[0].level` of the report: expected `error`, `warning` or `note`",
        );
        check_refused(&with(whole, json!({"rules": 3})), "`rules` of the report: expected an array");
    }

    #[test]
    fn what_formwork_writes_is_read() {
        let snapshot = include_str!("../../report/snapshots/json_output.snap");
        let (_, document) = snapshot.split_once("\n---\n").unwrap();
        let report = Report::read(document.as_bytes()).unwrap();
        assert_eq!((report.failed().count(), report.diagnostics.len(), report.is_whole()), (4, 3, false));
        let rule = report.rules()["AZ-STORAGE-001"];
        assert!(rule.recommendation.is_some() && rule.help_uri.is_some());
    }

    #[test]
    fn links_that_a_change_could_choose_are_dropped() {
        let link = |origin: Value, trusts_base: bool| {
            let mut document = document(&[], &[]);
            document["rules"][0]["origin"] = origin;
            let mut report = read(&document);
            let own = ("AZ-STORAGE-001".to_owned(), "https://learn.example.org".to_owned());
            report.keep_links(&[own].into(), trusts_base);
            report.rules()["AZ-STORAGE-001"].help_uri.clone()
        };
        let of_report = Some("https://example.org/rules/AZ-STORAGE-001?a&b".to_owned());
        assert_eq!(link(json!("builtin"), false).as_deref(), Some("https://learn.example.org"));
        assert_eq!((link(json!("base"), true), link(json!("base"), false)), (of_report, None));
        assert_eq!((link(json!("head"), true), link(Value::Null, true)), (None, None));
    }

    #[test]
    fn a_report_is_whole_if_nothing_kept_a_part_from_being_checked() {
        let is_whole = |results: &[Value], diagnostics: &[Value], unreadable: u64| {
            let mut report = document(results, diagnostics);
            report["summary"]["unreadable"] = unreadable.into();
            Report::read(report.to_string().as_bytes()).unwrap().is_whole()
        };
        let failed = |rule: &str| with(finding(1, 1), json!({"rule": rule}));
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
                    with(finding(1, 1), json!({"resource": null, "message": "", "name": "", "failed_paths": []}));
                    count
                ],
                &[],
            )
        };
        assert_eq!(read(&results(MAX_RESULTS)).results.len(), MAX_RESULTS);
        // A longer one is published as far as there is room.
        assert_eq!(read(&results(MAX_RESULTS + 1)).results.len(), MAX_RESULTS);
    }

    #[test]
    fn what_publishing_does_not_need_may_be_anything() {
        let members =
            json!({"actual": [[[{"a": null}]]], "failed_paths": 3, "new": "x", "resource": null, "fix": null});
        assert_eq!(report(&[with(finding(1, 1), members)]).failed().count(), 1);
        let mut old = document(&[finding(1, 1)], &[]);
        old.as_object_mut().unwrap().retain(|key, _| key != "change" && key != "rules");
        let old = read(&old);
        assert_eq!((old.head(), old.pull_request()), (None, None));
    }

    #[test]
    fn long_texts_and_lists_are_cut() {
        let members = json!({"message": "é".repeat(9_999), "failures": vec![place("a", 1, 1); 999]});
        let report = report(&[with(finding(1, 1), members)]);
        assert_eq!(report.results[0].message.chars().count(), MAX_TEXT + 1);
        assert_eq!(report.results[0].failures.len(), MAX_PLACES);
    }

    #[test]
    fn a_report_says_what_it_is_of() {
        let report = report(&[finding(3, 1)]);
        assert_eq!((report.head(), report.pull_request()), (Some(HEAD), Some(12)));
        assert_eq!(report.results[0].fingerprint, fingerprint(3));
    }

    #[track_caller]
    fn check_path(file: &str, expected: bool) {
        let named = place(file, 1, 1);
        let mapped = with(place("a", 1, 1), json!({"head": {"file": file, "line": 1, "end_line": 1}}));
        for location in [named, mapped] {
            let report = report(&[with(finding(1, 1), json!({"location": location}))]);
            let path = report.results[0].location.in_head(Basis::Head).map(|(path, _)| path);
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
            location = with(location, json!({ "head": head }));
        }
        let change = change.map(|(head, commit)| json!({"pull_request": 1, "head": head, "commit": commit}));
        let document =
            with(document(&[with(finding(1, 1), json!({"location": location}))], &[]), json!({"change": change}));
        let report = read(&document);
        let place = report.results[0].location.in_head(report.basis(HEAD, is_of_head));
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
