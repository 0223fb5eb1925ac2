//! The result of a whole run: what reports print.

use std::iter;
use std::sync::Arc;

use crate::diagnostic::{
    AddedSuppression, Diagnostic, EventChange, Finding, Level, Outcome, Part, ResourceTree, RuleInfo, Severity, Shared,
};
use crate::text::Sources;

/// Everything that a report may say. Findings and diagnostics are in their final order.
#[derive(Debug, Default)]
pub struct Run {
    /// The texts that spans point into.
    pub sources: Sources,
    /// Verdicts, ordered by template, place and rule.
    pub findings: Vec<Finding>,
    /// Problems of the run itself, ordered by file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// The rules that ran, ordered by id.
    pub rules: Vec<Arc<RuleInfo>>,
    /// How many of each there are.
    pub summary: Summary,
    /// The change that the run is for, where an event told it.
    pub change: Option<EventChange>,
    /// What else everyone who reads a report should know of the run, a sentence each.
    pub notices: Vec<String>,
    /// The templates that were expanded, by the names that findings have for them.
    pub analysed: Vec<Analysed>,
    /// The suppressions that the change adds, ordered by file, place, and rule. Empty where no change is known.
    pub added_suppressions: Vec<AddedSuppression>,
    /// What the deployments would create. Empty unless a report shows it.
    pub trees: Vec<ResourceTree>,
    /// The part that it is, if others check the rest.
    pub part: Option<Part>,
    /// What it knows about suppressions that are not about one template alone.
    pub shared: Shared,
    /// Whether reports list the verdicts that could not be decided.
    pub lists_unknown: bool,
    /// True if reports for people count findings of low severity in one line instead of listing them.
    pub hides_low: bool,
    /// Whether findings that the base of a change has were left out.
    pub has_only_new: bool,
    /// Whether rule files were read from the base of a change, so that the change did not write them.
    pub rules_are_of_base: bool,
}

/// A template and how much of it was looked at: what it means that something was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysed {
    /// Name of its file.
    pub template: Arc<str>,
    /// What it was expanded with, one after the other.
    pub parameters: Vec<ParameterSet>,
    /// Whether it was expanded with its defaults: there are no parameters, or it may also be deployed without them.
    pub has_defaults: bool,
    /// Whether these are the files that belong to it, and not others that the user gave.
    pub is_usual: bool,
    /// Whether nothing stood in the way of looking at everything, and no value was replaced.
    pub is_whole: bool,
}

impl Analysed {
    /// The names of its file and of its parameter files.
    pub fn files(&self) -> impl Iterator<Item = &Arc<str>> {
        iter::once(&self.template).chain(self.parameters.iter().map(|of| &of.file))
    }
}

/// Parameters of one deployment of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterSet {
    /// Name of the file.
    pub file: Arc<str>,
    /// The name in reports: that of the file, and of the environment if it sets the parameters of several.
    pub name: Arc<str>,
}

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Number of templates that were analyzed.
    pub templates: usize,
    /// Expansions: one per template and parameter file.
    pub deployments: usize,
    /// Resources that they would create.
    pub resources: usize,
    /// Number of rules that ran.
    pub rules: usize,
    /// Number of findings with [`Outcome::Failed`].
    pub failed: usize,
    /// Number of findings with [`Outcome::Passed`].
    pub passed: usize,
    /// Number of findings with [`Outcome::Unknown`].
    pub unknown: usize,
    /// Number of findings with [`Outcome::Suppressed`].
    pub suppressed: usize,
    /// Diagnostics of level error.
    pub errors: usize,
    /// Errors that were turned into warnings, because the user allows inputs that cannot be analyzed.
    pub unreadable: usize,
    /// Verdicts that count towards the exit code and are not reported, because they lie outside of the change.
    pub outside: BySeverity,
}

/// A number for each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BySeverity {
    /// How many are of high severity.
    pub high: usize,
    /// How many are of medium severity.
    pub medium: usize,
    /// How many are of low severity.
    pub low: usize,
}

impl BySeverity {
    /// The number for a severity.
    pub fn of(&mut self, severity: Severity) -> &mut usize {
        match severity {
            Severity::High => &mut self.high,
            Severity::Medium => &mut self.medium,
            Severity::Low => &mut self.low,
        }
    }
}

impl Run {
    /// Turns what is not checked into errors.
    pub fn refuse_not_checked(&mut self) {
        for problem in self.diagnostics.iter_mut().filter(|problem| problem.not_checked.is_some()) {
            if problem.level != Level::Error {
                problem.level = Level::Error;
                self.summary.errors += 1;
            }
        }
    }

    /// Turns the errors of the run into warnings.
    pub fn allow_unreadable(&mut self) {
        for problem in self.diagnostics.iter_mut().filter(|problem| problem.level == Level::Error) {
            problem.level = Level::Warning;
        }
        self.summary.unreadable += std::mem::take(&mut self.summary.errors);
    }

    /// Drops the findings that are less severe than `least`, and returns the number of those that failed.
    pub fn drop_below(&mut self, least: Severity) -> usize {
        let Self { findings, summary, .. } = self;
        let mut failed = 0;
        findings.retain(|finding| {
            let stays = finding.rule.severity <= least || finding.outcome == Outcome::Passed;
            if !stays {
                summary.forget(finding.outcome, finding.places());
                failed += if finding.outcome == Outcome::Failed { finding.places() } else { 0 };
            }
            stays
        });
        failed
    }
}

impl Summary {
    /// Adds a finding to the counts, with the number of places that it stands for.
    pub fn count(&mut self, outcome: Outcome, places: usize) {
        let count = self.of(outcome);
        *count = count.saturating_add(places);
    }

    /// Takes back the count of a finding.
    pub fn forget(&mut self, outcome: Outcome, places: usize) {
        let count = self.of(outcome);
        *count = count.saturating_sub(places);
    }

    fn of(&mut self, outcome: Outcome) -> &mut usize {
        match outcome {
            Outcome::Failed => &mut self.failed,
            Outcome::Unknown => &mut self.unknown,
            Outcome::Suppressed => &mut self.suppressed,
            Outcome::Passed => &mut self.passed,
        }
    }
}
