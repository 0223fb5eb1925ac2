//! Suppressions: finds those in comments and metadata, adds those of the settings, and applies all of them to a run.
//!
//! A suppression in a file covers text: the findings that are reported in it, and those about a resource that is declared
//! in it. So Bicep, whose findings are mapped to the source before, needs nothing of its own but a parser.

#[cfg(feature = "cli")]
mod bicep;
mod collect;
mod comment;
mod elements;
mod foreign;
mod judge;
mod known;
mod metadata;

use std::sync::Arc;

use chrono::NaiveDate;
use foldhash::{HashMap, HashSet};

#[cfg(feature = "cli")]
use crate::config::ScopedSuppression;
use crate::diagnostic::{Finding, Outcome, RulePattern, Run, Suppressed, Suppression};
use crate::engine::Checks;
use crate::engine::merge::sort_diagnostics;
use crate::text::{FileId, Span};

pub(super) use self::collect::{Collected, of_text};
pub(super) use self::known::Known;

use self::judge::Judge;

/// How much of a repository a run checks, which decides what an unused suppression means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Only what a change affects, or templates with other values than those of their files. Nothing is unused.
    Part,
    /// Some templates, each in full. What else uses their modules is unknown.
    #[default]
    Templates,
    /// All templates of the repository, with whatever uses them.
    Everything,
}

/// What a run knows about suppressions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suppressing {
    /// The suppressions of the settings.
    #[cfg(feature = "cli")]
    pub settings: Vec<ScopedSuppression>,
    /// The current date. `None` where it is not known; then nothing expires.
    pub today: Option<NaiveDate>,
    /// All rules that a suppression may name.
    pub known: Known,
    /// How much is checked.
    pub extent: Extent,
}

/// The findings that a suppression covers.
#[derive(Debug)]
enum Coverage {
    /// Those in these texts, and those about resources that are declared in the second ones.
    Text { places: Vec<Span>, declared: Vec<Span> },
    /// Those that fit the scope of a suppression in the settings, by its index.
    #[cfg(feature = "cli")]
    Settings(usize),
}

/// A suppression in a run.
#[derive(Debug)]
struct Entry {
    suppression: Suppression,
    coverage: Coverage,
    /// For each of its rules, whether a finding matched.
    is_matched: Vec<bool>,
}

/// What the run says about its templates, for suppressions.
pub(super) struct Context<'a> {
    pub(super) suppressing: &'a Suppressing,
    pub(super) checks: &'a Checks,
    /// The templates that were checked on their own.
    pub(super) roots: &'a HashSet<Arc<str>>,
    pub(super) nesting: u32,
    /// Does the work on a file, so that a defect of formwork costs no more than this work.
    pub(super) isolated: &'a (dyn Fn(&str, &mut (dyn FnMut() + Send)) + Sync),
    /// The absolute path of a file, by its name.
    #[cfg(feature = "cli")]
    pub(super) absolute: &'a (dyn Fn(&str) -> std::path::PathBuf + Sync),
    /// The path of a file for fingerprints, by its name.
    pub(super) stable: &'a (dyn Fn(&str) -> String + Sync),
}

/// Suppresses findings of a run, and adds the findings about the suppressions themselves. `of_texts` are those in the texts
/// of the run, in the order of these.
pub(super) fn apply(run: &mut Run, of_texts: Vec<Collected>, context: &Context<'_>) {
    let Collected { mut entries, invalid, notes } = collect::all(of_texts, context);
    if !notes.is_empty() {
        run.diagnostics.extend(notes);
        sort_diagnostics(&mut run.diagnostics, &run.sources);
    }
    let index = Index::new(&entries);
    let Run { findings, summary, sources, .. } = run;
    let is_open = |finding: &&mut Finding| matches!(finding.outcome, Outcome::Failed | Outcome::Unknown);
    for finding in findings.iter_mut().filter(is_open) {
        let name = sources.get(finding.span.file).name().clone();
        let mut first = None;
        // All that match are asked, so that none of them counts as unused.
        for at in index.candidates(finding) {
            let by = entries.get_mut(at).and_then(|entry| entry.matches(finding, &name, context));
            first = first.or(by);
        }
        if let Some(by) = first {
            summary.forget(finding.outcome);
            finding.suppress(by);
            summary.count(finding.outcome);
        }
    }
    let judge = Judge::new(run, context);
    run.shared.is_everything = judge.is_all();
    judge.report(&entries, invalid, run);
}

impl Entry {
    fn new(suppression: Suppression, coverage: Coverage) -> Self {
        let is_matched = vec![false; suppression.rules.len()];
        Self { suppression, coverage, is_matched }
    }

    /// What suppresses a finding, if this does. Notes which of its rules the finding is of.
    fn matches(&mut self, finding: &Finding, name: &str, context: &Context<'_>) -> Option<Suppressed> {
        let Suppression { kind, rules, reason, place, .. } = &self.suppression;
        let is_of = |pattern: &RulePattern| pattern.matches(&finding.rule);
        let covers = || self.coverage.covers(finding, name, context);
        let is_text = matches!(self.coverage, Coverage::Text { .. });
        // Places are quicker to compare than names, and globs are not.
        if is_text && !covers() || !rules.iter().any(is_of) || !is_text && !covers() {
            return None;
        }
        for (is_matched, pattern) in self.is_matched.iter_mut().zip(rules) {
            *is_matched |= is_of(pattern);
        }
        let by = Suppressed { kind: *kind, reason: reason.clone(), place: Some(*place) };
        self.suppression.holds(context.suppressing.today).then_some(by)
    }
}

impl Coverage {
    #[cfg_attr(not(feature = "cli"), expect(unused_variables, reason = "only settings have globs"))]
    fn covers(&self, finding: &Finding, name: &str, context: &Context<'_>) -> bool {
        match self {
            Self::Text { places, declared } => {
                let begins_in = |text: &Span| {
                    text.file == finding.span.file && (text.start..=text.end).contains(&finding.span.start)
                };
                let resource = finding.resource.as_ref().and_then(|resource| resource.declared);
                let is_declared_in = |text: &Span| resource.is_some_and(|resource| text.contains(resource));
                places.iter().any(begins_in) || declared.iter().any(is_declared_in)
            }
            #[cfg(feature = "cli")]
            Self::Settings(at) => {
                let scoped = context.suppressing.settings.get(*at);
                scoped.is_some_and(|scoped| scoped.scope.covers(finding, name, &|name| (context.absolute)(name)))
            }
        }
    }
}

/// Finds the suppressions that may cover a finding.
struct Index {
    /// By the files of the texts that they cover.
    by_file: HashMap<FileId, Vec<usize>>,
    /// Those of the settings.
    anywhere: Vec<usize>,
}

impl Index {
    fn new(entries: &[Entry]) -> Self {
        let mut index = Self { by_file: HashMap::default(), anywhere: Vec::new() };
        for (at, entry) in entries.iter().enumerate() {
            match &entry.coverage {
                Coverage::Text { .. } => index.by_file.entry(entry.suppression.place.file).or_default().push(at),
                #[cfg(feature = "cli")]
                Coverage::Settings(_) => index.anywhere.push(at),
            }
        }
        index
    }

    /// Those in the file of a finding and in that of its resource, and then those of the settings.
    fn candidates(&self, finding: &Finding) -> impl Iterator<Item = usize> {
        let (own, resource) = (finding.span.file, finding.resource.as_ref().and_then(|resource| resource.declared));
        let other = resource.map(|resource| resource.file).filter(|file| *file != own);
        let in_texts = [Some(own), other].into_iter().flatten().filter_map(|file| self.by_file.get(&file));
        in_texts.flatten().chain(&self.anywhere).copied()
    }
}
