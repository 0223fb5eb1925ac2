//! `formwork build`: prints the result of compiling a Bicep file.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::bicep;
use crate::bicep::cli::Request;
use crate::bicep::{MessageLevel, Options};
use crate::cli::Environment;
use crate::cli::args::BuildArguments;
use crate::cli::exit::{Error, Exit};
use crate::cli::settings::Workspace;
use crate::cli::streams;
use crate::diagnostic::Level;
use crate::engine::{self, Threads};
use crate::files::{Disk, Tree};
use crate::path::normalize;
use crate::text::escape::{self, Notation};

/// Result of a build, and the lines for standard error.
struct Output {
    template: Option<String>,
    parameters: Option<String>,
    messages: Vec<String>,
}

/// Builds one file, and prints the same as `bicep build --stdout` or `bicep build-params --stdout`.
pub(super) fn run(arguments: &BuildArguments, environment: &Environment) -> Result<Exit, Error> {
    let workspace = Workspace::open(None, arguments.color, environment)?;
    let path = normalize(&environment.working, &arguments.file);
    let is_parameters = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bicepparam"));
    if !is_parameters && !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bicep")) {
        return Err(Error::Usage("expected a `.bicep` or `.bicepparam` file".to_owned()));
    }
    if Disk.entry(&path).is_none() {
        return Err(Error::Refused(format!("`{}` does not exist", arguments.file.display())));
    }
    let options = Options { cache: None, ..workspace.bicep(&arguments.bicep)? };
    let output = if !bicep::cli::is_used(&options) {
        Threads::start(1)?.install(|| builtin(&path, &options, &workspace))
    } else {
        with_cli(&path, is_parameters, &options)?
    };
    for message in &output.messages {
        writeln!(streams::err(), "{}", escape::line(message))?;
    }
    let text = match (output.parameters, output.template) {
        (Some(parameters), template) => {
            json!({ "parametersJson": parameters, "templateJson": template, "templateSpecId": null }).to_string()
        }
        (None, Some(template)) if !is_parameters => template,
        _ => return Ok(Exit::Unanalysed),
    };
    let mut out = streams::out(Notation::Json);
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(Exit::Clean)
}

fn builtin(path: &Path, options: &Options, workspace: &Workspace<'_>) -> Output {
    let built = engine::compile_file(
        (&workspace.environment.working, &Disk),
        path,
        &workspace.sources,
        &workspace.limits,
        options,
    );
    let is_valid = built.is_valid();
    let messages = built.problems.iter().chain(&built.warnings).map(|problem| message_line(problem, workspace));
    Output {
        messages: messages.collect(),
        template: built.template.as_ref().filter(|_| is_valid).map(engine::json),
        parameters: built.parameters.as_ref().filter(|_| is_valid).map(engine::json),
    }
}

/// Formats a problem like the Bicep CLI does.
fn message_line(problem: &crate::diagnostic::Diagnostic, workspace: &Workspace<'_>) -> String {
    let source = workspace.sources.get(problem.primary.span.file);
    let position = source.position(problem.primary.span.start);
    let file = normalize(&workspace.environment.working, &PathBuf::from(&**source.name()));
    let (line, column) = (position.line, position.column);
    let help = problem.help.as_deref().map(|help| format!("; {help}")).unwrap_or_default();
    let code = problem.bicep_code.map_or_else(|| problem.code.as_str().to_owned(), |code| code.to_string());
    let level = match problem.level {
        Level::Error => "Error",
        Level::Warning => "Warning",
        Level::Note => "Info",
    };
    format!("{}({line},{column}) : {level} {code}: {}{help}", file.display(), problem.message)
}

fn with_cli(path: &Path, is_parameters: bool, options: &Options) -> Result<Output, Error> {
    let request = Request { path: path.to_owned(), is_parameters, needs_restore: true, references: Vec::new() };
    let results = bicep::cli::build(options, &[request]);
    if let Some(error) = results.error {
        return Err(error.into());
    }
    match results.files.into_iter().next().flatten() {
        Some(Ok(built)) => {
            let messages = built.messages.iter().map(|message| {
                let level = match message.level {
                    MessageLevel::Error => "Error",
                    MessageLevel::Warning => "Warning",
                    MessageLevel::Info => "Info",
                };
                let (line, column) = (message.start.line + 1, message.start.character + 1);
                let file = message.file.display();
                format!("{file}({line},{column}) : {} {}: {}", level, message.code, message.text)
            });
            let messages = messages.collect();
            Ok(Output { template: built.template, parameters: built.parameters, messages })
        }
        Some(Err(failure)) => Err(Error::Refused(failure.to_string())),
        None => Ok(Output { template: None, parameters: None, messages: Vec::new() }),
    }
}
