//! Shared code of commands: reads settings, rules, and standard input, and prints their problems.

use std::io;
use std::path::{Path, PathBuf};

use crate::bicep;
use crate::bicep::{Compiler, Registry};
use crate::cli::Environment;
use crate::cli::args::{BicepArguments, InputArguments};
use crate::cli::clock;
use crate::cli::exit::Error;
use crate::cli::streams;
use crate::cli::terminal::{self, Color};
use crate::config::{self, Given, RuleSettings, Settings};
use crate::diagnostic::{Diagnostic, Finding, Level};
use crate::engine::{self, Governance, Inputs, LoadedRules, Override, Piped, PolicySource, RuleSource, Threads};
use crate::files::{Destination, Disk, NotWritten, Programs, Tree, repository_of};
use crate::model::{Assumptions, Limits};
use crate::policy::Policies;
use crate::report::{self, Report};
use crate::text::Sources;
use crate::value::{Str, Value};

/// Settings of a command, and the sources that it has read.
#[derive(Debug)]
pub(super) struct Workspace<'a> {
    pub(super) environment: &'a Environment,
    pub(super) color: Color,
    pub(super) limits: Limits,
    pub(super) settings: Settings,
    pub(super) sources: Sources,
}

impl<'a> Workspace<'a> {
    /// Returns a workspace with default settings.
    pub(super) fn bare(color: Color, environment: &'a Environment) -> Self {
        let settings = Settings::default();
        Self { environment, color, limits: settings.limits, settings, sources: Sources::new() }
    }

    /// Reads the settings. Prints problems in them; errors end the command.
    pub(super) fn open(file: Option<&Path>, color: Color, environment: &'a Environment) -> Result<Self, Error> {
        Self::open_in(&Disk, file, color, environment)
    }

    /// Reads the settings of a tree, like [`Workspace::open`].
    pub(super) fn open_in(
        tree: &dyn Tree,
        file: Option<&Path>,
        color: Color,
        environment: &'a Environment,
    ) -> Result<Self, Error> {
        let mut workspace = Self::bare(color, environment);
        let origin = config::Origin {
            working: &environment.working,
            file,
            tree,
            host: &Disk,
            environment: &environment.variables,
            limits: &workspace.limits,
        };
        let (settings, problems) = config::load(&origin, &workspace.sources);
        workspace.limits = settings.limits;
        workspace.settings = settings;
        workspace.print_or_fail(problems)?;
        Ok(workspace)
    }

    /// Returns the assumptions about the target environment in the settings.
    pub(super) fn assumptions(&self) -> Assumptions {
        self.settings.configuration.as_ref().map(Assumptions::from_config).unwrap_or_default()
    }

    /// Returns the options for building Bicep.
    pub(super) fn bicep(&self, arguments: &BicepArguments) -> Result<bicep::Options, Error> {
        let compiler = arguments.compiler.given.choices.or(self.settings.choices).bicep.and_then(Compiler::named);
        let modules = module_cache(arguments, self.environment)?;
        Ok(bicep::Options {
            programs: Some(Programs::of_command_line()),
            compiler: compiler.unwrap_or_default(),
            cache: bicep_cache(arguments, self.environment)?,
            ..bicep::Options::new(&self.environment.variables, self.settings.configuration.as_ref())
                .in_folder(&self.environment.working)
                .with_registry(registry(arguments), modules.as_deref())
        })
    }

    /// Returns the values of `--set`.
    pub(super) fn overrides(&self, arguments: &InputArguments) -> Result<Vec<(Str, Value)>, Error> {
        let given = overrides(arguments)?;
        given.iter().map(|given| Ok(given.value(&self.sources, &self.limits)?)).collect()
    }

    /// Reads the rules. Prints problems in them; errors end the command.
    pub(super) fn rules(&mut self, given: &Given) -> Result<LoadedRules, Error> {
        let settings = std::mem::take(&mut self.settings.rules);
        let (rules, problems) = self.load_rules(given, &settings);
        self.settings.rules = settings;
        self.print_or_fail(problems)?;
        Ok(rules)
    }

    /// Reads the Azure policies of the settings and the command line. Prints problems in them; errors end the
    /// command. With `tries_unassigned`, definitions without an assignment are tried, too.
    pub(super) fn policies(
        &mut self,
        given: &Given,
        bicep: &BicepArguments,
        tries_unassigned: bool,
    ) -> Result<Policies, Error> {
        let of_settings = self.settings.policy.parameters.as_ref().map(|(path, _)| path.as_path());
        let (assumptions, bicep) = (self.assumptions(), self.bicep(bicep)?);
        let inputs = Inputs::plain(&Disk, &self.environment.working, &[], &assumptions, &bicep, &self.limits);
        let source = PolicySource {
            working: &self.environment.working,
            tree: &Disk,
            paths: &given.policy,
            tries_unassigned,
            parameters: given.policy_parameters.as_deref().or(of_settings),
            settings: &self.settings.policy.paths,
            environments: &self.settings.policy.environments,
            limits: &self.limits,
            templates: Ok(&inputs),
        };
        // Evaluation needs the stack of these threads.
        let (policies, problems) = Threads::start(1)?.install(|| engine::load_policies(&source, &self.sources));
        self.print_or_fail(problems)?;
        Ok(policies)
    }

    /// Returns the evaluator of policies, or `None` if nothing is assigned.
    pub(super) fn governance<'p>(&self, policies: &'p Policies) -> Option<Governance<'p>> {
        let now = clock::today().map(|today| format!("{today}T00:00:00Z"));
        Governance::new(policies, &self.assumptions(), &self.settings.policy.management_groups, now)
    }

    fn load_rules(&self, given: &Given, settings: &RuleSettings) -> (LoadedRules, Vec<Diagnostic>) {
        let source = RuleSource {
            working: &self.environment.working,
            tree: &Disk,
            choices: given.choices.or(self.settings.choices),
            needs_texts: true,
            paths: &given.rules,
            settings,
            environment: &self.environment.variables,
            limits: &self.limits,
        };
        engine::load_rules(&source, &self.sources)
    }

    /// Prints problems to standard error. Errors end the command.
    pub(super) fn print_or_fail(&mut self, problems: Vec<Diagnostic>) -> Result<(), Error> {
        let fatal = problems.iter().any(|problem| problem.level == Level::Error);
        self.print(Vec::new(), problems)?;
        if fatal { Err(Error::Reported) } else { Ok(()) }
    }

    /// Prints findings and diagnostics to standard error.
    pub(super) fn print(&mut self, findings: Vec<Finding>, diagnostics: Vec<Diagnostic>) -> Result<(), Error> {
        if findings.is_empty() && diagnostics.is_empty() {
            return Ok(());
        }
        let report = Report::of_problems(findings, diagnostics, &self.sources);
        print_problems(&report, self.color, self.environment)?;
        Ok(())
    }

    /// Reads standard input, if one of the paths is `-`.
    pub(super) fn piped<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p Path>,
        name: &str,
    ) -> Result<Option<Piped>, Error> {
        if !paths.into_iter().any(|path| path.as_os_str() == "-") {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let mut input = io::Read::take(io::stdin().lock(), self.limits.file_bytes.saturating_add(1));
        io::Read::read_to_end(&mut input, &mut bytes)?;
        Ok(Some(Piped { name: name.to_owned(), bytes }))
    }
}

/// Prints findings and problems to standard error, without a summary.
pub(super) fn print_problems(report: &Report, color: Color, environment: &Environment) -> io::Result<()> {
    let color = terminal::stderr_wants_color(color, environment);
    let options = report::Options { color, ..options(false) };
    report::render_problems(report, &options, &mut streams::err())
}

/// Splits the values of `--set` into names and JSON.
pub(super) fn overrides(arguments: &InputArguments) -> Result<Vec<Override>, Error> {
    arguments.set.iter().map(|text| parse_override(text)).collect()
}

fn parse_override(text: &str) -> Result<Override, Error> {
    let Some((name, json)) = text.split_once('=') else {
        return Err(Error::Usage(format!("`--set {text}`: expected `NAME=JSON`")));
    };
    if name.is_empty() {
        return Err(Error::Usage(format!("`--set {text}`: expected a name before `=`")));
    }
    Ok(Override { name: name.to_owned(), json: json.to_owned() })
}

/// Returns the folder for cached builds, or `None` if nothing is cached.
pub(super) fn bicep_cache(arguments: &BicepArguments, environment: &Environment) -> Result<Option<PathBuf>, Error> {
    if arguments.no_cache { Ok(None) } else { module_cache(arguments, environment) }
}

/// Returns the folder for downloaded modules. It is used with `--no-cache` as well, because a version of a module
/// never changes. A folder in the checkout, or behind a link of the checkout, is an error if the user names it, and is
/// not used otherwise.
pub(super) fn module_cache(arguments: &BicepArguments, environment: &Environment) -> Result<Option<PathBuf>, Error> {
    module_cache_in(arguments.cache_dir.as_deref(), environment)
}

/// Returns the folder for downloaded modules, given the folder that the user names.
pub(super) fn module_cache_in(folder: Option<&Path>, environment: &Environment) -> Result<Option<PathBuf>, Error> {
    let real = |folder: &Path| {
        let real = Destination::new(&environment.working, folder).real()?;
        match checkout_around(&real, environment) {
            Some(checkout) => Err(NotWritten::Checkout(checkout)),
            None => Ok(real),
        }
    };
    match folder {
        Some(folder) => real(folder).map(Some).map_err(|why| Error::Write { path: folder.to_path_buf(), why }),
        None => Ok(cache_folder(environment).and_then(|folder| real(&folder).ok())),
    }
}

/// Returns the checkout that contains a folder: the repository around the current folder, or the checkout of the
/// workflow. A change decides what it contains.
fn checkout_around(folder: &Path, environment: &Environment) -> Option<PathBuf> {
    let is_workflow = environment.get("GITHUB_ACTIONS") == Some("true");
    let workspace = environment.get("GITHUB_WORKSPACE").filter(|_| is_workflow).map(PathBuf::from);
    let roots = repository_of(&environment.working).into_iter().chain(workspace);
    let mut real = roots.map(|root| root.canonicalize().unwrap_or(root));
    real.find(|root| folder.starts_with(root))
}

/// Returns the cache folder of the user by the [XDG base
/// directories](https://specifications.freedesktop.org/basedir-spec/latest/). A relative path there is invalid and
/// ignored.
fn cache_folder(environment: &Environment) -> Option<PathBuf> {
    let own = ["XDG_CACHE_HOME", "LOCALAPPDATA"].into_iter().find_map(|name| absolute_path(environment, name));
    let own = own.or_else(|| absolute_path(environment, "HOME").map(|home| home.join(".cache")));
    own.map(|cache| cache.join("formwork"))
}

fn absolute_path(environment: &Environment, variable: &str) -> Option<PathBuf> {
    environment.get(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Returns `Used` if modules can be downloaded.
pub(super) fn registry(arguments: &BicepArguments) -> Registry {
    if arguments.offline { Registry::Skipped } else { Registry::Used }
}

/// Returns the options of a report without colors.
pub(super) fn options(show_passed: bool) -> report::Options<'static> {
    report::Options {
        color: false,
        width: terminal::width(),
        show_passed,
        tool_version: env!("CARGO_PKG_VERSION"),
        run_url: None,
        page: report::PAGE,
        sarif: report::SarifOptions::default(),
        brief: report::BriefOptions::default(),
    }
}

/// Returns the lines of standard input, for a command that answers each.
pub(super) fn stdin_lines() -> io::Lines<io::StdinLock<'static>> {
    io::stdin().lines()
}
