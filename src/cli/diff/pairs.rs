//! Pairs the deployments of both sides, and compares one pair after the other. Only the difference of each pair is
//! kept.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::cli::diff::shown::{SourceLine, Surroundings};
use crate::cli::diff::sides::{Side, Sides};
use crate::cli::diff::versions::{self, VersionChanges};
use crate::diagnostic::{Diagnostic, Level, Severity};
use crate::diff::{self, Cause, Difference, Outcome, ResourceChange, Room};
use crate::engine::{Closed, Deployed, Deployment, Deployments};

/// The result of comparing a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// Both sides have the deployment, and no resource differs.
    Same,
    /// Both sides have the deployment, and resources differ.
    Changed,
    /// Only the new side has the deployment.
    New,
    /// Only the old side has the deployment.
    Removed,
    /// Only a single side has a valid deployment. The other side has its files, but they are invalid.
    Unreadable,
}

/// The names of the template and of the parameter file of a deployment.
pub(super) type Names = (String, Option<String>);

/// A deployment on both sides.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) status: Status,
    /// The names on the new side, or else on the old side.
    pub(super) names: Names,
    /// The names on the old side, if they differ.
    pub(super) old_names: Option<Names>,
    pub(super) difference: Difference,
    pub(super) versions: VersionChanges,
    /// The declaration and the parents of each resource of the difference.
    surroundings: Vec<Surroundings>,
    /// The line that sets each parameter in `difference.causes`.
    causes: Vec<Option<SourceLine>>,
}

impl Pair {
    /// Returns the resources that differ, with their surroundings.
    pub(super) fn resources(&self) -> impl Iterator<Item = (&ResourceChange, &Surroundings)> {
        self.difference.resources.iter().zip(&self.surroundings)
    }

    /// Returns the parameters that cause changes, with the line that sets each.
    pub(super) fn causes(&self) -> impl Iterator<Item = (&Cause, Option<&SourceLine>)> {
        self.difference.causes.iter().zip(self.causes.iter().map(Option::as_ref))
    }
}

/// All deployments of both sides.
#[derive(Debug)]
pub(super) struct PairedDeployments {
    /// Sorted by the paths of the files.
    pub(super) pairs: Vec<Pair>,
    /// Number of templates and parameter files that were not expanded, because the change cannot affect them.
    pub(super) untouched: usize,
    /// Errors and other problems of the old and the new side.
    pub(super) diagnostics: [Vec<Diagnostic>; 2],
}

impl PairedDeployments {
    /// Returns whether a deployment differs. Unreadable deployments do not count.
    pub(super) fn differs(&self) -> bool {
        self.pairs.iter().any(|pair| !matches!(pair.status, Status::Same | Status::Unreadable))
    }

    /// Returns the number of deployments with a status.
    pub(super) fn count(&self, status: Status) -> usize {
        self.pairs.iter().filter(|pair| pair.status == status).count()
    }

    /// Returns the highest severity of all risks.
    pub(super) fn worst_risk(&self) -> Option<Severity> {
        let severities = [Severity::High, Severity::Medium, Severity::Low].into_iter();
        severities.into_iter().find(|severity| self.risks(*severity) > 0)
    }

    /// Returns the number of risks with a severity, in all deployments.
    pub(super) fn risks(&self, severity: Severity) -> usize {
        self.pairs.iter().map(|pair| pair.difference.risks(severity)).sum()
    }

    /// Returns the number of resources with an outcome, in all deployments.
    pub(super) fn resources(&self, outcome: Outcome) -> usize {
        self.pairs.iter().map(|pair| pair.difference.count(outcome)).sum()
    }
}

/// Identifies a deployment on both sides: the template and the parameter file, relative to the root of the side, and
/// the environment.
type PairKey = (PathBuf, Option<PathBuf>, Option<String>);

/// A deployment of the old side and the same one of the new side.
struct DeploymentMatch<'a> {
    key: PairKey,
    old: Option<&'a Deployment>,
    new: Option<&'a Deployment>,
}

/// Compares the deployments of both sides.
pub(super) fn compare<'d>(sides: &Sides, mut old: Deployments<'d>, mut new: Deployments<'d>) -> PairedDeployments {
    let (old_list, new_list) = (old.list(), new.list());
    let mut matches = match_deployments(sides, &old_list, &new_list);
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
    let builder = PairBuilder { sides, deployments: [&old, &new], closed: &closed };
    let pairs =
        matches.iter().zip(compared).filter_map(|(found, compared)| builder.pair(found, compared, &mut room)).collect();
    PairedDeployments { pairs, untouched: 0, diagnostics: closed.map(|closed| closed.diagnostics) }
}

/// Maximum number of pairs that are expanded at the same time, to limit the memory.
const MAX_AT_ONCE: usize = 4;

/// Number of resources, in all deployments of both sides, after which no more deployments are expanded.
const MAX_RESOURCES: usize = 150_000;

fn expand(
    [old, new]: [&Deployments<'_>; 2],
    [before, after]: [Option<&Deployment>; 2],
    is_full: bool,
) -> [Option<Deployed>; 2] {
    let expand_side = |side: &Deployments<'_>, deployment: &Deployment| {
        if is_full { side.refuse(deployment) } else { side.expand(deployment) }
    };
    let (old, new) = rayon::join(|| Some(expand_side(old, before?)), || Some(expand_side(new, after?)));
    [old, new]
}

/// The difference of one pair, with the source lines to show.
struct Compared {
    is_readable: bool,
    difference: Difference,
    versions: VersionChanges,
    surroundings: Vec<Surroundings>,
    causes: Vec<Option<SourceLine>>,
}

fn difference(sides: &Sides, [old, new]: [Option<&Deployed>; 2], room: &mut Room) -> Compared {
    let is_refused = |deployed: &Deployed| deployed.document.is_none();
    let is_readable = !old.is_some_and(is_refused) && !new.is_some_and(is_refused);
    if !is_readable {
        let (difference, versions) = (Difference::default(), VersionChanges::default());
        return Compared { is_readable, difference, versions, surroundings: Vec::new(), causes: Vec::new() };
    }
    let [before, after] = [old, new].map(|deployed| deployed.and_then(|deployed| deployed.document.as_ref()));
    let mut difference = diff::compare(before, after);
    let versions = after.map(|after| versions::add_risks(&mut difference, after)).unwrap_or_default();
    difference.bound(room);
    let surroundings =
        difference.resources.iter().map(|changed| Surroundings::new(changed, [old, new], sides)).collect();
    let causes = difference.causes.iter().map(|cause| SourceLine::from_cause(cause, [old, new], sides)).collect();
    Compared { is_readable, difference, versions, surroundings, causes }
}

impl DeploymentMatch<'_> {
    /// Returns the names on the new side, or else on the old side.
    fn names(&self, sides: &Sides) -> Names {
        let new = self.new.map(|new| names(&sides.new, new));
        new.or_else(|| self.old.map(|old| names(&sides.old, old))).unwrap_or_default()
    }
}

/// Determines the status of each pair, after it is known which deployments are part of others.
struct PairBuilder<'a, 'd> {
    sides: &'a Sides,
    deployments: [&'a Deployments<'d>; 2],
    closed: &'a [Closed; 2],
}

impl PairBuilder<'_, '_> {
    fn pair(&self, found: &DeploymentMatch<'_>, compared: Compared, room: &mut Room) -> Option<Pair> {
        let [old_closed, new_closed] = self.closed;
        let old = found.old.filter(|old| old_closed.has(old));
        let new = found.new.filter(|new| new_closed.has(new));
        if old.is_none() && new.is_none() {
            return None;
        }
        // One side may deploy it only as part of another deployment.
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
        let Compared { mut difference, mut versions, mut surroundings, mut causes, .. } = compared;
        if status == Status::Unreadable {
            (difference, versions, surroundings, causes) = Default::default();
        }
        let old_names = old_names.filter(|old| *old != names);
        Some(Pair { status, names, old_names, difference, versions, surroundings, causes })
    }
}

fn match_deployments<'a>(sides: &Sides, old: &'a [Deployment], new: &'a [Deployment]) -> Vec<DeploymentMatch<'a>> {
    let is_only_one = sides.new.file.is_some() && old.len() == 1 && new.len() == 1;
    let mut old_keys = keyed(&sides.old, old);
    let mut matches = Vec::new();
    for (key, deployment) in keyed(&sides.new, new) {
        let own = if is_only_one { old_keys.keys().next().cloned() } else { find_old_key(&key, &old_keys, sides) };
        let other = own.and_then(|key| old_keys.remove(&key));
        matches.push(DeploymentMatch { key, old: other, new: Some(deployment) });
    }
    matches.extend(old_keys.into_iter().map(|(key, deployment)| DeploymentMatch {
        key,
        old: Some(deployment),
        new: None,
    }));
    matches
}

fn keyed<'a>(side: &Side, list: &'a [Deployment]) -> BTreeMap<PairKey, &'a Deployment> {
    list.iter().map(|deployment| (key(side, deployment), deployment)).collect()
}

fn key(side: &Side, deployed: &Deployment) -> PairKey {
    let inside = |path: &Path| path.strip_prefix(&side.root).unwrap_or(path).to_path_buf();
    if side.file.is_none() {
        return (inside(&deployed.template), deployed.parameters.as_deref().map(inside), deployed.environment.clone());
    }
    // Two files that the user passes are the same deployment, and so are the parameter files that are named after
    // them.
    let stem = deployed.template.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let without_stem = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        PathBuf::from(name.strip_prefix(&stem).map(str::to_owned).unwrap_or(name))
    };
    (PathBuf::new(), deployed.parameters.as_deref().map(without_stem), deployed.environment.clone())
}

/// Returns the key of a new deployment on the old side: the same key, or that of the files that were renamed
/// according to git.
fn find_old_key(key: &PairKey, old: &BTreeMap<PairKey, &Deployment>, sides: &Sides) -> Option<PairKey> {
    if old.contains_key(key) {
        return Some(key.clone());
    }
    let old_path = |path: &PathBuf| sides.renamed.get(path).unwrap_or(path).clone();
    let key = (old_path(&key.0), key.1.as_ref().map(old_path), key.2.clone());
    old.contains_key(&key).then_some(key)
}

/// Returns whether a side without a deployment has its files, but they are invalid. Then it is unknown whether the
/// deployment is new or removed.
fn is_unreadable((template, parameters, _): &PairKey, side: &Side, deployments: &Closed) -> bool {
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
