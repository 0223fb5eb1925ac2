//! Builds Bicep files with the built-in compiler.

use std::path::Path;

use foldhash::HashSet;
use rayon::prelude::*;

use crate::bicep::cli::{Built, Message, MessageLevel, Options, Point, Results};
use crate::bicep::compiler::{self, Compilation};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::bicep::host::Files;
use crate::engine::bicep::{Stage, is_parameters};
use crate::engine::inputs::{Input, Store};
use crate::engine::isolation::{Failure, Work};
use crate::files::Disk;
use crate::model::Limits;
use crate::text::Sources;
use crate::value::{JsonStyle, Value};

/// Compiles one file. `path` is absolute.
pub(crate) fn compile_file(
    working: &Path,
    path: &Path,
    sources: &Sources,
    limits: &Limits,
    options: &Options,
) -> Compilation {
    let store = Store::new(working, sources, limits, &Disk, HashSet::default());
    compiled(path, &mut Files::new(&store, path, options))
}

fn compiled(path: &Path, files: &mut Files<'_, '_>) -> Compilation {
    if is_parameters(path) { compiler::compile_parameters(path, files) } else { compiler::compile(path, files) }
}

/// The text of a compiled file.
pub(crate) fn json(value: &Value) -> String {
    value.to_json_as(JsonStyle::INDENTED.with_secrets())
}

/// What the built-in compiler made.
#[derive(Debug, Default)]
pub(super) struct Here {
    /// The results in the order of the files.
    pub(super) results: Results,
    /// The template of each file, whose values have the spans of its sources.
    pub(super) noted: Vec<Option<Value>>,
    /// Why a file has no result: formwork failed on it.
    pub(super) problems: Vec<Diagnostic>,
}

impl Stage<'_> {
    /// Compiles files without the Bicep CLI.
    pub(super) fn build_here(&mut self, wanted: &[Input]) -> Here {
        let built: Vec<_> = wanted.par_iter().map(|input| self.compile(&input.path)).collect();
        let mut here = Here::default();
        for (input, built) in wanted.iter().zip(built) {
            let (built, noted) = match built {
                Ok((built, noted)) => (Some(Ok(built)), noted),
                Err(failure) => {
                    here.problems.push(failure.diagnostic(self.files.text_of(&input.path)));
                    (None, None)
                }
            };
            here.results.files.push(built);
            here.noted.push(noted);
        }
        here
    }

    /// One file, and its template with the spans of its sources.
    fn compile(&self, path: &Path) -> Result<(Built, Option<Value>), Failure> {
        let mut files = Files::new(&self.store, path, self.inputs.bicep);
        let compiled =
            self.inputs.isolation.run(Work::Compile, &path.to_string_lossy(), || compiled(path, &mut files))?;
        let built = Built {
            template: compiled.template.as_ref().map(json),
            parameters: compiled.parameters.as_ref().map(json),
            messages: compiled.problems.iter().map(|problem| self.message(problem, &files)).collect(),
        };
        Ok((built, compiled.template))
    }

    fn message(&self, problem: &Diagnostic, files: &Files<'_, '_>) -> Message {
        let source = self.sources.get(problem.primary.span.file);
        let point = |offset| {
            let position = source.position(offset);
            Point { line: position.line.saturating_sub(1), character: position.column.saturating_sub(1) }
        };
        Message {
            file: files.path_of(problem.primary.span.file),
            start: point(problem.primary.span.start),
            end: point(problem.primary.span.end),
            level: MessageLevel::Error,
            // The engine knows by this code that a module is missing. Other problems have none.
            code: if problem.code == Code::BicepRestore { "BCP190".to_owned() } else { String::new() },
            text: problem.message.clone(),
            help: problem.help.clone(),
        }
    }
}
