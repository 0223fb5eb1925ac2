//! `formwork build`: prints the template that a Bicep file is compiled to.

use std::io::{self, Write};

use crate::cli::Environment;
use crate::cli::args::BuildArguments;
use crate::cli::exit::{Error, Exit};
use crate::cli::settings::Workspace;
use crate::engine;
use crate::files::normalize;
use crate::value::{JsonStyle, write_json};

/// Builds one file.
pub(super) fn run(arguments: &BuildArguments, environment: &Environment) -> Result<Exit, Error> {
    let workspace = Workspace::bare(arguments.color, environment);
    let path = normalize(&environment.working, &arguments.file);
    let built = engine::compile_file(
        &environment.working,
        &path,
        &workspace.sources,
        &workspace.limits,
        &environment.variables,
    );
    for problem in &built.problems {
        let source = workspace.sources.get(problem.primary.span.file);
        let position = source.position(problem.primary.span.start);
        eprintln!("{}({},{}) : Error {}: {}", path.display(), position.line, position.column, "formwork", problem.message);
    }
    match built.template {
        Some(template) => {
            let mut out = io::BufWriter::new(io::stdout().lock());
            write_json(&template, JsonStyle::INDENTED.with_secrets(), &mut out)?;
            out.flush()?;
            Ok(Exit::Clean)
        }
        None => Ok(Exit::Unanalysed),
    }
}
