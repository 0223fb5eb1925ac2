//! One template, expanded once: what `formwork expand` shows.

use crate::diagnostic::Diagnostic;
use crate::engine::frontend::FrontEnds;
use crate::engine::inputs::{Disk, Job, Linker, Prepared, prepare};
use crate::engine::{Inputs, Origins, RunError, pool};
use crate::model::Expansion;
use crate::text::{FileId, Sources, Span};
use crate::value::Value;

/// A template and what it would create.
#[derive(Debug)]
pub(crate) struct Expanded {
    /// The file of the template.
    pub file: FileId,
    /// The template as it was written.
    pub template: Value,
    /// What it would create. Its diagnostics are in the user's files; other places may be in compiled texts.
    pub expansion: Expansion,
    origins: Origins,
}

impl Expanded {
    /// Where the user wrote what is at `span`, which may be in a compiled text.
    pub(crate) fn place(&self, span: Span, sources: &Sources) -> Span {
        self.origins.span(span, sources)
    }
}

/// Expands the one template that `inputs` name. Of several parameter files, later ones override earlier ones. If
/// the input is a parameter file, its template is expanded; parameter files next to a template are not used.
pub(crate) fn expand(inputs: &Inputs<'_>, sources: &Sources) -> Result<(Option<Expanded>, Vec<Diagnostic>), RunError> {
    // Evaluation needs the stack of a thread of the pool.
    let pool = pool::start(1)?;
    Ok(pool.install(|| {
        let Prepared { jobs, linker, diagnostics } = prepare(inputs, sources, &Disk);
        let expanded = jobs.into_iter().next().map(|job| expand_job(&inputs.front_ends(), job, sources, &linker));
        (expanded, diagnostics)
    }))
}

fn expand_job(front_ends: &FrontEnds<'_>, job: Job, sources: &Sources, linker: &Linker<'_>) -> Expanded {
    let counted = job.parameters.iter().filter(|file| file.input.named);
    let files: Vec<(FileId, &Value)> = counted.map(|file| (file.file, &file.value)).collect();
    let mut expansion = front_ends.expand(job.template.subject(), &files, linker);
    let secrets = expansion.document.iter().flat_map(|document| document.hidden.spans());
    secrets.for_each(|&span| job.origins.hide(span, sources));
    expansion.diagnostics.iter_mut().for_each(|diagnostic| job.origins.diagnostic(diagnostic, sources));
    Expanded { file: job.template.file, template: job.template.value, expansion, origins: job.origins }
}
