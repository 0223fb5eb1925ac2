//! What a check works with, and the runs of the engine that it takes.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use crate::bicep;
use crate::cli::args::CheckArguments;
use crate::cli::changed::Change;
use crate::cli::check::{nothing, notice};
use crate::cli::exit::Error;
use crate::cli::progress::Progress;
use crate::cli::settings::Session;
use crate::diagnostic::{RuleInfo, Run};
use crate::engine::{self, Checker, Inputs, Piped};
use crate::files::{PathFilter, PathGlobs};
use crate::model::Assumptions;
use crate::rules::RuleSet;
use crate::value::{Str, Value};

/// The rules of a check, ready to be run more than once.
pub(super) struct Rules {
    set: RuleSet,
    checks: engine::Checks,
    infos: Vec<Arc<RuleInfo>>,
}

impl Rules {
    pub(super) fn new(loaded: engine::LoadedRules, arguments: &CheckArguments) -> Self {
        let set = RuleSet::new(loaded.rules).guard_strict(arguments.guard_strict);
        Self { set, checks: loaded.checks, infos: loaded.infos }
    }
}

/// What the arguments, the settings and the change say of the files to look at.
pub(super) struct Work<'a, 'e> {
    arguments: &'a CheckArguments,
    pub(super) session: &'a mut Session<'e>,
    change: &'a Change,
    paths: Vec<PathBuf>,
    parameters: Vec<PathBuf>,
    overrides: Vec<(Str, Value)>,
    filter: PathFilter,
    assumptions: Assumptions,
    bicep: bicep::cli::Options,
    stdin: Option<Piped>,
}

impl<'a, 'e> Work<'a, 'e> {
    pub(super) fn new(
        arguments: &'a CheckArguments,
        session: &'a mut Session<'e>,
        change: &'a Change,
    ) -> Result<Self, Error> {
        let given = arguments.paths.iter().map(PathBuf::as_path).filter(|_| !arguments.change.show_files);
        Ok(Self {
            paths: places(arguments, change),
            parameters: change.places(&arguments.inputs.parameters),
            overrides: session.overrides(&arguments.inputs)?,
            filter: filter(arguments, session)?,
            assumptions: session.assumptions(),
            bicep: session.bicep(&arguments.bicep),
            stdin: session.piped(given, &arguments.stdin_filename)?,
            arguments,
            session,
            change,
        })
    }

    fn inputs(&self) -> Inputs<'_> {
        Inputs {
            working: &self.session.environment.working,
            paths: &self.paths,
            stdin: self.stdin.clone(),
            parameters: &self.parameters,
            overrides: &self.overrides,
            assumptions: &self.assumptions,
            filter: &self.filter,
            only: None,
            as_written: self.arguments.guard_raw,
            bicep: &self.bicep,
            limits: &self.session.limits,
        }
    }

    /// Runs the rules over all files.
    pub(super) fn analyse(&mut self, rules: &Rules) -> Result<Run, Error> {
        let sources = std::mem::take(&mut self.session.sources);
        let mut inputs = self.inputs();
        let is_narrow = self.change.narrows() || self.arguments.dependents;
        let only = is_narrow.then(|| self.change.select(&inputs, self.arguments, self.session).paths());
        inputs.only = only.as_ref();
        let progress = Progress::new(!self.arguments.quiet);
        let checker = Checker {
            rules: &rules.set,
            checks: &rules.checks,
            infos: rules.infos.clone(),
            keep_passed: self.arguments.show_passed,
            threads: self.arguments.threads,
            observer: &progress,
        };
        let run = engine::check(&inputs, &checker, sources);
        progress.finish();
        Ok(run?)
    }

    /// Prints which files would be checked, and why.
    pub(super) fn show_files(&self) -> Result<(), Error> {
        let inputs = self.inputs();
        let files = self.change.select(&inputs, self.arguments, self.session);
        let files = files.explain(&inputs);
        if files.is_empty() && !self.arguments.quiet {
            notice(nothing(self.change));
        }
        let mut out = BufWriter::new(io::stdout().lock());
        for (name, reason) in files {
            writeln!(out, "{}", self.change.own_names(&format!("{name}: {reason}")))?;
        }
        Ok(out.flush()?)
    }
}

/// Where files are looked for. Standard input, `-`, is no such place; what hangs on a file may be anywhere.
fn places(arguments: &CheckArguments, change: &Change) -> Vec<PathBuf> {
    let everywhere = arguments.dependents.then(|| PathBuf::from("."));
    let given = change.places(&arguments.paths).into_iter().filter(|it| it.as_os_str() != "-");
    everywhere.into_iter().chain(given).collect()
}

fn filter(arguments: &CheckArguments, session: &Session<'_>) -> Result<PathFilter, Error> {
    let mut filter = session.settings.files.clone();
    filter.holds_for_named = arguments.force_exclude || arguments.dependents;
    let globs = |patterns: &[String]| {
        PathGlobs::new(&session.environment.working, patterns.iter().map(String::as_str))
            .map_err(|error| Error::Usage(format!("a glob cannot be used: {error}")))
    };
    if !arguments.include.is_empty() {
        filter.include = vec![globs(&arguments.include)?];
    }
    filter.exclude.push(globs(&arguments.exclude)?);
    Ok(filter)
}
