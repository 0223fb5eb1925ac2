//! A whole run: check every template, put the results in order, and apply the suppressions.
//!
//! # Invariants
//!
//! - A run asks only a [`Host`](crate::files::Host) which files there are and what they contain.
//! - Without the feature `system`, nothing needs an operating system.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use rayon::prelude::*;

use crate::diagnostic::{Analysed, Diagnostic, Finding, Level, NotChecked, Run, Shared, Summary};
use crate::engine::azure_policy::Governance;
use crate::engine::checker::Checker;
use crate::engine::detect::is_sam_config;
use crate::engine::fix;
use crate::engine::inputs::{Prepared, prepare};
use crate::engine::linked::{Merged, Pools, absorbed};
use crate::engine::merge::{merge_diagnostics, sort_diagnostics};
use crate::engine::overrides::refuse_undeclared;
use crate::engine::stable_paths::StablePaths;
use crate::engine::worker::{Part, Worker};
use crate::engine::{Inputs, RunError, Work, repeated, suppress};
use crate::path::normalize;
use crate::text::{FileId, Sources};

/// Checks everything that `inputs` name. `sources` holds the texts of rules and settings; those of the inputs are
/// added.
pub fn check(inputs: &Inputs<'_>, checker: &Checker<'_>, sources: Sources) -> Result<Run, RunError> {
    let threads = checker.threads;
    let before: HashSet<FileId> = sources.ids().collect();
    let prepared = threads.install(|| prepare(inputs, &sources));
    refuse_undeclared(inputs, &prepared)?;
    let Prepared { jobs, linker, mut diagnostics } = prepared;
    checker.observer.begin(jobs.len());
    let worker = Worker::new(inputs, checker, &sources, &linker);
    let (parts, unreadable) = threads.install(|| worker.check_all(jobs));
    diagnostics.extend(unreadable);
    diagnostics.extend(checker.policies.iter().flat_map(|policies| policies.diagnostics(inputs.shard)).cloned());
    let is_in_doubt = diagnostics.iter().any(|diagnostic| {
        let is_unread = diagnostic.level == Level::Error || diagnostic.not_checked == Some(NotChecked::BicepModule);
        is_unread && may_be_of_parameters(diagnostic, &sources)
    });

    let absorbed = absorbed(&parts.iter().map(Part::candidate).collect::<Vec<_>>());
    let mut summary = Summary { templates: parts.len(), rules: checker.infos.len(), ..Summary::default() };
    let mut pools = Pools::default();
    let mut analysed = Vec::new();
    let mut roots = HashSet::default();
    let mut trees = Vec::new();
    for (part, is_absorbed) in parts.into_iter().zip(absorbed) {
        let is_whole = part.analysed.is_whole && !is_in_doubt;
        analysed.push(Analysed { is_whole, ..part.analysed });
        if is_absorbed {
            continue;
        }
        roots.insert(Arc::clone(sources.get(part.file).name()));
        summary.deployments += part.deployments;
        summary.resources += part.resources;
        diagnostics.extend(part.diagnostics);
        trees.extend(part.trees);
        pools.add(part.file, part.drafts, part.linked_drafts, &sources);
    }
    let aliases = linker.aliases();
    // What is left are linked and compiled templates. What the findings need is copied.
    drop(linker);
    let paths = StablePaths::new(inputs.working, inputs.host);
    let Merged { findings, passed, faults } =
        threads.install(|| pools.merge(inputs.isolation, checker.keep_passed, |name| paths.of(name)));
    diagnostics.extend(faults);
    summary.passed = passed;
    for finding in &findings {
        summary.count(finding.outcome, finding.places());
    }
    let diagnostics = settled(diagnostics, &findings, &sources);
    summary.errors = diagnostics.iter().filter(|diagnostic| diagnostic.level == Level::Error).count();
    let (rules, shared) = (checker.infos.clone(), Shared { is_in_doubt, ..Shared::default() });
    let mut run = Run { sources, findings, diagnostics, rules, summary, analysed, trees, shared, ..Run::default() };
    threads.install(|| accept(&mut run, inputs, checker, &paths, &before, (&roots, &aliases)));
    if inputs.isolation.is_probe() {
        return Err(RunError::Probe);
    }
    fix::settle(&mut run.findings, &run.sources);
    Ok(run)
}

/// Returns the problems of a run, each once and in order, without those that repeat a finding.
fn settled(diagnostics: Vec<Diagnostic>, findings: &[Finding], sources: &Sources) -> Vec<Diagnostic> {
    let mut diagnostics = merge_diagnostics(diagnostics);
    repeated::leave_out(&mut diagnostics, findings, sources);
    sort_diagnostics(&mut diagnostics, sources);
    diagnostics
}

/// Suppresses what authors accept. `before` are the texts that were there before the run, and `roots` are the templates
/// that were checked on their own.
fn accept(
    run: &mut Run,
    inputs: &Inputs<'_>,
    checker: &Checker<'_>,
    paths: &StablePaths<'_>,
    before: &HashSet<FileId>,
    (roots, aliases): (&HashSet<Arc<str>>, &HashMap<PathBuf, Vec<PathBuf>>),
) {
    let context = suppress::Context {
        suppressing: checker.suppressing,
        checks: checker.checks,
        exemptions: checker.policies.as_ref().map_or_else(Vec::new, Governance::exemptions),
        roots,
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
        stable: &|name| paths.of(name),
    };
    let texts: Vec<FileId> = run.sources.ids().filter(|file| !before.contains(file)).collect();
    let of_texts = texts.into_par_iter().map(|file| suppress::of_text(run, file, &context)).collect();
    suppress::apply(run, of_texts, &context);
}

/// Returns `true` if a file that cannot be used may be a parameter file. Its template is then unknown, so a baseline
/// cannot rely on findings being absent.
fn may_be_of_parameters(problem: &Diagnostic, sources: &Sources) -> bool {
    let name = sources.get(problem.primary.span.file).name().to_lowercase();
    name.ends_with(".bicepparam") || name.contains("parameters") || is_sam_config(Path::new(&name))
}
