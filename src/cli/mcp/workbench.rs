//! The state of the server, and the checks that its tools share.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use formwork_mcp::{Arguments, ToolCall};

use crate::bicep::{self, Compiler, Registry};
use crate::cli::args::McpArguments;
use crate::cli::exit::Error;
use crate::cli::mcp::memory::Memory;
use crate::cli::mcp::unsaved::{Unsaved, inside};
use crate::cli::{Environment, clock, settings};
use crate::config::{self, Settings};
use crate::diagnostic::{Run, Severity};
use crate::editor::{Analyst, PathCheck};
use crate::engine::{CheckOptions, Finished, Observer};
use crate::model::Limits;
use crate::path::normalize;
use crate::report::Report;
use crate::report::brief::{Words, quoted, quoted_message};
use crate::text::{Sources, with_causes};

/// The state of the server.
#[derive(Debug)]
pub(super) struct Workbench {
    pub(super) root: PathBuf,
    /// Folders that may be read: the root, and downloaded modules.
    pub(super) roots: Vec<PathBuf>,
    pub(super) environment: Environment,
    pub(super) memory: Memory,
    config: Option<PathBuf>,
    module_cache: Option<PathBuf>,
    analyst: Analyst,
}

/// Collects the problems of settings, rules, and the baseline that end a check.
#[derive(Debug, Default)]
struct ProblemCollector(Mutex<Vec<String>>);

impl Observer for ProblemCollector {
    fn problems(&self, run: &Run) {
        let report = Report::of_problems(Vec::new(), run.diagnostics.clone(), &run.sources);
        let problems = report.problems.iter().map(|problem| {
            let message = quoted_message(&problem.message, Words::Foreign);
            format!("{}:{} {message}", quoted(problem.place.file.name()), problem.place.start.line)
        });
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(problems);
    }
}

impl Workbench {
    /// Creates the state for a root, which is absolute and has no links.
    pub(super) fn new(root: PathBuf, arguments: &McpArguments, environment: &Environment) -> Result<Self, Error> {
        let module_cache = settings::module_cache_in(arguments.cache_dir.as_deref(), environment)?;
        let config = arguments.config.as_ref().map(|path| normalize(&environment.working, path));
        let mut roots = vec![root.clone()];
        roots.extend(module_cache.clone());
        roots.extend(config.clone());
        let environment = Environment { working: root.clone(), ..environment.clone() };
        let options = CheckOptions {
            variables: environment.variables.clone(),
            module_cache: module_cache.clone(),
            config: config.clone(),
            today: clock::today(),
            ..CheckOptions::new(root.clone())
        };
        let (memory, analyst) = (Memory::default(), Analyst::new(options));
        Ok(Self { root, roots, environment, memory, config, module_cache, analyst })
    }

    /// Returns the unsaved texts of a call.
    pub(super) fn unsaved(&self, arguments: &Arguments) -> Result<Unsaved, String> {
        Unsaved::of_arguments(arguments, &self.root)
    }

    /// Returns the paths that a call names. Each has to exist.
    pub(super) fn paths(&self, arguments: &Arguments, unsaved: &Unsaved) -> Result<Vec<PathBuf>, String> {
        let mut names = arguments.texts("paths");
        if names.is_empty() {
            names.push(".");
        }
        let mut paths = BTreeSet::new();
        for name in names {
            let path = inside(name, &self.root)?;
            if !unsaved.has(&path) {
                return Err(format!("{} does not exist; paths are relative to the workspace", quoted(name)));
            }
            if path.is_dir() || !unsaved.texts.contains_key(&path) {
                paths.extend(unsaved.new_templates(&path));
            }
            paths.insert(path);
        }
        Ok(paths.into_iter().collect())
    }

    /// Checks paths.
    pub(super) fn check(
        &mut self,
        unsaved: &Unsaved,
        paths: Vec<PathBuf>,
        least: Option<Severity>,
        call: &ToolCall,
    ) -> Result<Finished, String> {
        let check = PathCheck {
            folder: self.root.clone(),
            files: unsaved.files(&self.roots),
            paths,
            least,
            cancellation: call.cancellation.clone(),
        };
        let collector = ProblemCollector::default();
        self.analyst.check_paths(&check, &collector).map_err(|error| {
            let problems = collector.0.into_inner().unwrap_or_else(PoisonError::into_inner);
            if problems.is_empty() {
                return format!("INCOMPLETE nothing was checked: {}", quoted(&with_causes(&error)));
            }
            format!("INCOMPLETE nothing was checked, because settings or rules are invalid: {}", problems.join("; "))
        })
    }

    /// Reads the settings with the unsaved texts of a call.
    pub(super) fn settings(&self, unsaved: &Unsaved) -> Settings {
        let files = unsaved.files(&self.roots);
        let origin = config::Origin {
            working: &self.root,
            file: self.config.as_deref(),
            tree: &files,
            host: &files,
            environment: &self.environment.variables,
            limits: &Limits::default(),
        };
        config::load(&origin, &Sources::new()).0
    }

    /// Returns the options for building Bicep: with the built-in compiler, and with downloaded modules only.
    pub(super) fn bicep(&self, settings: &Settings) -> bicep::Options {
        bicep::Options {
            programs: None,
            compiler: Compiler::named("builtin").unwrap_or_default(),
            cache: None,
            ..bicep::Options::new(&self.environment.variables, settings.configuration.as_ref())
                .in_folder(&self.root)
                .with_registry(Registry::Skipped, self.module_cache.as_deref())
        }
    }

    /// Returns the name of a path in answers.
    pub(super) fn name(&self, path: &Path) -> String {
        crate::files::display_name(&self.root, path)
    }
}

/// Turns the run of a check into a report, on the threads that did the work.
pub(super) fn into_report(finished: Finished) -> Report {
    let Finished { run, threads, .. } = finished;
    threads.install(|| Report::from_run(run))
}
