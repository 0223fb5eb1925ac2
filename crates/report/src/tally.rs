//! Counts of a report, in words.

use crate::counted::counted;
use crate::diagnostic::{Level, Outcome, Severity};
use crate::fault;
use crate::model::{Finding, Report};

/// Numbers of failed results, by severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) high: usize,
    pub(super) medium: usize,
    pub(super) low: usize,
}

impl Tally {
    pub(super) fn new(report: &Report) -> Self {
        let mut tally = Self::default();
        let failed = report.findings.iter().filter(|finding| finding.outcome == Outcome::Failed);
        for finding in failed {
            match finding.rule.severity {
                Severity::High => tally.high += finding.places(),
                Severity::Medium => tally.medium += finding.places(),
                Severity::Low => tally.low += finding.places(),
            }
        }
        tally
    }

    pub(super) fn total(self) -> usize {
        self.high + self.medium + self.low
    }

    /// Formats the counts: `3 findings (1 high, 2 medium)`.
    pub(super) fn findings(self) -> String {
        let total = match self.total() {
            0 => return "no findings".to_owned(),
            total => counted(total, "finding"),
        };
        let parts = [(self.high, "high"), (self.medium, "medium"), (self.low, "low")];
        let present = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = present.map(|(count, word)| format!("{count} {word}")).collect();
        format!("{total} ({})", parts.join(", "))
    }
}

/// `1 error: not everything was checked`. `None` if everything could be read.
fn incomplete(report: &Report) -> Option<String> {
    let errors = report.summary.errors;
    (errors > 0).then(|| format!("{}: not everything was checked", counted(errors, "error")))
}

/// Returns the counts of `findings`, after the number of errors. "No findings" would be untrue where something could not
/// be read.
pub(super) fn headline(report: &Report, findings: &str) -> String {
    match incomplete(report) {
        None => findings.to_owned(),
        Some(errors) if Tally::new(report).total() == 0 => errors,
        Some(errors) => format!("{errors}; {findings}"),
    }
}

/// `36 findings (36 high) from 3 faults`; the faults only if there are fewer of them.
pub(super) fn findings(report: &Report) -> String {
    let tally = Tally::new(report);
    match fault::count_failed(report) {
        faults if faults < tally.total() => format!("{} from {}", tally.findings(), counted(faults, "fault")),
        _ => tally.findings(),
    }
}

/// `31 low findings are not listed: `--min-severity low` shows them`. `None` if the report lists all of its findings.
pub(super) fn hidden(report: &Report) -> Option<String> {
    let low = Tally::new(report).low;
    let (verb, object) = if low == 1 { ("is", "it") } else { ("are", "them") };
    (report.hides_low && low > 0)
        .then(|| format!("{} {verb} not listed: `--min-severity low` shows {object}", counted(low, "low finding")))
}

/// What was looked at: `12 templates, 24 deployments, 310 resources`.
pub(super) fn scope(report: &Report) -> String {
    let summary = &report.summary;
    format!(
        "{}, {}, {}",
        counted(summary.templates, "template"),
        counted(summary.deployments, "deployment"),
        counted(summary.resources, "resource"),
    )
}

/// Describes the whole run in one line, without any text from a template.
pub(super) fn sentence(report: &Report) -> String {
    let mut sentence = format!("{} in {}", headline(report, &findings(report)), scope(report));
    let not_checked = report.not_checked().count();
    let [warnings, notes] = [Level::Warning, Level::Note].map(|level| {
        let problems = report.problems.iter().filter(|problem| problem.not_checked.is_none());
        problems.filter(|problem| problem.level == level).count()
    });
    let accepted = report.findings.iter().filter(|finding| finding.is_in_baseline()).map(Finding::places).sum();
    let suppressed = report.summary.suppressed.saturating_sub(accepted);
    let rest = [
        (report.summary.unknown, format!("{} could not be decided", report.summary.unknown)),
        (accepted, format!("{accepted} accepted by the baseline")),
        (suppressed, format!("{suppressed} suppressed")),
        (not_checked, format!("{not_checked} not checked")),
        (warnings, counted(warnings, "warning")),
        (notes, counted(notes, "note")),
    ];
    for (count, words) in rest {
        if count > 0 {
            sentence.push_str("; ");
            sentence.push_str(&words);
        }
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Run, Summary};
    use crate::sample;

    #[test]
    fn a_run_is_told_in_one_line() {
        assert_eq!(
            sentence(&sample::report(&sample::run())),
            "1 error: not everything was checked; 4 findings (1 high, 2 medium, 1 low) in 2 templates, 3 deployments, \
             5 resources; 1 could not be decided; 1 suppressed; 1 not checked; 1 warning"
        );
    }

    #[test]
    fn faults_are_counted_where_they_are_not_as_many_as_findings() {
        let mut run = sample::run();
        run.findings.push(run.findings[0].clone());
        assert!(
            sentence(&sample::report(&run))
                .contains("; 5 findings (2 high, 2 medium, 1 low) from 4 faults in 2 templates,")
        );
    }

    #[test]
    fn nothing_is_said_of_what_did_not_occur() {
        let run = Run { summary: Summary { templates: 1, deployments: 1, ..Summary::default() }, ..Run::default() };
        assert_eq!(sentence(&sample::report(&run)), "no findings in 1 template, 1 deployment, 0 resources");
    }
}
