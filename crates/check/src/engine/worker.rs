//! Checks the templates of a run: expands each with all its parameter files, and runs the rules.
//!
//! # Invariant
//!
//! The results do not depend on the number or the order of threads.

use std::sync::Arc;

use foldhash::HashSet;
use rayon::prelude::*;

use crate::cfn::Scenario;
use crate::checks::STALE_OUTPUT;
use crate::diagnostic::{Analysed, Code, Diagnostic, Outcome, ResourceTree, RuleInfo};
use crate::engine::checker::Checker;
use crate::engine::detect::Kind;
use crate::engine::findings::{Draft, Drafting, drafts, drop_excluded, is_whole, leave_out_covered};
use crate::engine::flood::Flood;
use crate::engine::frontend::{Explored, FrontEnds};
use crate::engine::inputs::{Job, Linker, Loaded, Stale};
use crate::engine::linked::{Candidate, Homes};
use crate::engine::merge::United;
use crate::engine::observer::Sight;
use crate::engine::scenarios::Known;
use crate::engine::shares::Shares;
use crate::engine::tree::IndexedTree;
use crate::engine::{Checks, Inputs, Work, doubts, fix, flood};
use crate::model::{Allotment, Budget, Document, Expansion, Issue};
use crate::parallel;
use crate::rules::Verdict;
use crate::syntax::Parsed;
use crate::text::{FileId, Sources, Span};
use crate::value::Value;

/// Returns `true` if a template is checked on its own, whatever links to it. Parameter files of the command line belong
/// to no template.
pub(super) fn is_independent(inputs: &Inputs<'_>, job: &Job) -> bool {
    job.template.input.named || (inputs.parameters.is_empty() && !job.parameters.is_empty())
}

/// Describes how completely a template was analyzed: see [`Analysed`].
fn account(job: &Job, is_whole: bool, inputs: &Inputs<'_>, sources: &Sources) -> Analysed {
    Analysed {
        template: Arc::clone(sources.get(job.template.file).name()),
        parameters: job.parameters.iter().map(|file| file.parameter_set(sources)).collect(),
        has_defaults: job.has_defaults(),
        is_usual: inputs.parameters.is_empty(),
        is_whole: is_whole && inputs.overrides.is_empty(),
    }
}

/// Reports that a rule takes too many steps on a template. The diagnostic is at the rule, or at the template if the
/// rule has no source.
fn exceeded_by(rule: &RuleInfo, template: Span) -> Diagnostic {
    let message = format!(
        "rule `{}` cannot be evaluated: it takes too many steps or too much memory on the resources of one template",
        rule.id
    );
    let help = "make it simpler, for example with fewer rules that call each other";
    Diagnostic::new(Code::ExpressionLimit, rule.definition.unwrap_or(template), message).with_help(help)
}

/// Result of checking one template with all its parameter files.
pub(super) struct Part {
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

impl Part {
    /// Returns the data that decide whether the template is checked on its own.
    pub(super) fn candidate(&self) -> Candidate<'_> {
        Candidate { file: self.file, is_independent: self.is_independent, linked: &self.linked }
    }
}

/// Result of one expansion.
#[derive(Default)]
struct Unit {
    /// Drafts in parts: see [`drafts`].
    drafts: Vec<Vec<Draft>>,
    linked_drafts: Vec<(FileId, Draft)>,
    linked: Vec<FileId>,
    tree: Option<ResourceTree>,
    diagnostics: Vec<Diagnostic>,
    resources: usize,
    /// True if every part of the template was evaluated.
    is_whole: bool,
    /// The steps that it took.
    steps: u64,
    /// True if the expansion ran out of its share of the steps of the run.
    wants_more: bool,
}

impl Unit {
    /// Takes out the drafts that belong to linked templates.
    fn assign(&mut self, homes: &Homes<'_>) {
        for drafts in &mut self.drafts {
            for mut draft in std::mem::take(drafts) {
                match homes.claim(&mut draft) {
                    Some(file) => self.linked_drafts.push((file, draft)),
                    None => drafts.push(draft),
                }
            }
        }
    }
}

/// Maximum number of expansions of one template that are in memory with all their drafts. After that, drafts of
/// expansions with the same results are combined.
const UNITS_AT_ONCE: usize = 64;

/// Result of one job under each of its parameter files.
struct Expanded {
    job: Job,
    units: Vec<Unit>,
    /// The drafts of those units that need not be repeated, if there are many units.
    united: United,
    /// The problems of the text of the template.
    diagnostics: Vec<Diagnostic>,
}

impl Expanded {
    fn wants_more(&self) -> bool {
        self.units.iter().any(|unit| unit.wants_more)
    }
}

/// A job after its expansions have taken their shares of the budget.
enum Attempt {
    Done(Part),
    /// Some of its expansions want more.
    Waiting(Box<Expanded>),
    Unreadable(Vec<Diagnostic>),
}

/// Checks templates with the same rules and options.
pub(super) struct Worker<'a> {
    inputs: &'a Inputs<'a>,
    front_ends: FrontEnds<'a>,
    checker: &'a Checker<'a>,
    sources: &'a Sources,
    linker: &'a Linker<'a>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        inputs: &'a Inputs<'a>,
        checker: &'a Checker<'a>,
        sources: &'a Sources,
        linker: &'a Linker<'a>,
    ) -> Self {
        Self { inputs, front_ends: inputs.front_ends(), checker, sources, linker }
    }

    /// Returns the results of the jobs, in their order, and the reasons why some templates cannot be parsed. A template
    /// is freed once it is checked.
    ///
    /// Expansions that want more than their shares of the budget are repeated afterwards, one after the other: which of
    /// them get more must not depend on the order of threads.
    pub(super) fn check_all(&self, jobs: Vec<Job>) -> (Vec<Part>, Vec<Diagnostic>) {
        let length = |job: &Job| self.sizes(job).sum::<u64>();
        let shares = Shares::new(self.inputs.limits, jobs.iter().flat_map(|job| self.sizes(job)), self.texts(&jobs));
        let results = parallel::map_longest_first(jobs, length, |job| self.attempt(job, &shares));
        let (mut parts, mut unreadable) = (Vec::with_capacity(results.len()), Vec::new());
        let taken = results.iter().map(|(_, steps)| steps).sum();
        let mut rest = shares.rest(taken);
        for (attempt, _) in results {
            match attempt {
                Attempt::Done(part) => parts.push(part),
                Attempt::Unreadable(problems) => unreadable.extend(problems),
                Attempt::Waiting(mut expanded) => {
                    self.repeat(&mut expanded, &shares, &mut rest);
                    parts.push(self.finish(*expanded));
                }
            }
        }
        (parts, unreadable)
    }

    /// Returns, for each expansion of a job, the total length of the texts of its template and parameter files.
    fn sizes<'j>(&self, job: &'j Job) -> impl Iterator<Item = u64> + use<'j, '_> {
        let template = self.length(job.template.file);
        let length = move |files: &[Arc<Loaded>]| files.iter().map(|file| self.length(file.file)).sum::<u64>();
        job.deployments(self.inputs.merges_parameters).map(move |files| template + length(files))
    }

    /// Returns the total length of the texts of all jobs, each counted once.
    fn texts(&self, jobs: &[Job]) -> u64 {
        let files = jobs.iter().flat_map(|job| job.parameters.iter().map(|file| file.file).chain([job.template.file]));
        let files: HashSet<FileId> = files.collect();
        files.into_iter().map(|file| self.length(file)).sum()
    }

    fn length(&self, file: FileId) -> u64 {
        self.sources.get(file).text().len() as u64
    }

    /// Checks one job within the shares of its expansions. Also returns the number of steps that they took.
    fn attempt(&self, job: Job, shares: &Shares) -> (Attempt, u64) {
        let Parsed { value, diagnostics } = self.linker.template(&job);
        let Some(template) = &value else {
            self.release(job);
            return (Attempt::Unreadable(diagnostics), 0);
        };
        let unit = |(files, size)| self.isolated(&job, template, files, shares.share(size));
        let deployments: Vec<_> = job.deployments(self.inputs.merges_parameters).zip(self.sizes(&job)).collect();
        let (mut units, mut united) = (Vec::with_capacity(deployments.len()), United::default());
        let most = flood::most(self.texts(std::slice::from_ref(&job)));
        let has_many = deployments.len() > UNITS_AT_ONCE;
        let mut deployments = deployments.into_iter().peekable();
        while deployments.peek().is_some() {
            let some: Vec<_> = deployments.by_ref().take(UNITS_AT_ONCE).collect();
            let mut some: Vec<Unit> = some.into_par_iter().map(unit).collect();
            for done in some.iter_mut().filter(|unit| has_many && !unit.wants_more) {
                united.add(std::mem::take(&mut done.drafts).into_iter().flatten(), most);
            }
            units.extend(some);
        }
        let steps = units.iter().map(|unit| unit.steps).sum();
        let expanded = Expanded { job, units, united, diagnostics };
        let is_done = !expanded.wants_more();
        (if is_done { Attempt::Done(self.finish(expanded)) } else { Attempt::Waiting(Box::new(expanded)) }, steps)
    }

    /// Repeats the expansions of a job that want more, with what is left for them.
    fn repeat(&self, expanded: &mut Expanded, shares: &Shares, rest: &mut Allotment) {
        let Expanded { job, units, .. } = expanded;
        let Parsed { value: Some(template), .. } = self.linker.template(job) else { return };
        let deployments = job.deployments(self.inputs.merges_parameters).zip(self.sizes(job));
        for (unit, (files, size)) in units.iter_mut().zip(deployments) {
            if unit.wants_more && rest.steps > shares.share(size).steps {
                // What there is of it is freed first.
                *unit = Unit::default();
                *unit = self.isolated(job, &template, files, *rest);
                rest.steps = rest.steps.saturating_sub(unit.steps);
            }
        }
    }

    /// Combines the results of a job, and frees its texts.
    fn finish(&self, Expanded { job, units, united, mut diagnostics }: Expanded) -> Part {
        let (united, omitted) = united.into_parts();
        if omitted > 0 {
            diagnostics.push(flood::omitted(omitted, job.template.file));
        }
        let is_whole = omitted == 0 && units.iter().all(|unit| unit.is_whole);
        let mut part = Part {
            file: job.template.file,
            is_independent: is_independent(self.inputs, &job),
            analysed: account(&job, is_whole, self.inputs, self.sources),
            // They are kept to the end of the run, and what a vector has in reserve is often as much again.
            drafts: united,
            linked_drafts: Vec::new(),
            linked: Vec::new(),
            trees: Vec::new(),
            diagnostics,
            deployments: units.len(),
            resources: 0,
        };
        part.drafts.reserve_exact(units.iter().flat_map(|unit| &unit.drafts).map(Vec::len).sum());
        for unit in units {
            part.resources += unit.resources;
            part.diagnostics.extend(unit.diagnostics);
            part.drafts.extend(unit.drafts.into_iter().flatten());
            part.linked_drafts.extend(unit.linked_drafts);
            part.linked.extend(unit.linked);
            part.trees.extend(unit.tree);
        }
        self.release(job);
        part
    }

    fn release(&self, job: Job) {
        self.linker.release(job);
        self.checker.observer.advance();
    }

    /// Calls [`Self::unit`] and catches failures of formwork, which lose the results of this expansion but not those of
    /// the run.
    fn isolated(&self, job: &Job, template: &Value, parameters: &[Arc<Loaded>], allotment: Allotment) -> Unit {
        let cancellation = self.inputs.isolation.cancellation();
        let budget = || Budget::of_run(self.inputs.limits, allotment).until(cancellation);
        let work = || self.unit(job, template, parameters, &budget());
        let unit = self.inputs.isolation.run(Work::Expand, &job.template.input.name, work);
        unit.unwrap_or_else(|failure| {
            let mut problem = failure.diagnostic(job.template.file);
            job.origins.diagnostic(&mut problem, self.sources);
            Unit { diagnostics: vec![problem], ..Unit::default() }
        })
    }

    fn unit(&self, job: &Job, value: &Value, parameters: &[Arc<Loaded>], budget: &Budget<'_>) -> Unit {
        let template = &job.template;
        let given: Vec<_> = parameters.iter().map(|file| (file.file, self.linker.parameters(file))).collect();
        let files: Vec<_> = given.iter().map(|(file, value)| (*file, value)).collect();
        let expand = |scenario: Option<&Scenario>| {
            let subject = job.subject(value);
            let mut explored = self.front_ends.expand_in(scenario, subject, &files, self.linker, self.sources, budget);
            explored.expansion.issues.retain(|issue| job.owns(issue.span));
            explored.expansion.diagnostics.retain(|problem| job.owns(problem.primary.span));
            explored
        };
        let Explored { mut expansion, scenarios, .. } = expand(None);
        if self.inputs.isolation.cancellation().is_cancelled() {
            return Unit::default();
        }
        expansion.issues.extend(
            job.stale
                .as_ref()
                .map(|Stale { path, span, message }| Issue::new(STALE_OUTPUT, path.clone(), *span, message.clone())),
        );
        if let Some(document) = &expansion.document {
            self.checker.observer.expanded(&Sight {
                document,
                template: template.file,
                parameters: parameters.last().map(|file| file.parameter_set(self.sources).name),
                place: &|span| job.origins.span(span, self.sources),
                sources: self.sources,
            });
        }
        let (mut unit, document) = self.checked(job, value, parameters, expansion, self.checker.keep_trees);
        let mut known = Known::default();
        if let Some(mut document) = document {
            self.add_assumed((job, value, parameters), &mut document, &mut unit, &mut known);
            if !document.linked.is_empty() {
                unit.assign(&Homes::of(&document));
                unit.linked.clone_from(&document.linked);
            }
        }
        for scenario in &scenarios {
            let Explored { expansion, assumed, .. } = expand(Some(scenario));
            let (other, _) = self.checked(job, value, parameters, expansion, false);
            known.add(&mut unit.drafts, other.drafts, |draft| {
                assumed.reason(draft.resource.as_ref().map(|resource| &*resource.id), draft.span)
            });
        }
        Unit { steps: budget.taken(), wants_more: budget.wants_more(), ..unit }
    }

    /// Adds the findings of the policies on a document. Returns the collector of its findings.
    fn governed(&self, job: &Job, document: &Document, issues: &mut Vec<Issue>, unit: &mut Unit) -> Flood {
        let most = self.most(document, job.template.file);
        let flood = Flood::new(most);
        let Some(policies) = &self.checker.policies else { return flood };
        let opinion = policies.opinion(document, most);
        issues.extend(opinion.issues);
        unit.is_whole &= opinion.diagnostics.is_empty();
        unit.diagnostics.extend(opinion.diagnostics);
        let selected = opinion.left_out.into_iter().filter(|(check, _)| self.checker.checks.contains_key(check));
        selected.for_each(|(check, count)| flood.count_dropped(check.id(), count));
        flood
    }

    /// Adds findings about several resources together that hold if an unknown condition does. For CloudFormation,
    /// scenarios do that.
    fn add_assumed(
        &self,
        (job, value, parameters): (&Job, &Value, &[Arc<Loaded>]),
        document: &mut Document,
        unit: &mut Unit,
        known: &mut Known,
    ) {
        let is_open = |draft: &Draft| draft.outcome == Outcome::Unknown;
        if job.template.kind == Kind::Stack || !unit.drafts.iter().flatten().any(is_open) {
            return;
        }
        for shared in doubts::unknown_conditions(document) {
            let authored = |span| job.origins.span(span, self.sources);
            let reason = doubts::Namer::new(document, &authored, self.sources).reason(&shared);
            let replaced = doubts::assume(document, &shared);
            let flood = Flood::new(self.most(document, job.template.file));
            let of_rules = (job, value, parameters);
            let (mut others, _) = self.drafts(of_rules, document, Vec::new(), &Checks::default(), None, flood);
            // A resource under another condition may not be there together with these.
            for drafts in &mut others {
                drafts.retain(|draft| draft.qualifier.is_none());
            }
            known.add(&mut unit.drafts, others, |_| reason.clone());
            doubts::restore(document, replaced);
        }
    }

    /// Checks an expansion of a job. Also returns the document, if there is one.
    fn checked(
        &self,
        job: &Job,
        value: &Value,
        parameters: &[Arc<Loaded>],
        expansion: Expansion,
        keeps_tree: bool,
    ) -> (Unit, Option<Document>) {
        let template = &job.template;
        let mut unit = Unit { is_whole: is_whole(&expansion), ..Unit::default() };
        let Expansion { document, mut issues, mut diagnostics } = expansion;
        drop_excluded(&mut diagnostics, self.checker.checks);
        for problem in &mut diagnostics {
            job.origins.diagnostic(problem, self.sources);
        }
        if let Some(gaps) = &job.gaps {
            let authored = |span| job.origins.span(span, self.sources);
            issues.retain(|issue| !gaps.explain(issue.check, authored(issue.span), self.sources));
            diagnostics.retain(|problem| !gaps.explain_problem(problem, self.sources));
            unit.is_whole = false;
        }
        // The linter looks at the files themselves, in which nothing is unknown.
        issues.extend(job.issues.iter().cloned());
        unit.diagnostics = diagnostics;
        let Some(document) = document else { return (unit, None) };
        document.hidden.spans().iter().for_each(|&span| job.origins.hide(span, self.sources));
        let flood = self.governed(job, &document, &mut issues, &mut unit);
        unit.resources = document.resources.iter().filter(|resource| job.owns(resource.span)).count();
        let name = parameters.last().map(|file| file.parameter_set(self.sources).name);
        let indexed = keeps_tree.then(|| {
            let of = (template.file, name.as_ref());
            IndexedTree::of(&document, of, |span| job.origins.span(span, self.sources), self.sources)
        });
        let (drafts, problems) =
            self.drafts((job, value, parameters), &document, issues, self.checker.checks, indexed.as_ref(), flood);
        unit.drafts = drafts;
        for mut problem in problems {
            job.origins.diagnostic(&mut problem, self.sources);
            unit.diagnostics.push(problem);
            unit.is_whole = false;
        }
        unit.tree = indexed.map(|indexed| indexed.tree);
        (unit, Some(document))
    }

    /// Returns how many findings of an expansion are reported.
    fn most(&self, document: &Document, template: FileId) -> usize {
        let files = document.linked.iter().copied().chain([template]);
        flood::most(files.map(|file| self.sources.get(file).text().len() as u64).sum())
    }

    /// Returns the findings of rules, and of these checks and issues, on a document, and the problems that some were
    /// too many or took too long.
    fn drafts(
        &self,
        (job, value, parameters): (&Job, &Value, &[Arc<Loaded>]),
        document: &Document,
        issues: Vec<Issue>,
        checks: &Checks,
        indexed: Option<&IndexedTree>,
        flood: Flood,
    ) -> (Vec<Vec<Draft>>, Vec<Diagnostic>) {
        let source = self.sources.get(job.template.file);
        let parameters: Vec<_> = parameters.iter().map(|file| file.parameter_set(self.sources).name).collect();
        let is_authored = fix::is_authored(job.template.kind, value, &job.origins);
        let fixes = fix::Fixes::new(&job.origins, self.sources);
        let authored = |span| job.origins.span(span, self.sources);
        let drafting =
            Drafting::new(document, source.name(), &parameters, self.checker.keep_passed, &authored, self.sources);
        let draft = |verdict: Verdict| {
            let subjects = indexed.map(|indexed| indexed.subjects(&verdict));
            let fix = fixes.of(&verdict).filter(|_| is_authored);
            let verdict = job.origins.verdict(verdict, self.sources);
            let mut draft = drafting.draft(verdict, fix);
            draft.subjects.extend(subjects.into_iter().flatten());
            draft
        };
        let keep = |mut drafts: Vec<Draft>| {
            drafts.retain(|draft| job.owns(draft.span));
            flood.add(drafts)
        };
        let (order, exceeded) = drafts(issues, document, self.checker.rules, checks, draft, keep);
        let whole = Span::whole_file(job.template.file);
        let (mut drafts, problem) = flood.into_parts(&order, whole);
        leave_out_covered(&mut drafts);
        (drafts, exceeded.iter().map(|rule| exceeded_by(rule, whole)).chain(problem).collect())
    }
}
