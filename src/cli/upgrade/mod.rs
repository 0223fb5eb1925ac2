//! `formwork upgrade`: raises API versions where the resources fit newer ones.

mod document;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{Days, NaiveDate};

use crate::bicep::{self, Compiler};
use crate::cli::Environment;
use crate::cli::args::{BicepArguments, CheckArguments, MIN_AGE, UpgradeArguments, UpgradeFormat};
use crate::cli::clock;
use crate::cli::exit::{Error, Exit};
use crate::cli::settings::Workspace;
use crate::cli::streams;
use crate::cli::terminal::{self, Color};
use crate::diagnostic::{Diagnostic, Level};
use crate::engine::{
    Collected, Deployments, Disproof, Inputs, Threads, UpgradeOptions, UpgradeOutcome, UpgradePlan, UpgradeTarget,
    prove, write_upgrades,
};
use crate::files::{Disk, Overlay, is_glob};
use crate::path::normalize;
use crate::report::counted;
use crate::report::upgrades::{self, Upgrades};
use crate::schema;
use crate::text::Sources;
use crate::text::escape::{Notation, file_name, visible};

/// Maximum length of a section in Markdown, in bytes.
const MAX_PAGE: usize = 60_000;

/// Plans upgrades, prints them, and writes them if the user asks for that.
pub(super) fn run(arguments: &UpgradeArguments, environment: &Environment) -> Result<Exit, Error> {
    let request = UpgradeRequest {
        paths: &arguments.paths,
        config: arguments.config.as_deref(),
        color: arguments.color,
        threads: arguments.threads,
        bicep: &arguments.bicep,
        options: options(arguments)?,
        writes: arguments.write,
    };
    let Upgraded { document, problems, exit, mut workspace } = upgrade(&request, environment)?;
    print(&document, arguments, environment)?;
    workspace.print(Vec::new(), problems)?;
    let can_move = document.summary.safe > 0;
    Ok(if exit == Exit::Clean && arguments.check && can_move { Exit::Findings } else { exit })
}

/// Raises the API versions in the files of a check that fixes findings. Prints how many were raised.
pub(super) fn raise(arguments: &CheckArguments, environment: &Environment) -> Result<(), Error> {
    let request = UpgradeRequest {
        paths: &arguments.paths,
        config: arguments.inputs.config.as_deref(),
        color: arguments.inputs.color,
        threads: arguments.threads,
        bicep: &arguments.bicep,
        options: UpgradeOptions { until: until(arguments.today, MIN_AGE), ..UpgradeOptions::default() },
        writes: true,
    };
    let Upgraded { document, .. } = upgrade(&request, environment)?;
    if document.summary.written > 0 && !arguments.quiet {
        let versions = counted(document.summary.safe, "API version");
        writeln!(streams::err(), "{versions} raised in {}", counted(document.summary.written, "file"))?;
    }
    Ok(())
}

/// The files to upgrade, and the options.
struct UpgradeRequest<'a> {
    /// Empty for the current folder.
    paths: &'a [PathBuf],
    config: Option<&'a Path>,
    color: Color,
    threads: usize,
    bicep: &'a BicepArguments,
    options: UpgradeOptions,
    writes: bool,
}

/// The result of an upgrade.
struct Upgraded<'a> {
    document: Upgrades,
    /// Problems of the files.
    problems: Vec<Diagnostic>,
    exit: Exit,
    workspace: Workspace<'a>,
}

fn upgrade<'e>(request: &UpgradeRequest<'_>, environment: &'e Environment) -> Result<Upgraded<'e>, Error> {
    if !schema::IS_KNOWN {
        return Err(Error::Usage("this build has no resource types; build it with the feature `types`".to_owned()));
    }
    let workspace = Workspace::open(request.config, request.color, environment)?;
    let working = &environment.working;
    let paths = if request.paths.is_empty() { vec![PathBuf::from(".")] } else { request.paths.to_vec() };
    if let Some(missing) = paths.iter().find(|path| !is_glob(path) && !normalize(working, path).exists()) {
        let shown = missing.display();
        return Err(Error::Usage(format!("`{shown}` does not exist; expected a template or a folder with templates")));
    }
    let assumptions = workspace.assumptions();
    // Edited texts are built before they are written, which the Bicep CLI cannot do.
    let bicep = bicep::Options { compiler: Compiler::Builtin, ..workspace.bicep(request.bicep)? };
    let (limits, filter) = (workspace.limits, workspace.settings.files.clone());
    let on_disk = Inputs { filter: &filter, ..Inputs::plain(&Disk, working, &paths, &assumptions, &bicep, &limits) };
    let threads = Threads::start(request.threads)?;
    let (mut plan, problems) = threads.install(|| plan(&on_disk, &workspace.sources, &request.options))?;
    let has_errors = problems.iter().any(|problem| problem.level == Level::Error);
    let mut exit = if has_errors { Exit::Unanalysed } else { Exit::Clean };
    let mut written = 0;
    if request.writes && plan.count(UpgradeOutcome::Safe) > 0 {
        let edited = Overlay::new(Arc::new(plan.edited(working, &workspace.sources)));
        let (old, new) = (Sources::new(), Sources::new());
        let changed = Inputs { host: &edited, ..on_disk.clone() };
        if let Some(disproof) = threads.install(|| prove(&plan, (&on_disk, &old), (&changed, &new)))? {
            report_defect(working, &disproof)?;
            plan.refuse("the changed files would deploy something else");
            exit = Exit::Unanalysed;
        } else {
            let (files, refused) = write_upgrades(&plan, (working, &paths), &workspace.sources);
            written = files.len();
            for (name, why) in &refused {
                let why = why.to_string();
                writeln!(streams::err(), "warning: {} is not changed: {}", file_name(name), visible(&why))?;
                exit = Exit::Unanalysed;
            }
        }
    }
    let document = document::document(&plan, written, &workspace.sources);
    Ok(Upgraded { document, problems, exit, workspace })
}

/// Prints the message about a proof that failed.
fn report_defect(working: &Path, disproof: &Disproof) -> io::Result<()> {
    let template = Path::new(&disproof.template);
    let template = template.strip_prefix(working).unwrap_or(template).to_string_lossy().into_owned();
    writeln!(
        streams::err(),
        "error: nothing is written, because {} would deploy something else: {}; please report this defect",
        file_name(&template),
        visible(&disproof.difference)
    )
}

/// Expands all deployments, and decides about the versions in them. Also returns the problems of the files.
fn plan(
    inputs: &Inputs<'_>,
    sources: &Sources,
    options: &UpgradeOptions,
) -> Result<(UpgradePlan, Vec<Diagnostic>), Error> {
    let mut deployments = Deployments::open(inputs, sources)?;
    let mut collected = Collected::new(sources);
    for deployment in deployments.list() {
        let mut deployed = deployments.expand(&deployment);
        collected.add(&deployments, &deployment, &deployed);
        deployments.note(&deployment, &mut deployed);
    }
    let problems = deployments.close().diagnostics;
    Ok((collected.decide(options), problems))
}

fn options(arguments: &UpgradeArguments) -> Result<UpgradeOptions, Error> {
    let target = match arguments.to.as_str() {
        "fits" => UpgradeTarget::Fits,
        "newest" => UpgradeTarget::Newest,
        version if is_version(version) => UpgradeTarget::Version(version.to_owned()),
        other => {
            let message = format!("`--to {other}`: expected `fits`, `newest`, or a version such as 2023-05-01");
            return Err(Error::Usage(message));
        }
    };
    Ok(UpgradeOptions {
        target,
        takes_previews: arguments.preview,
        types: arguments.types.clone(),
        until: until(arguments.today, arguments.min_age),
    })
}

/// Returns the last day on which a version may have been published.
fn until(today: Option<NaiveDate>, min_age: u16) -> Option<String> {
    let today = today.or_else(clock::today)?;
    Some(today.checked_sub_days(Days::new(u64::from(min_age)))?.to_string())
}

/// True for a date with or without a suffix, such as `-preview`.
fn is_version(text: &str) -> bool {
    text.get(..10).is_some_and(|day| NaiveDate::parse_from_str(day, "%Y-%m-%d").is_ok())
        && (text.len() == 10 || text.get(10..11) == Some("-"))
}

fn print(document: &Upgrades, arguments: &UpgradeArguments, environment: &Environment) -> Result<(), Error> {
    let notation = match arguments.format {
        UpgradeFormat::Console => Notation::Plain,
        UpgradeFormat::Markdown => Notation::Markup,
        UpgradeFormat::Json => Notation::Json,
    };
    let mut out = BufWriter::new(streams::out(notation));
    match arguments.format {
        UpgradeFormat::Console => {
            let is_colored = terminal::stdout_wants_color(arguments.color, environment);
            write!(out, "{}", upgrades::text(document, is_colored))?;
        }
        UpgradeFormat::Markdown => write!(out, "{}", upgrades::section(document, MAX_PAGE))?,
        UpgradeFormat::Json => {
            serde_json::to_writer_pretty(&mut out, document).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(())
}
