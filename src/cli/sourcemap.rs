//! `formwork sourcemap`: prints the source position in Bicep of each member of a compiled template.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::bicep;
use crate::bicep::cli::Request;
use crate::bicep::source_map::{Exactness, SourceMap};
use crate::cli::Environment;
use crate::cli::args::SourcemapArguments;
use crate::cli::exit::{Error, Exit};
use crate::cli::settings::Workspace;
use crate::cli::streams;
use crate::diagnostic::{Diagnostic, Level};
use crate::engine::{self, BicepFiles, Threads};
use crate::files::{Disk, display_name};
use crate::syntax;
use crate::text::escape::Notation;
use crate::text::{Position, Sources};
use crate::value::{Data, Value};

/// Prints a line for every member of a compiled template.
pub(super) fn run(arguments: &SourcemapArguments, environment: &Environment) -> Result<Exit, Error> {
    let mut workspace = Workspace::bare(arguments.color, environment);
    let (map, problems) = source_map(arguments, &workspace)?;
    let failed = map.is_none() || problems.iter().any(|problem| problem.level == Level::Error);
    if let Some(map) = map {
        let mut out = BufWriter::new(streams::out(Notation::Plain));
        let mut writer = Rows { map: &map, sources: &workspace.sources, out: &mut out };
        writer.below(map.template(), &mut String::new())?;
        out.flush()?;
    }
    workspace.print(Vec::new(), problems)?;
    Ok(if failed { Exit::Unanalysed } else { Exit::Clean })
}

fn source_map(
    arguments: &SourcemapArguments,
    workspace: &Workspace<'_>,
) -> Result<(Option<SourceMap>, Vec<Diagnostic>), Error> {
    let working = &workspace.environment.working;
    let path = working.join(&arguments.file);
    let mut files = BicepFiles::new((working, &Disk), &path, &workspace.sources, &workspace.limits);
    let Some(entry) = files.read(&path) else { return Ok((None, files.into_diagnostics())) };
    let Some((text, noted)) = compile(arguments, workspace, &path)? else {
        return Ok((None, files.into_diagnostics()));
    };
    let compiled = workspace.sources.add(format!("{} (compiled)", display_name(working, &path)), text);
    let parsed = syntax::json::parse(compiled, workspace.sources.get(compiled).text(), workspace.limits.nesting);
    let map = parsed.value.map(|template| SourceMap::new(entry, &template, &mut files).with_noted(noted));
    let mut problems = files.into_diagnostics();
    problems.extend(parsed.diagnostics);
    Ok((map, problems))
}

/// Returns the compiled text, and the template with source spans if the built-in compiler was used. `None` if the
/// compiler rejects the file, which `formwork check` explains.
fn compile(
    arguments: &SourcemapArguments,
    workspace: &Workspace<'_>,
    path: &Path,
) -> Result<Option<(String, Option<Value>)>, Error> {
    // The cache is not used, because it needs the dependencies of the file.
    let options = bicep::Options { cache: None, ..workspace.bicep(&arguments.bicep)? };
    if !bicep::cli::is_used(&options) {
        let working = &workspace.environment.working;
        let (sources, limits) = (&workspace.sources, &workspace.limits);
        let built =
            Threads::start(1)?.install(|| engine::compile_file((working, &Disk), path, sources, limits, &options));
        let is_valid = built.is_valid();
        return match (built.template.filter(|_| is_valid), built.problems.into_iter().next()) {
            (Some(template), _) => Ok(Some((engine::json(&template), Some(template)))),
            (None, Some(problem)) => Err(Error::Refused(problem.message)),
            (None, None) => Ok(None),
        };
    }
    let request = Request { path: path.to_owned(), is_parameters: false, needs_restore: true, references: Vec::new() };
    let results = bicep::cli::build(&options, &[request]);
    if let Some(error) = results.error {
        return Err(error.into());
    }
    match results.files.into_iter().next().flatten() {
        Some(Ok(built)) => {
            match built.messages.into_iter().find(|message| message.level == bicep::MessageLevel::Error) {
                Some(message) if built.template.is_none() => Err(Error::Refused(message.text)),
                _ => Ok(built.template.map(|template| (template, None))),
            }
        }
        Some(Err(failure)) => Err(Error::Refused(failure.to_string())),
        None => Ok(None),
    }
}

/// Writer of the lines, depth first.
struct Rows<'a> {
    map: &'a SourceMap,
    sources: &'a Sources,
    out: &'a mut dyn Write,
}

impl Rows<'_> {
    fn below(&mut self, value: &Value, pointer: &mut String) -> io::Result<()> {
        let length = pointer.len();
        match &value.data {
            Data::Object(object) => {
                for member in object.iter() {
                    pointer.push('/');
                    pointer.push_str(&member.key.replace('~', "~0").replace('/', "~1"));
                    self.row(pointer)?;
                    self.below(&member.value, pointer)?;
                    pointer.truncate(length);
                }
            }
            Data::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    pointer.push('/');
                    pointer.push_str(&at.to_string());
                    self.row(pointer)?;
                    self.below(item, pointer)?;
                    pointer.truncate(length);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes the position in the entry file. For a value in a module, `in` has the position there.
    fn row(&mut self, pointer: &str) -> io::Result<()> {
        let place = self.map.locate(pointer);
        let (Position { line, column }, _) = self.sources.range(place.outermost());
        let exactness = match place.exactness {
            Exactness::Exact => "exact",
            Exactness::Nearest => "nearest",
            Exactness::Generated => "generated",
        };
        let mut row = serde_json::json!({"pointer": pointer, "line": line, "column": column, "exactness": exactness});
        if !place.through.is_empty() {
            let (Position { line, column }, _) = self.sources.range(place.span);
            let file = self.sources.get(place.span.file);
            row["in"] = serde_json::json!({"file": &**file.name(), "line": line, "column": column});
        }
        serde_json::to_writer(&mut self.out, &row)?;
        writeln!(self.out)
    }
}
