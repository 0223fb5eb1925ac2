//! Checks files and folders.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use chrono::NaiveDate;

use crate::api::{Error, Problem, Report};
use crate::diagnostic::{FailOn, Run, Severity};
use crate::engine::{self, ChangeFilter, ChangeOptions, CheckOptions, Detail, Observer, Override, Query, Session};
use crate::files::{Overlay, Programs};

/// A check of files and folders, with the same settings files that the command line would use.
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
    /// Creates a check that runs in `folder`, which must be an absolute path.
    ///
    /// All other paths are relative to it. Settings files are searched for in `folder` and its parents up to the root of
    /// the repository. Without a [path](Check::path), the whole folder is checked.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let files = Arc::new(Overlay::of_command_line(Programs::of_command_line()));
        Self { options: CheckOptions { files, ..CheckOptions::new(folder.into()) } }
    }

    /// Adds a template, a parameter file, or a folder to check.
    #[must_use]
    pub fn path(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.paths.push(path.into());
        self
    }

    /// Adds a parameter file, and disables the search for parameter files next to templates.
    #[must_use]
    pub fn parameters(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.parameters.push(path.into());
        self
    }

    /// Sets a parameter of the templates, which overrides parameter files. The value is JSON; a string needs no quotes.
    #[must_use]
    pub fn set(mut self, name: &str, json: &str) -> Self {
        self.options.overrides.push(Override { name: name.to_owned(), json: json.to_owned() });
        self
    }

    /// Sets an environment variable for settings, rulesets, and the search for the Bicep CLI.
    ///
    /// A check does not read the variables of the process.
    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.options.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Uses this settings file instead of searching for one.
    #[must_use]
    pub fn settings(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.config = Some(path.into());
        self
    }

    /// Adds a rule file or a folder of rule files.
    #[must_use]
    pub fn rules(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.given.rules.push(path.into());
        self
    }

    /// Disables the embedded rules. Rules that are added with [`Check::rules`] still run.
    #[must_use]
    pub fn without_builtin_rules(mut self) -> Self {
        self.options.given.choices.builtin_rules = Some(false);
        self
    }

    /// Omits findings below this severity from the report. They do not affect its status either.
    #[must_use]
    pub fn min_severity(mut self, severity: Severity) -> Self {
        self.options.given.choices.min_severity = Some(severity);
        self
    }

    /// Sets the lowest severity that fails the check. Without it, the settings decide; by default, every finding fails it.
    #[must_use]
    pub fn fail_on(mut self, severity: Severity) -> Self {
        self.options.given.choices.fail_on = Some(FailOn::Severity(severity));
        self
    }

    /// Makes undecided verdicts fail the check, too. The severity of [`Check::fail_on`] applies to them.
    #[must_use]
    pub fn fail_on_unknown(mut self) -> Self {
        self.options.given.choices.fail_on_unknown = Some(true);
        self
    }

    /// Turns the errors of inputs that cannot be read, parsed, or built into warnings.
    #[must_use]
    pub fn allow_unreadable(mut self) -> Self {
        self.options.given.choices.allow_unreadable = Some(true);
        self
    }

    /// Turns parts that are not checked, such as remote templates, into errors. [`Check::allow_unreadable`] then has
    /// no effect.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.options.given.choices.strict = Some(true);
        self
    }

    /// Accepts the findings in this baseline file, so that they do not fail the check.
    #[must_use]
    pub fn baseline(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.given.baseline = Some(path.into());
        self
    }

    /// Sets the current date, after which suppressions may have expired.
    ///
    /// A check does not read the clock, so without a date, none has expired. The same holds for a date that does not exist.
    #[must_use]
    pub fn today(mut self, year: i32, month: u32, day: u32) -> Self {
        self.options.today = NaiveDate::from_ymd_opt(year, month, day);
        self
    }

    /// Checks only files that changed since the current branch diverged from `base`, and templates that depend on them.
    ///
    /// `base` is a commit or a branch. This runs git.
    #[must_use]
    pub fn changed_since(mut self, base: &str) -> Self {
        self.options.change = Some(ChangeOptions {
            query: Query::Since(base.to_owned()),
            detail: Detail::LinesIfThere,
            checks_all: false,
            filter: ChangeFilter::None,
            counts_changed_only: false,
            compares: true,
            event: None,
            commit: None,
        });
        self
    }

    /// Also reports passed checks, as findings with [`Outcome::Passed`](crate::Outcome::Passed).
    #[must_use]
    pub fn keep_passed(mut self) -> Self {
        self.options.keep_passed = true;
        self
    }

    /// Sets the number of threads, of which a check starts at most 256. The default is one per processor.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.threads = threads;
        self
    }

    /// Runs the check. This reads files, and runs the Bicep CLI if there are Bicep files.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unusable`] if the settings, the rules, or the baseline are invalid, and [`Error::Setup`] if the
    /// check fails for another reason. A template that cannot be read is not an error, but a [`Problem`] of the report.
    pub fn run(&self) -> Result<Report, Error> {
        let mut options = self.options.clone();
        if options.paths.is_empty() {
            options.paths.push(Path::new(".").to_path_buf());
        }
        let collector = Collector::default();
        let finished = Session::open(&options, &collector).and_then(|session| session.check(&collector));
        match finished {
            Ok(finished) => Ok(Report::of_files(finished, collector.into_problems())),
            Err(engine::Error::Unusable) => Err(Error::Unusable(collector.into_problems())),
            Err(other) => Err(Error::Setup(Box::new(other))),
        }
    }
}

/// Collector of the problems in settings, rules, and the baseline.
#[derive(Debug, Default)]
struct Collector {
    problems: Mutex<Vec<Problem>>,
}

impl Collector {
    fn into_problems(self) -> Vec<Problem> {
        self.problems.into_inner().unwrap_or_default()
    }
}

impl Observer for Collector {
    fn problems(&self, run: &Run) {
        if let Ok(mut problems) = self.problems.lock() {
            problems.extend(Problem::of_run(run));
        }
    }
}
