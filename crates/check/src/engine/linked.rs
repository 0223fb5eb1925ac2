//! Linked templates: which are checked as a part of those that link to them, and what belongs to them.
//!
//! A template that another one of the run deploys is checked with the values that it gets there. On its own, it would
//! be checked with its defaults, which are often placeholders. What several templates find in one linked template is
//! one finding.
//!
//! # Invariant
//!
//! Expansions decide which template is checked on its own, and the graph does not, so each template is checked
//! somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use rayon::prelude::*;

use crate::diagnostic::{Diagnostic, Finding, Outcome};
use crate::engine::findings::{Draft, Property};
use crate::engine::isolation::{Isolation, Work};
use crate::engine::merge::{merge, merge_linked};
use crate::engine::sorted_set::SortedSet;
use crate::model::Document;
use crate::text::{FileId, Sources};

/// A template of a run, for the decision whether it is checked on its own.
#[derive(Debug)]
pub(super) struct Candidate<'a> {
    pub(super) file: FileId,
    /// True if the template is checked on its own in any case: the user named it, or it has parameter files.
    pub(super) is_independent: bool,
    /// The linked templates that its expansion contains.
    pub(super) linked: &'a [FileId],
}

/// Returns, for each template, `true` if it is checked only as a part of others. The decision depends on the content of
/// expansions, so a template behind a link that no deployment follows is checked on its own. Of templates that link to
/// each other, the first is checked on its own, unless a template outside of the cycle links to one of them.
pub(super) fn absorbed(candidates: &[Candidate<'_>]) -> Vec<bool> {
    let mut decision = Decision::new(candidates);
    for (at, candidate) in candidates.iter().enumerate() {
        if candidate.is_independent {
            decision.keep(at);
        }
    }
    // A template with no undecided template that links to it is taken first, as its own links are not absorbed either.
    while let Some(at) = decision.next() {
        decision.keep(at);
    }
    decision.states.iter().map(|state| *state == State::Absorbed).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Undecided,
    Independent,
    Absorbed,
}

/// The decisions so far, with positions in the list of templates.
struct Decision {
    states: Vec<State>,
    /// The templates that each links to.
    links: Vec<Vec<usize>>,
    /// Number of undecided templates that link to each.
    waiting: Vec<usize>,
    /// The undecided templates that no undecided one links to.
    ready: BTreeSet<usize>,
    undecided: BTreeSet<usize>,
}

impl Decision {
    fn new(candidates: &[Candidate<'_>]) -> Self {
        let index: HashMap<FileId, usize> = candidates.iter().map(|candidate| candidate.file).zip(0..).collect();
        let links = candidates.iter().enumerate().map(|(at, candidate)| {
            let targets = candidate.linked.iter().filter_map(|file| index.get(file).copied());
            let targets: BTreeSet<usize> = targets.filter(|target| *target != at).collect();
            targets.into_iter().collect::<Vec<_>>()
        });
        let links: Vec<Vec<usize>> = links.collect();
        let mut waiting = vec![0; candidates.len()];
        for &target in links.iter().flatten() {
            if let Some(count) = waiting.get_mut(target) {
                *count += 1;
            }
        }
        let undecided: BTreeSet<usize> = (0..candidates.len()).collect();
        let ready = undecided.iter().copied().filter(|&at| waiting.get(at) == Some(&0)).collect();
        Self { states: vec![State::Undecided; candidates.len()], links, waiting, ready, undecided }
    }

    fn next(&self) -> Option<usize> {
        self.ready.first().or_else(|| self.undecided.first()).copied()
    }

    /// Decides that a template is checked on its own, and that those it links to need not be.
    fn keep(&mut self, at: usize) {
        self.decide(at, State::Independent);
        for target in self.links.get(at).cloned().unwrap_or_default() {
            if self.undecided.contains(&target) {
                self.decide(target, State::Absorbed);
            }
        }
    }

    fn decide(&mut self, at: usize, state: State) {
        if let Some(old) = self.states.get_mut(at) {
            *old = state;
        }
        // An independent template may have been absorbed by one before it.
        if !self.undecided.remove(&at) {
            return;
        }
        self.ready.remove(&at);
        for &target in self.links.get(at).into_iter().flatten() {
            let Some(count) = self.waiting.get_mut(target) else { continue };
            *count -= 1;
            if *count == 0 && self.undecided.contains(&target) {
                self.ready.insert(target);
            }
        }
    }
}

/// The linked templates of a document.
#[derive(Debug)]
pub(super) struct Homes<'a> {
    files: HashSet<FileId>,
    /// The files of linked templates by the path of their deployment.
    roots: HashMap<&'a str, FileId>,
}

impl<'a> Homes<'a> {
    pub(super) fn from_document(document: &'a Document) -> Self {
        let files: HashSet<FileId> = document.linked.iter().copied().collect();
        let mut roots = HashMap::default();
        if files.is_empty() {
            return Self { files, roots };
        }
        for deployment in &document.deployments {
            let Some(file) = deployment.template.span.map(|span| span.file).filter(|file| files.contains(file)) else {
                continue;
            };
            let outer = deployment.resource.map(|id| document.deployment(document.resource(id).deployment));
            let outer = outer.and_then(|outer| outer.template.span);
            if outer.is_none_or(|outer| outer.file != file) {
                roots.insert(deployment.path.as_str(), file);
            }
        }
        Self { files, roots }
    }

    /// Returns the linked template that a draft belongs to. `None` if it belongs to the root template. The draft is
    /// then recognized by its position in the linked template, whichever template links to it.
    pub(super) fn claim(&self, draft: &mut Draft) -> Option<FileId> {
        if self.files.is_empty() {
            return None;
        }
        let anchor = &mut draft.anchor;
        let is_of_resource = !anchor.home.path.is_empty();
        let path = if is_of_resource { &anchor.home.path } else { &draft.path };
        let ends = path.match_indices("template").map(|(at, found)| at + found.len());
        let root =
            ends.collect::<Vec<_>>().into_iter().rev().find_map(|end| self.roots.get_key_value(path.get(..end)?));
        let Some((root, file)) = root else {
            return Some(draft.span.file).filter(|file| self.files.contains(file));
        };
        let local = |path: &str| {
            let rest = path.strip_prefix(root);
            rest.map_or(path, |rest| rest.strip_prefix('.').unwrap_or(rest)).to_owned()
        };
        if is_of_resource {
            let home = Arc::make_mut(&mut anchor.home);
            if home.name == home.path {
                home.name = local(&home.name);
                draft.names = SortedSet::from_iter([home.name.clone()]);
            }
            home.path = local(&home.path);
        } else {
            draft.names = SortedSet::from_iter([String::new()]);
            let property = draft.place("")[2];
            draft.anchor.property = Property::Text(local(property).into());
        }
        Some(*file)
    }
}

/// Appends `more` to `all`. What one long template gives is never copied.
fn append<T>(all: &mut Vec<T>, more: Vec<T>) {
    if all.capacity() == 0 {
        *all = more;
    } else {
        all.extend(more);
    }
}

/// The drafts of a run, by the template that they belong to.
#[derive(Debug, Default)]
pub(super) struct Pools {
    pools: BTreeMap<Arc<str>, Pool>,
}

#[derive(Debug)]
struct Pool {
    file: FileId,
    drafts: Vec<Draft>,
    is_linked: bool,
}

impl Pools {
    /// Adds what one template that is checked on its own gives: `drafts` that belong to it, and `linked` that belong to
    /// linked templates.
    pub(super) fn add(&mut self, file: FileId, drafts: Vec<Draft>, linked: Vec<(FileId, Draft)>, sources: &Sources) {
        append(&mut self.pool(file, sources).drafts, drafts);
        for (file, draft) in linked {
            let pool = self.pool(file, sources);
            pool.drafts.push(draft);
            pool.is_linked = true;
        }
    }

    fn pool(&mut self, file: FileId, sources: &Sources) -> &mut Pool {
        let name = Arc::clone(sources.get(file).name());
        self.pools.entry(name).or_insert(Pool { file, drafts: Vec::new(), is_linked: false })
    }

    /// Merges the drafts of each template. `path` returns the path of a template for fingerprints by its name. What
    /// passed is only counted, unless it is kept.
    pub(super) fn merge(
        self,
        isolation: &Isolation,
        keep_passed: bool,
        path: impl Fn(&str) -> String + Sync,
    ) -> Merged {
        let pools: Vec<(Arc<str>, Pool)> = self.pools.into_iter().collect();
        let merged = pools.into_par_iter().map(|(name, pool)| {
            let merge = if pool.is_linked { merge_linked } else { merge };
            let merged = isolation.run(Work::Finish, &name, || merge(pool.drafts, &path(&name)));
            let mut findings = merged.map_err(|failure| failure.diagnostic(pool.file))?;
            let all = findings.len();
            findings.retain(|finding| keep_passed || finding.outcome != Outcome::Passed);
            Ok((all - findings.len(), findings))
        });
        let parts: Vec<Result<(usize, Vec<Finding>), Diagnostic>> = merged.collect();
        let total: usize = parts.iter().flatten().map(|(_, findings)| findings.len()).sum();
        let mut merged = Merged::default();
        for part in parts {
            match part {
                Ok((passed, findings)) => {
                    merged.passed += passed;
                    if findings.len() < total {
                        merged.findings.reserve_exact(total - merged.findings.len());
                    }
                    append(&mut merged.findings, findings);
                }
                Err(fault) => merged.faults.push(fault),
            }
        }
        merged.findings.sort_by(|a, b| a.template.cmp(&b.template));
        merged
    }
}

/// Findings of a run, merged from its drafts.
#[derive(Debug, Default)]
pub(super) struct Merged {
    /// Findings, ordered by template.
    pub(super) findings: Vec<Finding>,
    /// Number of verdicts that passed and are not among the findings.
    pub(super) passed: usize,
    /// The problems of templates on which formwork fails.
    pub(super) faults: Vec<Diagnostic>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The templates of `0`, `1`, … that are checked on their own, if each links to those in its row.
    #[track_caller]
    fn check(links: &[&[usize]], independent: &[usize], expected: &[usize]) {
        let sources = Sources::new();
        let files: Vec<FileId> = (0..links.len()).map(|at| sources.add(format!("{at}"), "")).collect();
        let linked: Vec<Vec<FileId>> =
            links.iter().map(|targets| targets.iter().map(|&target| files[target]).collect()).collect();
        let candidates = files.iter().zip(&linked).enumerate();
        let candidates = candidates.map(|(at, (&file, linked))| Candidate {
            file,
            is_independent: independent.contains(&at),
            linked,
        });
        let absorbed = absorbed(&candidates.collect::<Vec<_>>());
        let own: Vec<usize> = (0..links.len()).filter(|&at| !absorbed[at]).collect();
        assert_eq!(own, expected);
    }

    #[test]
    fn a_template_is_absorbed_by_those_that_link_to_it() {
        check(&[&[], &[0], &[]], &[], &[1, 2]);
        // The expansion of the last contains all of them.
        check(&[&[], &[0], &[0, 1]], &[], &[2]);
    }

    #[test]
    fn what_no_expansion_that_counts_contains_is_checked_on_its_own() {
        // On its own, 1 links to 2 and 3, but not as a part of 0.
        check(&[&[1], &[2, 3], &[3], &[]], &[], &[0, 2]);
    }

    #[test]
    fn of_a_cycle_the_first_is_checked_on_its_own() {
        check(&[&[1], &[0]], &[], &[0]);
        check(&[&[1], &[0], &[0, 1]], &[], &[2]);
        check(&[&[0]], &[], &[0]);
    }

    #[test]
    fn a_template_that_was_named_is_checked_on_its_own() {
        check(&[&[], &[0]], &[0], &[0, 1]);
        check(&[&[1], &[0]], &[1], &[1]);
    }
}
