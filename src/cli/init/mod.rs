//! `formwork init`: writes settings for the repository. It imports the settings of other tools.

mod agents;
mod page;
mod survey;

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::cli::Environment;
use crate::cli::args::InitArguments;
use crate::cli::exit::{Error, Exit};
use crate::cli::init::survey::{Survey, ToolSettings};
use crate::cli::notice::notice;
use crate::cli::settings::Workspace;
use crate::cli::streams;
use crate::cli::terminal::Color;
use crate::config::{SETTINGS_NAMES, is_read_key};
use crate::files::{Destination, display_name, read_bytes, register, repository_of};
use crate::migrate::{Imported, Importer};
use crate::path::normalize;
use crate::text::escape::Notation;

/// The name of the new file: the first that checks look for.
const NAME: &str = SETTINGS_NAMES[0];

/// Writes the file, or prints it. Notes about settings that could not be imported go to standard error.
pub(super) fn run(arguments: &InitArguments, environment: &Environment) -> Result<Exit, Error> {
    if arguments.agents {
        return agents::run(arguments, environment);
    }
    let folder = folder(arguments, environment)?;
    if !arguments.dry_run {
        refuse_existing(&folder, environment)?;
    }
    let mut workspace = Workspace::bare(Color::Auto, environment);
    let survey = survey::survey_folder(&folder, environment)?;
    let mut imported = import(&survey, &workspace, environment);
    let notes = std::mem::take(&mut imported.notes);
    let text = page::page(&survey, &imported);
    workspace.print(Vec::new(), notes)?;
    for path in &survey.elsewhere {
        let name = display_name(&environment.working, path);
        notice(&format!("`{name}` is not imported: it is not in the folder; `formwork init FOLDER` imports it"));
    }
    if arguments.dry_run {
        streams::out(Notation::Plain).write_all(text.as_bytes())?;
        return Ok(Exit::Clean);
    }
    let path = folder.join(NAME);
    let destination = Destination::new(&environment.working, &path);
    destination.create(text.as_bytes()).map_err(|why| Error::Write { path: path.clone(), why })?;
    notice(&format!("{}: written, {}", display_name(&environment.working, &path), survey.summary()));
    Ok(Exit::Clean)
}

/// Returns the folder of the new file: that of the arguments, or the root of the repository.
fn folder(arguments: &InitArguments, environment: &Environment) -> Result<PathBuf, Error> {
    let working = &environment.working;
    let Some(given) = &arguments.folder else {
        return Ok(repository_of(working).unwrap_or_else(|| working.clone()));
    };
    let folder = normalize(working, given);
    if folder.is_dir() { Ok(folder) } else { Err(Error::Usage(format!("`{}` is not a folder", given.display()))) }
}

/// Fails if the folder has settings. They are never overwritten, and a second file would not be read.
fn refuse_existing(folder: &Path, environment: &Environment) -> Result<(), Error> {
    let existing = SETTINGS_NAMES.iter().map(|name| folder.join(name)).find(|path| path.symlink_metadata().is_ok());
    existing.map_or(Ok(()), |path| {
        let name = display_name(&environment.working, &path);
        Err(Error::Usage(format!("`{name}` exists already; `formwork init --dry-run` prints what a new one would say")))
    })
}

/// Reads the settings of other tools. A file that cannot be read results in a note.
fn import(survey: &Survey, workspace: &Workspace<'_>, environment: &Environment) -> Imported {
    let (sources, limits) = (&workspace.sources, &workspace.limits);
    let mut importer = Importer::new(sources, limits.nesting);
    for (path, kind) in &survey.foreign {
        let name = display_name(&environment.working, path);
        let bytes = read_bytes(path, limits.file_bytes).map_err(|problem| problem.into_diagnostic(&name, sources));
        match bytes.and_then(|bytes| register(&name, bytes, sources)) {
            Err(problem) => importer.add_note(problem),
            Ok(file) => match kind {
                ToolSettings::TemplateAnalyzer => importer.template_analyzer(file),
                ToolSettings::PsRule => importer.ps_rule(file, is_read_key),
                ToolSettings::PsRuleResources => importer.ps_rule_resources(file),
                ToolSettings::Checkov => importer.checkov(file),
                ToolSettings::CfnLint => importer.cfn_lint(file),
            },
        }
    }
    importer.finish()
}
