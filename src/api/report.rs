//! Result of a check. These types are separate from those of the engine, which may change.

use std::fmt;
use std::io;

use crate::api::Fix;
use crate::diagnostic::{Level, Outcome, Run, Severity};
#[cfg(feature = "cli")]
use crate::engine;
use crate::engine::Status;
use crate::report::{self, Format, model};

/// Width of console formats, in columns.
const WIDTH: usize = 100;

/// Result of a check.
#[derive(Debug)]
pub struct Report {
    all: report::Report,
    status: Status,
    /// Warnings about settings, rules, and the baseline.
    settings_problems: Vec<Problem>,
    changed_files: Vec<String>,
}

impl Report {
    pub(super) fn new(run: Run, status: Status, settings_problems: Vec<Problem>) -> Self {
        let all = report::Report::from_run(run);
        Self { all, status, settings_problems, changed_files: Vec::new() }
    }

    #[cfg(feature = "cli")]
    pub(super) fn of_files(finished: engine::Finished, settings_problems: Vec<Problem>) -> Self {
        let engine::Finished { run, status, changed_files, threads, .. } = finished;
        let all = threads.install(|| report::Report::from_run(run));
        Self { all, status, settings_problems, changed_files }
    }

    /// Returns the status. It corresponds to the exit code of the command line.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Iterates over the findings of the rules, ordered by template, position, and rule.
    pub fn findings(&self) -> impl Iterator<Item = Finding> {
        self.all.findings.iter().map(Finding::from_model)
    }

    /// Iterates over the problems that prevented checks or made results uncertain.
    ///
    /// Problems in settings, rules, and the baseline come first, then those in templates, ordered by file and
    /// position.
    pub fn problems(&self) -> impl Iterator<Item = Problem> {
        self.settings_problems.iter().cloned().chain(Problem::all(&self.all))
    }

    /// Returns the number of checked templates.
    pub fn templates(&self) -> usize {
        self.all.summary.templates
    }

    /// Returns the number of resources that these templates would create.
    pub fn resources(&self) -> usize {
        self.all.summary.resources
    }

    /// Returns the names of the checked files that changed, sorted. Empty unless the check is limited to a change.
    pub fn changed_files(&self) -> &[String] {
        &self.changed_files
    }

    /// Writes the report to `out` in a format, without colors.
    ///
    /// # Errors
    ///
    /// Returns the error of `out` if it cannot be written to.
    pub fn render(&self, format: Format, out: &mut dyn io::Write) -> io::Result<()> {
        let mut options = report::Options {
            color: false,
            width: WIDTH,
            show_passed: true,
            tool_version: env!("CARGO_PKG_VERSION"),
            run_url: None,
            page: report::PAGE,
            sarif: report::SarifOptions::default(),
            brief: report::BriefOptions::default(),
        };
        if format == Format::Sarif {
            options.sarif.surplus = report::sarif_surplus(&self.all, &options)?;
        }
        report::render(format, &self.all, &options, out)
    }
}

/// Result of one rule at one position of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// ID of the rule, for example `AZ-APPSERVICE-001`.
    pub rule: String,
    /// True or false result of the rule, or another outcome.
    pub outcome: Outcome,
    /// Severity of the rule. Settings can change it.
    pub severity: Severity,
    /// Description of the violation, in one sentence.
    pub message: String,
    /// Name of the file that contains the cause: the template, a module, or a parameter file.
    pub file: String,
    /// Line of the cause in that file, from 1.
    pub line: u32,
    /// Column in that line, from 1, in UTF-16 code units.
    pub column: u32,
    /// Name of the template file.
    pub template: String,
    /// Names of the parameter files with which the finding occurs. Empty if it occurs without any.
    pub parameters: Vec<String>,
    /// Type of the resource. `None` if the finding is about the template as a whole.
    pub resource_type: Option<String>,
    /// Name of the resource. `None` if the finding is about the template as a whole.
    pub resource: Option<String>,
    /// Path of the property in the template, for example `resources[0].properties.httpsOnly`.
    pub path: String,
    /// True if the change causes or touches the finding. `None` unless the check is limited to a change.
    pub in_change: Option<bool>,
    /// Identifies the finding across checks. It does not change when lines move.
    pub fingerprint: String,
    fixes: Vec<Fix>,
}

impl Finding {
    /// Returns changes that would fix the finding, each on its own. Usually there is one or none.
    pub fn fixes(&self) -> &[Fix] {
        &self.fixes
    }

    fn from_model(finding: &model::Finding) -> Self {
        let start = finding.place.start;
        Self {
            rule: finding.rule.id.clone(),
            outcome: finding.outcome,
            severity: finding.rule.severity,
            message: finding.message.clone(),
            file: finding.place.file.name().to_string(),
            line: start.line,
            column: start.column,
            template: finding.template.to_string(),
            parameters: finding.parameters.iter().map(ToString::to_string).collect(),
            resource_type: finding.resource.as_ref().map(|resource| resource.type_name.clone()),
            resource: finding.resource.as_ref().map(|resource| resource.name.clone()),
            // For a rule with several conditions, `finding.path` is only their common scope.
            path: finding.failed_paths().first().unwrap_or(&finding.path).clone(),
            in_change: finding.in_change,
            fingerprint: finding.fingerprint.clone(),
            fixes: finding.fix.iter().filter_map(|fix| Fix::from_model(fix)).collect(),
        }
    }
}

/// A problem that prevented a check or made a result uncertain, such as a syntax error.
///
/// An error inside a template that could be read, such as an expression that fails, is a [`Finding`] instead.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// Stable code, for example `syntax/json`.
    pub code: String,
    /// Severity of the problem. After an error, something was not checked.
    pub level: Level,
    /// Description of the problem, without the position.
    pub message: String,
    /// Advice for fixing it, if there is any.
    pub help: Option<String>,
    /// Name of the file with the problem.
    pub file: String,
    /// Line in the file, from 1.
    pub line: u32,
    /// Column, from 1, in UTF-16 code units.
    pub column: u32,
}

impl Problem {
    /// Returns the problems that end a check before there is a report.
    pub(super) fn of_run(run: &Run) -> Vec<Self> {
        Self::all(&report::Report::of_problems(Vec::new(), run.diagnostics.clone(), &run.sources)).collect()
    }

    fn all(report: &report::Report) -> impl Iterator<Item = Self> {
        report.problems.iter().map(Self::from_model)
    }

    fn from_model(problem: &model::Problem) -> Self {
        let start = problem.place.start;
        Self {
            code: problem.code.to_string(),
            level: problem.level,
            message: problem.message.clone(),
            help: problem.help.clone(),
            file: problem.place.file.name().to_string(),
            line: start.line,
            column: start.column,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, level, message, .. } = self;
        write!(f, "{file}:{line}:{column}: {}: {message}", level.as_str())
    }
}
