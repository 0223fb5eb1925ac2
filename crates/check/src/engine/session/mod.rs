//! A check from its options to its result: everything that the command line does except parsing arguments and printing.
//!
//! ```text
//! CheckOptions ──► Session::open ──► Session::check ──► Finished
//!                  change, settings  rules, baseline,   what is reported,
//!                                    run, fixes         status, what is hidden and why
//! ```
//!
//! The run of a session goes through the states of [`engine::run`](crate::engine::run) up to [`SettledRun`], and then
//! becomes a [`ScopedRun`], whose findings are related to the change.
//!
//! [`SettledRun`]: crate::engine::run::SettledRun

mod base;
mod baseline;
mod change;
mod change_lines;
mod deployed;
mod error;
mod fix_diff;
mod fix_plan;
mod fixes;
mod hide;
mod journal;
mod load;
mod news;
mod not_fixed;
mod open;
mod options;
mod policy;
mod scoped;
mod unreviewed;
mod upgrade_files;

use std::io::{self, Read};
use std::path::PathBuf;

use crate::bicep;
use crate::config::{Choices, Role, Settings};
use crate::diagnostic::{Diagnostic, Level, Part, Run};
use crate::engine::checker::Checker;
use crate::engine::compiled::CompiledRules;
use crate::engine::inputs::system::{Explained, explain};
use crate::engine::narrowing::{Basis, Cause, Narrowing};
use crate::engine::run::{AcceptedRun, Settlement, SuppressedRun, analyze};
use crate::engine::unreviewed::Unreviewed;
use crate::engine::{Extent, Inputs, Observer, Piped, Status, Threads, Warning};
use crate::files::{PathFilter, repository_of};
use crate::model::Assumptions;
use crate::path::normalize;
use crate::text::Sources;
use crate::value::{Str, Value};

use self::baseline::RunBaseline;
use self::change::ChangeScope;
use self::open::ReadSettings;
use self::scoped::ScopedRun;
use self::unreviewed::unreviewed;

pub(super) use self::baseline::Written;
pub use self::change_lines::ChangeFilter;
pub use self::deployed::DeployedResources;
pub use self::error::Error;
pub use self::fix_diff::ReplacedLines;
pub(super) use self::fix_plan::FixScope;
pub use self::fix_plan::{FixPlan, RewrittenFile};
pub(super) use self::fixes::Fixed;
pub(super) use self::hide::Hidden;
pub use self::journal::Journal;
pub use self::not_fixed::NotFixed;
pub use self::options::{ChangeOptions, CheckOptions, ConfigFrom, NewOnly, Override, WorkflowEvent};
pub use self::policy::Policy;
pub use self::upgrade_files::write_upgrades;

/// The result of a check.
#[derive(Debug)]
pub struct Finished {
    /// The findings and problems to report.
    pub run: Run,
    /// Status of the check, such as passed or failed.
    pub status: Status,
    /// Numbers of findings that are not reported, by reason.
    pub hidden: Hidden,
    /// The names of the checked files that the change touches, sorted.
    pub changed_files: Vec<String>,
    /// Findings that were fixed, if the options ask for fixes.
    pub fixed: Option<Fixed>,
    /// The file of the baseline that was applied, if there is one.
    pub baseline: Option<PathBuf>,
    /// The baseline that was written, if the options ask for one.
    pub written: Option<Written>,
    /// Reason why the baseline could not be written. The result is then that of a check without it.
    pub unwritten: Option<Error>,
    /// True if only the templates that a change affects were checked.
    pub is_narrow: bool,
    /// True if the settings ask for a comparison of the deployments before and after the change.
    pub tells_difference: bool,
    /// Threads that did the work, and can draw reports as well.
    pub threads: Threads,
}

/// Results on the way of a check, besides its run.
struct Course {
    /// Number of the texts of settings, rules, and the baseline.
    own_texts: usize,
    baseline: RunBaseline,
    fixed: Option<Fixed>,
    written: Result<Option<Written>, Error>,
}

/// The files that a check would have.
#[derive(Debug)]
pub struct SelectedFiles {
    /// The names of the files, in the order of their paths, and why each is checked.
    pub files: Vec<(String, String)>,
    /// True if only the templates that a change affects are checked.
    pub is_narrow: bool,
    /// True if everything was found that the user named.
    pub is_whole: bool,
}

/// A check whose change is known and whose settings are read.
#[derive(Debug)]
pub struct Session<'a> {
    options: &'a CheckOptions,
    change: ChangeScope,
    policy: Policy,
    settings: Settings,
    /// Files that the check depends on besides its inputs.
    basis: Vec<Basis>,
    /// Choices of the options, or otherwise of the settings.
    choices: Choices,
    sources: Sources,
    stdin: Option<Piped>,
    /// The paths of the options, and the deleted files that count as such.
    named: Vec<PathBuf>,
    /// Files and folders that are searched for inputs.
    paths: Vec<PathBuf>,
    parameters: Vec<PathBuf>,
    /// The parameter files that the change adds.
    unreviewed: Unreviewed,
    overrides: Vec<(Str, Value)>,
    filter: PathFilter,
    assumptions: Assumptions,
    bicep: bicep::Options,
    threads: Threads,
}

impl<'a> Session<'a> {
    /// Finds the change and reads the settings. Nothing is checked yet.
    ///
    /// # Errors
    ///
    /// Fails if the change cannot be determined, if the settings or the options are invalid, or if no thread can be
    /// started. The observer is notified of problems in the settings.
    pub fn open(options: &'a CheckOptions, observer: &dyn Observer) -> Result<Self, Error> {
        let change = ChangeScope::find(options)?;
        if let Some(notice) = change.notice() {
            observer.warning(&Warning::Change(notice.to_string()));
        }
        let policy = Policy::find(options, &change)?;
        Self::open_under_policy(options, change, policy, observer)
    }

    /// Reads the settings for a change, from where `policy` has them.
    fn open_under_policy(
        options: &'a CheckOptions,
        mut change: ChangeScope,
        policy: Policy,
        observer: &dyn Observer,
    ) -> Result<Self, Error> {
        let ReadSettings { sources, settings, config } = ReadSettings::new(options, &change, &policy, observer)?;
        let basis = policy.basis(options, &change, &settings)?;
        let choices = options.given.choices.or(settings.choices);
        let overrides = open::overrides(options, &settings, &sources)?;
        let named = open::named_paths(options)?;
        let paths = open::searched_paths(&named, options, &change);
        let filter = open::path_filter(options, &settings, &change)?;
        change.renew(&paths, &filter);
        let unreviewed = unreviewed(&policy, change.working(), config.as_deref(), &settings.limits)?;
        Ok(Self {
            paths,
            unreviewed,
            named,
            parameters: change.locate_all(&options.parameters),
            overrides,
            filter,
            assumptions: settings.configuration.as_ref().map(Assumptions::from_config).unwrap_or_default(),
            bicep: open::bicep_options(options, &choices, &settings, &policy)?,
            stdin: None,
            threads: Threads::start(options.threads)?,
            options,
            change,
            policy,
            settings,
            basis,
            choices,
            sources,
        })
    }

    /// Adds a template from a reader, usually standard input. Stops reading after the size limit of files.
    ///
    /// # Errors
    ///
    /// Fails if the reader does.
    pub fn pipe(&mut self, name: &str, reader: impl Read) -> io::Result<()> {
        let mut bytes = Vec::new();
        // One byte more, to detect that the limit is exceeded.
        reader.take(self.settings.limits.file_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
        self.stdin = Some(Piped { name: name.to_owned(), bytes });
        Ok(())
    }

    /// Finds the files that [`Session::check`] would check, and why. The observer is notified of what was not found.
    pub fn selected_files(mut self, observer: &dyn Observer) -> SelectedFiles {
        let narrowing = self.narrowing();
        let inputs = Inputs { narrowing: narrowing.as_ref(), ..self.inputs() };
        // Parsing needs the stack of these threads.
        let Explained { files, problems } = self.threads.install(|| explain(&inputs, &self.sources));
        let own_names =
            |(name, reason): (String, String)| (self.change.with_own_names(&name), self.change.with_own_names(&reason));
        let files = files.into_iter().map(own_names).collect();
        let is_whole = problems.iter().all(|problem| problem.level != Level::Error);
        if !problems.is_empty() {
            let sources = std::mem::take(&mut self.sources);
            let mut run = Run { sources, diagnostics: problems, ..Run::default() };
            self.change.restore_names(&mut run);
            observer.problems(&run);
        }
        SelectedFiles { files, is_narrow: self.change.narrows(), is_whole }
    }

    /// Runs the rules over the inputs, applies fixes and the baseline, and determines what is reported and the status.
    ///
    /// # Errors
    ///
    /// Fails if the rules or the baseline are invalid, of which the observer is notified.
    pub fn check(mut self, observer: &dyn Observer) -> Result<Finished, Error> {
        let (rules, policy_problems) = self.load_rules(observer)?;
        let baseline = self.open_baseline(observer)?;
        let notes = self.notes(policy_problems)?;
        // The sources so far are settings, rules and the baseline.
        let own_texts = self.sources.ids().count();
        let accepted = self.analyze(&rules, observer)?.accept(baseline.previous(self.options.fix));
        let (accepted, fixed) = self.fix(accepted, (&rules, &baseline), observer)?;
        let (accepted, written) = baseline.renew(accepted, self.choices.least_reported());
        let scoped = self.scope(accepted.settle(self.settlement(&baseline, notes)))?;
        Ok(self.finish(scoped, Course { own_texts, baseline, fixed, written }))
    }

    /// Returns what settles a run of these options, with further problems to report.
    fn settlement<'s>(&'s self, baseline: &'s RunBaseline, notes: Vec<Diagnostic>) -> Settlement<'s> {
        let part = self.options.shard.map(|shard| Part {
            shard,
            gate: self.gate(baseline),
            stale: Vec::new(),
            open: Vec::new(),
        });
        Settlement { choices: &self.choices, notes, part, stale: baseline.stale_search() }
    }

    /// Determines the status of a run, and hides the findings that are outside the change.
    fn finish(self, scoped: ScopedRun, course: Course) -> Finished {
        let ScopedRun { mut run, below, known } = scoped;
        // Findings that the filter hides count towards the status; `counts_changed_only` is a separate option.
        let status = self.status(&run);
        run.summary.outside = self.outside(&run);
        let outside = self.change.hide_outside(&mut run);
        let changed_files = self.change.touched(&run.sources, course.own_texts);
        self.change.restore_names(&mut run);
        let (written, unwritten) = match course.written {
            Ok(written) => (written, None),
            Err(error) => (None, Some(error)),
        };
        Finished {
            run,
            status,
            hidden: Hidden { outside, below, known, least: self.choices.least_reported() },
            changed_files,
            fixed: course.fixed,
            baseline: course.baseline.path(),
            written,
            unwritten,
            is_narrow: self.change.narrows(),
            tells_difference: self.choices.deployment_diff.unwrap_or_default(),
            threads: self.threads,
        }
    }

    /// Expands and judges the inputs.
    fn analyze(&mut self, rules: &CompiledRules, observer: &dyn Observer) -> Result<SuppressedRun, Error> {
        let sources = std::mem::take(&mut self.sources);
        let selects = self.change.narrows() || self.options.dependents;
        let narrowing = self.narrowing().filter(|_| selects);
        self.analyze_narrowed(sources, narrowing.as_ref(), rules, observer)
    }

    /// Expands and judges the inputs that are left after `narrowing`.
    fn analyze_narrowed(
        &self,
        sources: Sources,
        narrowing: Option<&Narrowing<'_>>,
        rules: &CompiledRules,
        observer: &dyn Observer,
    ) -> Result<SuppressedRun, Error> {
        let inputs = Inputs { narrowing, ..self.inputs() };
        let extent = if narrowing.is_some() { Extent::Part } else { self.extent() };
        let suppressing = rules.suppressing(&self.settings.suppressions, self.options.today, extent);
        let governance =
            rules.governance(&self.assumptions, &self.settings.policy.management_groups, self.options.today);
        let CheckOptions { keep_passed, keep_trees, .. } = *self.options;
        let checker = rules.checker(governance, &suppressing, &self.threads, observer);
        let suppressed = analyze(&inputs, &Checker { keep_passed, keep_trees, ..checker }, sources);
        observer.end();
        Ok(suppressed?)
    }

    /// Returns the extent of a run on all inputs, which decides what an unused suppression means.
    fn extent(&self) -> Extent {
        let options = self.options;
        let is_part = self.change.narrows() || options.dependents || options.as_written;
        let is_part = is_part || !self.overrides.is_empty() || !self.parameters.is_empty();
        let working = self.change.working();
        let root = repository_of(working).unwrap_or_else(|| working.to_path_buf());
        let is_everywhere = self.paths.iter().any(|path| root.starts_with(normalize(working, path)));
        match is_part {
            true => Extent::Part,
            false if is_everywhere && options.given.include.is_empty() && options.given.exclude.is_empty() => {
                Extent::Everything
            }
            false => Extent::Templates,
        }
    }

    /// Fixes the findings that would be reported, if the options ask for it, and returns the run over the fixed files.
    fn fix(
        &mut self,
        accepted: AcceptedRun,
        (rules, baseline): (&CompiledRules, &RunBaseline),
        observer: &dyn Observer,
    ) -> Result<(AcceptedRun, Option<Fixed>), Error> {
        if !self.options.fix {
            return Ok((accepted, None));
        }
        let marked = if self.change.filters() { accepted.mark(|run| self.mark(run)) } else { accepted };
        let (accepted, fixed) = fixes::apply(self, marked, observer, |session, before| {
            session.sources = before.into_sources();
            Ok(session.analyze(rules, observer)?.accept(baseline.previous(true)))
        })?;
        // Fixes shift the lines of the change.
        self.change = ChangeScope::find(self.options)?;
        self.change.renew(&self.paths, &self.filter);
        Ok((accepted, Some(fixed)))
    }

    fn inputs(&self) -> Inputs<'_> {
        Inputs {
            host: &*self.options.files,
            cache: self.options.cache.as_deref(),
            working: self.change.working(),
            paths: &self.paths,
            stdin: self.stdin.clone(),
            parameters: &self.parameters,
            merges_parameters: false,
            overrides: &self.overrides,
            assumptions: &self.assumptions,
            filter: &self.filter,
            narrowing: None,
            unreviewed: &self.unreviewed,
            shard: self.options.shard,
            as_written: self.options.as_written,
            bicep: &self.bicep,
            isolation: &self.options.isolation,
            limits: &self.settings.limits,
        }
    }

    /// Returns the restriction of the check to some of its files, if there is any. All files depend on every basis.
    fn narrowing(&self) -> Option<Narrowing<'_>> {
        let cause = if self.options.dependents {
            Cause::Named(self.named.clone())
        } else {
            Cause::Changes(self.change.narrowing()?)
        };
        // What the change does to settings that do not count yet changes no verdict.
        let counts = |basis: &&Basis| basis.role == Role::Parameters || !self.policy.is_of_base();
        Some(Narrowing { cause, basis: self.basis.iter().filter(counts).collect() })
    }
}

/// Returns the fixes of a finished run, to be shown but not applied. `options` are those of the run.
pub fn proposed_fixes(run: &Run, options: &CheckOptions) -> FixPlan {
    FixPlan::new(run, &fixes::scope(options), |finding| fixes::is_allowed(finding, options))
}
