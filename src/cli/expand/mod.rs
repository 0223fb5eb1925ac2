//! `formwork expand`: prints the resources that a template would create, as JSON.

mod document;

use std::io::{BufWriter, Write};

use crate::arm::Context;
use crate::cli::Environment;
use crate::cli::args::{ExpandArguments, TemplateArguments};
use crate::cli::exit::{Error, Exit};
use crate::cli::settings::Workspace;
use crate::cli::streams;
use crate::diagnostic::{Diagnostic, Level};
use crate::engine::{self, Expanded, Inputs};
use crate::files::Disk;
use crate::model::Assumptions;
use crate::text::escape::Notation;
use crate::value::{JsonStyle, Lazy, write_members};

use self::document::View;

/// Prints the resources that a template would create.
pub(super) fn run(arguments: &ExpandArguments, environment: &Environment) -> Result<Exit, Error> {
    let inputs = &arguments.template.inputs;
    let mut workspace = Workspace::open(inputs.config.as_deref(), inputs.color, environment)?;
    let assumptions = workspace.assumptions();
    let (expanded, problems) = expand_template(&arguments.template, &assumptions, &workspace)?;
    let exit = exit(expanded.as_ref(), &problems);
    let findings = expanded.as_ref().map_or_else(Vec::new, |expanded| expanded.problems.clone());
    if let Some(expanded) = &expanded {
        let view = View {
            flat: arguments.flat,
            only: arguments.resource.as_deref(),
            context: &Context::new(&assumptions),
            expanded,
            sources: &workspace.sources,
        };
        print(view.members(&problems))?;
    }
    workspace.print(findings, problems)?;
    Ok(exit)
}

/// Returns the exit code for one expanded template. It depends on whether the template could be read and evaluated.
fn exit(expanded: Option<&Expanded>, problems: &[Diagnostic]) -> Exit {
    let is_unread = expanded.is_none_or(|expanded| expanded.expansion.document.is_none())
        || problems.iter().any(|problem| problem.level == Level::Error);
    match expanded {
        _ if is_unread => Exit::Unanalysed,
        Some(expanded) if !expanded.problems.is_empty() => Exit::Findings,
        _ => Exit::Clean,
    }
}

/// Expands the template that the user passed, and returns all diagnostics, including those of the expansion.
fn expand_template(
    arguments: &TemplateArguments,
    assumptions: &Assumptions,
    workspace: &Workspace<'_>,
) -> Result<(Option<Expanded>, Vec<Diagnostic>), Error> {
    let working = &workspace.environment.working;
    let is_piped = arguments.file.as_os_str() == "-";
    let overrides = workspace.overrides(&arguments.inputs)?;
    let paths = if is_piped { &[] } else { std::slice::from_ref(&arguments.file) };
    let bicep = workspace.bicep(&arguments.bicep)?;
    let inputs = Inputs {
        stdin: workspace.piped([arguments.file.as_path()], &arguments.stdin_filename)?,
        parameters: &arguments.inputs.parameters,
        overrides: &overrides,
        ..Inputs::plain(&Disk, working, paths, assumptions, &bicep, &workspace.limits)
    };
    if !is_piped && working.join(&arguments.file).is_dir() {
        return Err(Error::Usage(format!("`{}` is a folder; expected a template", arguments.file.display())));
    }
    let (expanded, mut problems) = engine::expand(&inputs, &workspace.sources)?;
    problems.extend(expanded.iter().flat_map(|expanded| expanded.expansion.diagnostics.iter().cloned()));
    Ok((expanded, problems))
}

/// Expands the template that the user passed, and prints its problems.
pub(super) fn expand_and_print(
    arguments: &TemplateArguments,
    assumptions: &Assumptions,
    workspace: &mut Workspace<'_>,
) -> Result<(Option<Expanded>, Exit), Error> {
    let (expanded, problems) = expand_template(arguments, assumptions, workspace)?;
    let exit = exit(expanded.as_ref(), &problems);
    let findings = expanded.as_ref().map_or_else(Vec::new, |expanded| expanded.problems.clone());
    workspace.print(findings, problems)?;
    Ok((expanded, exit))
}

fn print(members: Vec<(&str, Lazy<'_>)>) -> Result<(), Error> {
    let mut out = BufWriter::new(streams::out(Notation::Json));
    write_members(members, JsonStyle::INDENTED, &mut out)?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}
