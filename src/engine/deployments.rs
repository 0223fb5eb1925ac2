//! All deployments of a run, expanded and not checked: what `formwork diff` compares.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use crate::diagnostic::Diagnostic;
use crate::engine::check::is_independent;
use crate::engine::frontend::FrontEnds;
use crate::engine::inputs::{Disk, Job, Linker, Loaded, Prepared, prepare};
use crate::engine::linked::{Candidate, absorbed};
use crate::engine::overrides::refuse_undeclared;
use crate::engine::{Inputs, Origins, RunError, Threads};
use crate::model::Document;
use crate::syntax::Parsed;
use crate::text::{FileId, Sources, Span};
use crate::value::Value;

/// A template with one parameter file or none, expanded.
#[derive(Debug)]
pub(crate) struct Deployed {
    /// The absolute path of the template.
    pub template: PathBuf,
    /// The absolute path of the parameter file.
    pub parameters: Option<PathBuf>,
    /// What it would create. `None` if it could not be expanded at all.
    pub document: Option<Document>,
    origins: Origins,
}

impl Deployed {
    /// Where the user wrote what is at `span`, which may be in a compiled text.
    pub(crate) fn place(&self, span: Span, sources: &Sources) -> Span {
        self.origins.span(span, sources)
    }
}

/// The deployments of a run.
#[derive(Debug, Default)]
pub(crate) struct Deployments {
    /// By the path of the template.
    pub list: Vec<Deployed>,
    /// What could not be read or evaluated.
    pub diagnostics: Vec<Diagnostic>,
}

/// Expands every template of `inputs` with each of its parameter files. Templates that others deploy are parts of those.
pub(crate) fn expand_all(inputs: &Inputs<'_>, sources: &Sources, threads: usize) -> Result<Deployments, RunError> {
    let threads = Threads::start(threads)?;
    threads.install(|| {
        let prepared = prepare(inputs, sources, &Disk);
        refuse_undeclared(inputs, &prepared)?;
        let Prepared { jobs, linker, mut diagnostics } = prepared;
        let worker = Worker { inputs, front_ends: inputs.front_ends(), sources, linker: &linker };
        let results: Vec<_> = jobs.par_iter().map(|job| worker.job(job)).collect();
        let mut parts = Vec::with_capacity(results.len());
        for (job, result) in jobs.iter().zip(results) {
            match result {
                Ok(part) => parts.push((job, part)),
                Err(problems) => diagnostics.extend(problems),
            }
        }
        let candidates = parts.iter().map(|(job, part)| Candidate {
            file: job.template.file,
            is_independent: is_independent(inputs, job),
            linked: &part.linked,
        });
        let absorbed = absorbed(&candidates.collect::<Vec<_>>());
        let mut list = Vec::new();
        for ((_, part), _) in parts.into_iter().zip(absorbed).filter(|(_, is_absorbed)| !is_absorbed) {
            list.extend(part.deployed);
            diagnostics.extend(part.diagnostics);
        }
        Ok(Deployments { list, diagnostics })
    })
}

/// What one template gave, under all its parameter files.
#[derive(Default)]
struct Part {
    deployed: Vec<Deployed>,
    diagnostics: Vec<Diagnostic>,
    linked: Vec<FileId>,
}

struct Worker<'a> {
    inputs: &'a Inputs<'a>,
    front_ends: FrontEnds<'a>,
    sources: &'a Sources,
    linker: &'a Linker<'a>,
}

impl Worker<'_> {
    /// What one job gives, or why its template cannot be parsed.
    fn job(&self, job: &Job) -> Result<Part, Vec<Diagnostic>> {
        let Parsed { value, diagnostics } = self.linker.template(job);
        let Some(template) = &value else { return Err(diagnostics) };
        let mut part = Part { diagnostics, ..Part::default() };
        let files: Vec<Option<&Arc<Loaded>>> = match job.parameters.as_slice() {
            [] => vec![None],
            files => files.iter().map(Some).collect(),
        };
        for file in files {
            let work = || self.unit(job, template, file.map(Arc::as_ref), &mut part.diagnostics);
            let document = self.inputs.isolation.run(&job.template.input.name, work);
            let document = document.unwrap_or_else(|failure| {
                part.diagnostics.push(failure.diagnostic(job.template.file));
                None
            });
            part.linked.extend(document.iter().flat_map(|document| &document.linked));
            part.deployed.push(Deployed {
                template: job.template.input.path.clone(),
                parameters: file.map(|file| file.input.path.clone()),
                document,
                origins: job.origins.clone(),
            });
        }
        Ok(part)
    }

    fn unit(
        &self,
        job: &Job,
        template: &Value,
        file: Option<&Loaded>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Document> {
        let given = file.map(|file| (file.file, self.linker.parameters(file)));
        let files: Vec<_> = given.iter().map(|(file, value)| (*file, value)).collect();
        let mut expansion = self.front_ends.expand(job.template.subject(template), &files, self.linker, self.sources);
        let secrets = expansion.document.iter().flat_map(|document| document.hidden.spans());
        secrets.for_each(|&span| job.origins.hide(span, self.sources));
        expansion.diagnostics.iter_mut().for_each(|diagnostic| job.origins.diagnostic(diagnostic, self.sources));
        diagnostics.extend(expansion.diagnostics);
        expansion.document
    }
}

impl Deployments {
    /// Whether a template is among them, with whatever parameter file.
    pub(crate) fn has_template(&self, template: &Path) -> bool {
        self.list.iter().any(|deployed| deployed.template == template)
    }
}
