//! What a check found, in types of its own: those of the engine may change.

use std::fmt;
use std::io;

use crate::diagnostic::{self, Diagnostic, Level, Outcome, Run, Severity};
#[cfg(feature = "cli")]
use crate::engine;
use crate::engine::Status;
use crate::report::{self, Format};

/// How wide the formats for people are.
const WIDTH: usize = 100;

/// The result of a check.
#[derive(Debug)]
pub struct Report {
    run: Run,
    status: Status,
    /// What is wrong with settings, rules and baseline without making them useless.
    settings_problems: Vec<Problem>,
    changed_files: Vec<String>,
}

impl Report {
    pub(super) fn new(run: Run, status: Status) -> Self {
        Self { run, status, settings_problems: Vec::new(), changed_files: Vec::new() }
    }

    #[cfg(feature = "cli")]
    pub(super) fn of_files(finished: engine::Finished, settings_problems: Vec<Problem>) -> Self {
        let engine::Finished { run, status, changed_files, .. } = finished;
        Self { run, status, settings_problems, changed_files }
    }

    /// What the result means: the exit code of the command line as a type.
    pub fn status(&self) -> Status {
        self.status
    }

    /// What the rules found, ordered by template, position and rule.
    pub fn findings(&self) -> impl Iterator<Item = Finding> {
        self.run.findings.iter().map(|finding| Finding::of(finding, &self.run))
    }

    /// What kept something from being checked, or made a result uncertain: first in settings, rules and baseline, then in
    /// the templates, ordered by file and position.
    pub fn problems(&self) -> impl Iterator<Item = Problem> {
        self.settings_problems.iter().cloned().chain(Problem::all(&self.run))
    }

    /// How many templates were checked.
    pub fn templates(&self) -> usize {
        self.run.summary.templates
    }

    /// How many resources they would create.
    pub fn resources(&self) -> usize {
        self.run.summary.resources
    }

    /// The names of the checked files that the change touches, sorted. Empty if the check was not about a change.
    pub fn changed_files(&self) -> &[String] {
        &self.changed_files
    }

    /// Writes the report, without colors.
    ///
    /// # Errors
    ///
    /// Fails if the writer does.
    pub fn render(&self, format: Format, out: &mut dyn io::Write) -> io::Result<()> {
        let mut options = report::Options {
            color: false,
            width: WIDTH,
            show_passed: true,
            tool_version: env!("CARGO_PKG_VERSION"),
            run_url: None,
            sarif: report::SarifOptions::default(),
        };
        if format == Format::Sarif {
            options.sarif.surplus = report::sarif_surplus(&self.run, &options)?;
        }
        report::render(format, &self.run, &options, out)
    }
}

/// What one rule says about one position of one template.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// ID of the rule.
    pub rule: String,
    /// What the rule concluded.
    pub outcome: Outcome,
    /// Severity of the rule, which settings may change.
    pub severity: Severity,
    /// What is wrong and what to do.
    pub message: String,
    /// Name of the file to change: the template, a module or a parameter file.
    pub file: String,
    /// First line of the text to change, from 1.
    pub line: u32,
    /// Column in that line, from 1, in UTF-16 code units.
    pub column: u32,
    /// Name of the template.
    pub template: String,
    /// Names of the parameter files under which this holds.
    pub parameters: Vec<String>,
    /// Type of the resource. `None` if the finding is about the template as a whole.
    pub resource_type: Option<String>,
    /// Name of the resource. `None` if the finding is about the template as a whole.
    pub resource: Option<String>,
    /// Path of the property in the template, for example `resources[0].properties.httpsOnly`.
    pub path: String,
    /// Whether the change touches it. `None` if the check was not about a change.
    pub in_change: Option<bool>,
    /// Stays the same when lines move, so that a finding can be followed from one check to the next.
    pub fingerprint: String,
}

impl Finding {
    fn of(finding: &diagnostic::Finding, run: &Run) -> Self {
        let (start, _) = run.sources.range(finding.span);
        Self {
            rule: finding.rule.id.clone(),
            outcome: finding.outcome,
            severity: finding.rule.severity,
            message: finding.message.clone(),
            file: run.sources.get(finding.span.file).name().to_string(),
            line: start.line,
            column: start.column,
            template: finding.template.to_string(),
            parameters: finding.parameters.iter().map(ToString::to_string).collect(),
            resource_type: finding.resource.as_ref().map(|resource| resource.type_name.clone()),
            resource: finding.resource.as_ref().map(|resource| resource.name.clone()),
            // Of a rule with several conditions, `finding.path` is only where they look from.
            path: finding.failed_paths.first().unwrap_or(&finding.path).clone(),
            in_change: finding.in_change,
            fingerprint: finding.fingerprint.clone(),
        }
    }
}

/// Something that kept a file from being checked, or made a result uncertain.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// A stable code, for example `syntax/json`.
    pub code: &'static str,
    /// Whether it is an error: something was not checked.
    pub level: Level,
    /// What is wrong, without the position.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Name of the file.
    pub file: String,
    /// Line in the file, from 1.
    pub line: u32,
    /// Column, from 1, in UTF-16 code units.
    pub column: u32,
}

impl Problem {
    pub(super) fn all(run: &Run) -> impl Iterator<Item = Self> {
        run.diagnostics.iter().map(|diagnostic| Self::of(diagnostic, run))
    }

    fn of(diagnostic: &Diagnostic, run: &Run) -> Self {
        let span = diagnostic.primary.span;
        let (start, _) = run.sources.range(span);
        Self {
            code: diagnostic.code.as_str(),
            level: diagnostic.level,
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            file: run.sources.get(span.file).name().to_string(),
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
