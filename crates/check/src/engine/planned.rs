//! The first two states of the work on templates: planned, and expanded.
//!
//! # Invariant
//!
//! Every expansion of a run is done by [`Expander::expand_unit`], so none has diagnostics in compiled texts, or secrets
//! that excerpts show.

use std::sync::Arc;

use crate::cfn::{Assumed, Scenario};
use crate::diagnostic::Diagnostic;
use crate::engine::frontend::{Explored, FrontEnds};
use crate::engine::inputs::{Job, Linker, Loaded, Prepared, prepare};
use crate::engine::overrides::refuse_undeclared;
use crate::engine::{Inputs, RunError};
use crate::model::{Budget, Expansion};
use crate::syntax::Parsed;
use crate::text::{FileId, Sources};
use crate::value::Value;

/// A run whose files are found, read, built, and linked. No template is expanded yet.
#[derive(Debug)]
pub(super) struct PlannedRun<'a> {
    /// Templates to expand, ordered by path.
    pub(super) jobs: Vec<Job>,
    /// Expands the templates.
    pub(super) expander: Expander<'a>,
    /// Problems with the files.
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> PlannedRun<'a> {
    /// Plans the templates that `inputs` name. Adds the texts of the files to `sources`.
    ///
    /// # Errors
    ///
    /// Fails if a value is given for a parameter that no template declares.
    pub(super) fn new(inputs: &'a Inputs<'a>, sources: &'a Sources) -> Result<Self, RunError> {
        let prepared = prepare(inputs, sources);
        refuse_undeclared(inputs, &prepared)?;
        let Prepared { jobs, linker, diagnostics } = prepared;
        let expander = Expander { inputs, sources, linker, front_ends: inputs.front_ends() };
        Ok(Self { jobs, expander, diagnostics })
    }

    /// Makes expansions produce the states of resources, too, which rules do not read.
    pub(super) fn with_states(mut self) -> Self {
        self.expander.front_ends = self.expander.front_ends.with_states();
        self
    }

    /// Makes expansions produce what other values of the parameters deploy, too, which only a check reads.
    pub(super) fn exploring(mut self) -> Self {
        self.expander.front_ends = self.expander.front_ends.exploring();
        self
    }
}

/// Expands the templates of a run.
#[derive(Debug)]
pub(super) struct Expander<'a> {
    pub(super) inputs: &'a Inputs<'a>,
    pub(super) sources: &'a Sources,
    pub(super) linker: Linker<'a>,
    front_ends: FrontEnds<'a>,
}

impl Expander<'_> {
    /// Returns the value of a template, and the problems of its text.
    pub(super) fn template(&self, job: &Job) -> Parsed {
        self.linker.template(job)
    }

    /// Returns `true` if a template is checked on its own, whatever links to it. Parameter files of the command line
    /// belong to no template.
    pub(super) fn is_independent(&self, job: &Job) -> bool {
        job.template.input.named || (self.inputs.parameters.is_empty() && !job.parameters.is_empty())
    }

    /// Plans the expansion of a template, as it was written, with the parameter files of one deployment. Of several,
    /// later ones override earlier ones.
    pub(super) fn unit<'j>(&self, job: &'j Job, template: &'j Value, parameters: &'j [Arc<Loaded>]) -> PlannedUnit<'j> {
        let values = parameters.iter().map(|file| (file.file, self.linker.parameters(file))).collect();
        PlannedUnit { job, template, parameters, values }
    }

    /// Expands a unit in one of the scenarios of its expansion with the given values; `None` for those values.
    pub(super) fn expand_unit(
        &self,
        unit: &PlannedUnit<'_>,
        scenario: Option<&Scenario>,
        budget: &Budget<'_>,
    ) -> ExpandedUnit {
        let job = unit.job;
        let files: Vec<(FileId, &Value)> = unit.values.iter().map(|(file, value)| (*file, value)).collect();
        let subject = job.subject(unit.template);
        let explored = self.front_ends.expand_in(scenario, subject, &files, &self.linker, self.sources, budget);
        let Explored { mut expansion, scenarios, assumed } = explored;
        let secrets = expansion.document.iter().flat_map(|document| document.hidden.spans());
        secrets.for_each(|&span| job.origins.hide(span, self.sources));
        expansion.diagnostics.iter_mut().for_each(|problem| job.origins.diagnostic(problem, self.sources));
        ExpandedUnit { expansion, scenarios, assumed }
    }
}

/// A template with the parameter files of one deployment, which is not expanded yet.
#[derive(Debug)]
pub(super) struct PlannedUnit<'j> {
    pub(super) job: &'j Job,
    /// The template as it was written.
    pub(super) template: &'j Value,
    pub(super) parameters: &'j [Arc<Loaded>],
    /// The values of the parameter files.
    values: Vec<(FileId, Value)>,
}

impl PlannedUnit<'_> {
    /// Returns the name in reports of the last parameter file, if there is one.
    pub(super) fn parameter_name(&self, sources: &Sources) -> Option<Arc<str>> {
        self.parameters.last().map(|file| file.parameter_set(sources).name)
    }
}

/// A unit after its expansion: excerpts do not show its secrets, and its diagnostics are in the user's files. Other
/// places may be in compiled texts.
#[derive(Debug)]
pub(super) struct ExpandedUnit {
    pub(super) expansion: Expansion,
    /// Other scenarios, in which resources or branches are deployed that the given values leave out.
    pub(super) scenarios: Vec<Scenario>,
    /// Assumptions of this scenario.
    pub(super) assumed: Assumed,
}
