//! Check run of a report. GitHub shows all of its annotations, and not only ten per level.

use std::fmt::Write as _;

use serde_json::json;

use crate::diagnostic::{Level, Severity};
use crate::plan::anchor::places;
use crate::plan::body::Style;
use crate::plan::fault::Fault;
use crate::plan::marker::Category;
use crate::plan::page::Links;
use crate::plan::summary::Summary;
use crate::published::{Basis, InPullRequest, Report};
use crate::report::model::{Place, Problem};
use crate::report::{counted, short_names};
use crate::text::escape::visible;
use crate::text::{cut, digest};
use crate::wire::CheckAnnotation;

/// Maximum number of annotations of a check run. GitHub has no limit; each request adds fifty.
const MAX_ANNOTATIONS: usize = 1_000;

/// Maximum length of an annotation's title, in bytes. GitHub accepts 255 characters.
const MAX_TITLE: usize = 250;

/// Maximum length of an annotation's message, in bytes. GitHub accepts 64 KB.
const MAX_MESSAGE: usize = 10_000;

/// Content of a check run, and its commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CheckRunPlan {
    /// Name among the checks of a commit.
    pub(crate) name: String,
    /// Commit of the check run.
    pub(crate) head: String,
    /// Identifies the content, so that the same check run is not created twice.
    pub(crate) external_id: String,
    /// `success` without findings, `neutral` otherwise. The exit code of the check decides whether the job fails.
    pub(crate) conclusion: &'static str,
    pub(crate) title: String,
    /// Text of the check run's page, in Markdown.
    pub(crate) summary: String,
    pub(crate) annotations: Vec<CheckAnnotation>,
}

/// Commit of a check run, and the addresses for its links.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckRunOptions<'a> {
    /// Full ID of the commit.
    pub(crate) head: &'a str,
    /// True if the lines of a report without a change are those of the commit.
    pub(crate) is_of_head: bool,
    /// Distinguishes the check runs of several jobs.
    pub(crate) category: &'a str,
    /// Repository, as `owner/name`.
    pub(crate) repository: &'a str,
    /// Address of GitHub.
    pub(crate) server: &'a str,
    /// Address of the workflow run.
    pub(crate) run_url: Option<&'a str>,
}

/// Plans the check run of a report.
pub(crate) fn check_run(report: &Report, options: &CheckRunOptions<'_>) -> CheckRunPlan {
    let CheckRunOptions { head, category, repository, server, run_url, .. } = *options;
    let basis = report.basis(head, options.is_of_head);
    let links = Links { server, repository, head, basis, has_lines: true };
    let style = Style { category: Category::new(category), links };
    let faults = Fault::all(report);
    let problems = [Level::Error, Level::Warning].map(|level| report.problems(level));
    let of_problems = problems.into_iter().flatten().filter_map(|problem| of_problem(problem, basis));
    let mut annotations: Vec<CheckAnnotation> = of_problems.collect();
    annotations.extend(faults.iter().filter_map(|fault| of_fault(fault, basis)));
    let all = annotations.len();
    annotations.truncate(MAX_ANNOTATIONS);
    let entries = faults.iter().map(|fault| (fault, None)).collect();
    let page = Summary { report, entries, style: &style, title: category, run_url, difference: None };
    let mut summary = page.text();
    if all > MAX_ANNOTATIONS {
        let _ = writeln!(summary, "\n{} of {all} are annotated.", counted(MAX_ANNOTATIONS, "line"));
    }
    let name = match category {
        "" | "default" | "formwork" => "formwork".to_owned(),
        name => format!("formwork ({})", visible(&cut(name, 100))),
    };
    let title = page.title();
    let is_clean = faults.is_empty() && report.is_whole();
    let content = json!([head, name, title, summary, annotations]).to_string();
    CheckRunPlan {
        name,
        head: head.to_owned(),
        external_id: format!("formwork:v1:{}", digest(&[&content])),
        conclusion: if is_clean { "success" } else { "neutral" },
        title,
        summary,
        annotations,
    }
}

fn of_fault(fault: &Fault<'_>, basis: Basis) -> Option<CheckAnnotation> {
    let level = match fault.rule.severity {
        Severity::High => "failure",
        Severity::Medium => "warning",
        Severity::Low => "notice",
    };
    let rule = &fault.rule;
    let mut title = rule.id.clone();
    if !rule.name.is_empty() && rule.name != rule.id {
        title.push(' ');
        title.push_str(&rule.name);
    }
    let files = (!fault.parameters.is_empty()).then(|| format!("in {}", short_names(&fault.parameters).join(", ")));
    let mut lines = vec![fault.message.clone()];
    lines.extend(files);
    lines.extend(fault.note());
    lines.extend(rule.recommendation.clone());
    lines.extend(rule.help_uri.clone());
    places(fault.first()).find_map(|place| annotation(place, basis, level, &title, &lines))
}

fn of_problem(problem: &Problem, basis: Basis) -> Option<CheckAnnotation> {
    let level = if problem.level == Level::Error { "failure" } else { "warning" };
    annotation(&problem.place, basis, level, &problem.code, std::slice::from_ref(&problem.message))
}

/// Returns an annotation on the first line of a location, which names the cause. `None` if the commit does not have
/// the line.
fn annotation(
    place: &Place,
    basis: Basis,
    level: &'static str,
    title: &str,
    text: &[String],
) -> Option<CheckAnnotation> {
    let (path, lines) = place.in_head(basis)?;
    let text: Vec<_> = text.iter().map(|line| visible(line)).collect();
    Some(CheckAnnotation {
        path: path.to_owned(),
        start_line: lines.start,
        end_line: lines.start,
        annotation_level: level,
        title: cut(&visible(title), MAX_TITLE),
        message: cut(&text.join("\n"), MAX_MESSAGE),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::plan::sample::{HEAD, document, finding, place, problem, read, report, with_members};

    fn of(report: &Report) -> CheckRunPlan {
        let options = CheckRunOptions {
            head: HEAD,
            is_of_head: false,
            category: "",
            repository: "octo/infra",
            server: "https://github.com",
            run_url: None,
        };
        check_run(report, &options)
    }

    #[test]
    fn each_fault_and_problem_is_annotated_at_its_first_line() {
        let results = [
            finding(1, 7),
            with_members(
                finding(2, 9),
                json!({"severity": 3, "rule": "A", "name": "A", "location": place("a.json", 9, 30)}),
            ),
            with_members(finding(3, 9), json!({"outcome": "suppressed"})),
        ];
        let plan = of(&read(&document(&results, &[problem("warning", "odd"), problem("note", "well")])));
        let shown: Vec<_> = plan
            .annotations
            .iter()
            .map(|it| (it.annotation_level, it.path.as_str(), it.start_line, it.end_line, it.title.as_str()))
            .collect();
        let expected = [
            ("warning", "infra/broken.json", 3, 3, "syntax/json"),
            ("failure", "infra/main.json", 7, 7, "AZ-STORAGE-001 Storage.MinTls12"),
            ("notice", "a.json", 9, 9, "A"),
        ];
        assert_eq!(shown, expected);
        let message = "storage account `st1` accepts TLS older than 1.2\nin dev.json, prod.json\n\
                       set `minimumTlsVersion` to `TLS1_2`\nhttps://example.org/rules/AZ-STORAGE-001?a&b";
        assert_eq!(plan.annotations[1].message, message);
        assert_eq!((plan.title.as_str(), plan.conclusion), ("2 findings", "neutral"));
        assert!(plan.summary.contains("| high |"), "{}", plan.summary);
    }

    #[test]
    fn a_check_run_is_a_success_only_if_everything_was_checked() {
        assert_eq!(of(&report(&[])).conclusion, "success");
        assert_eq!(of(&read(&document(&[], &[problem("error", "no value")]))).conclusion, "neutral");
    }

    #[test]
    fn the_same_report_is_the_same_check_run() {
        let id = |line| of(&report(&[finding(1, line)])).external_id;
        assert_eq!(id(7), id(7));
        assert_ne!(id(7), id(8));
    }

    #[test]
    fn there_is_a_last_annotation_and_the_summary_says_so() {
        let results: Vec<Value> = (0..1_100).map(|at| finding(at, at + 1)).collect();
        let plan = of(&report(&results));
        assert_eq!(plan.annotations.len(), MAX_ANNOTATIONS);
        assert!(plan.summary.ends_with("\n1000 lines of 1100 are annotated.\n"), "{}", plan.summary);
        assert!(plan.summary.len() < 65_000);
        let plan = of(&report(&results[..MAX_ANNOTATIONS]));
        assert_eq!(plan.annotations.len(), MAX_ANNOTATIONS);
        assert!(!plan.summary.contains("annotated"), "{}", plan.summary);
    }

    #[test]
    fn text_has_no_characters_that_nobody_sees() {
        let members = json!({"message": "a\u{202e}\n\u{1b}b", "rule": "x\u{7}", "name": ""});
        let plan = of(&report(&[with_members(finding(1, 1), members)]));
        assert!(plan.annotations[0].message.starts_with("a\\u{202e}\\n\\u{1b}b\n"), "{plan:?}");
        assert_eq!(plan.annotations[0].title, "x\\u{7}");
    }
}
