//! `formwork doctor`: shows the environment that formwork runs in, and what does not work in it. It uses no network and
//! prints no secrets.

mod console;
mod surroundings;
mod tables;
mod workflow;

use std::io::{self, Write};

use serde::Serialize;

use crate::cli::Environment;
use crate::cli::args::{BicepArguments, DoctorArguments, DoctorFormat};
use crate::cli::doctor::surroundings::{Bicep, Cache, Git, bicep, cache, git, settings_files};
use crate::cli::doctor::tables::{Table, tables};
use crate::cli::doctor::workflow::{Proxy, Publishing, Workflow};
use crate::cli::exit::{Error, Exit};
use crate::cli::settings::Workspace;
use crate::cli::streams;
use crate::cli::terminal::Color;
use crate::cli::workflow::token_variable;
use crate::engine::Baseline;
use crate::files::{Disk, display_name};
use crate::policy;
use crate::schema;
use crate::text::escape::Notation;

const SCHEMA: &str = "formwork/doctor/v1";

/// The diagnosis. Field names are a stable interface, like those of reports.
#[derive(Debug, Serialize)]
struct Diagnosis {
    schema: &'static str,
    version: &'static str,
    platform: String,
    /// The settings files in use. Earlier ones override later ones.
    settings: Vec<String>,
    rules: Option<usize>,
    /// The sources of the resource types.
    types: Vec<String>,
    /// The sources of the aliases and the built-in documents of Azure Policy.
    policies: Vec<String>,
    /// All tables that are built in, and what each comes from.
    tables: Vec<Table>,
    baseline: Option<String>,
    bicep: Bicep,
    git: Git,
    workflow: Option<Workflow>,
    /// The name of the variable with the token.
    token: Option<&'static str>,
    proxies: Vec<Proxy>,
    cache: Option<Cache>,
    publishing: Publishing,
    /// Parts of the settings or the environment that do not work.
    problems: Vec<String>,
}

/// Examines the environment and prints the diagnosis. The exit code is 1 if something does not work.
pub(super) fn run(arguments: &DoctorArguments, environment: &Environment) -> Result<Exit, Error> {
    let diagnosis = diagnose(arguments, environment)?;
    let mut out = streams::out(match arguments.format {
        DoctorFormat::Console => Notation::Plain,
        DoctorFormat::Json => Notation::Json,
    });
    match arguments.format {
        DoctorFormat::Console => console::write(&diagnosis, &mut out)?,
        DoctorFormat::Json => {
            serde_json::to_writer_pretty(&mut out, &diagnosis).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    Ok(if diagnosis.problems.is_empty() { Exit::Clean } else { Exit::Findings })
}

fn diagnose(arguments: &DoctorArguments, environment: &Environment) -> Result<Diagnosis, Error> {
    let mut problems = Vec::new();
    let mut working = |what: &str, result: Result<(), Error>| match result {
        Ok(()) => Ok(()),
        // The details have been printed, with their positions.
        Err(Error::Reported) => {
            problems.push(what.to_owned());
            Ok(())
        }
        Err(other) => Err(other),
    };
    let mut workspace = Workspace::bare(Color::Auto, environment);
    let opened =
        Workspace::open(arguments.config.as_deref(), Color::Auto, environment).map(|opened| workspace = opened);
    working("the settings cannot be used", opened)?;
    let mut rules = None;
    let loaded = workspace.rules(&arguments.rules.given).map(|loaded| rules = Some(loaded.infos.len()));
    working("the rules cannot be used", loaded)?;
    let file = workspace.settings.baseline.clone();
    let name = file.as_ref().map(|(path, _)| display_name(&environment.working, path));
    if let Some((path, span)) = file {
        let (_, found) =
            Baseline::open(&path, Some(span), (&Disk, &environment.working), &workspace.limits, &workspace.sources);
        let read = workspace.print_or_fail(found);
        working("the baseline of the settings cannot be used", read)?;
    }
    let defaults = BicepArguments::default();
    let options = workspace.bicep(&defaults)?;
    let (workflow, payload) = workflow::read_event(environment);
    let token = token_variable(environment);
    let (bicep, is_broken) = bicep(&options);
    if is_broken {
        problems.push("the configured Bicep CLI cannot be used".to_owned());
    }
    Ok(Diagnosis {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        settings: settings_files(arguments.config.as_deref(), environment),
        rules,
        types: schema::sources().map(ToString::to_string).collect(),
        policies: policy::sources(),
        tables: tables(),
        baseline: name,
        bicep,
        git: git(&environment.working),
        publishing: workflow::publishing(environment, workflow.as_ref(), payload.as_ref(), token),
        workflow,
        token,
        proxies: workflow::proxies(environment),
        cache: options.cache.map(cache),
        problems,
    })
}
