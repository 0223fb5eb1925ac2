//! A whole run: expand every template, run the rules, put the results in order.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use crate::diagnostic::{Analysed, Diagnostic, Finding, Level, Outcome, RuleInfo, Run, Summary};
use crate::engine::findings::{Draft, draft, internal_fault, verdicts};
use crate::engine::frontend::FrontEnds;
use crate::engine::inputs::{Disk, Job, Linker, Loaded, Prepared, prepare};
use crate::engine::merge::{merge, merge_diagnostics, sort_diagnostics};
use crate::engine::{Checks, Inputs, Observer, RunError, fix, pool};
use crate::files::{display_name, normalize, repository_of};
use crate::rules::{RuleSet, Verdict};
use crate::text::Sources;

/// What to check with.
pub(crate) struct Checker<'a> {
    /// The compiled rules that run.
    pub rules: &'a RuleSet,
    /// The checks of deployments that run.
    pub checks: &'a Checks,
    /// The descriptions of rules and checks, ordered by ID.
    pub infos: Vec<Arc<RuleInfo>>,
    /// Whether verdicts that passed are kept. They are counted in any case.
    pub keep_passed: bool,
    /// How many threads; 0 for one per processor.
    pub threads: usize,
    /// Hears of each template that is done.
    pub observer: &'a dyn Observer,
}

impl std::fmt::Debug for Checker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker")
            .field("rules", &self.infos.len())
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// Checks everything that `inputs` name. `sources` holds the texts of rules and settings; those of the inputs are added.
pub(crate) fn check(inputs: &Inputs<'_>, checker: &Checker<'_>, sources: Sources) -> Result<Run, RunError> {
    let pool = pool::start(checker.threads)?;
    let Prepared { jobs, linker, mut diagnostics } = pool.install(|| prepare(inputs, &sources, &Disk));
    let is_in_doubt = diagnostics
        .iter()
        .any(|diagnostic| diagnostic.level == Level::Error && may_be_of_parameters(diagnostic, &sources));
    checker.observer.begin(jobs.len());
    let worker = Worker { inputs, front_ends: inputs.front_ends(), checker, sources: &sources, linker: &linker };
    let parts: Vec<Part> = pool.install(|| jobs.par_iter().map(|job| worker.job(job)).collect());

    let mut summary = Summary { templates: jobs.len(), rules: checker.infos.len(), ..Summary::default() };
    let mut findings = Vec::new();
    let mut analysed = Vec::new();
    for (part, job) in parts.into_iter().zip(&jobs) {
        analysed.push(account(job, part.is_whole && !is_in_doubt, inputs, &sources));
        summary.deployments += part.deployments;
        summary.resources += part.resources;
        part.findings.iter().for_each(|finding| summary.count(finding.outcome));
        findings.extend(
            part.findings.into_iter().filter(|finding| checker.keep_passed || finding.outcome != Outcome::Passed),
        );
        diagnostics.extend(part.diagnostics);
    }
    fix::settle(&mut findings, &sources);
    let mut diagnostics = merge_diagnostics(diagnostics);
    sort_diagnostics(&mut diagnostics, &sources);
    findings.sort_by(|a, b| a.template.cmp(&b.template));
    summary.errors = diagnostics.iter().filter(|diagnostic| diagnostic.level == Level::Error).count();
    Ok(Run { sources, findings, diagnostics, rules: checker.infos.clone(), summary, change: None, analysed })
}

/// How completely a template was analyzed: see [`Analysed`].
fn account(job: &Job, is_whole: bool, inputs: &Inputs<'_>, sources: &Sources) -> Analysed {
    Analysed {
        template: Arc::clone(sources.get(job.template.file).name()),
        parameters: job.parameters.iter().map(|file| Arc::clone(sources.get(file.file).name())).collect(),
        is_usual: inputs.parameters.is_empty(),
        is_whole: is_whole && inputs.overrides.is_empty(),
    }
}

/// Whether a file that cannot be used might have been a parameter file. Which template it belongs to is unknown, so a
/// baseline cannot rely on what was not found in any.
fn may_be_of_parameters(problem: &Diagnostic, sources: &Sources) -> bool {
    let name = sources.get(problem.primary.span.file).name().to_lowercase();
    name.ends_with(".bicepparam") || name.contains("parameters")
}

/// What one template gave, under all its parameter files.
#[derive(Default)]
struct Part {
    findings: Vec<Finding>,
    diagnostics: Vec<Diagnostic>,
    deployments: usize,
    resources: usize,
    /// Whether everything could be analyzed.
    is_whole: bool,
}

/// What one expansion gave.
#[derive(Default)]
struct Unit {
    drafts: Vec<Draft>,
    diagnostics: Vec<Diagnostic>,
    resources: usize,
    /// Whether there is a document.
    is_expanded: bool,
}

struct Worker<'a> {
    inputs: &'a Inputs<'a>,
    front_ends: FrontEnds<'a>,
    checker: &'a Checker<'a>,
    sources: &'a Sources,
    linker: &'a Linker<'a>,
}

impl Worker<'_> {
    fn job(&self, job: &Job) -> Part {
        let template = &job.template;
        let units: Vec<Unit> = match job.parameters.as_slice() {
            [] => vec![self.unit(job, None)],
            files => files.par_iter().map(|file| self.unit(job, Some(file))).collect(),
        };
        let mut part = Part { deployments: units.len(), is_whole: true, ..Part::default() };
        let mut drafts = Vec::new();
        for unit in units {
            part.resources += unit.resources;
            part.is_whole &=
                unit.is_expanded && unit.diagnostics.iter().all(|diagnostic| diagnostic.level != Level::Error);
            part.diagnostics.extend(unit.diagnostics);
            drafts.extend(unit.drafts);
        }
        part.findings = merge(drafts, &stable_path(self.inputs.working, &template.input.name));
        self.checker.observer.advance();
        part
    }

    /// A panic costs the results of one expansion, never those of the run.
    fn unit(&self, job: &Job, parameters: Option<&Arc<Loaded>>) -> Unit {
        let work = AssertUnwindSafe(|| self.expand_and_check(job, parameters.map(|file| &**file)));
        catch_unwind(work).unwrap_or_else(|_| {
            let mut problem = internal_fault(job.template.file);
            job.origins.diagnostic(&mut problem, self.sources);
            Unit { diagnostics: vec![problem], ..Unit::default() }
        })
    }

    fn expand_and_check(&self, job: &Job, parameters: Option<&Loaded>) -> Unit {
        let template = &job.template;
        let files: Vec<_> = parameters.iter().map(|file| (file.file, &file.value)).collect();
        let expansion = self.front_ends.expand(template.subject(), &files, self.linker);
        let mut unit = Unit { diagnostics: expansion.diagnostics, ..Unit::default() };
        unit.diagnostics.iter_mut().for_each(|diagnostic| job.origins.diagnostic(diagnostic, self.sources));
        let Some(document) = expansion.document else { return unit };
        document.hidden.spans().iter().for_each(|&span| job.origins.hide(span, self.sources));
        unit.resources = document.resources.len();
        unit.is_expanded = true;
        let template = self.sources.get(template.file);
        let parameters = parameters.map(|file| self.sources.get(file.file));
        let verdicts = verdicts(expansion.issues, &document, self.checker.rules, self.checker.checks);
        let parameters = parameters.as_ref().map(|file| file.name());
        let is_authored = fix::is_authored(&job.template, &job.origins);
        let draft = |verdict: Verdict| {
            let fix = fix::of(&verdict, &job.origins, self.sources).filter(|_| is_authored);
            draft(job.origins.verdict(verdict, self.sources), fix, &document, template.name(), parameters)
        };
        unit.drafts = verdicts.into_iter().map(draft).collect();
        unit
    }
}

/// The path of a file for fingerprints and baselines, from the name that reports have for it: the same wherever the
/// repository lies and from wherever formwork is called.
pub(super) fn stable_path(working: &Path, name: &str) -> String {
    let path = normalize(working, Path::new(name));
    match repository_of(&path) {
        Some(repository) => display_name(&repository, &path),
        None if path.starts_with(working) => display_name(working, &path),
        None => path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
    }
}
