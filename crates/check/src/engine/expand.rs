//! Expands a template once, for `formwork expand`.

use crate::diagnostic::{Diagnostic, Finding, common_checks};
use crate::engine::findings::{Checks, Drafting, Selected, drafts};
use crate::engine::frontend::FrontEnds;
use crate::engine::inputs::{Input, Job, Linker, Prepared, prepare};
use crate::engine::merge::merge;
use crate::engine::overrides::refuse_undeclared;
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
        let prepared = prepare(inputs, sources);
        refuse_undeclared(inputs, &prepared)?;
        let Prepared { jobs, linker, mut diagnostics } = prepared;
        let expanded = jobs.into_iter().next().and_then(|job| {
            let file = job.template.file;
            let name = job.template.input.name.clone();
            let named = named(&job, inputs);
            let front_ends = inputs.front_ends().with_states();
            let Parsed { value, diagnostics: of_text } = linker.template(&job);
            diagnostics.extend(of_text);
            let template = value?;
            let expanded = inputs
                .isolation
                .run(Work::Expand, &name, || expand_job(&front_ends, job, named, template, sources, &linker));
            expanded.map_err(|failure| diagnostics.push(failure.diagnostic(file))).ok()
        });
        Ok((expanded, diagnostics))
    })
}

/// Returns the file that the user named. Standard input is the template.
fn named(job: &Job, inputs: &Inputs<'_>) -> FileId {
    let path = inputs.paths.first().map(|path| Input::new(inputs.working, path, true).path);
    let mut files = job.parameters.iter().filter(|file| Some(&file.input.path) == path.as_ref());
    files.next().map_or(job.template.file, |file| file.file)
}

fn expand_job(
    front_ends: &FrontEnds<'_>,
    job: Job,
    named: FileId,
    template: Value,
    sources: &Sources,
    linker: &Linker<'_>,
) -> Expanded {
    let counted = job.parameters.iter().filter(|file| file.input.named);
    let given: Vec<(FileId, Value)> = counted.map(|file| (file.file, linker.parameters(file))).collect();
    let files: Vec<_> = given.iter().map(|(file, value)| (*file, value)).collect();
    let budget = Budget::new(front_ends.limits());
    let mut expansion = front_ends.expand(job.subject(&template), &files, linker, sources, &budget);
    let secrets = expansion.document.iter().flat_map(|document| document.hidden.spans());
    secrets.for_each(|&span| job.origins.hide(span, sources));
    expansion.diagnostics.iter_mut().for_each(|diagnostic| job.origins.diagnostic(diagnostic, sources));
    let problems = problems(&expansion, &job, sources);
    Expanded { file: job.template.file, named, template, expansion, problems, origins: job.origins }
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
