//! A check of files in memory: the pipeline of a run without an operating system.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::bicep;
use crate::config::{Choices, RuleSettings};
use crate::diagnostic::{Code, Diagnostic, Run, Summary};
use crate::engine::check::{Checker, check};
use crate::engine::findings::internal_fault;
use crate::engine::rules::{CompiledRules, RuleSource, load_rules};
use crate::engine::suppress::Known;
use crate::engine::{Extent, Inputs, Isolation, Observer, ParseCache, Suppressing, Threads};
use crate::files::{Memory, PathFilter};
use crate::model::{Assumptions, Limits};
use crate::policy::Policies;
use crate::text::Sources;

/// Compiled rules with their sources, for any number of checks.
#[derive(Debug)]
pub struct MemoryRules {
    pub(super) rules: CompiledRules,
    pub(super) sources: Sources,
}

impl MemoryRules {
    /// The embedded rules of the default profile and the checks of deployments, if `has_builtin`, and the rules in `files`.
    /// The rules are usable only if none of the diagnostics in the run is an error.
    pub fn new(has_builtin: bool, files: &Memory) -> (Self, Run) {
        let sources = Sources::new();
        let paths: Vec<PathBuf> = files.paths().map(Path::to_path_buf).collect();
        let source = RuleSource {
            working: Path::new(Memory::ROOT),
            tree: files,
            choices: Choices { builtin_rules: Some(has_builtin), ..Choices::default() },
            needs_texts: true,
            paths: &paths,
            settings: &RuleSettings::default(),
            environment: &BTreeMap::new(),
            limits: &Limits::default(),
        };
        let (loaded, diagnostics) = load_rules(&source, &sources);
        let problems = Run { sources: sources.clone(), diagnostics, ..Run::default() };
        (Self { rules: CompiledRules::new(loaded, Policies::default(), false, false), sources }, problems)
    }
}

impl MemoryRules {
    /// A cache for checks with these rules.
    pub fn cache(&self) -> ParseCache {
        ParseCache::new(Path::new(Memory::ROOT), &self.sources)
    }
}

/// What is checked in memory.
#[derive(Debug)]
pub struct InMemory<'a> {
    /// The files that there are.
    pub files: &'a Memory,
    /// The one template that is checked. `None` to find all templates and parameter files.
    pub template: Option<&'a Path>,
    /// The parameter files of the template, of which later ones override earlier ones.
    pub parameters: &'a [PathBuf],
    /// Whether verdicts that passed are kept. They are counted in any case.
    pub keep_passed: bool,
    /// How many threads do the work; 0 for one per processor.
    pub threads: usize,
    /// Bounds of the check.
    pub limits: &'a Limits,
}

/// Hears of a check, and does nothing.
struct Nobody;

impl Observer for Nobody {}

impl InMemory<'_> {
    /// Checks the files. What formwork fails on is a problem of the run.
    pub fn check(&self, rules: &MemoryRules) -> Run {
        self.checked(rules, None)
    }

    /// As [`InMemory::check`], and parses only files that have changed since the last check with this cache, which is one for
    /// these rules.
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
        let paths = match self.template {
            Some(template) => vec![template.to_path_buf()],
            None => self.files.paths().map(Path::to_path_buf).collect(),
        };
        // A file that nobody named as a template may be anything.
        let filter = PathFilter { holds_for_named: self.template.is_none(), ..PathFilter::default() };
        let inputs = Inputs {
            host: self.files,
            cache,
            working: Path::new(Memory::ROOT),
            paths: &paths,
            stdin: None,
            parameters: self.parameters,
            merges_parameters: self.template.is_some(),
            overrides: &[],
            assumptions: &Assumptions::default(),
            as_written: false,
            filter: &filter,
            bicep: &bicep::Options { compiler: bicep::Compiler::Builtin, ..bicep::Options::default() },
            #[cfg(feature = "system")]
            narrowing: None,
            shard: None,
            isolation: Isolation::ALONE,
            limits: self.limits,
        };
        let extent = if self.template.is_none() { Extent::Everything } else { Extent::Templates };
        let MemoryRules { rules, sources } = rules;
        let suppressing = Suppressing { known: Known::new(rules.known.clone()), extent, ..Suppressing::default() };
        let run = Threads::start(self.threads).and_then(|threads| {
            let checker = Checker {
                rules: &rules.set,
                checks: &rules.checks,
                policies: None,
                infos: rules.infos.clone(),
                keep_passed: self.keep_passed,
                keep_trees: true,
                threads: &threads,
                suppressing: &suppressing,
                observer: &Nobody,
            };
            check(&inputs, &checker, cache.map_or_else(|| sources.fork(), ParseCache::sources))
        });
        run.unwrap_or_else(|error| {
            let sources = Sources::new();
            let problem = Diagnostic::of_file(Code::InternalFault, sources.add(self.name(), ""), error.to_string());
            failed(sources, problem)
        })
    }

    /// The name of a file to report a failure of all of them.
    fn name(&self) -> String {
        let first = self.template.or_else(|| self.files.paths().next());
        first.map_or_else(String::new, |path| path.to_string_lossy().trim_start_matches('/').to_owned())
    }
}

/// A run that gave nothing.
fn failed(sources: Sources, problem: Diagnostic) -> Run {
    let summary = Summary { errors: 1, ..Summary::default() };
    Run { sources, diagnostics: vec![problem], summary, ..Run::default() }
}
