//! Judges one expansion: runs the rules, the checks, and the policies on its document.

use std::path::Path;

use foldhash::HashMap;

use crate::cfn::Scenario;
use crate::checks::{STALE_OUTPUT, TEMPLATE_TRAILING_COMMA};
use crate::diagnostic::{Code, Diagnostic, Outcome, ResourceTree, RuleInfo};
use crate::engine::checker::Checker;
use crate::engine::detect::Kind;
use crate::engine::doubts::{Namer, UnknownConditions};
use crate::engine::findings::{Draft, Drafting, drafts, drop_excluded, is_whole, leave_out_covered};
use crate::engine::flood::Flood;
use crate::engine::inputs::{Job, Stale};
use crate::engine::linked::Homes;
use crate::engine::observer::Sight;
use crate::engine::planned::{ExpandedUnit, Expander, PlannedUnit};
use crate::engine::scenarios::{Lowered, ReportedFindings};
use crate::engine::tree::IndexedTree;
use crate::engine::{Checks, azure_stack, doubts, fix, flood, keys, stand_ins};
use crate::model::{Budget, Document, Expansion, Issue};
use crate::rules::Verdict;
use crate::syntax::json;
use crate::text::{FileId, Span};

/// Maximum number of commas after the last member that are reported for one template.
const MAX_COMMAS: usize = 20;

/// A unit after its rules have run.
#[derive(Default)]
pub(super) struct JudgedUnit {
    /// Drafts in parts: see [`drafts`].
    pub(super) drafts: Vec<Vec<Draft>>,
    /// The drafts that belong to linked templates.
    pub(super) linked_drafts: Vec<(FileId, Draft)>,
    /// The linked templates that the expansion contains.
    pub(super) linked: Vec<FileId>,
    pub(super) tree: Option<ResourceTree>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) resources: usize,
    /// True if every part of the template was evaluated.
    pub(super) is_whole: bool,
    /// The steps that it took.
    pub(super) steps: u64,
    /// True if the expansion ran out of its share of the steps of the run.
    pub(super) wants_more: bool,
}

impl JudgedUnit {
    /// Takes out the drafts that belong to the linked templates of the document.
    fn assign_linked(&mut self, document: &Document) {
        if document.linked.is_empty() {
            return;
        }
        let homes = Homes::from_document(document);
        for drafts in &mut self.drafts {
            for mut draft in std::mem::take(drafts) {
                match homes.claim(&mut draft) {
                    Some(file) => self.linked_drafts.push((file, draft)),
                    None => drafts.push(draft),
                }
            }
        }
        self.linked.clone_from(&document.linked);
    }
}

/// Judges the units of a run.
#[derive(Clone, Copy)]
pub(super) struct UnitJudge<'a> {
    pub(super) expander: &'a Expander<'a>,
    pub(super) checker: &'a Checker<'a>,
}

impl UnitJudge<'_> {
    /// Expands a unit, also in its other scenarios, and judges all of these expansions.
    pub(super) fn judge_unit(&self, unit: &PlannedUnit<'_>, budget: &Budget<'_>) -> JudgedUnit {
        let expanded = self.expand_own(unit, None, budget);
        if self.expander.inputs.isolation.cancellation().is_cancelled() {
            return JudgedUnit::default();
        }
        self.notify(unit, expanded.expansion.document.as_ref());
        let ExpandedUnit { expansion, scenarios, .. } = expanded;
        let (mut judged, document) = self.judge_expansion(unit, expansion, self.checker.keep_trees);
        let mut known = ReportedFindings::default();
        if let Some(mut document) = document {
            self.add_assumed(unit, &mut document, &mut judged, &mut known);
            judged.assign_linked(&document);
        }
        let mut lowered = Lowered { fixed: self.checker.fixed_severities, low: HashMap::default() };
        for scenario in &scenarios {
            let ExpandedUnit { expansion, assumed, .. } = self.expand_own(unit, Some(scenario), budget);
            let (other, _) = self.judge_expansion(unit, expansion, false);
            known.add(&mut judged.drafts, other.drafts, |draft| {
                let difference = assumed.difference(draft.resource.as_ref().map(|resource| &*resource.id), draft.span);
                lowered.qualify(draft, difference, |span| assumed.is_default(span))
            });
        }
        JudgedUnit { steps: budget.steps_taken(), wants_more: budget.wants_more(), ..judged }
    }

    /// Expands a unit without the problems of its frame, which has a job of its own. With the given values, a template
    /// that differs from its Bicep file is a problem, too.
    fn expand_own(&self, unit: &PlannedUnit<'_>, scenario: Option<&Scenario>, budget: &Budget<'_>) -> ExpandedUnit {
        let job = unit.job;
        let mut expanded = self.expander.expand_unit(unit, scenario, budget);
        let Expansion { issues, diagnostics, .. } = &mut expanded.expansion;
        issues.retain(|issue| job.owns(issue.span));
        diagnostics.retain(|problem| job.owns(problem.primary.span));
        if scenario.is_none() {
            issues.extend(
                job.stale.as_ref().map(|Stale { path, span, message }| {
                    Issue::new(STALE_OUTPUT, path.clone(), *span, message.clone())
                }),
            );
            issues.extend(self.trailing_commas(job));
        }
        expanded
    }

    /// Returns the findings about commas after the last member in a template of Resource Manager in JSON.
    fn trailing_commas(&self, job: &Job) -> Vec<Issue> {
        let file = job.template.file;
        let source = self.expander.sources.get(file);
        let is_json = Path::new(&**source.name()).extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
        if job.template.kind != Kind::Template || !is_json {
            return Vec::new();
        }
        let commas = json::trailing_commas(source.text(), MAX_COMMAS).into_iter();
        let spans = commas.filter_map(|at| u32::try_from(at).ok()).map(|at| Span::new(file, at, at + 1));
        let message = "the comma after the last member is refused by the portal and the Azure CLI; remove it";
        let issue = |span| Issue::new(TEMPLATE_TRAILING_COMMA, "", span, message);
        spans.filter(|span| job.owns(*span)).map(issue).collect()
    }

    /// Shows the observer an expansion.
    fn notify(&self, unit: &PlannedUnit<'_>, document: Option<&Document>) {
        let Some(document) = document else { return };
        let sources = self.expander.sources;
        self.checker.observer.expanded(&Sight {
            document,
            template: unit.job.template.file,
            parameters: unit.parameter_name(sources),
            place: &|span| unit.job.origins.span(span, sources),
            sources,
        });
    }

    /// Judges an expansion of a unit. Also returns the document, if there is one.
    fn judge_expansion(
        &self,
        unit: &PlannedUnit<'_>,
        expansion: Expansion,
        keeps_tree: bool,
    ) -> (JudgedUnit, Option<Document>) {
        let (job, sources) = (unit.job, self.expander.sources);
        let mut judged = JudgedUnit { is_whole: is_whole(&expansion) && job.gaps.is_none(), ..JudgedUnit::default() };
        let Expansion { document, issues, diagnostics } = self.without_explained(job, expansion);
        judged.diagnostics = diagnostics;
        let Some(document) = document else { return (judged, None) };
        let most = self.most(&document, job.template.file);
        let flood = Flood::new(most);
        let issues = self.govern(&document, issues, (&flood, most), &mut judged);
        judged.resources = document.resources.iter().filter(|resource| job.owns(resource.span)).count();
        let name = unit.parameter_name(sources);
        let indexed = keeps_tree.then(|| {
            let of = (job.template.file, name.as_ref());
            IndexedTree::from_document(&document, of, |span| job.origins.span(span, sources), sources)
        });
        let (drafts, problems) = self.drafts(unit, &document, issues, self.checker.checks, indexed.as_ref(), flood);
        judged.drafts = drafts;
        if let Some(gaps) = &job.gaps {
            judged.drafts.iter_mut().for_each(|drafts| drafts.retain(|draft| !gaps.explain_rule(&draft.rule.id)));
        }
        for mut problem in problems {
            job.origins.diagnostic(&mut problem, sources);
            judged.diagnostics.push(problem);
            judged.is_whole = false;
        }
        judged.tree = indexed.map(|indexed| indexed.tree);
        (judged, Some(document))
    }

    /// Removes the problems of checks that do not run, and those that unknown parts of a Bicep file explain. Adds the
    /// issues of the linter.
    fn without_explained(&self, job: &Job, mut expansion: Expansion) -> Expansion {
        let Expansion { issues, diagnostics, .. } = &mut expansion;
        let sources = self.expander.sources;
        drop_excluded(diagnostics, self.checker.checks);
        if let Some(gaps) = &job.gaps {
            issues.retain(|issue| !gaps.explain(issue.check, job.origins.span(issue.span, sources), sources));
            diagnostics.retain(|problem| !gaps.explain_problem(problem, sources));
        }
        // The linter looks at the files themselves, in which nothing is unknown.
        issues.extend(job.issues.iter().cloned());
        expansion
    }

    /// Adds the findings of the policies on a document to its issues, and counts those that are too many.
    fn govern(
        &self,
        document: &Document,
        mut issues: Vec<Issue>,
        (flood, most): (&Flood, usize),
        judged: &mut JudgedUnit,
    ) -> Vec<Issue> {
        let Some(policies) = &self.checker.policies else { return issues };
        let opinion = policies.opinion(document, most);
        issues.extend(opinion.issues);
        judged.is_whole &= opinion.diagnostics.is_empty();
        judged.diagnostics.extend(opinion.diagnostics);
        let selected = opinion.left_out.into_iter().filter(|(check, _)| self.checker.checks.contains_key(check));
        selected.for_each(|(check, count)| flood.count_dropped(check.id(), count));
        issues
    }

    /// Adds findings about several resources together that hold if an unknown condition does. For CloudFormation,
    /// scenarios do that.
    fn add_assumed(
        &self,
        unit: &PlannedUnit<'_>,
        document: &mut Document,
        judged: &mut JudgedUnit,
        known: &mut ReportedFindings,
    ) {
        let is_open = |draft: &Draft| draft.outcome == Outcome::Unknown;
        let (job, sources) = (unit.job, self.expander.sources);
        if job.template.kind == Kind::Stack || !judged.drafts.iter().flatten().any(is_open) {
            return;
        }
        let unknown = UnknownConditions::of_document(document);
        if let Some(mut problem) = unknown.problem() {
            job.origins.diagnostic(&mut problem, sources);
            judged.diagnostics.push(problem);
        }
        for shared in unknown.assumed {
            let authored = |span| job.origins.span(span, sources);
            let reason = Namer::new(document, &authored, sources).reason(&shared);
            let replaced = doubts::assume(document, &shared);
            let flood = Flood::new(self.most(document, job.template.file));
            let (mut others, _) = self.drafts(unit, document, Vec::new(), &Checks::default(), None, flood);
            // A resource under another condition may not be there together with these.
            for drafts in &mut others {
                drafts.retain(|draft| draft.qualifier.is_none());
            }
            known.add(&mut judged.drafts, others, |draft| {
                if let Some(reason) = &reason {
                    draft.qualifier = Some(reason.clone().into_boxed_str());
                }
                true
            });
            doubts::restore(document, replaced);
        }
    }

    /// Returns how many findings of an expansion are reported.
    fn most(&self, document: &Document, template: FileId) -> usize {
        let files = document.linked.iter().copied().chain([template]);
        flood::most(files.map(|file| self.expander.sources.get(file).text().len() as u64).sum())
    }

    /// Returns the findings of rules, and of these checks and issues, on a document, and the problems that some were
    /// too many or took too long.
    fn drafts(
        &self,
        unit: &PlannedUnit<'_>,
        document: &Document,
        issues: Vec<Issue>,
        checks: &Checks,
        indexed: Option<&IndexedTree>,
        flood: Flood,
    ) -> (Vec<Vec<Draft>>, Vec<Diagnostic>) {
        let (job, sources) = (unit.job, self.expander.sources);
        let source = sources.get(job.template.file);
        let parameters: Vec<_> = unit.parameters.iter().map(|file| file.parameter_set(sources).name).collect();
        let is_authored = fix::is_authored(job.template.kind, unit.template, &job.origins);
        let fixes = fix::Fixes::new(&job.origins, sources);
        let authored = |span| job.origins.span(span, sources);
        let drafting =
            Drafting::new(document, source.name(), &parameters, self.checker.keep_passed, &authored, sources);
        let draft = |verdict: Verdict| {
            let subjects = indexed.map(|indexed| indexed.subjects(&verdict));
            let fix = fixes.fix_for(&verdict).filter(|_| is_authored);
            let verdict = job.origins.verdict(verdict, sources);
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
        keys::leave_out_needed(&mut drafts, document);
        stand_ins::replace(&mut drafts, checks, sources);
        let of_stack = azure_stack::profile(document).map(|profile| azure_stack::leave_out(&mut drafts, profile));
        (drafts, exceeded.iter().map(|rule| exceeded_by(rule, whole)).chain(problem).chain(of_stack).collect())
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
