//! Checks of files and folders.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::api::{Error, Problem, Report};
use crate::config::FailOn;
use crate::diagnostic::{Run, Severity};
use crate::engine::{self, ChangeFilter, ChangeOptions, CheckOptions, Detail, Observer, Override, Query, Session};

/// A check of files and folders, with the settings files that the command line would read.
///
/// ```no_run
/// use formwork::{Check, Severity};
///
/// let report = Check::new("/work/repository").path("infra").min_severity(Severity::Medium).run()?;
/// for finding in report.findings() {
///     println!("{}:{}: {}", finding.file, finding.line, finding.message);
/// }
/// # Ok::<(), formwork::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Check {
    options: CheckOptions,
}

impl Check {
    /// A check that starts in `folder`, an absolute path: paths are relative to it, and settings files are looked for from
    /// there up to the root of the repository. Without a [path](Check::path) the whole folder is checked.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { options: CheckOptions::new(folder.into()) }
    }

    /// Adds a template, a parameter file or a folder to check.
    #[must_use]
    pub fn path(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.paths.push(path.into());
        self
    }

    /// Adds a parameter file; those that would be found are then ignored.
    #[must_use]
    pub fn parameters(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.parameters.push(path.into());
        self
    }

    /// Sets one parameter, which overrides all files. The value is JSON; a string needs no quotes.
    #[must_use]
    pub fn set(mut self, name: &str, json: &str) -> Self {
        self.options.overrides.push(Override { name: name.to_owned(), json: json.to_owned() });
        self
    }

    /// Sets an environment variable that settings, rulesets and the Bicep CLI may read. Those of the process are not read.
    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.options.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Reads this settings file instead of looking for one.
    #[must_use]
    pub fn settings(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.config = Some(path.into());
        self
    }

    /// Adds a rule file, or a folder of rule files.
    #[must_use]
    pub fn rules(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.rules.push(path.into());
        self
    }

    /// Runs no embedded rules.
    #[must_use]
    pub fn without_builtin_rules(mut self) -> Self {
        self.options.builtin_rules = false;
        self
    }

    /// Reports no finding of less severity, and lets none count towards the status.
    #[must_use]
    pub fn min_severity(mut self, severity: Severity) -> Self {
        self.options.min_severity = Some(severity);
        self
    }

    /// The least severity with which a finding fails the check.
    #[must_use]
    pub fn fail_on(mut self, severity: Severity) -> Self {
        self.options.fail_on = Some(FailOn::Severity(severity));
        self
    }

    /// Accepts the findings that this baseline lists.
    #[must_use]
    pub fn baseline(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.baseline = Some(path.into());
        self
    }

    /// Checks only what changed since the branch left the commit `base`, and its dependents. This runs git.
    #[must_use]
    pub fn changed_since(mut self, base: &str) -> Self {
        self.options.change = Some(ChangeOptions {
            query: Query::Since(base.to_owned()),
            detail: Detail::LinesIfThere,
            checks_all: false,
            filter: ChangeFilter::None,
            counts_changed_only: false,
            event: None,
            commit: None,
        });
        self
    }

    /// Keeps what passed among the findings of the report, with [`Outcome::Passed`](crate::Outcome::Passed).
    #[must_use]
    pub fn keep_passed(mut self) -> Self {
        self.options.keep_passed = true;
        self
    }

    /// Uses this many threads instead of one for each processor.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.threads = threads;
        self
    }

    /// Runs the check. It reads files, and starts the Bicep CLI if there is Bicep to compile.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Unusable`] if the settings, the rules or the baseline are wrong, and with [`Error::Setup`] if the
    /// check does not start for another reason. A template that cannot be read is not an error: the report says so.
    pub fn run(&self) -> Result<Report, Error> {
        let mut options = self.options.clone();
        if options.paths.is_empty() {
            options.paths.push(Path::new(".").to_path_buf());
        }
        let heard = Heard::default();
        let finished = Session::open(&options, &heard).and_then(|session| session.check(&heard));
        match finished {
            Ok(finished) => Ok(Report::of_files(finished, heard.into_problems())),
            Err(engine::Error::Unusable) => Err(Error::Unusable(heard.into_problems())),
            Err(other) => Err(Error::Setup(Box::new(other))),
        }
    }
}

/// Keeps what is wrong with settings, rules and baseline.
#[derive(Debug, Default)]
struct Heard {
    problems: Mutex<Vec<Problem>>,
}

impl Heard {
    fn into_problems(self) -> Vec<Problem> {
        self.problems.into_inner().unwrap_or_default()
    }
}

impl Observer for Heard {
    fn problems(&self, run: &Run) {
        if let Ok(mut problems) = self.problems.lock() {
            problems.extend(Problem::all(run));
        }
    }
}
