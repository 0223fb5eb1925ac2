//! Merges the findings of all templates of a run, and applies its suppressions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use rayon::prelude::*;

use crate::diagnostic::{Analysed, Diagnostic, Finding, Level, ResourceTree, Run, Shared, Summary};
use crate::engine::azure_policy::Governance;
use crate::engine::checker::Checker;
use crate::engine::linked::{Merged, Pools, absorbed};
use crate::engine::merge::{merge_diagnostics, sort_diagnostics};
use crate::engine::run::accepted::SuppressedRun;
use crate::engine::run::judged::{JudgedRun, JudgedTemplate};
use crate::engine::stable_paths::StablePaths;
use crate::engine::{Inputs, Work, fix, repeated, suppress, twins};
use crate::path::normalize;
use crate::text::{FileId, Sources};

/// A run in which each finding is listed once, with all deployments that it holds for. Nothing is suppressed yet.
pub(super) struct MergedRun<'a> {
    run: Run,
    inputs: &'a Inputs<'a>,
    checker: &'a Checker<'a>,
    paths: StablePaths<'a>,
    /// The templates that were checked on their own.
    roots: HashSet<Arc<str>>,
    /// The other paths that lead to files of the run, by the path that it has.
    aliases: HashMap<PathBuf, Vec<PathBuf>>,
}

impl<'a> MergedRun<'a> {
    /// Merges the findings and the problems of a run. `sources` has its texts.
    pub(super) fn new(judged: JudgedRun, inputs: &'a Inputs<'a>, checker: &'a Checker<'a>, sources: Sources) -> Self {
        let JudgedRun { templates, mut diagnostics, twins, is_in_doubt, aliases } = judged;
        let gathered = Gathered::new(templates, is_in_doubt, &sources);
        let paths = StablePaths::new(inputs.working, inputs.host);
        let Merged { mut findings, passed, faults } =
            gathered.pools.merge(inputs.isolation, checker.keep_passed, |name| paths.stable_path(name));
        twins::leave_out(&mut findings, &twins);
        diagnostics.extend(gathered.diagnostics);
        diagnostics.extend(faults);
        let diagnostics = merge_problems(diagnostics, &findings, &sources);
        let mut summary = Summary { rules: checker.infos.len(), passed, ..gathered.summary };
        for finding in &findings {
            summary.count(finding.outcome, finding.places());
        }
        summary.errors = diagnostics.iter().filter(|diagnostic| diagnostic.level == Level::Error).count();
        let run = Run {
            sources,
            findings,
            diagnostics,
            rules: checker.infos.clone(),
            summary,
            analysed: gathered.analysed,
            trees: gathered.trees,
            shared: Shared { is_in_doubt, ..Shared::default() },
            ..Run::default()
        };
        Self { run, inputs, checker, paths, roots: gathered.roots, aliases }
    }

    /// Suppresses what authors accept in the texts of the run and in its settings. `own_texts` are those of rules and
    /// settings, which have no suppressions.
    pub(super) fn suppress(self, own_texts: &HashSet<FileId>) -> SuppressedRun {
        let Self { mut run, inputs, checker, paths, roots, aliases } = self;
        let context = suppress::Context {
            suppressing: checker.suppressing,
            checks: checker.checks,
            exemptions: checker.policies.as_ref().map_or_else(Vec::new, Governance::exemptions),
            roots: &roots,
            nesting: inputs.limits.nesting,
            isolated: &|name, work| {
                // A failure costs the suppressions in one file: its findings are reported.
                let _ = inputs.isolation.run(Work::Finish, name, work);
            },
            reached: &|name| {
                let path = normalize(inputs.working, Path::new(name));
                let others = aliases.get(&path).cloned().unwrap_or_default();
                std::iter::once(path).chain(others).collect()
            },
            stable: &|name| paths.stable_path(name),
        };
        let texts: Vec<FileId> = run.sources.ids().filter(|file| !own_texts.contains(file)).collect();
        let of_texts = texts.into_par_iter().map(|file| suppress::of_text(&run, file, &context)).collect();
        suppress::apply(&mut run, of_texts, &context);
        fix::drop_contradictions(&mut run.findings, &run.sources);
        SuppressedRun::new(run)
    }
}

/// Results of the templates of a run, together.
#[derive(Default)]
struct Gathered {
    summary: Summary,
    pools: Pools,
    analysed: Vec<Analysed>,
    roots: HashSet<Arc<str>>,
    trees: Vec<ResourceTree>,
    diagnostics: Vec<Diagnostic>,
}

impl Gathered {
    /// Gathers the results of the templates, without those that are checked as a part of others.
    fn new(templates: Vec<JudgedTemplate>, is_in_doubt: bool, sources: &Sources) -> Self {
        let absorbed = absorbed(&templates.iter().map(JudgedTemplate::candidate).collect::<Vec<_>>());
        let mut all = Self::default();
        all.summary.templates = templates.len();
        for (template, is_absorbed) in templates.into_iter().zip(absorbed) {
            let is_whole = template.analysed.is_whole && !is_in_doubt;
            all.analysed.push(Analysed { is_whole, ..template.analysed });
            if is_absorbed {
                continue;
            }
            all.roots.insert(Arc::clone(sources.get(template.file).name()));
            all.summary.deployments += template.deployments;
            all.summary.resources += template.resources;
            all.diagnostics.extend(template.diagnostics);
            all.trees.extend(template.trees);
            all.pools.add(template.file, template.drafts, template.linked_drafts, sources);
        }
        all
    }
}

/// Returns the problems of a run, each once and in order, without those that repeat a finding.
fn merge_problems(diagnostics: Vec<Diagnostic>, findings: &[Finding], sources: &Sources) -> Vec<Diagnostic> {
    let mut diagnostics = merge_diagnostics(diagnostics);
    repeated::leave_out(&mut diagnostics, findings, sources);
    sort_diagnostics(&mut diagnostics, sources);
    diagnostics
}
