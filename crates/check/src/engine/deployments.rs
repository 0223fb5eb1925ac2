//! Expands all deployments of a run one by one, without checking them, for `formwork diff`.
//!
//! An expansion is dropped after its comparison, so that memory does not grow with the number of deployments.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use foldhash::HashMap;

use crate::diagnostic::{Code, Diagnostic};
use crate::engine::detect::Kind;
use crate::engine::inputs::{Job, Loaded};
use crate::engine::linked::{Candidate, absorbed};
use crate::engine::planned::{ExpandedUnit, PlannedRun};
use crate::engine::{Inputs, Origins, RunError, Work};
use crate::model::{Budget, Document};
use crate::syntax::Parsed;
use crate::text::{FileId, Sources, Span};
use crate::value::Value;

/// A template with one parameter file or none.
#[derive(Clone, Debug)]
pub struct Deployment {
    /// The absolute path of the template.
    pub template: PathBuf,
    /// The absolute path of the parameter file.
    pub parameters: Option<PathBuf>,
    /// The environment whose parameters these are, if the file has those of several.
    pub environment: Option<String>,
    /// True for the first deployment of its template.
    is_first: bool,
    job: usize,
    file: Option<usize>,
}

/// Result of expanding a deployment.
#[derive(Debug, Default)]
pub struct Deployed {
    /// Resources that it would create. `None` if it could not be expanded at all.
    pub document: Option<Document>,
    origins: Origins,
    diagnostics: Vec<Diagnostic>,
    is_parsed: bool,
}

impl Deployed {
    /// Maps a span, which may be in a compiled text, to the place in the user's file.
    pub fn place(&self, span: Span, sources: &Sources) -> Span {
        self.origins.span(span, sources)
    }

    /// Returns the problems of the files and of the expansion, until they are noted.
    pub(super) fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

/// Data about a template that are kept after its expansion.
#[derive(Debug, Default)]
struct Record {
    is_parsed: bool,
    linked: Vec<FileId>,
    diagnostics: Vec<Diagnostic>,
}

/// The deployments of a run.
#[derive(Debug)]
pub struct Deployments<'a> {
    planned: PlannedRun<'a>,
    /// Records, in the order of the jobs.
    records: Vec<Record>,
}

impl<'a> Deployments<'a> {
    /// Finds and reads the files of a run.
    ///
    /// # Errors
    ///
    /// Fails if a value is given for a parameter that no template declares.
    pub fn open(inputs: &'a Inputs<'a>, sources: &'a Sources) -> Result<Self, RunError> {
        let planned = PlannedRun::new(inputs, sources)?;
        let records = planned.jobs.iter().map(|_| Record::default()).collect();
        Ok(Self { planned, records })
    }

    /// Returns every template with each of its parameter files, by the path of the template.
    pub fn list(&self) -> Vec<Deployment> {
        self.planned.jobs.iter().enumerate().flat_map(|(at, job)| Self::of_job(at, job)).collect()
    }

    fn of_job(at: usize, job: &Job) -> Vec<Deployment> {
        let with_defaults = job.has_defaults().then_some(None);
        let files = with_defaults.into_iter().chain((0..job.parameters.len()).map(Some));
        let deployment = |file: Option<usize>| {
            let loaded = file.and_then(|file| job.parameters.get(file));
            Deployment {
                template: job.template.input.path.clone(),
                parameters: loaded.map(|file| file.input.path.clone()),
                environment: loaded.and_then(|file| file.environment()).map(Cow::into_owned),
                is_first: file.is_none_or(|file| file == 0 && !job.has_defaults()),
                job: at,
                file,
            }
        };
        files.map(deployment).collect()
    }

    /// True if the file of a deployment is an export of resources that exist, and not a template.
    pub fn is_export(&self, deployment: &Deployment) -> bool {
        self.job(deployment).is_some_and(|job| job.template.kind == Kind::Export)
    }

    /// Returns the template of a deployment with its parameter files.
    pub(super) fn job(&self, deployment: &Deployment) -> Option<&Job> {
        self.planned.jobs.get(deployment.job)
    }

    /// Returns the template of a deployment as it was written, or as it was compiled.
    pub(super) fn template(&self, deployment: &Deployment) -> Option<Value> {
        self.planned.expander.template(self.job(deployment)?).value
    }

    /// Expands a deployment, and remembers nothing of it.
    pub fn expand(&self, deployment: &Deployment) -> Deployed {
        let Some(job) = self.planned.jobs.get(deployment.job) else { return Deployed::default() };
        let Parsed { value, mut diagnostics } = self.planned.expander.template(job);
        // They are those of the template, and not of each deployment.
        if !deployment.is_first {
            diagnostics.clear();
        }
        let origins = job.origins.clone();
        let Some(template) = &value else {
            return Deployed { document: None, origins, diagnostics, is_parsed: false };
        };
        let file = deployment.file.and_then(|file| job.parameters.get(file));
        let isolation = self.planned.expander.inputs.isolation;
        let work = || self.expand_unit(job, template, file.map_or(&[], std::slice::from_ref));
        let document = match isolation.run(Work::Expand, &job.template.input.name, work) {
            Ok(ExpandedUnit { expansion, .. }) => {
                diagnostics.extend(expansion.diagnostics);
                expansion.document
            }
            Err(failure) => {
                diagnostics.push(failure.diagnostic(job.template.file));
                None
            }
        };
        Deployed { document, origins, diagnostics, is_parsed: true }
    }

    fn expand_unit(&self, job: &Job, template: &Value, parameters: &[Arc<Loaded>]) -> ExpandedUnit {
        let expander = &self.planned.expander;
        let budget = Budget::new(expander.inputs.limits);
        expander.expand_unit(&expander.unit(job, template, parameters), None, &budget)
    }

    /// Returns a placeholder for a deployment that is not expanded because the previous ones reached the limit on
    /// resources of a run.
    pub fn refuse(&self, deployment: &Deployment) -> Deployed {
        let Some(job) = self.planned.jobs.get(deployment.job) else { return Deployed::default() };
        let message = "the deployment is not compared, because those before it have too many resources";
        let mut problem = Diagnostic::new(Code::TemplateLimit, Span::whole_file(job.template.file), message);
        job.origins.diagnostic(&mut problem, self.planned.expander.sources);
        Deployed { document: None, origins: job.origins.clone(), diagnostics: vec![problem], is_parsed: true }
    }

    /// Records the diagnostics and the linked templates of an expansion.
    pub fn note(&mut self, deployment: &Deployment, deployed: &mut Deployed) {
        let Some(record) = self.records.get_mut(deployment.job) else { return };
        record.is_parsed |= deployed.is_parsed;
        record.diagnostics.append(&mut deployed.diagnostics);
        record.linked.extend(deployed.document.iter().flat_map(|document| &document.linked));
    }

    /// Returns the part of a run that is known after all expansions: which deployments are a part of others, because
    /// their templates are linked, and what could not be read or evaluated in the rest.
    pub fn close(&mut self) -> Closed {
        let parsed: Vec<usize> =
            self.records.iter().enumerate().filter(|(_, record)| record.is_parsed).map(|(at, _)| at).collect();
        let candidates = parsed.iter().filter_map(|at| {
            let (job, record) = (self.planned.jobs.get(*at)?, self.records.get(*at)?);
            let is_independent = self.planned.expander.is_independent(job);
            Some(Candidate { file: job.template.file, is_independent, linked: &record.linked })
        });
        let absorbed = absorbed(&candidates.collect::<Vec<_>>());
        let is_part: HashMap<usize, bool> = parsed.into_iter().zip(absorbed).collect();
        let mut diagnostics = std::mem::take(&mut self.planned.diagnostics);
        for (at, record) in self.records.iter_mut().enumerate() {
            if !is_part.get(&at).is_some_and(|is_part| *is_part) {
                diagnostics.append(&mut record.diagnostics);
            }
        }
        let paths = self.planned.jobs.iter().map(|job| job.template.input.path.clone());
        let templates =
            paths.enumerate().filter(|(at, _)| is_part.get(at) == Some(&false)).map(|(_, path)| path).collect();
        Closed { is_part, templates, diagnostics }
    }
}

/// Results that are known after all expansions.
#[derive(Debug)]
pub struct Closed {
    is_part: HashMap<usize, bool>,
    /// The templates that are deployed on their own.
    pub templates: std::collections::BTreeSet<PathBuf>,
    /// Problems with files or values that could not be read or evaluated.
    pub diagnostics: Vec<Diagnostic>,
}

impl Closed {
    /// Returns `true` if a deployment is deployed on its own: it can be parsed, and no other one contains it.
    pub fn has(&self, deployment: &Deployment) -> bool {
        self.is_part.get(&deployment.job) == Some(&false)
    }
}
