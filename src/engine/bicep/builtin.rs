//! Builds Bicep files with the built-in compiler.

use std::path::Path;

use foldhash::HashSet;
use rayon::prelude::*;

use crate::bicep::cli::{Built, Message, MessageLevel, Options, Point, Results};
use crate::bicep::compiler::{self, Compilation};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::bicep::host::Files;
use crate::engine::bicep::{Stage, is_parameters};
use crate::engine::inputs::{Disk, Input, Store};
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

impl Stage<'_> {
    /// Compiles files without the Bicep CLI, and returns their templates as well, whose values have the spans of their
    /// sources.
    pub(super) fn build_here(&self, wanted: &[Input]) -> (Results, Vec<Option<Value>>) {
        let built: Vec<(Built, Option<Value>)> = wanted.par_iter().map(|input| self.compile(&input.path)).collect();
        let (files, noted): (Vec<_>, Vec<_>) = built.into_iter().unzip();
        (Results { files: files.into_iter().map(|built| Some(Ok(built))).collect(), error: None }, noted)
    }

    fn compile(&self, path: &Path) -> (Built, Option<Value>) {
        let mut files = Files::new(&self.store, path, self.inputs.bicep);
        let compiled = self.inputs.isolation.run(&path.to_string_lossy(), || compiled(path, &mut files));
        let Ok(compiled) = compiled else {
            return (Built::default(), None);
        };
        let built = Built {
            template: compiled.template.as_ref().map(json),
            parameters: compiled.parameters.as_ref().map(json),
            messages: compiled.problems.iter().map(|problem| self.message(problem, &files)).collect(),
        };
        (built, compiled.template)
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
