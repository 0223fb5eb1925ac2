//! `formwork drift`: shows which resources differ from their templates.

mod document;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use arcstr::ArcStr;

use crate::cli::Environment;
use crate::cli::args::{DriftArguments, DriftFormat};
use crate::cli::exit::{Error, Exit};
use crate::cli::settings::Workspace;
use crate::cli::streams;
use crate::cli::terminal;
use crate::diagnostic::{Diagnostic, Level};
use crate::drift::{Comparison, Drift, DriftOptions, Export, ExportFault, MAX_RESOURCES};
use crate::engine::{Deployments, Inputs, Threads};
use crate::files::{Disk, Tree, is_glob};
use crate::model::Limits;
use crate::path::normalize;
use crate::report::drift::{self, DriftReport};
use crate::syntax::json;
use crate::text::Sources;
use crate::text::escape::Notation;

/// Maximum length of a section in Markdown, in bytes.
const MAX_PAGE: usize = 60_000;

/// Maximum length of an export, in bytes.
const MAX_EXPORT: u64 = 64 << 20;

/// Advice for a file that is not an export.
const ADVICE: &str = "expected a list of resources, as `az resource list --query '[].id' -o tsv | xargs az resource show --ids` \
     or `aws cloudcontrol list-resources` writes it";

/// Compares the templates with the exports, and prints the result.
pub(super) fn run(arguments: &DriftArguments, environment: &Environment) -> Result<Exit, Error> {
    let inputs = &arguments.inputs;
    let mut workspace = Workspace::open(inputs.config.as_deref(), inputs.color, environment)?;
    let working = &environment.working;
    let paths = if arguments.paths.is_empty() { vec![PathBuf::from(".")] } else { arguments.paths.clone() };
    if let Some(missing) = paths.iter().find(|path| !is_glob(path) && !normalize(working, path).exists()) {
        let shown = missing.display();
        return Err(Error::Usage(format!("`{shown}` does not exist; expected a template or a folder with templates")));
    }
    let assumptions = workspace.assumptions();
    let overrides = workspace.overrides(inputs)?;
    let bicep = workspace.bicep(&arguments.bicep)?;
    let (limits, filter) = (workspace.limits, workspace.settings.files.clone());
    let given = Inputs {
        filter: &filter,
        parameters: &inputs.parameters,
        overrides: &overrides,
        ..Inputs::plain(&Disk, working, &paths, &assumptions, &bicep, &limits)
    };
    let options = DriftOptions { lists_unset: arguments.all };
    let (drift, skipped, problems) = Threads::start(arguments.threads)?.install(|| {
        let export = read(&arguments.against, working, &limits)?;
        let (drift, problems) = compare(&given, &workspace.sources, Comparison::new(&export, options))?;
        Ok::<_, Error>((drift, export.skipped, problems))
    })?;
    let report = document::document(&drift, skipped, &workspace.sources);
    print(&report, arguments, environment)?;
    let is_unread = problems.iter().any(|problem| problem.level == Level::Error);
    workspace.print(Vec::new(), problems)?;
    let summary = &report.summary;
    let differs = summary.drifted + summary.missing > 0 || arguments.unmanaged && summary.unmanaged > 0;
    Ok(match arguments.exit_code && differs {
        _ if is_unread => Exit::Unanalysed,
        true => Exit::Findings,
        false => Exit::Clean,
    })
}

/// Reads the exports.
fn read(paths: &[PathBuf], working: &Path, limits: &Limits) -> Result<Export, Error> {
    let mut export = Export::default();
    for path in paths {
        let wrong = |why: String| Error::Usage(format!("`--against {}`: {why}", path.display()));
        let contents = Disk.read(&normalize(working, path), MAX_EXPORT).map_err(|error| wrong(error.to_string()))?;
        let text = contents.decode().map_err(|error| wrong(format!("{error}; {ADVICE}")))?;
        for document in documents(&text) {
            let value = json::parse_computed(&ArcStr::from(document), limits.nesting)
                .map_err(|error| wrong(format!("{error}; {ADVICE}")))?;
            export.add(&value).map_err(|fault| match fault {
                ExportFault::Form => wrong(format!("found another form; {ADVICE}")),
                ExportFault::TooMany => {
                    wrong(format!("the exports have more than {MAX_RESOURCES} resources; compare fewer at once"))
                }
            })?;
        }
    }
    Ok(export)
}

/// Splits the output of several runs of a command, which `xargs` starts for many IDs: a document ends at a bracket that is
/// alone on its line, and the next one begins at the next line.
fn documents(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut at, mut is_end) = (Vec::new(), 0, 0, false);
    for line in text.split_inclusive('\n') {
        if is_end && line.starts_with(['[', '{']) {
            parts.extend(text.get(start..at));
            start = at;
        }
        is_end = matches!(line.trim_end(), "]" | "}") && line.starts_with([']', '}']);
        at += line.len();
    }
    parts.extend(text.get(start..));
    parts
}

/// Expands all deployments, and compares their resources. Also returns the problems of the files.
fn compare(
    inputs: &Inputs<'_>,
    sources: &Sources,
    mut comparison: Comparison<'_>,
) -> Result<(Drift, Vec<Diagnostic>), Error> {
    let mut deployments = Deployments::open(inputs, sources)?;
    for deployment in deployments.list() {
        if deployments.is_export(&deployment) {
            continue;
        }
        let mut deployed = deployments.expand(&deployment);
        if let Some(document) = &deployed.document {
            comparison.add(document, |span| deployed.place(span, sources));
        }
        deployments.note(&deployment, &mut deployed);
    }
    let problems = deployments.close().diagnostics;
    Ok((comparison.finish(), problems))
}

fn print(report: &DriftReport, arguments: &DriftArguments, environment: &Environment) -> Result<(), Error> {
    let notation = match arguments.format {
        DriftFormat::Console => Notation::Plain,
        DriftFormat::Markdown => Notation::Markup,
        DriftFormat::Json => Notation::Json,
    };
    let mut out = BufWriter::new(streams::out(notation));
    match arguments.format {
        DriftFormat::Console => {
            let is_colored = terminal::stdout_wants_color(arguments.inputs.color, environment);
            write!(out, "{}", drift::text(report, is_colored, arguments.all))?;
        }
        DriftFormat::Markdown => write!(out, "{}", drift::section(report, MAX_PAGE))?,
        DriftFormat::Json => {
            serde_json::to_writer_pretty(&mut out, report).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_several_runs_is_several_documents() {
        assert_eq!(documents("[\n1\n]\n[\n2\n]\n"), ["[\n1\n]\n", "[\n2\n]\n"]);
        assert_eq!(documents("{\n}\r\n{\n}"), ["{\n}\r\n", "{\n}"]);
        let one = "[\n  [\n  ],\n  [\n  ]\n]";
        assert_eq!(documents(one), [one]);
        assert_eq!(documents(""), [""]);
    }
}
