//! The machine-readable report, `formwork/report/v1`.
//!
//! The structs here are the contract with scripts that read the report: fields are added, never renamed, and nothing
//! of the model is serialised directly. Columns count UTF-16 code units.

use std::io;

use serde::Serialize;

use crate::diagnostic::{Diagnostic, Finding, Fix, Label, Outcome, ReplacedLines, Run};
use crate::report::Options;
use crate::report::place::Place;
use crate::text::{Sources, Span};

const SCHEMA: &str = "formwork/report/v1";

#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    tool: Tool<'a>,
    summary: Summary,
    results: Vec<Verdict<'a>>,
    diagnostics: Vec<Problem<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'static str,
    version: &'a str,
}

#[derive(Serialize)]
struct Summary {
    templates: usize,
    deployments: usize,
    resources: usize,
    rules: usize,
    failed: usize,
    passed: usize,
    unknown: usize,
    suppressed: usize,
    errors: usize,
}

#[derive(Serialize)]
struct Verdict<'a> {
    rule: &'a str,
    name: &'a str,
    severity: u8,
    level: &'static str,
    outcome: &'static str,
    message: &'a str,
    template: &'a str,
    parameters: Vec<&'a str>,
    resource: Option<Resource<'a>>,
    path: &'a str,
    failed_paths: &'a [String],
    location: Location,
    failures: Vec<Location>,
    related: Vec<Related<'a>>,
    /// Left out where there is no value: `null` is a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<Repair<'a>>,
    fingerprint: &'a str,
}

/// Whole lines for whole lines, as a review comment suggests them.
#[derive(Serialize)]
struct Repair<'a> {
    title: &'a str,
    file: String,
    line: u32,
    end_line: u32,
    /// Joined by `\n`, without a line end behind the last.
    replacement: String,
}

#[derive(Serialize)]
struct Resource<'a> {
    r#type: &'a str,
    name: &'a str,
    id: &'a str,
}

#[derive(Serialize)]
struct Location {
    file: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Serialize)]
struct Related<'a> {
    message: &'a str,
    #[serde(flatten)]
    location: Location,
}

#[derive(Serialize)]
struct Problem<'a> {
    code: &'static str,
    level: &'static str,
    message: &'a str,
    #[serde(flatten)]
    location: Location,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    related: Vec<Related<'a>>,
}

pub(super) fn render(run: &Run, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let listed = |it: &&Finding| options.show_passed || it.outcome != Outcome::Passed;
    let findings = run.findings.iter().filter(listed);
    let report = Report {
        schema: SCHEMA,
        tool: Tool { name: "formwork", version: options.tool_version },
        summary: summary(run),
        results: findings.map(|it| verdict(it, &run.sources)).collect(),
        diagnostics: run.diagnostics.iter().map(|it| problem(it, &run.sources)).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}

fn summary(run: &Run) -> Summary {
    Summary {
        templates: run.summary.templates,
        deployments: run.summary.deployments,
        resources: run.summary.resources,
        rules: run.summary.rules,
        failed: run.summary.failed,
        passed: run.summary.passed,
        unknown: run.summary.unknown,
        suppressed: run.summary.suppressed,
        errors: run.summary.errors,
    }
}

fn verdict<'a>(finding: &'a Finding, sources: &Sources) -> Verdict<'a> {
    let resource = finding.resource.as_ref().map(|it| Resource { r#type: &it.type_name, name: &it.name, id: &it.id });
    Verdict {
        rule: &finding.rule.id,
        name: &finding.rule.name,
        severity: finding.rule.severity.number(),
        level: finding.level().as_str(),
        outcome: finding.outcome.as_str(),
        message: &finding.message,
        template: &finding.template,
        parameters: finding.parameters.iter().map(|it| &**it).collect(),
        resource,
        path: &finding.path,
        failed_paths: &finding.failed_paths,
        location: location(finding.span, sources),
        failures: finding.failures.iter().map(|&it| location(it, sources)).collect(),
        related: related(&finding.related, sources),
        actual: finding.actual.as_deref().map(actual),
        fix: finding.fix.as_ref().filter(|_| finding.outcome == Outcome::Failed).and_then(|it| repair(it, sources)),
        fingerprint: &finding.fingerprint,
    }
}

fn repair<'a>(fix: &'a Fix, sources: &Sources) -> Option<Repair<'a>> {
    let ReplacedLines { file, first, last, text } = fix.as_lines(sources)?;
    Some(Repair { title: &fix.title, file: file.to_string(), line: first, end_line: last, replacement: text })
}

/// The value itself; its text where that is no JSON, as for a value that was shortened.
fn actual(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn problem<'a>(diagnostic: &'a Diagnostic, sources: &Sources) -> Problem<'a> {
    Problem {
        code: diagnostic.code.as_str(),
        level: diagnostic.level.as_str(),
        message: &diagnostic.message,
        location: location(diagnostic.primary.span, sources),
        help: diagnostic.help.as_deref(),
        related: related(&diagnostic.secondary, sources),
    }
}

fn related<'a>(labels: &'a [Label], sources: &Sources) -> Vec<Related<'a>> {
    let related =
        labels.iter().map(|label| Related { message: &label.message, location: location(label.span, sources) });
    related.collect()
}

fn location(span: Span, sources: &Sources) -> Location {
    let place = Place::of(sources, span);
    Location {
        file: place.file.to_string(),
        line: place.start.line,
        column: place.start.column,
        end_line: place.end.line,
        end_column: place.end.column,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Format, sample};

    #[test]
    fn output() {
        sample::check(Format::Json, "output", &sample::run());
    }

    #[test]
    fn syntax_errors() {
        sample::check(Format::Json, "syntax_errors", &sample::syntax_errors());
    }

    #[test]
    fn empty() {
        sample::check(Format::Json, "empty", &sample::empty());
    }

    #[track_caller]
    fn check_outcomes(show_passed: bool, expected: &[&str]) {
        let text = sample::render(Format::Json, &sample::run(), false, show_passed);
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let results = report["results"].as_array().unwrap().iter();
        let outcomes: Vec<&str> = results.map(|it| it["outcome"].as_str().unwrap()).collect();
        assert_eq!(outcomes, expected);
    }

    #[test]
    fn verdicts_that_passed_are_listed_on_request() {
        let shown = ["failed", "failed", "unknown", "suppressed", "failed", "failed"];
        check_outcomes(false, &shown);
        check_outcomes(true, &["failed", "failed", "unknown", "suppressed", "passed", "failed", "failed"]);
    }

    #[test]
    fn an_actual_value_is_json_where_it_can_be() {
        assert_eq!(actual("null"), serde_json::Value::Null);
        assert_eq!(actual(r#"{"a":[1]}"#), serde_json::json!({"a": [1]}));
        assert_eq!(actual(r#"{"a":[1…"#), serde_json::json!(r#"{"a":[1…"#));
    }
}
