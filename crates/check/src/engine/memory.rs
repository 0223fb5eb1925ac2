//! A check of files in memory: the pipeline of a run without an operating system.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::bicep;
use crate::config::{self, Choices, Origin, Settings};
use crate::diagnostic::{Code, Diagnostic, Run, Summary};
use crate::engine::azure_policy::PolicySource;
use crate::engine::baseline::Baseline;
use crate::engine::checker::Checker;
use crate::engine::compiled::{CompiledRules, GuardMode};
use crate::engine::findings::internal_fault;
use crate::engine::rules::RuleSource;
use crate::engine::run::{Settlement, StaleSearch, SuppressedRun, analyze};
use crate::engine::{Extent, Inputs, Observer, ParseCache, Status, Threads};
use crate::files::{Memory, PathFilter, display_name};
use crate::model::{Assumptions, Limits};
use crate::text::Sources;

/// Compiled rules with their sources, and the settings of a check, for any number of checks.
#[derive(Debug)]
pub struct MemoryRules {
    pub(super) rules: CompiledRules,
    pub(super) sources: Sources,
    settings: Settings,
    assumptions: Assumptions,
    /// The accepted findings, and the name of their file.
    baseline: Option<(Baseline, String)>,
}

impl MemoryRules {
    /// Returns the embedded rules of the default profile and the checks of deployments, if `has_builtin`, and the rules
    /// in `files`. The rules are usable only if none of the diagnostics in the run is an error.
    pub fn new(has_builtin: bool, files: &Memory) -> (Self, Run) {
        let choices = Choices { builtin_rules: Some(has_builtin), ..Choices::default() };
        let paths: Vec<PathBuf> = files.paths().map(Path::to_path_buf).collect();
        Self::load(Settings { choices, ..Settings::default() }, &paths, files, Sources::new(), Vec::new())
    }

    /// Returns the rules, the policies, and the baseline that a check of a folder with these files would use. They are
    /// usable only if none of the diagnostics in the run is an error.
    pub fn from_files(files: &Memory) -> (Self, Run) {
        let (sources, working) = (Sources::new(), Path::new(Memory::ROOT));
        let (environment, limits) = (BTreeMap::new(), Limits::default());
        let origin =
            Origin { working, file: None, tree: files, host: files, environment: &environment, limits: &limits };
        let (settings, problems) = config::load(&origin, &sources);
        Self::load(settings, &[], files, sources, problems)
    }

    fn load(
        settings: Settings,
        paths: &[PathBuf],
        files: &Memory,
        sources: Sources,
        mut problems: Vec<Diagnostic>,
    ) -> (Self, Run) {
        let (working, limits) = (Path::new(Memory::ROOT), &settings.limits);
        let rules = RuleSource {
            working,
            tree: files,
            choices: settings.choices,
            needs_texts: true,
            paths,
            settings: &settings.rules,
            environment: &BTreeMap::new(),
            limits,
        };
        let policies = PolicySource {
            working,
            tree: files,
            paths: &[],
            tries_unassigned: true,
            parameters: settings.policy.parameters.as_ref().map(|(path, _)| path.as_path()),
            settings: &settings.policy.paths,
            environments: &settings.policy.environments,
            limits,
            templates: Err("the policies that templates deploy are not read here"),
        };
        let (rules, found) = CompiledRules::load((&rules, &policies), GuardMode::default(), &sources);
        problems.extend(found.of_rules);
        problems.extend(found.of_policies);
        let baseline = settings.baseline.as_ref().and_then(|(path, span)| {
            let (baseline, found) = Baseline::open(path, Some(*span), (files, working), limits, &sources);
            problems.extend(found);
            Some((baseline?, display_name(working, path)))
        });
        let run = Run { sources: sources.clone(), diagnostics: problems, ..Run::default() };
        let assumptions = settings.configuration.as_ref().map(Assumptions::from_config).unwrap_or_default();
        (Self { rules, sources, settings, assumptions, baseline }, run)
    }

    /// Returns a cache for checks with these rules.
    pub fn cache(&self) -> ParseCache {
        ParseCache::new(Path::new(Memory::ROOT), &self.sources)
    }

    /// Returns the limits of checks with these rules.
    pub fn limits(&self) -> &Limits {
        &self.settings.limits
    }

    /// Applies the baseline, and removes findings that the settings do not ask for.
    fn settle(&self, run: SuppressedRun, host: &Memory) -> Run {
        let stale = self.baseline.as_ref().map(|(baseline, name)| StaleSearch {
            baseline,
            name,
            working: Path::new(Memory::ROOT),
            host,
        });
        let accepted = run.accept(self.baseline.as_ref().map(|(baseline, _)| baseline));
        let choices = &self.settings.choices;
        accepted.settle(Settlement { choices, notes: Vec::new(), part: None, stale }).run
    }

    /// Returns the status of a run with these rules, according to their settings.
    pub fn status(&self, run: &Run) -> Status {
        Status::new(run, &self.settings.choices, |_| true)
    }
}

/// Inputs of a check in memory.
#[derive(Debug)]
pub struct InMemory<'a> {
    /// The files that there are.
    pub files: &'a Memory,
    /// The one template that is checked. `None` to find all templates and parameter files.
    pub template: Option<&'a Path>,
    /// The parameter files of the template, of which later ones override earlier ones.
    pub parameters: &'a [PathBuf],
    /// True if verdicts that passed are kept. They are counted in any case.
    pub keep_passed: bool,
    /// Number of threads that do the work; 0 for one per processor.
    pub threads: usize,
    /// Bounds of the check.
    pub limits: &'a Limits,
}

/// Observer that ignores all notifications.
struct Nobody;

impl Observer for Nobody {}

impl InMemory<'_> {
    /// Checks the files. What formwork fails on is a problem of the run.
    pub fn check(&self, rules: &MemoryRules) -> Run {
        self.checked(rules, None)
    }

    /// Checks the files as [`InMemory::check`] does, and parses only those that have changed since the last check with
    /// `cache`. The cache must only be used with these rules.
    pub fn check_again(&self, rules: &MemoryRules, cache: &mut ParseCache) -> Run {
        cache.update(self.files.iter());
        self.checked(rules, Some(cache))
    }

    fn checked(&self, rules: &MemoryRules, cache: Option<&ParseCache>) -> Run {
        let check = AssertUnwindSafe(|| self.run(rules, cache));
        catch_unwind(check).unwrap_or_else(|_| {
            let sources = Sources::new();
            let fault = internal_fault(sources.add(self.name(), ""));
            failed(sources, fault)
        })
    }

    fn run(&self, rules: &MemoryRules, cache: Option<&ParseCache>) -> Run {
        let all = || self.files.paths().map(Path::to_path_buf).collect();
        let paths = self.template.map_or_else(all, |template| vec![template.to_path_buf()]);
        // A file that nobody named as a template may be anything.
        let filter = PathFilter { holds_for_named: self.template.is_none(), ..rules.settings.files.clone() };
        let bicep = bicep::Options { compiler: bicep::Compiler::Builtin, ..bicep::Options::default() };
        let working = Path::new(Memory::ROOT);
        let inputs = Inputs {
            cache,
            parameters: self.parameters,
            merges_parameters: self.template.is_some(),
            filter: &filter,
            ..Inputs::plain(self.files, working, &paths, &rules.assumptions, &bicep, self.limits)
        };
        let extent = if self.template.is_none() { Extent::Everything } else { Extent::Templates };
        let MemoryRules { rules: compiled, sources, settings, assumptions, .. } = rules;
        let suppressing = compiled.suppressing(&settings.suppressions, None, extent);
        let policies = compiled.governance(assumptions, &settings.policy.management_groups, None);
        let run = Threads::start(self.threads).and_then(|threads| {
            let checker = compiled.checker(policies, &suppressing, &threads, &Nobody);
            let checker = Checker { keep_passed: self.keep_passed, ..checker };
            analyze(&inputs, &checker, cache.map_or_else(|| sources.fork(), ParseCache::sources))
        });
        match run {
            Ok(run) => rules.settle(run, self.files),
            Err(error) => {
                let sources = Sources::new();
                let problem = Diagnostic::of_file(Code::InternalFault, sources.add(self.name(), ""), error.to_string());
                failed(sources, problem)
            }
        }
    }

    /// Returns the name of a file to report a failure of all of them.
    fn name(&self) -> String {
        let first = self.template.or_else(|| self.files.paths().next());
        first.map_or_else(String::new, |path| path.to_string_lossy().trim_start_matches('/').to_owned())
    }
}

/// Returns a run that gave nothing.
fn failed(sources: Sources, problem: Diagnostic) -> Run {
    let summary = Summary { errors: 1, ..Summary::default() };
    Run { sources, diagnostics: vec![problem], summary, ..Run::default() }
}
