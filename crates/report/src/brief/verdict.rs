//! The first line of a brief report.

use std::fmt::Write as _;

use crate::BriefOptions;
use crate::brief::kind::{Kind, Rank};
use crate::brief::quote;
use crate::counted::counted;
use crate::diagnostic::Severity;
use crate::model::{Finding, Report};

/// Returns the verdict and the counts: `FAIL 1 error, 2 high in main.bicep (1 template, 3 resources); 4 undecided`.
/// Findings that are only counted do not fail: they are advice.
pub(super) fn line(report: &Report, kinds: &[Kind<'_>], file: Option<&str>, options: &BriefOptions) -> String {
    let count = |rank: Rank| kinds.iter().filter(|kind| kind.rank == rank).map(Kind::count).sum::<usize>();
    let of_severity = |severity: Severity| format!("{} {}", count(Rank::Finding(severity)), severity.as_str());
    let found = [
        counted(count(Rank::Error), "error"),
        of_severity(Severity::High),
        of_severity(Severity::Medium),
        of_severity(Severity::Low),
    ];
    let is_listed = kinds.iter().any(|kind| kind.is_finding() && !kind.is_counted_only(report));
    let found: Vec<String> = found.into_iter().filter(|words| !words.starts_with("0 ")).collect();
    let findings = if found.is_empty() { "no findings".to_owned() } else { found.join(", ") };
    let unread = count(Rank::Unread) + report.summary.unreadable;
    let unchecked = count(Rank::Unchecked);
    let is_empty = report.summary.templates == 0;
    let verdict = match () {
        () if unread > 0 => format!("INCOMPLETE {} not be read or built; {findings}", could(unread)),
        () if unchecked > 0 => format!("INCOMPLETE {} not checked; {findings}", counted(unchecked, "input")),
        () if is_empty => "INCOMPLETE no template was found".to_owned(),
        () if is_listed => format!("FAIL {findings}"),
        () => format!("CLEAN {findings}"),
    };
    let place = file.map(|file| format!(" in {}", quote::file(file))).unwrap_or_default();
    let scope = format!(
        "({}, {})",
        counted(report.summary.templates, "template"),
        counted(report.summary.resources, "resource")
    );
    let mut text = format!("{verdict}{place} {scope}");
    for (count, words) in aside(report) {
        if count > 0 {
            let _ = write!(text, "; {count} {words}");
        }
    }
    if report.has_only_new {
        text.push_str("; findings of the base are not counted");
    }
    if let Some(progress) = options.progress {
        let _ = write!(text, ". Since the last call: {} fixed, {} new", progress.fixed, progress.new);
    }
    text.push('\n');
    text
}

fn could(count: usize) -> String {
    format!("{} could", counted(count, "input"))
}

/// Returns the counts of what is not listed.
fn aside(report: &Report) -> [(usize, &'static str); 3] {
    let accepted = report.findings.iter().filter(|finding| finding.is_in_baseline()).map(Finding::places).sum();
    [
        (report.summary.unknown, "undecided"),
        (report.summary.suppressed.saturating_sub(accepted), "suppressed"),
        (accepted, "accepted by the baseline"),
    ]
}
