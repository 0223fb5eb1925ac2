//! Suppressions: finds those in comments and metadata, adds those of the settings, and applies all of them to a run.
//!
//! A suppression in a file covers text: the findings that are reported in it, and those about a resource that is
//! declared in it. So Bicep, whose findings are mapped to the source before, needs nothing of its own but a parser.
//!
//! # Invariant
//!
//! A suppression is reported as unused only if everything that it covers was checked in full (`Extent`).

mod bicep;
mod collect;
mod comment;
mod covered;
mod directive;
mod elements;
mod exemptions;
mod foreign;
mod judge;
mod known;
mod metadata;
mod settings;

use std::sync::Arc;

use chrono::NaiveDate;
use foldhash::HashSet;

use crate::config::ScopedSuppression;
use crate::diagnostic::{Label, Run, Suppressed, Suppression};
use crate::engine::Checks;
use crate::engine::merge::sort_diagnostics;
use crate::text::Span;

pub(super) use self::collect::{Collected, of_text};
#[cfg(test)]
pub(super) use self::judge::draft;
pub(super) use self::known::KnownRules;

use self::judge::Judge;

/// Part of a repository that a run checks, which decides what an unused suppression means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// Only what a change affects, or templates with other values than those of their files. Nothing is unused.
    Part,
    /// Some templates, each in full. What else uses their modules is unknown.
    #[default]
    Templates,
    /// All templates of the repository, with whatever uses them.
    Everything,
}

/// Suppressions of the settings, and data about the run that they need.
#[derive(Clone, Debug, Default)]
pub struct Suppressing {
    /// The suppressions of the settings.
    pub settings: Vec<ScopedSuppression>,
    /// The current date. `None` where it is not known; then nothing expires.
    pub today: Option<NaiveDate>,
    /// All rules that a suppression may name.
    pub known: KnownRules,
    /// Part of the repository that is checked.
    pub extent: Extent,
}

/// The findings that a suppression covers.
#[derive(Debug)]
enum Coverage {
    /// Findings in `places`, and findings about resources that are declared in `declared`.
    Text { places: Vec<Span>, declared: Arc<[Span]> },
    /// Findings in the scope of the suppression of the settings with this index.
    Settings(usize),
    /// Findings with the label of an exemption. After it has expired, its findings have the label `expired` and are not
    /// covered. `is_needless` if the run shows that there can be none.
    Exemption { label: Label, expired: Label, is_needless: bool },
}

/// A suppression in a run.
#[derive(Debug)]
struct CollectedSuppression {
    suppression: Suppression,
    coverage: Coverage,
    /// True for each of its rules that a finding matched.
    is_matched: Vec<bool>,
}

/// An exemption from an Azure policy, with the results of a run about it.
#[derive(Clone, Debug)]
pub(super) struct Exempting {
    pub(super) suppression: Suppression,
    /// Label of the findings that it covers.
    pub(super) label: Label,
    /// Label of the findings that it covered until it expired.
    pub(super) expired: Label,
    /// True if its target was checked, and complies without it.
    pub(super) is_needless: bool,
}

/// Data about a run and its templates, for suppressions.
pub(super) struct Context<'a> {
    pub(super) suppressing: &'a Suppressing,
    pub(super) checks: &'a Checks,
    /// The exemptions from the Azure policies of the run.
    pub(super) exemptions: Vec<Exempting>,
    /// The templates that were checked on their own.
    pub(super) roots: &'a HashSet<Arc<str>>,
    pub(super) nesting: u32,
    /// Does the work on a file, so that a defect of formwork costs no more than this work.
    pub(super) isolated: &'a (dyn Fn(&str, &mut (dyn FnMut() + Send)) + Sync),
    /// The absolute paths that lead to a file, by its name: its own, and those through links.
    pub(super) reached: &'a (dyn Fn(&str) -> Vec<std::path::PathBuf> + Sync),
    /// The path of a file for fingerprints, by its name.
    pub(super) stable: &'a (dyn Fn(&str) -> String + Sync),
}

/// Suppresses findings of a run, and adds the findings about the suppressions themselves. `of_texts` are those in the
/// texts of the run, in the order of these.
pub(super) fn apply(run: &mut Run, of_texts: Vec<Collected>, context: &Context<'_>) {
    let Collected { mut entries, invalid, notes } = collect::all(of_texts, context);
    if !notes.is_empty() {
        run.diagnostics.extend(notes);
        sort_diagnostics(&mut run.diagnostics, &run.sources);
    }
    let by_texts = covered::by_texts(&mut entries, &run.findings, context.suppressing.today);
    let (by_settings, problem) = settings::complete(by_texts, &mut entries, run, context);
    if let Some(problem) = problem {
        run.summary.errors += 1;
        run.diagnostics.push(problem);
        sort_diagnostics(&mut run.diagnostics, &run.sources);
    }
    let by = exemptions::complete(by_settings, &mut entries, &run.findings);
    let Run { findings, summary, .. } = run;
    for (finding, at) in findings.iter_mut().zip(by) {
        let Some(entry) = at.and_then(|at| entries.get(at)) else { continue };
        let Suppression { kind, reason, place, .. } = &entry.suppression;
        summary.forget(finding.outcome, finding.places());
        finding.suppress(Suppressed { kind: *kind, reason: reason.clone(), place: Some(*place) });
        summary.count(finding.outcome, finding.places());
    }
    let judge = Judge::new(run, context);
    run.shared.is_everything = judge.is_all();
    judge.report(&entries, invalid, run);
}

impl CollectedSuppression {
    fn new(suppression: Suppression, coverage: Coverage) -> Self {
        let is_matched = vec![false; suppression.rules.len()];
        Self { suppression, coverage, is_matched }
    }
}
