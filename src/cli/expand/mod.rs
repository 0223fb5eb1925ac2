//! `formwork expand`: prints what a template would create, as JSON.

mod document;

use std::io::{self, BufWriter, Write};

use crate::arm::Context;
use crate::cli::Environment;
use crate::cli::args::{ExpandArguments, TemplateArguments};
use crate::cli::exit::{Error, Exit};
use crate::cli::settings::Workspace;
use crate::diagnostic::{Diagnostic, Level};
use crate::engine::{self, Expanded, Inputs};
use crate::files::PathFilter;
use crate::model::Assumptions;
use crate::value::{JsonStyle, Lazy, write_members};

use self::document::View;

/// Prints what a template would create.
pub(super) fn run(arguments: &ExpandArguments, environment: &Environment) -> Result<Exit, Error> {
    let inputs = &arguments.template.inputs;
    let mut workspace = Workspace::open(inputs.config.as_deref(), inputs.color, environment)?;
    let assumptions = workspace.assumptions();
    let (expanded, problems) = expand_template(&arguments.template, &assumptions, &workspace)?;
    let mut failed = has_error(&problems);
    if let Some(expanded) = expanded {
        failed |= expanded.expansion.document.is_none();
        let view = View {
            flat: arguments.flat,
            only: arguments.resource.as_deref(),
            context: &Context::new(&assumptions),
            expanded: &expanded,
            sources: &workspace.sources,
        };
        print(view.members(&problems))?;
    }
    workspace.print(problems)?;
    Ok(if failed { Exit::Unanalysed } else { Exit::Clean })
}

/// Expands the template that the user named, and returns all problems, including those of the expansion.
pub(super) fn expand_template(
    arguments: &TemplateArguments,
    assumptions: &Assumptions,
    workspace: &Workspace<'_>,
) -> Result<(Option<Expanded>, Vec<Diagnostic>), Error> {
    let working = &workspace.environment.working;
    let is_piped = arguments.file.as_os_str() == "-";
    let overrides = workspace.overrides(&arguments.inputs)?;
    let inputs = Inputs {
        working,
        paths: if is_piped { &[] } else { std::slice::from_ref(&arguments.file) },
        stdin: workspace.piped([arguments.file.as_path()], &arguments.stdin_filename)?,
        parameters: &arguments.inputs.parameters,
        overrides: &overrides,
        assumptions,
        as_written: false,
        filter: &PathFilter::default(),
        bicep: &workspace.bicep(&arguments.bicep),
        narrowing: None,
        limits: &workspace.limits,
    };
    if !is_piped && working.join(&arguments.file).is_dir() {
        return Err(Error::Usage(format!("`{}` is a folder; expected a template", arguments.file.display())));
    }
    let (expanded, mut problems) = engine::expand(&inputs, &workspace.sources)?;
    problems.extend(expanded.iter().flat_map(|expanded| expanded.expansion.diagnostics.iter().cloned()));
    Ok((expanded, problems))
}

/// Whether one of the problems kept something from being analyzed.
pub(super) fn has_error(problems: &[Diagnostic]) -> bool {
    problems.iter().any(|problem| problem.level == Level::Error)
}

fn print(members: Vec<(&str, Lazy<'_>)>) -> Result<(), Error> {
    let mut out = BufWriter::new(io::stdout().lock());
    write_members(members, JsonStyle::INDENTED, &mut out)?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}
