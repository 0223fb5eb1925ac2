//! From what the user typed to what the engine takes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bicep;
use crate::bicep::cli::Registry;
use crate::cli::Environment;
use crate::cli::args::{BicepArguments, InputArguments, RuleArguments};
use crate::cli::exit::Error;
use crate::cli::terminal::{self, Color};
use crate::config::{self, RuleSettings, Settings};
use crate::diagnostic::{Diagnostic, Level, Run};
use crate::engine::{self, LoadedRules, Piped, RuleSource};
use crate::model::{Assumptions, Limits};
use crate::report;
use crate::syntax;
use crate::text::{Sources, Span};
use crate::value::{Str, Value};

/// What every command that reads templates needs.
#[derive(Debug)]
pub(super) struct Session<'a> {
    pub(super) environment: &'a Environment,
    pub(super) color: Color,
    pub(super) limits: Limits,
    pub(super) settings: Settings,
    pub(super) sources: Sources,
}

impl<'a> Session<'a> {
    /// Without any settings.
    pub(super) fn bare(color: Color, environment: &'a Environment) -> Self {
        Self { environment, color, limits: Limits::default(), settings: Settings::default(), sources: Sources::new() }
    }

    /// Reads the settings. Problems in them are printed; errors among them end the run.
    pub(super) fn open(file: Option<&Path>, color: Color, environment: &'a Environment) -> Result<Self, Error> {
        let mut session = Self::bare(color, environment);
        let origin = config::Origin {
            working: &environment.working,
            file,
            environment: &environment.variables,
            limits: &session.limits,
        };
        let (settings, problems) = config::load(&origin, &session.sources);
        session.settings = settings;
        session.print_or_fail(problems)?;
        Ok(session)
    }

    /// What the settings say of the environment that would be deployed to.
    pub(super) fn assumptions(&self) -> Assumptions {
        self.settings.configuration.as_ref().map(Assumptions::from_config).unwrap_or_default()
    }

    /// How Bicep is built.
    pub(super) fn bicep(&self, arguments: &BicepArguments) -> bicep::cli::Options {
        let cache = match &arguments.cache_dir {
            Some(folder) => Some(self.environment.working.join(folder)),
            None => self.cache_folder().filter(|_| !arguments.no_cache),
        };
        let registry = match (arguments.offline, arguments.strict) {
            (false, _) => Registry::Used,
            (true, false) => Registry::Skipped,
            (true, true) => Registry::Refused,
        };
        bicep::cli::Options {
            cache,
            registry,
            ..bicep::cli::Options::new(&self.environment.variables, self.settings.configuration.as_ref())
        }
    }

    /// See <https://specifications.freedesktop.org/basedir-spec/latest/>. A relative path there means nothing.
    fn cache_folder(&self) -> Option<PathBuf> {
        let folder = |name| self.environment.get(name).map(PathBuf::from).filter(|it| it.is_absolute());
        let own = folder("XDG_CACHE_HOME").or_else(|| folder("LOCALAPPDATA"));
        own.or_else(|| folder("HOME").map(|it| it.join(".cache"))).map(|it| it.join("formwork"))
    }

    /// The values of `--set`.
    pub(super) fn overrides(&self, arguments: &InputArguments) -> Result<Vec<(Str, Value)>, Error> {
        arguments.set.iter().map(|it| self.override_of(it)).collect()
    }

    fn override_of(&self, text: &str) -> Result<(Str, Value), Error> {
        let usage = |why: &str| Error::Usage(format!("`--set {text}`: {why}"));
        let (name, json) = text.split_once('=').ok_or_else(|| usage("`NAME=JSON` is wanted"))?;
        if name.is_empty() {
            return Err(usage("a name is wanted before `=`"));
        }
        let json: Arc<str> = Arc::from(json);
        let file = self.sources.add(format!("--set {name}"), Arc::clone(&json));
        let value = match syntax::json::parse(file, &json, self.limits.nesting).value {
            Some(value) => value,
            // `--set location=westeurope` needs no quotes inside the quotes of the shell.
            None if !json.starts_with(['{', '[', '"', '\'']) => {
                let end = u32::try_from(json.len()).unwrap_or(u32::MAX);
                Value::from(&*json).at(Span::new(file, 0, end))
            }
            None => return Err(usage("the value is no JSON")),
        };
        Ok((Str::from(name), value))
    }

    /// Reads the rules. Problems in them are printed; errors among them end the run.
    pub(super) fn rules(&mut self, arguments: &RuleArguments) -> Result<LoadedRules, Error> {
        let settings = std::mem::take(&mut self.settings.rules);
        let (rules, problems) = self.load_rules(arguments, &settings);
        self.settings.rules = settings;
        self.print_or_fail(problems)?;
        Ok(rules)
    }

    fn load_rules(&self, arguments: &RuleArguments, settings: &RuleSettings) -> (LoadedRules, Vec<Diagnostic>) {
        let source = RuleSource {
            working: &self.environment.working,
            builtin: !arguments.no_builtin_rules,
            paths: &arguments.rules,
            settings,
            environment: &self.environment.variables,
            limits: &self.limits,
        };
        engine::load_rules(&source, &self.sources)
    }

    /// Prints problems to standard error. Errors among them end the run.
    pub(super) fn print_or_fail(&mut self, problems: Vec<Diagnostic>) -> Result<(), Error> {
        let fatal = problems.iter().any(|it| it.level == Level::Error);
        self.print(problems)?;
        if fatal { Err(Error::Reported) } else { Ok(()) }
    }

    /// Prints problems to standard error.
    pub(super) fn print(&mut self, diagnostics: Vec<Diagnostic>) -> Result<(), Error> {
        if diagnostics.is_empty() {
            return Ok(());
        }
        let run = Run { sources: std::mem::take(&mut self.sources), diagnostics, ..Run::default() };
        let color = terminal::stderr_wants_color(self.color, self.environment);
        let options = report::Options { color, ..options(false) };
        report::render_problems(&run, &options, &mut io::stderr().lock())?;
        self.sources = run.sources;
        Ok(())
    }

    /// Standard input, if one of the paths is `-`.
    pub(super) fn piped<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p Path>,
        name: &str,
    ) -> Result<Option<Piped>, Error> {
        if !paths.into_iter().any(|it| it.as_os_str() == "-") {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let mut input = io::Read::take(io::stdin().lock(), self.limits.file_bytes.saturating_add(1));
        io::Read::read_to_end(&mut input, &mut bytes)?;
        Ok(Some(Piped { name: name.to_owned(), bytes }))
    }
}

/// Options of a report without colours.
pub(super) fn options(show_passed: bool) -> report::Options<'static> {
    report::Options {
        color: false,
        width: terminal::width(),
        show_passed,
        tool_version: env!("CARGO_PKG_VERSION"),
        run_url: None,
        sarif: report::SarifOptions::default(),
    }
}
