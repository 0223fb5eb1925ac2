//! A check from its options to its result: everything that the command line does except parsing arguments and printing.
//!
//! ```text
//! CheckOptions ──► Session::open ──► Session::check ──► Finished
//!                  change, settings  rules, baseline,   what is reported,
//!                                    run, fixes         status, what is hidden and why
//! ```

mod accepted;
mod base;
mod change;
mod error;
mod fixes;
mod hide;
mod news;
mod options;
mod policy;
mod unreviewed;

use std::io::{self, Read};
use std::path::PathBuf;

use crate::bicep;
use crate::config::{self, Choices, Role, Settings};
use crate::diagnostic::{BySeverity, CheckKind, Diagnostic, Finding, Gate, Level, Outcome, Part, RulePattern, Run};
use crate::engine::azure_policy::{Governance, PolicySource, load_policies};
use crate::engine::basis::Basis;
use crate::engine::changes::deleted;
use crate::engine::checker::Checker;
use crate::engine::fix::FixPlan;
use crate::engine::inputs::{self, Explained};
use crate::engine::narrowing::{Cause, Narrowing};
use crate::engine::rules::{CompiledRules, RuleSource, load_rules};
use crate::engine::run::check;
use crate::engine::suppress::Known;
use crate::engine::unreviewed::Unreviewed;
use crate::engine::{Extent, Inputs, Observer, ParseCache, Piped, Status, Suppressing, Threads, Warning};
use crate::files::{Disk, PathFilter, PathGlobs, repository_of};
use crate::model::Assumptions;
use crate::path::normalize;
use crate::policy::Policies;
use crate::text::{Sources, Span};
use crate::value::{Str, Value};

use self::accepted::Accepted;
use self::change::ChangeScope;
use self::unreviewed::unreviewed;

pub(super) use self::accepted::Written;
pub use self::error::Error;
pub(super) use self::fixes::Fixed;
pub(super) use self::hide::Hidden;
pub use self::options::{ChangeOptions, CheckOptions, ConfigFrom, NewOnly, Override, WorkflowEvent};
pub use self::policy::Policy;

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
    /// Problems of policies that are used nevertheless.
    policy_problems: Vec<Diagnostic>,
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
            observer.warning(&Warning::Change(notice));
        }
        let policy = Policy::find(options, &change)?;
        Self::with(options, change, policy, observer)
    }

    /// Reads the settings for a change, from where `policy` has them.
    fn with(
        options: &'a CheckOptions,
        mut change: ChangeScope,
        policy: Policy,
        observer: &dyn Observer,
    ) -> Result<Self, Error> {
        let mut sources = options.cache.as_deref().map_or_else(Sources::new, ParseCache::sources);
        let config = options.config.as_deref().map(|path| change.locate(path));
        let config = policy.config(change.working(), config)?;
        let origin = config::Origin {
            working: change.working(),
            file: config.as_deref(),
            tree: policy.tree(),
            host: &Disk,
            environment: &options.variables,
            limits: &Settings::default().limits,
        };
        let (settings, problems) = config::load(&origin, &sources);
        refuse_errors(problems, &mut sources, observer)?;
        let basis = policy.basis(options, &change, &settings)?;
        let choices = options.given.choices.or(settings.choices);
        let overrides =
            options.overrides.iter().map(|given| given.value(&sources, &settings.limits)).collect::<Result<_, _>>()?;
        let mut named = options.paths.clone();
        if let Some(what) = &options.deleted {
            named.extend(deleted(&options.working, what, options.programs()?)?);
        }
        let paths = places(&named, options, &change);
        let filter = filter(options, &settings, &change)?;
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
            bicep: bicep::Options {
                programs: options.programs().ok(),
                compiler: choices.bicep.and_then(bicep::Compiler::named).unwrap_or_default(),
                cache: options.bicep_cache.clone(),
                settings: policy.bicep_settings()?,
                ..bicep::Options::new(&options.variables, settings.configuration.as_ref())
                    .in_folder(&options.working)
                    .with_registry(options.registry, options.module_cache.as_deref())
            },
            stdin: None,
            threads: Threads::start(options.threads)?,
            options,
            change,
            policy,
            settings,
            basis,
            policy_problems: Vec::new(),
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
        let Explained { files, problems } = self.threads.install(|| inputs::explain(&inputs, &self.sources));
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
        let rules = self.load_rules(observer)?;
        let accepted = self.open_baseline(observer)?;
        let notes = self.policy.notes(self.options, &self.change, (&self.settings, &self.basis), &self.sources)?;
        // The sources so far are settings, rules and the baseline.
        let own_texts = self.sources.ids().count();
        let mut run = self.analyze(&rules, observer)?;
        let mut fixed = None;
        if self.options.fix {
            (run, fixed) = self.fix(run, &rules, &accepted, observer).map(|(run, fixed)| (run, Some(fixed)))?;
            // Fixes shift the lines of the change.
            self.change = ChangeScope::find(self.options)?;
            self.change.renew(&self.paths, &self.filter);
        }
        run.diagnostics.extend(notes);
        run.diagnostics.extend(self.of_policies());
        run.rules_are_of_base = self.policy.is_of_base();
        run.lists_unknown = self.options.list_unknown || self.choices.fails_on_unknown();
        run.hides_low = self.choices.hides_low();
        self.choices.choose_errors(&mut run);
        run.part = self.options.shard.map(|shard| Part {
            shard,
            gate: self.gate(&accepted),
            stale: Vec::new(),
            open: Vec::new(),
        });
        let (written, unwritten) = match accepted.apply(&mut run, self.choices.least_reported()) {
            Ok(written) => (written, None),
            Err(error) => (None, Some(error)),
        };
        let below = run.drop_below(self.choices.least_reported());
        self.change.note_suppressions(&mut run, !self.policy.is_of_base());
        let known = self.leave_new(&mut run)?;
        self.mark(&mut run);
        self.set_aside(&mut run);
        let notice = self.change.notice().filter(|notice| notice.is_unusual());
        run.notices.extend(notice.map(ToString::to_string));
        // Findings that the filter hides count towards the status; `counts_changed_only` is a separate option.
        let status = self.status(&run);
        run.summary.outside = self.outside(&run);
        let outside = self.change.hide_outside(&mut run);
        let changed_files = self.change.touched(&run.sources, own_texts);
        self.change.restore_names(&mut run);
        let hidden = Hidden { outside, below, known, least: self.choices.least_reported() };
        Ok(Finished {
            run,
            status,
            hidden,
            changed_files,
            fixed,
            baseline: accepted.path(),
            written,
            unwritten,
            is_narrow: self.change.narrows(),
            tells_difference: self.choices.deployment_diff.unwrap_or_default(),
            threads: self.threads,
        })
    }

    /// Takes the findings about suppressions out of a part that only all parts together can decide on.
    fn set_aside(&self, run: &mut Run) {
        let Some(part) = &mut run.part else { return };
        let is_open = |finding: &Finding| {
            finding.rule.kind() == Some(CheckKind::Suppression) && run.shared.files.contains(&finding.span.file)
        };
        let (open, kept) = std::mem::take(&mut run.findings).into_iter().partition(is_open);
        (part.open, run.findings) = (open, kept);
        for finding in &part.open {
            run.summary.forget(finding.outcome, finding.places());
        }
        part.open.retain(|finding| self.change.shows(finding, &run.sources));
    }

    fn load_rules(&mut self, observer: &dyn Observer) -> Result<CompiledRules, Error> {
        let sources = &self.sources;
        let ids = |flag: &str, ids: &[String]| -> Vec<RulePattern> {
            let place = |id: &String| Span::whole_file(sources.add(format!("{flag}={id}"), ""));
            ids.iter().map(|id| RulePattern { text: id.clone(), span: place(id) }).collect()
        };
        if !self.options.given.rules_include.is_empty() {
            self.settings.rules.include = ids("--rules-include", &self.options.given.rules_include);
        }
        self.settings.rules.exclude.extend(ids("--rules-exclude", &self.options.given.rules_exclude));
        let paths = self.change.locate_all(&self.options.given.rules);
        let source = RuleSource {
            working: self.change.working(),
            tree: self.policy.tree(),
            choices: self.choices,
            needs_texts: self.options.describes_rules,
            paths: &paths,
            settings: &self.settings.rules,
            environment: &self.options.variables,
            limits: &self.settings.limits,
        };
        let (loaded, problems) = load_rules(&source, &self.sources);
        refuse_errors(problems, &mut self.sources, observer)?;
        let policies = self.load_policies(observer)?;
        Ok(CompiledRules::new(loaded, policies, self.options.guard_strict, self.options.as_written))
    }

    fn load_policies(&mut self, observer: &dyn Observer) -> Result<Policies, Error> {
        let given = &self.options.given;
        let paths = self.change.locate_all(&given.policy);
        let of_settings = || self.settings.policy.parameters.as_ref().map(|(path, _)| path.clone());
        let parameters = given.policy_parameters.as_deref().map(|path| self.change.locate(path)).or_else(of_settings);
        let inputs = self.inputs();
        let source = PolicySource {
            working: self.change.working(),
            tree: self.policy.tree(),
            paths: &paths,
            tries_unassigned: true,
            parameters: parameters.as_deref(),
            settings: &self.settings.policy.paths,
            limits: &self.settings.limits,
            // Templates are built from what is checked out.
            templates: if self.policy.is_of_base() {
                Err("with the settings of the base, the policies that templates deploy are not read")
            } else {
                Ok(&inputs)
            },
        };
        // Evaluation needs the stack of these threads.
        let (policies, problems) = self.threads.install(|| load_policies(&source, &self.sources));
        if problems.iter().any(|problem| problem.level == Level::Error) {
            refuse_errors(problems, &mut self.sources, observer)?;
        } else {
            self.policy_problems = problems;
        }
        Ok(policies)
    }

    /// Takes the problems of policies, for the reports. If the run is divided into shards, only the first shard reports
    /// them.
    fn of_policies(&mut self) -> Vec<Diagnostic> {
        let is_first = self.options.shard.is_none_or(|shard| shard.index <= 1);
        std::mem::take(&mut self.policy_problems).into_iter().filter(|_| is_first).collect()
    }

    /// Returns the evaluation of templates by the policies, if there are any.
    fn governance<'r>(&self, rules: &'r CompiledRules) -> Option<Governance<'r>> {
        let now = self.options.today.map(|today| format!("{today}T00:00:00Z"));
        Governance::new(&rules.policies, &self.assumptions, &self.settings.policy.management_groups, now)
            .map(Governance::of_run)
    }

    fn open_baseline(&mut self, observer: &dyn Observer) -> Result<Accepted, Error> {
        let of_settings = self.settings.baseline.clone();
        let (accepted, problems) = Accepted::open(
            self.options,
            (&self.change, &self.policy),
            of_settings,
            &self.settings.limits,
            &self.sources,
        )?;
        refuse_errors(problems, &mut self.sources, observer)?;
        Ok(accepted)
    }

    fn analyze(&mut self, rules: &CompiledRules, observer: &dyn Observer) -> Result<Run, Error> {
        let sources = std::mem::take(&mut self.sources);
        let selects = self.change.narrows() || self.options.dependents;
        let narrowing = self.narrowing().filter(|_| selects);
        let inputs = Inputs { narrowing: narrowing.as_ref(), ..self.inputs() };
        let checker = Checker {
            rules: &rules.set,
            checks: &rules.checks,
            policies: self.governance(rules),
            infos: rules.infos.clone(),
            keep_passed: self.options.keep_passed,
            keep_trees: self.options.keep_trees,
            threads: &self.threads,
            suppressing: &self.suppressing(rules),
            observer,
        };
        let run = check(&inputs, &checker, sources);
        observer.end();
        Ok(run?)
    }

    /// Returns the suppressions of the settings and the extent of the run, which decides what an unused suppression
    /// means.
    fn suppressing(&self, rules: &CompiledRules) -> Suppressing {
        let options = self.options;
        let is_part = self.change.narrows() || options.dependents || options.as_written;
        let is_part = is_part || !self.overrides.is_empty() || !self.parameters.is_empty();
        let working = self.change.working();
        let root = repository_of(working).unwrap_or_else(|| working.to_path_buf());
        let is_everywhere = self.paths.iter().any(|path| root.starts_with(normalize(working, path)));
        let extent = match is_part {
            true => Extent::Part,
            false if is_everywhere && options.given.include.is_empty() && options.given.exclude.is_empty() => {
                Extent::Everything
            }
            false => Extent::Templates,
        };
        let (settings, known) = (self.settings.suppressions.clone(), Known::new(rules.known.clone()));
        Suppressing { settings, today: options.today, known, extent }
    }

    /// Fixes the findings that would be reported, and returns the run over the fixed files.
    fn fix(
        &mut self,
        mut run: Run,
        rules: &CompiledRules,
        accepted: &Accepted,
        observer: &dyn Observer,
    ) -> Result<(Run, Fixed), Error> {
        accepted.accept(&mut run);
        if self.change.filters() {
            self.mark(&mut run);
        }
        fixes::apply(self, run, observer, |session, before| {
            session.sources = before.sources;
            let mut run = session.analyze(rules, observer)?;
            accepted.accept(&mut run);
            Ok(run)
        })
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

    /// Returns `true` if the options ask for a finding to be reported.
    fn is_reported(&self, finding: &Finding, sources: &Sources) -> bool {
        finding.rule.severity <= self.choices.least_reported() && self.change.shows(finding, sources)
    }

    /// Counts the verdicts that count towards the status and are not reported. The threshold of the status is not
    /// applied, so that whoever merges reports can choose it.
    fn outside(&self, run: &Run) -> BySeverity {
        let mut outside = BySeverity::default();
        let is_bad =
            |outcome| outcome == Outcome::Failed || (outcome == Outcome::Unknown && self.choices.fails_on_unknown());
        let counts = |finding: &&Finding| is_bad(finding.outcome) && self.change.counts(finding);
        for finding in run.findings.iter().filter(counts) {
            if !self.change.shows(finding, &run.sources) {
                *outside.of(finding.rule.severity) += finding.places();
            }
        }
        outside
    }

    /// Returns the settings that decide the result of a run of which this is a part. Options are about the part alone.
    fn gate(&self, accepted: &Accepted) -> Gate {
        let Choices { fail_on, fail_on_unknown, strict, .. } = self.settings.choices;
        Gate {
            fail_on: fail_on.unwrap_or_default(),
            fail_on_unknown: fail_on_unknown.unwrap_or_default(),
            strict: strict.unwrap_or_default(),
            baseline: accepted.name(),
            file_bytes: self.settings.limits.file_bytes,
        }
    }

    fn status(&self, run: &Run) -> Status {
        let fail_on = self.choices.fail_on.unwrap_or_default();
        let is_empty = run.summary.templates == 0 && run.summary.errors == 0 && run.summary.unreadable == 0;
        if self.options.require_inputs && is_empty {
            return Status::NoInputs;
        }
        Status::of(run, self.choices.fails_on_unknown(), |finding| {
            fail_on.is_reached_by(finding.rule.severity) && self.change.counts(finding)
        })
    }
}

/// Returns the fixes of a finished run, to be shown but not applied. `options` are those of the run.
pub fn proposed_fixes(run: &Run, options: &CheckOptions) -> FixPlan {
    FixPlan::new(run, &fixes::scope(options), |finding| fixes::is_allowed(finding, options))
}

/// Notifies the observer of problems. Fails if one of them is an error.
fn refuse_errors(problems: Vec<Diagnostic>, sources: &mut Sources, observer: &dyn Observer) -> Result<(), Error> {
    if problems.is_empty() {
        return Ok(());
    }
    let has_error = problems.iter().any(|problem| problem.level == Level::Error);
    // Reports take a run, so the sources are moved into one for a moment.
    let run = Run { sources: std::mem::take(sources), diagnostics: problems, ..Run::default() };
    observer.problems(&run);
    *sources = run.sources;
    if has_error { Err(Error::Unusable) } else { Ok(()) }
}

/// Returns the paths to search for files. For dependents, this includes the current folder: they may be anywhere in it.
fn places(named: &[PathBuf], options: &CheckOptions, change: &ChangeScope) -> Vec<PathBuf> {
    let everywhere = (options.dependents && !named.is_empty()).then(|| PathBuf::from("."));
    everywhere.into_iter().chain(change.locate_all(&options.paths)).collect()
}

/// Returns the filter of the settings with the globs of the options: includes replace, excludes add.
fn filter(options: &CheckOptions, settings: &Settings, change: &ChangeScope) -> Result<PathFilter, Error> {
    let (working, mut filter) = (change.working(), settings.files.clone());
    // All that is in a copy is tracked. A workflow without git downloads the files of a commit, and has no list of them.
    let is_download = || {
        let is_workflow = options.variables.get("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        is_workflow && repository_of(working).is_none()
    };
    filter.takes_ignored = change.is_copy() || is_download();
    filter.holds_for_named = options.force_exclude || options.dependents;
    let globs = |patterns: &[String]| {
        let globs = PathGlobs::new(working, patterns.iter().map(String::as_str));
        globs.map(PathGlobs::everywhere).map_err(|error| Error::Glob(error.to_string()))
    };
    if !options.given.include.is_empty() {
        filter.include = vec![globs(&options.given.include)?];
    }
    filter.exclude.push(globs(&options.given.exclude)?);
    Ok(filter)
}
