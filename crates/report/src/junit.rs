//! `JUnit` XML, the form that test dashboards read: a suite for each template, a case for each rule and resource.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use quick_junit::{NonSuccessKind, Report as Dashboard, TestCase, TestCaseStatus, TestSuite};

use crate::counted::counted;
use crate::diagnostic::{Level, Outcome};
use crate::file_list;
use crate::model::{Finding, Problem, Report};
use crate::text::escape::visible;

/// Cases of one template.
#[derive(Default)]
struct Suite<'a> {
    problems: Vec<&'a Problem>,
    /// Findings, by the name of the case.
    cases: BTreeMap<String, Vec<&'a Finding>>,
}

pub(super) fn render(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let mut dashboard = Dashboard::new("formwork");
    for (name, suite) in suites(report) {
        let name = printable(&name);
        let mut cases: Vec<TestCase> =
            suite.problems.iter().map(|problem| TestCase::new(&*problem.code, problem_status(problem))).collect();
        cases.extend(suite.cases.iter().map(|(case, findings)| TestCase::new(printable(case), case_status(findings))));
        add_suite(&mut dashboard, TestSuite::new(name), cases);
    }
    out.write_all(dashboard.to_string().map_err(io::Error::other)?.as_bytes())
}

/// Adds a suite with its cases.
pub(super) fn add_suite(dashboard: &mut Dashboard, mut suite: TestSuite, cases: impl IntoIterator<Item = TestCase>) {
    for mut case in cases {
        // Dashboards group cases by their class.
        case.set_classname(suite.name.clone());
        suite.add_test_case(case);
    }
    // What `quick-junit` calls disabled is what most readers look for as skipped.
    suite.extra.insert("skipped".into(), suite.disabled.to_string().into());
    dashboard.add_test_suite(suite);
}

fn suites(report: &Report) -> BTreeMap<String, Suite<'_>> {
    let mut suites: BTreeMap<String, Suite<'_>> = BTreeMap::new();
    for finding in &report.findings {
        let suite = suites.entry(finding.template.to_string()).or_default();
        suite.cases.entry(case_name(finding)).or_default().push(finding);
    }
    for problem in &report.problems {
        let suite = suites.entry(problem.place.file.name().to_string()).or_default();
        suite.problems.push(problem);
    }
    suites
}

fn case_name(finding: &Finding) -> String {
    let mut name = finding.rule.id.clone();
    if !finding.rule.name.is_empty() && finding.rule.name != finding.rule.id {
        let _ = write!(name, " {}", finding.rule.name);
    }
    if let Some(resource) = &finding.resource {
        let _ = write!(name, ": {} {}", resource.type_name, resource.name);
    }
    name
}

/// Returns the result of a case: it fails with any of its findings, and passes if all of them pass.
fn case_status(findings: &[&Finding]) -> TestCaseStatus {
    let failed: Vec<&Finding> = findings.iter().copied().filter(|finding| finding.outcome == Outcome::Failed).collect();
    if let Some(first) = failed.first() {
        let texts: Vec<String> = failed.iter().map(|finding| failure_text(finding)).collect();
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_type(first.rule.severity.as_str()).set_message(printable(&first.message));
        status.set_description(texts.join("\n\n"));
        return status;
    }
    match findings.iter().find(|finding| finding.outcome != Outcome::Passed) {
        Some(skipped) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(match &skipped.reason {
                Some(reason) => printable(&format!("{}: {reason}", skipped.outcome.as_str())),
                None => skipped.outcome.as_str().to_owned(),
            });
            status
        }
        None => TestCaseStatus::success(),
    }
}

fn failure_text(finding: &Finding) -> String {
    let mut text = format!("{}: {}", finding.place, printable(&finding.message));
    if let Some(files) = file_list::parameter_files(finding) {
        let _ = write!(text, "\nin {}", printable(&files));
    }
    if finding.more_places > 0 {
        let _ = write!(text, "\nalso at {} that no report lists", counted(finding.places() - 1, "further place"));
    }
    let advice = [&finding.rule.recommendation, &finding.rule.help_uri];
    for line in advice.into_iter().flatten().flat_map(|text| text.lines()) {
        let _ = write!(text, "\n{}", printable(line));
    }
    text
}

fn problem_status(problem: &Problem) -> TestCaseStatus {
    let message = printable(&problem.message);
    let mut status = match problem.level {
        Level::Error => TestCaseStatus::non_success(NonSuccessKind::Error),
        Level::Warning | Level::Note => TestCaseStatus::skipped(),
    };
    if problem.level == Level::Error {
        status.set_type(&*problem.code);
        status.set_description(format!("{}: {message}", problem.place));
    }
    status.set_message(message);
    status
}

/// Formats text on one line, without the characters that XML 1.0 cannot hold in any form. `quick-junit` would silently
/// drop most of them, and write the last two.
pub(super) fn printable(text: &str) -> String {
    visible(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Format, sample};

    #[test]
    fn output() {
        sample::assert_report(Format::Junit, "output", &sample::run());
    }

    #[test]
    fn syntax_errors() {
        sample::assert_report(Format::Junit, "syntax_errors", &sample::syntax_errors());
    }

    #[test]
    fn empty() {
        sample::assert_report(Format::Junit, "empty", &sample::empty());
    }

    #[test]
    fn what_xml_cannot_hold_is_written_out_or_replaced() {
        assert_eq!(printable("a\tb\r\n\x1b[31m\u{ffff}\0"), "a\\tb\\r\\n\\u{1b}[31m\u{fffd}\\u{0}");
    }

    #[test]
    fn verdicts_of_one_rule_on_one_resource_are_one_case() {
        let mut run = sample::run();
        let finding = run.findings.remove(0);
        run.diagnostics.clear();
        run.findings = vec![finding.clone(), finding];
        let text = sample::render(Format::Junit, &run, false, false);
        assert!(text.contains("<testsuites name=\"formwork\" tests=\"1\" failures=\"1\""), "{text}");
        assert_eq!(text.matches("<failure").count(), 1);
        assert_eq!(text.matches("accepts TLS").count(), 3);
    }

    proptest! {
        #[test]
        fn no_text_of_a_template_is_markup(run in sample::any_run()) {
            let text = sample::render(Format::Junit, &run, false, false);
            let is_legal = |c: char| c == '\n' || (c >= ' ' && c != '\u{fffe}' && c != '\u{ffff}');
            prop_assert!(text.chars().all(is_legal));
            let ours = ["<?xml ", "<testsuites ", "</testsuites>", "<testsuite ", "</testsuite>", "<testcase ",
                "</testcase>", "<failure ", "</failure>", "<error ", "</error>", "<skipped "];
            for (at, _) in text.match_indices('<') {
                let (_, rest) = text.split_at(at);
                prop_assert!(ours.iter().any(|tag| rest.starts_with(tag)), "{}", rest);
            }
        }
    }
}
