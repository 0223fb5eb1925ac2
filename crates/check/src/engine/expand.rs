//! Expands a template once, for `formwork expand`.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Finding, common_checks};
use crate::engine::findings::{Checks, Drafting, Selected, drafts};
use crate::engine::inputs::{Input, Job, Loaded};
use crate::engine::merge::merge;
use crate::engine::planned::{ExpandedUnit, Expander, PlannedRun};
use crate::engine::{Inputs, Origins, RunError, Threads, Work};
use crate::model::{Budget, Expansion};
use crate::rules::{Rule, RuleSet};
use crate::syntax::Parsed;
use crate::text::{FileId, Sources, Span};
use crate::value::Value;

/// A template and what it would create.
#[derive(Debug)]
pub struct Expanded {
    /// The file of the template.
    pub file: FileId,
    /// The file that the user named: that of the template, or a parameter file.
    pub named: FileId,
    /// The template as it was written.
    pub template: Value,
    /// Resources that it would create. Its diagnostics are in the user's files; other places may be in compiled texts.
    pub expansion: Expansion,
    /// Problems that keep a part of it from being evaluated.
    pub problems: Vec<Finding>,
    origins: Origins,
}

impl Expanded {
    /// Maps a span, which may be in a compiled text, to the place in the user's file.
    pub fn place(&self, span: Span, sources: &Sources) -> Span {
        self.origins.span(span, sources)
    }
}

/// Expands the one template that `inputs` name. Of several parameter files, later ones override earlier ones. If
/// the input is a parameter file, its template is expanded; parameter files next to a template are not used.
pub fn expand(inputs: &Inputs<'_>, sources: &Sources) -> Result<(Option<Expanded>, Vec<Diagnostic>), RunError> {
    // Evaluation needs the stack of these threads.
    let threads = Threads::start(1)?;
    threads.install(|| {
        let PlannedRun { jobs, expander, mut diagnostics } = PlannedRun::new(inputs, sources)?.with_states();
        let expanded = jobs.into_iter().next().and_then(|job| {
            let file = job.template.file;
            let name = job.template.input.name.clone();
            let Parsed { value, diagnostics: of_text } = expander.template(&job);
            diagnostics.extend(of_text);
            let template = value?;
            let expanded = inputs.isolation.run(Work::Expand, &name, || expand_job(&expander, job, template));
            expanded.map_err(|failure| diagnostics.push(failure.diagnostic(file))).ok()
        });
        Ok((expanded, diagnostics))
    })
}

/// Expands a template with the parameter files that the user named.
fn expand_job(expander: &Expander<'_>, job: Job, template: Value) -> Expanded {
    let sources = expander.sources;
    let named = named(&job, expander.inputs);
    let parameters: Vec<Arc<Loaded>> = job.parameters.iter().filter(|file| file.input.named).cloned().collect();
    let budget = Budget::new(expander.inputs.limits);
    let unit = expander.unit(&job, &template, &parameters);
    let ExpandedUnit { expansion, .. } = expander.expand_unit(&unit, None, &budget);
    let problems = problems(&expansion, &job, sources);
    Expanded { file: job.template.file, named, template, expansion, problems, origins: job.origins }
}

/// Returns the file that the user named. Standard input is the template.
fn named(job: &Job, inputs: &Inputs<'_>) -> FileId {
    let path = inputs.paths.first().map(|path| Input::new(inputs.working, path, true).path);
    let mut files = job.parameters.iter().filter(|file| Some(&file.input.path) == path.as_ref());
    files.next().map_or(job.template.file, |file| file.file)
}

/// Returns the findings of the checks that stand for problems of the template itself.
fn problems(expansion: &Expansion, job: &Job, sources: &Sources) -> Vec<Finding> {
    let checks = common_checks::CHECKS.iter().filter(|check| check.is_of_problems());
    let checks: Checks = checks.map(|&check| (check, Selected::by_default(check))).collect();
    let Some(document) = &expansion.document else { return Vec::new() };
    let template = sources.get(job.template.file);
    let drafting = Drafting::new(document, template.name(), &[], false, &|span| span, sources);
    let draft = |verdict| drafting.draft(job.origins.verdict(verdict, sources), None);
    let no_rules = RuleSet::new([] as [Rule; 0]);
    let (drafts, _) = drafts(expansion.issues.clone(), document, &no_rules, &checks, draft, |drafts| drafts);
    merge(drafts.into_iter().flatten().collect(), template.name())
}
