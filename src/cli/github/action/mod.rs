//! `formwork github action`: the check of the action. It reads the inputs of the action, checks like `formwork
//! check`, and sets outputs.
//!
//! The command succeeds if the outputs contain the result of the check, even if there are findings. The job fails in
//! a later step, after everything is published.
//!
//! Text from templates is printed while workflow commands are disabled. The runner reads standard output and standard error
//! in no defined order, so `action.yml` redirects both to one stream. Otherwise, a command of formwork could arrive while
//! commands are disabled.

mod arguments;
mod commands;
mod inputs;

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Parser;

use crate::cli::args::{Arguments, CheckArguments, Command, MergeArguments};
use crate::cli::check::{self, Checked};
use crate::cli::diff;
use crate::cli::exit::{self, Error, Exit};
use crate::cli::github::action::arguments::{DifferenceRequest, Invocation};
use crate::cli::github::action::inputs::ActionInputs;
use crate::cli::github::outputs::{self, Outputs};
use crate::cli::reports::ReportRequest;
use crate::cli::streams;
use crate::cli::{Environment, merge, reports, supervise};
use crate::diagnostic::{Level, Outcome};
use crate::engine::Threads;
use crate::files::{Destination, NotWritten};
use crate::github;
use crate::report::difference::{Places, section};
use crate::report::model::Finding;
use crate::report::{self, Report, failed_faults};
use crate::text::{escape, with_causes};

/// Maximum length of the section about deployments, in bytes.
const MAX_SECTION: usize = 200_000;

/// The variable with the Bicep CLI, which has precedence over `PATH`.
const BICEP: &str = "PSRULE_AZURE_BICEP_PATH";

/// Runs a check with the inputs of the action.
pub(super) fn run(environment: &Environment) -> Result<Exit, Error> {
    let runner = RunnerContext::from_environment(environment)?;
    let mut outputs = Outputs::default();
    let exit = match run_check(&runner, environment, &mut outputs) {
        Ok(exit) => exit,
        Err(error) => {
            let stderr = &mut streams::commands_err();
            let exit = commands::muted(stderr, &runner.word, |_| exit::of_error(&error))?;
            commands::error(stderr, &reason(&error))?;
            exit
        }
    };
    outputs.set("exit-code", &exit.code().to_string());
    outputs.write(&runner.outputs).map_err(|why| not_written(&runner.outputs, why))?;
    Ok(Exit::Clean)
}

fn reason(error: &Error) -> String {
    match error {
        Error::Reported => "a settings file or a rule file is wrong, and nothing was checked: see the log".to_owned(),
        other => with_causes(other),
    }
}

/// Folders, files, and the random word that the runner passes to a step.
struct RunnerContext {
    /// The root of the checkout.
    root: PathBuf,
    /// A folder that is emptied after the job.
    temp: PathBuf,
    outputs: Destination,
    summary: Option<Destination>,
    /// The random word that enables commands after text from templates.
    word: String,
}

impl RunnerContext {
    fn from_environment(environment: &Environment) -> Result<Self, Error> {
        let path = |name: &str| environment.get(name).map(PathBuf::from);
        let needed = |name: &str| {
            let missing =
                || Error::Usage(format!("`{name}` is not set: this is a command for a job of GitHub Actions"));
            path(name).ok_or_else(missing)
        };
        let destination = |path: PathBuf| Destination::new(&environment.working, &path);
        Ok(Self {
            root: needed("GITHUB_WORKSPACE")?,
            temp: needed("RUNNER_TEMP")?,
            outputs: needed("GITHUB_OUTPUT").map(destination)?,
            summary: path("GITHUB_STEP_SUMMARY").map(destination),
            word: supervise::word(environment, outputs::unguessable),
        })
    }
}

/// Runs the check, and sets the outputs.
fn run_check(runner: &RunnerContext, environment: &Environment, outputs: &mut Outputs) -> Result<Exit, Error> {
    let reports = folder(runner)?;
    let invocation = arguments::from_inputs(ActionInputs::new(environment), &runner.root, &reports)?;
    let arguments = parse_arguments(&invocation)?;
    commands::debug(&mut streams::commands_err(), &format!("formwork {}", invocation.arguments.join(" ")))?;
    let environment = check_environment(runner, environment);
    let sarif = Destination::new(&environment.working, &invocation.sarif);
    sarif.create_folder().map_err(|why| not_written(&sarif, why))?;
    let Checked { exit, report, changed_files, tells_difference, mut unwritten, .. } =
        commands::muted(&mut streams::commands_err(), &runner.word, |_| arguments.run(&environment))??;
    let Some((mut report, threads)) = report else { return Ok(exit) };
    if exit == Exit::Unanalysed {
        commands::error(&mut streams::commands_err(), "an input could not be analyzed: see the log")?;
    }
    let print = || reports::print(arguments.report_request(&threads), &environment, &report);
    if invocation.annotations {
        // This report consists of commands, and keeps other text from being one.
        print()?;
    } else {
        commands::muted(&mut streams::commands_out(), &runner.word, |_| print())??;
    }
    if let Some(error) = unwritten.pop() {
        return Err(error);
    }
    set_counts(&report, outputs);
    // A name may contain a line break, and each line of the output is one name.
    let names: Vec<Cow<'_, str>> = changed_files.iter().map(|name| escape::visible(name)).collect();
    outputs.set("changed-files", &names.join("\n"));
    name_files(&invocation, outputs);
    let difference = match &invocation.difference {
        Some(wanted) if wanted.is_asked_for || tells_difference => difference(runner, wanted, &environment, &report)?,
        _ => None,
    };
    if let (Some(_), Some(DifferenceRequest { file, .. })) = (&difference, &invocation.difference) {
        outputs.set("difference-file", &file.display().to_string());
        if has_room(file, &invocation.json)? {
            // Another job may publish it.
            report.difference = serde_json::from_slice(&fs::read(file)?).ok();
            reports::write_json(arguments.report_request(&threads), &environment, &report, &invocation.json)?;
        }
    }
    if let Some(file) = runner.summary.as_ref().filter(|_| invocation.job_summary) {
        let page = reports::page(arguments.report_request(&threads), &environment, &report, outputs::room(file))?;
        let written = outputs::summarize(file, &page);
        if !written.map_err(|why| not_written(file, why))? {
            commands::error(
                &mut streams::commands_err(),
                "the job summary has no room left for the findings of this step",
            )?;
        }
        let section =
            difference.map(|difference| section(&difference, outputs::room(file).min(MAX_SECTION), Places::Lines));
        let written = outputs::summarize(file, &section.map(|text| format!("\n{text}")).unwrap_or_default());
        written.map_err(|why| not_written(file, why))?;
    }
    Ok(exit)
}

/// Sets the paths of the reports as outputs for later steps.
fn name_files(invocation: &Invocation, outputs: &mut Outputs) {
    let all =
        [("json-file", &invocation.json), ("sarif-file", &invocation.sarif), ("summary-file", &invocation.summary)];
    let annotations = invocation.annotations_file.iter().map(|file| ("annotations-file", file));
    for (name, file) in all.into_iter().chain(annotations) {
        outputs.set(name, &file.display().to_string());
    }
}

/// Compares the deployments of the change with those of its base. If the comparison fails or crashes, only its
/// section is missing.
fn difference(
    runner: &RunnerContext,
    wanted: &DifferenceRequest,
    environment: &Environment,
    report: &Report,
) -> Result<Option<report::difference::Difference>, Error> {
    let base = report.change.as_ref().and_then(|change| change.base.as_deref());
    let words = wanted.arguments(base.unwrap_or("HEAD"));
    commands::debug(&mut streams::commands_err(), &format!("formwork {}", words.join(" ")))?;
    let compared =
        commands::muted(&mut streams::commands_err(), &runner.word, |_| supervise::apart(&words, environment))?;
    let read = compared.and_then(|json| {
        let file = Destination::new(&environment.working, &wanted.file);
        file.replace(&json).map_err(|why| not_written(&file, why))?;
        diff::read(&json)
    });
    match read {
        Ok(difference) => Ok(Some(difference)),
        Err(error) => {
            let why = format!("what the change deploys cannot be told: {}", with_causes(&error));
            commands::error(&mut streams::commands_err(), &why)?;
            Ok(None)
        }
    }
}

/// Returns whether the JSON report has space for the difference. A long difference stays in its own file.
fn has_room(difference: &Path, report: &Path) -> io::Result<bool> {
    let length = fs::metadata(difference)?.len().saturating_add(fs::metadata(report)?.len());
    // The difference is indented again.
    Ok(length.saturating_mul(2) < github::MAX_REPORT_BYTES)
}

fn not_written(file: &Destination, why: NotWritten) -> Error {
    Error::Write { path: file.path().to_owned(), why }
}

/// Creates a folder for the reports of this step. It is not deleted, because later steps read them.
fn folder(runner: &RunnerContext) -> Result<PathBuf, Error> {
    let folder = tempfile::Builder::new().prefix("formwork.").tempdir_in(&runner.temp);
    Ok(folder.map_err(|why| Error::Write { path: runner.temp.clone(), why: why.into() })?.keep())
}

/// The command that the inputs ask for.
enum ActionCommand {
    /// A check of templates.
    Check(Box<CheckArguments>),
    /// Joins the reports of other jobs.
    Merge(Box<MergeArguments>),
}

impl ActionCommand {
    fn run(&self, environment: &Environment) -> Result<Checked, Error> {
        match self {
            Self::Check(arguments) => check::check_templates(arguments, environment),
            Self::Merge(arguments) => merge::merge(arguments, environment),
        }
    }

    fn report_request<'a>(&'a self, threads: &'a Threads) -> ReportRequest<'a> {
        match self {
            Self::Check(arguments) => ReportRequest::of_check(arguments, threads),
            Self::Merge(arguments) => ReportRequest::of_merge(arguments, threads),
        }
    }
}

/// Parses the arguments like those of a command line.
fn parse_arguments(invocation: &Invocation) -> Result<ActionCommand, Error> {
    let words = std::iter::once("formwork").chain(invocation.arguments.iter().map(String::as_str));
    match Arguments::try_parse_from(words) {
        Ok(Arguments { command: Command::Check(arguments) }) => Ok(ActionCommand::Check(arguments)),
        Ok(Arguments { command: Command::Merge(arguments) }) => Ok(ActionCommand::Merge(Box::new(arguments))),
        Ok(_) => Err(Error::Usage("the inputs make another command than a check".to_owned())),
        Err(error) => {
            let text = error.render().to_string();
            let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            Err(Error::Usage(first))
        }
    }
}

/// Returns the environment of the check. It starts at the root of the checkout, with the Bicep CLI that an earlier
/// step installed.
fn check_environment(runner: &RunnerContext, environment: &Environment) -> Environment {
    let mut around = Environment { working: runner.root.clone(), ..environment.clone() };
    if let Some(bicep) = environment.get("FORMWORK_BICEP") {
        around.variables.insert(BICEP.to_owned(), bicep.to_owned());
    }
    around
}

fn count_level(findings: &[&Finding], level: Level) -> usize {
    findings.iter().filter(|finding| finding.level() == level).count()
}

fn set_counts(report: &Report, outputs: &mut Outputs) {
    let failed: Vec<&Finding> = report.findings.iter().filter(|finding| finding.outcome == Outcome::Failed).collect();
    let new = failed.iter().filter(|finding| finding.in_change != Some(false)).count();
    for (name, number) in [
        ("findings", failed.len()),
        ("faults", failed_faults(report).len()),
        ("errors", count_level(&failed, Level::Error)),
        ("warnings", count_level(&failed, Level::Warning)),
        ("notices", count_level(&failed, Level::Note)),
        ("new-findings", new),
    ] {
        outputs.set(name, &number.to_string());
    }
}
