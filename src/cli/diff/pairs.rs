//! Pairs the deployments of both sides, and compares them, one pair after the other: of each only the difference is kept.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::cli::diff::shown::{Place, Surroundings};
use crate::cli::diff::sides::{Side, Sides};
use crate::diagnostic::{Diagnostic, Level, Severity};
use crate::diff::{self, Cause, Difference, Outcome, ResourceChange, Room};
use crate::engine::{Closed, Deployed, Deployment, Deployments};

/// What is known of a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// Both sides have it, and no resource differs.
    Same,
    /// Both sides have it.
    Changed,
    /// Only the new side has it.
    New,
    /// Only the old side has it.
    Removed,
    /// One side has it, and on the other one its files are there and cannot be used.
    Unreadable,
}

/// The names of the template and of the parameter file of a deployment.
pub(super) type Names = (String, Option<String>);

/// One deployment on both sides.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) status: Status,
    /// What it is called, on the new side if it is there.
    pub(super) names: Names,
    /// What it was called on the old side, if that was something else.
    pub(super) old_names: Option<Names>,
    pub(super) difference: Difference,
    /// What is around each resource of the difference.
    surroundings: Vec<Surroundings>,
    /// Where the value of each cause of the difference is written.
    causes: Vec<Option<Place>>,
}

impl Pair {
    /// The resources that differ, each with what is around it.
    pub(super) fn resources(&self) -> impl Iterator<Item = (&ResourceChange, &Surroundings)> {
        self.difference.resources.iter().zip(&self.surroundings)
    }

    /// The parameters that explain changes, each with the place of its value.
    pub(super) fn causes(&self) -> impl Iterator<Item = (&Cause, Option<&Place>)> {
        self.difference.causes.iter().zip(self.causes.iter().map(Option::as_ref))
    }
}

/// All deployments of both sides.
#[derive(Debug)]
pub(super) struct Comparison {
    /// By the paths of their files.
    pub(super) pairs: Vec<Pair>,
    /// How many templates and parameter files were not expanded, because the change cannot touch them.
    pub(super) untouched: usize,
    /// What could not be read or evaluated on the old and on the new side.
    pub(super) diagnostics: [Vec<Diagnostic>; 2],
}

impl Comparison {
    /// Whether there is a difference. What cannot be read is none.
    pub(super) fn differs(&self) -> bool {
        self.pairs.iter().any(|pair| !matches!(pair.status, Status::Same | Status::Unreadable))
    }

    /// How many deployments have a status.
    pub(super) fn count(&self, status: Status) -> usize {
        self.pairs.iter().filter(|pair| pair.status == status).count()
    }

    /// The highest severity of a risk.
    pub(super) fn worst_risk(&self) -> Option<Severity> {
        let severities = [Severity::High, Severity::Medium, Severity::Low].into_iter();
        severities.into_iter().find(|severity| self.risks(*severity) > 0)
    }

    /// How many risks have a severity, in all deployments.
    pub(super) fn risks(&self, severity: Severity) -> usize {
        self.pairs.iter().map(|pair| pair.difference.risks(severity)).sum()
    }

    /// How many resources have an outcome, in all deployments.
    pub(super) fn resources(&self, outcome: Outcome) -> usize {
        self.pairs.iter().map(|pair| pair.difference.count(outcome)).sum()
    }
}

/// What identifies a deployment on both sides: the template and the parameter file, relative to the roots, and the environment.
type Key = (PathBuf, Option<PathBuf>, Option<String>);

/// A deployment by the positions that it has on the old and on the new side.
struct Match<'a> {
    key: Key,
    old: Option<&'a Deployment>,
    new: Option<&'a Deployment>,
}

/// Compares the deployments of both sides.
pub(super) fn compare<'d>(sides: &Sides, mut old: Deployments<'d>, mut new: Deployments<'d>) -> Comparison {
    let (old_list, new_list) = (old.list(), new.list());
    let mut matches = matched(sides, &old_list, &new_list);
    matches.sort_by_cached_key(|found| found.names(sides));
    let mut room = Room::default();
    let mut compared = Vec::with_capacity(matches.len());
    // Each comparison expands both sides at the same time.
    let at_once = (rayon::current_num_threads() / 2).clamp(1, MAX_AT_ONCE);
    let mut resources = 0;
    for part in matches.chunks(at_once) {
        let is_full = resources > MAX_RESOURCES;
        let both: Vec<_> = part.par_iter().map(|found| expand([&old, &new], [found.old, found.new], is_full)).collect();
        let documents = both.iter().flatten().flatten().filter_map(|deployed| deployed.document.as_ref());
        resources += documents.map(|document| document.resources.len()).sum::<usize>();
        for (found, [mut before, mut after]) in part.iter().zip(both) {
            found
                .old
                .zip(before.as_mut())
                .into_iter()
                .for_each(|(deployment, deployed)| old.note(deployment, deployed));
            found.new.zip(after.as_mut()).into_iter().for_each(|(deployment, deployed)| new.note(deployment, deployed));
            compared.push(difference(sides, [before.as_ref(), after.as_ref()], &mut room));
        }
    }
    let closed = [old.close(), new.close()];
    let judge = Judge { sides, deployments: [&old, &new], closed: &closed };
    let pairs =
        matches.iter().zip(compared).filter_map(|(found, compared)| judge.pair(found, compared, &mut room)).collect();
    Comparison { pairs, untouched: 0, diagnostics: closed.map(|closed| closed.diagnostics) }
}

/// How many pairs of deployments are expanded at the same time. All of them take memory.
const MAX_AT_ONCE: usize = 4;

/// How many resources all deployments have on both sides, before no more of them are expanded.
const MAX_RESOURCES: usize = 150_000;

fn expand(
    [old, new]: [&Deployments<'_>; 2],
    [before, after]: [Option<&Deployment>; 2],
    is_full: bool,
) -> [Option<Deployed>; 2] {
    let expanded = |side: &Deployments<'_>, deployment: &Deployment| {
        if is_full { side.refuse(deployment) } else { side.expand(deployment) }
    };
    let (old, new) = rayon::join(|| Some(expanded(old, before?)), || Some(expanded(new, after?)));
    [old, new]
}

/// What differs, with what people want to know of it.
struct Compared {
    is_readable: bool,
    difference: Difference,
    surroundings: Vec<Surroundings>,
    causes: Vec<Option<Place>>,
}

fn difference(sides: &Sides, [old, new]: [Option<&Deployed>; 2], room: &mut Room) -> Compared {
    let document = |deployed: Option<&'_ Deployed>| deployed.map(|deployed| deployed.document.is_some());
    let is_readable = document(old) != Some(false) && document(new) != Some(false);
    if !is_readable {
        let difference = Difference::default();
        return Compared { is_readable, difference, surroundings: Vec::new(), causes: Vec::new() };
    }
    let [before, after] = [old, new].map(|deployed| deployed.and_then(|deployed| deployed.document.as_ref()));
    let mut difference = diff::compare(before, after);
    difference.bound(room);
    let surroundings =
        difference.resources.iter().map(|changed| Surroundings::of(changed, [old, new], sides)).collect();
    let causes = difference.causes.iter().map(|cause| Place::of_cause(cause, [old, new], sides)).collect();
    Compared { is_readable, difference, surroundings, causes }
}

impl Match<'_> {
    /// What it is called, on the new side if it is there.
    fn names(&self, sides: &Sides) -> Names {
        let new = self.new.map(|new| names(&sides.new, new));
        new.or_else(|| self.old.map(|old| names(&sides.old, old))).unwrap_or_default()
    }
}

/// Says what becomes of a deployment, once it is known which deployments are a part of others.
struct Judge<'a, 'd> {
    sides: &'a Sides,
    deployments: [&'a Deployments<'d>; 2],
    closed: &'a [Closed; 2],
}

impl Judge<'_, '_> {
    fn pair(&self, found: &Match<'_>, compared: Compared, room: &mut Room) -> Option<Pair> {
        let [old_closed, new_closed] = self.closed;
        let old = found.old.filter(|old| old_closed.has(old));
        let new = found.new.filter(|new| new_closed.has(new));
        if old.is_none() && new.is_none() {
            return None;
        }
        // One side may deploy it only as a part of another one.
        let compared = if (old.is_some(), new.is_some()) == (found.old.is_some(), found.new.is_some()) {
            compared
        } else {
            let [old, new] = expand(self.deployments, [old, new], false);
            difference(self.sides, [old.as_ref(), new.as_ref()], room)
        };
        let status = match (old, new) {
            _ if !compared.is_readable => Status::Unreadable,
            (Some(_), Some(_)) if compared.difference.is_empty() => Status::Same,
            (Some(_), Some(_)) => Status::Changed,
            (None, _) if is_unreadable(&found.key, &self.sides.old, old_closed) => Status::Unreadable,
            (_, None) if is_unreadable(&found.key, &self.sides.new, new_closed) => Status::Unreadable,
            (None, _) => Status::New,
            (_, None) => Status::Removed,
        };
        let old_names = old.map(|old| names(&self.sides.old, old));
        let names = new.map(|new| names(&self.sides.new, new)).or_else(|| old_names.clone()).unwrap_or_default();
        let Compared { mut difference, mut surroundings, mut causes, .. } = compared;
        if status == Status::Unreadable {
            (difference, surroundings, causes) = Default::default();
        }
        let old_names = old_names.filter(|old| *old != names);
        Some(Pair { status, names, old_names, difference, surroundings, causes })
    }
}

fn matched<'a>(sides: &Sides, old: &'a [Deployment], new: &'a [Deployment]) -> Vec<Match<'a>> {
    let is_only_one = sides.new.file.is_some() && old.len() == 1 && new.len() == 1;
    let mut old_keys = keyed(&sides.old, old);
    let mut matches = Vec::new();
    for (key, deployment) in keyed(&sides.new, new) {
        let own = if is_only_one { old_keys.keys().next().cloned() } else { found(&key, &old_keys, sides) };
        let other = own.and_then(|key| old_keys.remove(&key));
        matches.push(Match { key, old: other, new: Some(deployment) });
    }
    matches.extend(old_keys.into_iter().map(|(key, deployment)| Match { key, old: Some(deployment), new: None }));
    matches
}

fn keyed<'a>(side: &Side, list: &'a [Deployment]) -> BTreeMap<Key, &'a Deployment> {
    list.iter().map(|deployment| (key(side, deployment), deployment)).collect()
}

fn key(side: &Side, deployed: &Deployment) -> Key {
    let inside = |path: &Path| path.strip_prefix(&side.root).unwrap_or(path).to_path_buf();
    if side.file.is_none() {
        return (inside(&deployed.template), deployed.parameters.as_deref().map(inside), deployed.environment.clone());
    }
    // Two files that the user names are the same deployment, and so are the parameter files that are called after them.
    let stem = deployed.template.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let without_stem = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        PathBuf::from(name.strip_prefix(&stem).map(str::to_owned).unwrap_or(name))
    };
    (PathBuf::new(), deployed.parameters.as_deref().map(without_stem), deployed.environment.clone())
}

/// The key of a new deployment on the old side: the same one, or that of the files that git takes for its files.
fn found(key: &Key, old: &BTreeMap<Key, &Deployment>, sides: &Sides) -> Option<Key> {
    if old.contains_key(key) {
        return Some(key.clone());
    }
    let before = |path: &PathBuf| sides.renamed.get(path).unwrap_or(path).clone();
    let key = (before(&key.0), key.1.as_ref().map(before), key.2.clone());
    old.contains_key(&key).then_some(key)
}

/// Whether a side that does not have a deployment has its files, and could not use them. Then it is not known whether the
/// deployment is new or removed.
fn is_unreadable((template, parameters, _): &Key, side: &Side, deployments: &Closed) -> bool {
    let has_errors = deployments.diagnostics.iter().any(|problem| problem.level == Level::Error);
    let (template, parameters) = match &side.file {
        Some(file) => (file.clone(), None),
        None => (side.root.join(template), parameters.as_ref().map(|path| side.root.join(path))),
    };
    let is_broken = |path: &Path| {
        let name = side.shown(path);
        let mut errors = deployments.diagnostics.iter().filter(|problem| problem.level == Level::Error);
        errors.any(|problem| side.source_name(side.sources.get(problem.primary.span.file).name()) == name)
    };
    if deployments.templates.contains(&template) {
        return parameters.is_some_and(|path| is_broken(&path));
    }
    // An error in a module is not in the template that uses it.
    has_errors && template.exists()
}

fn names(side: &Side, deployed: &Deployment) -> Names {
    let environment = deployed.environment.as_ref().map(|name| format!(" [{name}]")).unwrap_or_default();
    let parameters = deployed.parameters.as_deref().map(|path| format!("{}{environment}", side.shown(path)));
    (side.shown(&deployed.template), parameters)
}
