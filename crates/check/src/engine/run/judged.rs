//! Judges the templates of a run: expands each with all its parameter files, and runs the rules.
//!
//! # Invariant
//!
//! The results do not depend on the number or the order of threads.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use rayon::prelude::*;

use crate::diagnostic::{Analysed, Diagnostic, Level, NotChecked, ResourceTree};
use crate::engine::checker::Checker;
use crate::engine::detect::is_sam_config;
use crate::engine::findings::Draft;
use crate::engine::inputs::{Job, Loaded};
use crate::engine::linked::Candidate;
use crate::engine::merge::United;
use crate::engine::planned::{Expander, PlannedRun};
use crate::engine::run::unit::{JudgedUnit, UnitJudge};
use crate::engine::shares::Shares;
use crate::engine::twins::{self, Twins};
use crate::engine::{Work, flood};
use crate::model::{Allotment, Budget};
use crate::parallel;
use crate::syntax::Parsed;
use crate::text::{FileId, Sources};
use crate::value::Value;

/// A run after the rules have run on all its templates. Their findings are drafts, which may be the same in several of
/// them.
pub(super) struct JudgedRun {
    /// The templates, ordered by path.
    pub(super) templates: Vec<JudgedTemplate>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The Bicep files that templates were built from.
    pub(super) twins: Twins,
    /// True if a file that cannot be used may decide what templates deploy.
    pub(super) is_in_doubt: bool,
    /// The other paths that lead to files of the run, by the path that it has.
    pub(super) aliases: HashMap<PathBuf, Vec<PathBuf>>,
}

impl JudgedRun {
    /// Expands and judges the templates of a run. Their values are freed.
    pub(super) fn new(planned: PlannedRun<'_>, checker: &Checker<'_>) -> Self {
        let PlannedRun { jobs, expander, mut diagnostics } = planned;
        let twins = twins::twins(&jobs);
        let (templates, unreadable) = Worker { expander: &expander, checker }.judge_all(jobs);
        diagnostics.extend(unreadable);
        let policies = checker.policies.iter();
        diagnostics.extend(policies.flat_map(|policies| policies.diagnostics(expander.inputs.shard)).cloned());
        let is_in_doubt = diagnostics.iter().any(|problem| may_be_of_parameters(problem, expander.sources));
        Self { templates, diagnostics, twins, is_in_doubt, aliases: expander.linker.aliases() }
    }
}

/// Returns `true` if a diagnostic says that a file cannot be used, and it may be a parameter file. Its template is then
/// unknown, so a baseline cannot rely on findings being absent.
fn may_be_of_parameters(problem: &Diagnostic, sources: &Sources) -> bool {
    let is_unread = problem.level == Level::Error || problem.not_checked == Some(NotChecked::BicepModule);
    if !is_unread {
        return false;
    }
    let name = sources.get(problem.primary.span.file).name().to_lowercase();
    name.ends_with(".bicepparam") || name.contains("parameters") || is_sam_config(Path::new(&name))
}

/// A template after the rules have run on it, with all its parameter files.
pub(super) struct JudgedTemplate {
    pub(super) file: FileId,
    is_independent: bool,
    pub(super) analysed: Analysed,
    pub(super) drafts: Vec<Draft>,
    /// The drafts that belong to linked templates.
    pub(super) linked_drafts: Vec<(FileId, Draft)>,
    /// The linked templates that the expansions contain.
    linked: Vec<FileId>,
    pub(super) trees: Vec<ResourceTree>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) deployments: usize,
    pub(super) resources: usize,
}

impl JudgedTemplate {
    /// Returns the data that decide whether the template is checked on its own.
    pub(super) fn candidate(&self) -> Candidate<'_> {
        Candidate { file: self.file, is_independent: self.is_independent, linked: &self.linked }
    }
}

/// Maximum number of expansions of one template that are in memory with all their drafts. After that, drafts of
/// expansions with the same results are combined.
const UNITS_AT_ONCE: usize = 64;

/// A job whose units are judged, but not all to the end.
struct JudgedJob {
    job: Job,
    units: Vec<JudgedUnit>,
    /// The drafts of those units that need not be repeated, if there are many units.
    united: United,
    /// The problems of the text of the template.
    diagnostics: Vec<Diagnostic>,
}

impl JudgedJob {
    fn wants_more(&self) -> bool {
        self.units.iter().any(|unit| unit.wants_more)
    }
}

/// A job after its expansions have taken their shares of the budget.
enum Attempt {
    Done(JudgedTemplate),
    /// Some of its expansions want more.
    Waiting(Box<JudgedJob>),
    Unreadable(Vec<Diagnostic>),
}

/// Checks templates with the same rules and options.
struct Worker<'a> {
    expander: &'a Expander<'a>,
    checker: &'a Checker<'a>,
}

impl Worker<'_> {
    /// Returns the results of the jobs, in their order, and the reasons why some templates cannot be parsed. A template
    /// is freed once it is checked.
    ///
    /// Expansions that want more than their shares of the budget are repeated afterwards, one after the other: which of
    /// them get more must not depend on the order of threads.
    fn judge_all(&self, jobs: Vec<Job>) -> (Vec<JudgedTemplate>, Vec<Diagnostic>) {
        let limits = self.expander.inputs.limits;
        let length = |job: &Job| self.sizes(job).sum::<u64>();
        let shares = Shares::new(limits, jobs.iter().flat_map(|job| self.sizes(job)), self.texts(&jobs));
        let results = parallel::map_longest_first(jobs, length, |job| self.attempt(job, &shares));
        let (mut templates, mut unreadable) = (Vec::with_capacity(results.len()), Vec::new());
        let taken = results.iter().map(|(_, steps)| steps).sum();
        let mut rest = shares.rest(taken);
        for (attempt, _) in results {
            match attempt {
                Attempt::Done(template) => templates.push(template),
                Attempt::Unreadable(problems) => unreadable.extend(problems),
                Attempt::Waiting(mut judged) => {
                    self.repeat(&mut judged, &shares, &mut rest);
                    templates.push(self.finish(*judged));
                }
            }
        }
        (templates, unreadable)
    }

    /// Returns, for each expansion of a job, the total length of the texts of its template and parameter files.
    fn sizes<'j>(&self, job: &'j Job) -> impl Iterator<Item = u64> + use<'j, '_> {
        let template = self.length(job.template.file);
        let length = move |files: &[Arc<Loaded>]| files.iter().map(|file| self.length(file.file)).sum::<u64>();
        job.deployments(self.expander.inputs.merges_parameters).map(move |files| template + length(files))
    }

    /// Returns the total length of the texts of all jobs, each counted once.
    fn texts(&self, jobs: &[Job]) -> u64 {
        let files = jobs.iter().flat_map(|job| job.parameters.iter().map(|file| file.file).chain([job.template.file]));
        let files: HashSet<FileId> = files.collect();
        files.into_iter().map(|file| self.length(file)).sum()
    }

    fn length(&self, file: FileId) -> u64 {
        self.expander.sources.get(file).text().len() as u64
    }

    /// Checks one job within the shares of its expansions. Also returns the number of steps that they took.
    fn attempt(&self, job: Job, shares: &Shares) -> (Attempt, u64) {
        let Parsed { value, diagnostics } = self.expander.template(&job);
        let Some(template) = &value else {
            self.release(job);
            return (Attempt::Unreadable(diagnostics), 0);
        };
        let unit = |(files, size)| self.judge_isolated(&job, template, files, shares.share(size));
        let merges = self.expander.inputs.merges_parameters;
        let deployments: Vec<_> = job.deployments(merges).zip(self.sizes(&job)).collect();
        let (mut units, mut united) = (Vec::with_capacity(deployments.len()), United::default());
        let most = flood::most(self.texts(std::slice::from_ref(&job)));
        let has_many = deployments.len() > UNITS_AT_ONCE;
        let mut deployments = deployments.into_iter().peekable();
        while deployments.peek().is_some() {
            let some: Vec<_> = deployments.by_ref().take(UNITS_AT_ONCE).collect();
            let mut some: Vec<JudgedUnit> = some.into_par_iter().map(unit).collect();
            for done in some.iter_mut().filter(|unit| has_many && !unit.wants_more) {
                united.add(std::mem::take(&mut done.drafts).into_iter().flatten(), most);
            }
            units.extend(some);
        }
        let steps = units.iter().map(|unit| unit.steps).sum();
        let judged = JudgedJob { job, units, united, diagnostics };
        let is_done = !judged.wants_more();
        (if is_done { Attempt::Done(self.finish(judged)) } else { Attempt::Waiting(Box::new(judged)) }, steps)
    }

    /// Repeats the expansions of a job that want more, with what is left for them.
    fn repeat(&self, judged: &mut JudgedJob, shares: &Shares, rest: &mut Allotment) {
        let JudgedJob { job, units, .. } = judged;
        let Parsed { value: Some(template), .. } = self.expander.template(job) else { return };
        let deployments = job.deployments(self.expander.inputs.merges_parameters).zip(self.sizes(job));
        for (unit, (files, size)) in units.iter_mut().zip(deployments) {
            if unit.wants_more && rest.steps > shares.share(size).steps {
                // What there is of it is freed first.
                *unit = JudgedUnit::default();
                *unit = self.judge_isolated(job, &template, files, *rest);
                rest.steps = rest.steps.saturating_sub(unit.steps);
            }
        }
    }

    /// Combines the results of a job, and frees its texts.
    fn finish(&self, JudgedJob { job, units, united, mut diagnostics }: JudgedJob) -> JudgedTemplate {
        let (united, omitted) = united.into_parts();
        if omitted > 0 {
            diagnostics.push(flood::omitted(omitted, job.template.file));
        }
        let is_whole = omitted == 0 && units.iter().all(|unit| unit.is_whole);
        let mut judged = JudgedTemplate {
            file: job.template.file,
            is_independent: self.expander.is_independent(&job),
            analysed: account(&job, is_whole, self.expander),
            // They are kept to the end of the run, and what a vector has in reserve is often as much again.
            drafts: united,
            linked_drafts: Vec::new(),
            linked: Vec::new(),
            trees: Vec::new(),
            diagnostics,
            deployments: units.len(),
            resources: 0,
        };
        judged.drafts.reserve_exact(units.iter().flat_map(|unit| &unit.drafts).map(Vec::len).sum());
        for unit in units {
            judged.resources += unit.resources;
            judged.diagnostics.extend(unit.diagnostics);
            judged.drafts.extend(unit.drafts.into_iter().flatten());
            judged.linked_drafts.extend(unit.linked_drafts);
            judged.linked.extend(unit.linked);
            judged.trees.extend(unit.tree);
        }
        self.release(job);
        judged
    }

    fn release(&self, job: Job) {
        self.expander.linker.release(job);
        self.checker.observer.advance();
    }

    /// Judges a unit and catches failures of formwork, which lose the results of this expansion but not those of the
    /// run.
    fn judge_isolated(
        &self,
        job: &Job,
        template: &Value,
        parameters: &[Arc<Loaded>],
        allotment: Allotment,
    ) -> JudgedUnit {
        let Self { expander, checker } = *self;
        let isolation = expander.inputs.isolation;
        let work = || {
            let budget = Budget::of_run(expander.inputs.limits, allotment).until(isolation.cancellation());
            UnitJudge { expander, checker }.judge_unit(&expander.unit(job, template, parameters), &budget)
        };
        let judged = isolation.run(Work::Expand, &job.template.input.name, work);
        judged.unwrap_or_else(|failure| {
            let mut problem = failure.diagnostic(job.template.file);
            job.origins.diagnostic(&mut problem, expander.sources);
            JudgedUnit { diagnostics: vec![problem], ..JudgedUnit::default() }
        })
    }
}

/// Describes how completely a template was analyzed: see [`Analysed`].
fn account(job: &Job, is_whole: bool, expander: &Expander<'_>) -> Analysed {
    let (inputs, sources) = (expander.inputs, expander.sources);
    Analysed {
        template: Arc::clone(sources.get(job.template.file).name()),
        parameters: job.parameters.iter().map(|file| file.parameter_set(sources)).collect(),
        has_defaults: job.has_defaults(),
        is_usual: inputs.parameters.is_empty(),
        is_whole: is_whole && inputs.overrides.is_empty(),
    }
}
