//! The result of a whole run, which reports print.

use std::iter;
use std::sync::Arc;

use crate::diagnostic::{
    AddedSuppression, Diagnostic, EventChange, Finding, Level, Outcome, Part, ResourceTree, RuleInfo, Severity, Shared,
};
use crate::text::Sources;

/// The complete content of reports. Findings and diagnostics are in their final order.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub struct Run {
    /// The texts that spans refer to.
    pub sources: Sources,
    /// The findings, sorted by template, location, and rule.
    pub findings: Vec<Finding>,
    /// Problems of the run itself, sorted by file and location.
    pub diagnostics: Vec<Diagnostic>,
    /// The rules that ran, sorted by ID.
    pub rules: Vec<Arc<RuleInfo>>,
    /// The counts of the run.
    pub summary: Summary,
    /// The change that is checked. `None` if no event contains one.
    pub change: Option<EventChange>,
    /// Further information for all readers of a report, one sentence each.
    pub notices: Vec<String>,
    /// The expanded templates, by their names in findings.
    pub analysed: Vec<Analysed>,
    /// The suppressions that the change adds, sorted by file, location, and rule. Empty if no change is known.
    pub added_suppressions: Vec<AddedSuppression>,
    /// Resources that the base of a change deploys and the change does not. Empty unless a report lists them.
    pub no_longer_deployed: Vec<NoLongerDeployed>,
    /// The resources of the deployments. Empty unless a report shows them.
    pub trees: Vec<ResourceTree>,
    /// The part of the whole run, if other runs check the rest.
    pub part: Option<Part>,
    /// Information about suppressions that concern several templates.
    pub shared: Shared,
    /// Lists unknown results in reports.
    pub lists_unknown: bool,
    /// True if reports for people count findings of low severity in one line instead of listing them.
    pub hides_low: bool,
    /// True if findings that the base of a change has were left out.
    pub has_only_new: bool,
    /// True if rule files were read from the base of the change, so the change did not edit them.
    pub rules_are_of_base: bool,
}

/// A resource that the base of a change deploys and the change does not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NoLongerDeployed {
    /// Name of the template that deployed it, which may be gone.
    pub template: Arc<str>,
    /// Fully qualified type.
    pub type_name: String,
    /// Full name, with secret segments masked.
    pub name: String,
}

/// A template, and how completely it was analyzed. If the analysis is incomplete, missing findings are not fixed
/// findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysed {
    /// Name of the file.
    pub template: Arc<str>,
    /// The parameter files that the template was expanded with, in this order.
    pub parameters: Vec<ParameterSet>,
    /// True if the template was expanded with its defaults, because there are no parameter files or it may be
    /// deployed without them.
    pub has_defaults: bool,
    /// True if these are the parameter files of the template, not others that the user passed.
    pub is_usual: bool,
    /// True if nothing prevented the complete analysis, and no value was replaced.
    pub is_whole: bool,
}

impl Analysed {
    /// Returns the names of the template and its parameter files.
    pub fn files(&self) -> impl Iterator<Item = &Arc<str>> {
        iter::once(&self.template).chain(self.parameters.iter().map(|of| &of.file))
    }
}

/// Parameters of one deployment of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterSet {
    /// Name of the file.
    pub file: Arc<str>,
    /// The name in reports: that of the file, with the environment if the file has parameters for several.
    pub name: Arc<str>,
}

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Number of analyzed templates.
    pub templates: usize,
    /// Number of expansions: one per template and parameter file.
    pub deployments: usize,
    /// Number of resources of all expansions.
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
    /// Number of diagnostics at the level of an error.
    pub errors: usize,
    /// Number of errors that were turned into warnings, because unreadable inputs are allowed.
    pub unreadable: usize,
    /// Findings that affect the exit code but are not reported, because they are outside the change.
    pub outside: BySeverity,
}

/// A number for each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BySeverity {
    /// The number for high severity.
    pub high: usize,
    /// The number for medium severity.
    pub medium: usize,
    /// The number for low severity.
    pub low: usize,
}

impl BySeverity {
    /// Returns the number for a severity.
    pub fn count_mut(&mut self, severity: Severity) -> &mut usize {
        match severity {
            Severity::High => &mut self.high,
            Severity::Medium => &mut self.medium,
            Severity::Low => &mut self.low,
        }
    }
}

impl Run {
    /// Turns diagnostics about unchecked parts into errors.
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

    /// Removes findings that are less severe than `least`, and returns the number of removed failures.
    pub fn drop_below(&mut self, least: Severity) -> usize {
        let Self { findings, summary, .. } = self;
        let mut failed = 0;
        findings.retain(|finding| {
            let is_kept = finding.rule.severity <= least || finding.outcome == Outcome::Passed;
            if !is_kept {
                summary.forget(finding.outcome, finding.places());
                failed += if finding.outcome == Outcome::Failed { finding.places() } else { 0 };
            }
            is_kept
        });
        failed
    }
}

impl Summary {
    /// Adds a finding to the counts, with the number of locations that it represents.
    pub fn count(&mut self, outcome: Outcome, places: usize) {
        let count = self.count_of(outcome);
        *count = count.saturating_add(places);
    }

    /// Subtracts a finding from the counts.
    pub fn forget(&mut self, outcome: Outcome, places: usize) {
        let count = self.count_of(outcome);
        *count = count.saturating_sub(places);
    }

    fn count_of(&mut self, outcome: Outcome) -> &mut usize {
        match outcome {
            Outcome::Failed => &mut self.failed,
            Outcome::Unknown => &mut self.unknown,
            Outcome::Suppressed => &mut self.suppressed,
            Outcome::Passed => &mut self.passed,
        }
    }
}
