//! Pairs the deployments of both sides, and compares them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cli::diff::sides::{Side, Sides};
use crate::diagnostic::{Level, Severity};
use crate::diff::{self, Difference, Outcome};
use crate::engine::{Deployed, Deployments};

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

impl Status {
    /// The word of machine-readable output.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Changed => "changed",
            Self::New => "new",
            Self::Removed => "removed",
            Self::Unreadable => "unreadable",
        }
    }
}

/// The names of the template and of the parameter file of a deployment.
pub(super) type Names = (String, Option<String>);

/// One deployment on both sides.
#[derive(Debug)]
pub(super) struct Pair<'a> {
    pub(super) status: Status,
    pub(super) old: Option<&'a Deployed>,
    pub(super) new: Option<&'a Deployed>,
    /// What it is called, on the new side if it is there.
    pub(super) names: Names,
    /// What it was called on the old side, if that was something else.
    pub(super) old_names: Option<Names>,
    pub(super) difference: Difference,
}

/// All deployments of both sides.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    /// By the paths of their files.
    pub(super) pairs: Vec<Pair<'a>>,
    /// How many templates and parameter files were not expanded, because the change cannot touch them.
    pub(super) untouched: usize,
}

impl Comparison<'_> {
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
        self.pairs.iter().flat_map(|pair| pair.difference.risks()).map(|risk| risk.severity).min()
    }

    /// How many risks have a severity, in all deployments.
    pub(super) fn risks(&self, severity: Severity) -> usize {
        let risks = self.pairs.iter().flat_map(|pair| pair.difference.risks());
        risks.filter(|risk| risk.severity == severity).count()
    }

    /// How many resources have an outcome, in all deployments.
    pub(super) fn resources(&self, outcome: Outcome) -> usize {
        self.pairs.iter().map(|pair| pair.difference.count(outcome)).sum()
    }
}

/// What identifies a deployment on both sides: the template and the parameter file, relative to the roots.
type Key = (PathBuf, Option<PathBuf>);

/// Compares the deployments of both sides.
pub(super) fn compare<'a>(sides: &Sides, old: &'a Deployments, new: &'a Deployments) -> Comparison<'a> {
    let mut old_keys = keyed(&sides.old, old);
    let mut pairs = Vec::new();
    let is_only_one = sides.new.file.is_some() && old.list.len() == 1 && new.list.len() == 1;
    for (key, deployed) in keyed(&sides.new, new) {
        let own = if is_only_one { old_keys.keys().next().cloned() } else { found(&key, &old_keys, sides) };
        let other = own.and_then(|key| old_keys.remove(&key));
        let names = names(&sides.new, deployed);
        pairs.push(match other {
            Some(other) => both(sides, other, deployed, names),
            None => alone(sides, (None, Some(deployed)), !is_unreadable(&key, &sides.old, old), names),
        });
    }
    for (key, deployed) in old_keys {
        let names = names(&sides.old, deployed);
        pairs.push(alone(sides, (Some(deployed), None), !is_unreadable(&key, &sides.new, new), names));
    }
    pairs.sort_by(|a, b| a.names.cmp(&b.names));
    Comparison { pairs, untouched: 0 }
}

fn keyed<'a>(side: &Side, deployments: &'a Deployments) -> BTreeMap<Key, &'a Deployed> {
    deployments.list.iter().map(|deployed| (key(side, deployed), deployed)).collect()
}

fn key(side: &Side, deployed: &Deployed) -> Key {
    let inside = |path: &Path| path.strip_prefix(&side.root).unwrap_or(path).to_path_buf();
    if side.file.is_none() {
        return (inside(&deployed.template), deployed.parameters.as_deref().map(inside));
    }
    // Two files that the user names are the same deployment, and so are the parameter files that are called after them.
    let stem = deployed.template.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let without_stem = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        PathBuf::from(name.strip_prefix(&stem).map(str::to_owned).unwrap_or(name))
    };
    (PathBuf::new(), deployed.parameters.as_deref().map(without_stem))
}

/// The key of a new deployment on the old side: the same one, or that of the files that git takes for its files.
fn found(key: &Key, old: &BTreeMap<Key, &Deployed>, sides: &Sides) -> Option<Key> {
    if old.contains_key(key) {
        return Some(key.clone());
    }
    let before = |path: &PathBuf| sides.renamed.get(path).unwrap_or(path).clone();
    let key = (before(&key.0), key.1.as_ref().map(before));
    old.contains_key(&key).then_some(key)
}

/// Whether a side that does not have a deployment has its files, and could not use them. Then it is not known whether the
/// deployment is new or removed.
fn is_unreadable((template, parameters): &Key, side: &Side, deployments: &Deployments) -> bool {
    let has_errors = deployments.diagnostics.iter().any(|problem| problem.level == Level::Error);
    let (template, parameters) = match &side.file {
        Some(file) => (file.clone(), None),
        None => (side.root.join(template), parameters.as_ref().map(|path| side.root.join(path))),
    };
    let is_broken = |path: &Path| {
        let name = side.shown(path);
        let mut errors = deployments.diagnostics.iter().filter(|problem| problem.level == Level::Error);
        errors.any(|problem| **side.sources.get(problem.primary.span.file).name() == *name)
    };
    if deployments.has_template(&template) {
        return parameters.is_some_and(|path| is_broken(&path));
    }
    // An error in a module is not in the template that uses it.
    has_errors && template.exists()
}

fn names(side: &Side, deployed: &Deployed) -> Names {
    (side.shown(&deployed.template), deployed.parameters.as_deref().map(|path| side.shown(path)))
}

fn both<'a>(sides: &Sides, old: &'a Deployed, new: &'a Deployed, names: Names) -> Pair<'a> {
    let (Some(before), Some(after)) = (&old.document, &new.document) else {
        return alone(sides, (Some(old), Some(new)), false, names);
    };
    let difference = diff::compare(Some(before), Some(after));
    let status = if difference.is_empty() { Status::Same } else { Status::Changed };
    let old_names = self::names(&sides.old, old);
    let old_names = (old_names != names).then_some(old_names);
    Pair { status, old: Some(old), new: Some(new), names, old_names, difference }
}

fn alone<'a>(
    sides: &Sides,
    (old, new): (Option<&'a Deployed>, Option<&'a Deployed>),
    is_certain: bool,
    names: Names,
) -> Pair<'a> {
    let document = |deployed: Option<&'a Deployed>| deployed.and_then(|deployed| deployed.document.as_ref());
    let status = match (document(old), document(new)) {
        (Some(_), None) if is_certain => Status::Removed,
        (None, Some(_)) if is_certain => Status::New,
        _ => Status::Unreadable,
    };
    let difference = match status {
        Status::Unreadable => Difference::default(),
        _ => diff::compare(document(old), document(new)),
    };
    let old_names = old.map(|old| self::names(&sides.old, old)).filter(|old| *old != names);
    Pair { status, old, new, names, old_names, difference }
}
