//! Builds Bicep files with the Bicep CLI.

use std::path::Path;

use crate::bicep::cli::{Error, Request, Results, build, is_used};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::bicep::harvest::Made;
use crate::engine::bicep::{Harvest, Stage, is_parameters};
use crate::engine::inputs::Input;

impl Stage<'_> {
    /// Builds files with the CLI, and says why if it cannot be used. `None` if the options choose the built-in compiler.
    pub(super) fn build_with_tool(&mut self, wanted: &[Input], harvest: &mut Harvest) -> Option<Made> {
        if !is_used(self.inputs.bicep) {
            return None;
        }
        let requests: Vec<Request> = wanted.iter().map(|input| self.request(&input.path)).collect();
        let Results { files, error } = build(self.inputs.bicep, &requests);
        if let Some(error) = error {
            let left = || wanted.iter().zip(&files).filter(|(_, result)| result.is_none());
            if let Some((first, _)) = left().next() {
                let problem = Diagnostic::of_file(Code::BicepTool, self.files.text_of(&first.path), "");
                harvest.diagnostics.push(unusable(&error, problem, left().count()));
            }
        }
        Some(Made { files, noted: Vec::new() })
    }

    fn request(&self, path: &Path) -> Request {
        Request {
            path: path.to_owned(),
            is_parameters: is_parameters(path),
            needs_restore: self.graph.needs_restore(path),
            references: self.graph.references(path, &self.store.fence),
        }
    }
}

fn unusable(error: &Error, problem: Diagnostic, count: usize) -> Diagnostic {
    let files = if count == 1 { "this file is".to_owned() } else { format!("{count} Bicep files are") };
    let help = match error {
        Error::NotFound(_) => "install the Bicep CLI, or name it in `PSRULE_AZURE_BICEP_PATH`",
        Error::Silent { .. } => "increase `AZURE_BICEP_FILE_EXPANSION_TIMEOUT` in the settings, in seconds",
        Error::TooOld { .. } => "upgrade it, or change `AZURE_BICEP_MINIMUM_VERSION` in the settings",
        _ => "check that `bicep --version` works",
    };
    Diagnostic { message: format!("{error}; {files} not checked"), ..problem }.with_help(help)
}
