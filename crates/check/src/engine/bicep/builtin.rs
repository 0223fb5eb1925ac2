//! Builds Bicep files with the built-in compiler.

use std::path::Path;

use rayon::prelude::*;

use crate::bicep::compiler::{self, Compilation};
use crate::bicep::{Built, Message, MessageLevel, Point};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::engine::bicep::harvest::{Made, Noted};
use crate::engine::bicep::host::Files;
use crate::engine::bicep::pruned::{only_resources, pruned};
use crate::engine::bicep::{Harvest, Stage, is_parameters};
use crate::engine::inputs::Input;
use crate::engine::isolation::{Failure, Work};
use crate::engine::written_secrets;
use crate::value::{JsonStyle, Value};

pub(super) fn compiled(path: &Path, files: &mut Files<'_, '_>) -> Compilation {
    if is_parameters(path) { compiler::compile_parameters(path, files) } else { compiler::compile(path, files) }
}

/// Returns the text of a compiled file.
pub fn json(value: &Value) -> String {
    value.to_json_as(JsonStyle::INDENTED.with_secrets())
}

impl Stage<'_> {
    /// Compiles files without the Bicep CLI. Reports the files on which formwork failed.
    pub(super) fn build_here(&mut self, wanted: &[Input], harvest: &mut Harvest) -> Made {
        let built: Vec<_> = wanted.par_iter().map(|input| self.compile(&input.path)).collect();
        let mut made = Made::default();
        for (input, built) in wanted.iter().zip(built) {
            let (built, noted) = match built {
                Ok((built, noted)) => (Some(Ok(built)), noted),
                Err(failure) => {
                    harvest.diagnostics.push(failure.diagnostic(self.files.text_of(&input.path)));
                    (None, Noted::default())
                }
            };
            made.files.push(built);
            made.noted.push(noted);
        }
        made
    }

    /// Compiles one file, and returns its template with the spans of its sources.
    fn compile(&self, path: &Path) -> Result<(Built, Noted), Failure> {
        let mut files = Files::new(&self.store, path, self.inputs.bicep);
        let compiled =
            self.inputs.isolation.run(Work::Compile, &path.to_string_lossy(), || compiled(path, &mut files))?;
        // Where the file was built before, what was built is compared with all that is built now.
        let is_compared = self.store.fence.is_file(&path.with_extension("json"));
        let template = compiled.template.as_ref().map(|whole| if is_compared { whole.clone() } else { pruned(whole) });
        let built = Built {
            template: template.as_ref().map(json),
            parameters: compiled.parameters.as_ref().map(json),
            messages: {
                // Warnings of `.bicep` files are findings.
                let of_parameters = compiled.warnings.iter().filter(|warning| {
                    let path = files.path_of(warning.primary.span.file);
                    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bicepparam"))
                });
                let problems = compiled.problems.iter().chain(of_parameters);
                problems.map(|problem| self.message(problem, &files)).collect()
            },
        };
        let mut issues = compiled.issues;
        for issue in &mut issues {
            if let Some(mask) = written_secrets::mask_of(self.sources, issue.span.file) {
                mask.hide_in_issue(issue);
            }
        }
        Ok((built, Noted { template: template.as_ref().map(only_resources), issues }))
    }

    fn message(&self, problem: &Diagnostic, files: &Files<'_, '_>) -> Message {
        let source = self.sources.get(problem.primary.span.file);
        let point = |offset| {
            let position = source.position(offset);
            Point { line: position.line.saturating_sub(1), character: position.column.saturating_sub(1) }
        };
        // A missing module is unknown, and the rest is compiled.
        let level = match problem.level {
            _ if problem.code == Code::BicepRestore => MessageLevel::Info,
            Level::Error => MessageLevel::Error,
            Level::Warning => MessageLevel::Warning,
            Level::Note => MessageLevel::Info,
        };
        let mut text = problem.message.clone();
        if let Some(mask) = written_secrets::mask_of(self.sources, problem.primary.span.file) {
            mask.hide(&mut text);
        }
        Message {
            file: files.path_of(problem.primary.span.file),
            start: point(problem.primary.span.start),
            end: point(problem.primary.span.end),
            level,
            code: code(problem),
            text,
            help: problem.help.clone(),
        }
    }
}

/// Returns the code of the Bicep CLI for a problem; empty if it has none. The engine knows by `BCP190` that a module is
/// missing.
fn code(problem: &Diagnostic) -> String {
    match problem.bicep_code {
        _ if problem.code == Code::BicepRestore => "BCP190".to_owned(),
        code => code.map(|code| code.to_string()).unwrap_or_default(),
    }
}
