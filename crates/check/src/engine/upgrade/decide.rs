//! Decides which version each text moves to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::diagnostic::Edit;
use crate::engine::Origins;
use crate::engine::upgrade::collect::{VersionSite, VersionUse};
use crate::engine::upgrade::{UpgradeOptions, UpgradeOutcome, UpgradePlan, UpgradeTarget, VersionUpgrade};
use crate::parallel;
use crate::schema::{self, ApiVersion, BreakingChange, PathSpan, VersionChange, VersionedBody};
use crate::text::Sources;

/// Comparisons of a resource with a version that one text may take.
const MAX_COMPARISONS: usize = 100_000;

/// Differences of one text that are kept.
const MAX_CHANGES: usize = 100;

/// Decides about all texts.
pub(super) fn plan(sites: &[VersionSite], options: &UpgradeOptions, sources: &Sources) -> UpgradePlan {
    let decided = parallel::map(sites, |site| decide(site, options, sources));
    let mut plan = UpgradePlan::default();
    let mut moved: BTreeSet<(String, String)> = BTreeSet::new();
    for (site, upgrades) in sites.iter().zip(decided) {
        let safe = upgrades.iter().find(|upgrade| upgrade.outcome == UpgradeOutcome::Safe);
        if let Some(to) = safe.and_then(|upgrade| upgrade.to.clone()) {
            let name = Arc::clone(sources.get(site.place.file).name());
            let edit = Edit { span: site.place, name: "apiVersion".to_owned(), replacement: to.clone() };
            plan.edits.entry(name).or_default().push(edit);
            moved.insert((site.from.clone(), to));
        }
        plan.upgrades.extend(upgrades);
    }
    plan.edits.values_mut().for_each(|edits| edits.sort_by_key(|edit| edit.span.start));
    plan.moved = moved.into_iter().collect();
    plan
}

/// The result of trying a version.
#[derive(Default)]
struct Attempt {
    change: VersionChange,
}

/// Comparison of the resources of one text with versions.
struct Trial<'a> {
    site: &'a VersionSite,
    sources: &'a Sources,
    /// Comparisons that may still be made.
    left: usize,
    /// Results by version.
    known: BTreeMap<String, Option<Attempt>>,
}

impl Trial<'_> {
    /// Compares everything that uses the text with a version. `None` if the comparison takes too long.
    fn attempt(&mut self, to: &str) -> Option<&Attempt> {
        let attempt = match self.known.remove(to) {
            Some(known) => known,
            None => self.compare(to),
        };
        self.known.entry(to.to_owned()).or_insert(attempt).as_ref()
    }

    fn compare(&mut self, to: &str) -> Option<Attempt> {
        self.left = self.left.checked_sub(self.site.uses.len())?;
        let mut attempt = Attempt::default();
        for usage in &self.site.uses {
            let body = VersionedBody {
                type_name: &usage.type_name,
                body: usage.body.as_ref(),
                span: usage.span,
                reads: &usage.reads,
            };
            let change = schema::compare_versions(&body, &self.site.from, to)?;
            attempt.add(change, &usage.origins, self.sources);
        }
        Some(attempt)
    }

    fn fits(&mut self, to: &str) -> bool {
        self.attempt(to).is_some_and(|attempt| attempt.change.breaking.is_empty())
    }
}

impl Attempt {
    /// Adds the differences of a resource at the places that the author wrote, each once.
    fn add(&mut self, change: VersionChange, origins: &Origins, sources: &Sources) {
        let placed = |at: PathSpan| PathSpan { span: origins.span(at.span, sources), ..at };
        for breaking in change.breaking {
            let breaking = BreakingChange { at: placed(breaking.at.clone()), ..breaking };
            push_once(&mut self.change.breaking, breaking);
        }
        change.ignored.into_iter().for_each(|at| push_once(&mut self.change.ignored, placed(at)));
        change.unseen.into_iter().for_each(|at| push_once(&mut self.change.unseen, placed(at)));
    }
}

fn push_once<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if list.len() < MAX_CHANGES && !list.contains(&item) {
        list.push(item);
    }
}

/// Decides about one text. The result has an entry for each type that uses it.
fn decide(site: &VersionSite, options: &UpgradeOptions, sources: &Sources) -> Vec<VersionUpgrade> {
    let mut by_type: BTreeMap<String, Vec<&VersionUse>> = BTreeMap::new();
    for usage in &site.uses {
        by_type.entry(usage.type_name.to_ascii_lowercase()).or_default().push(usage);
    }
    let is_wanted =
        |name: &String| options.types.is_empty() || options.types.iter().any(|one| one.eq_ignore_ascii_case(name));
    if !by_type.keys().any(is_wanted) {
        return Vec::new();
    }
    let decision = Decision::of(site, &by_type.keys().map(String::as_str).collect::<Vec<_>>(), options, sources);
    let entry = |uses: Vec<&VersionUse>| {
        // A resource that is deployed tells its name.
        let first = uses.iter().find(|usage| !usage.name.is_empty()).or(uses.first())?;
        let names: BTreeSet<&str> = uses.iter().map(|usage| &*usage.name).filter(|name| !name.is_empty()).collect();
        Some(VersionUpgrade {
            type_name: first.type_name.clone(),
            name: Some(first.name.clone()).filter(|name| !name.is_empty()),
            resources: names.len(),
            from: site.from.clone(),
            to: decision.to.clone(),
            outcome: decision.outcome,
            fits: decision.fits.clone(),
            breaking: decision.change.breaking.clone(),
            ignored: decision.change.ignored.clone(),
            unseen: decision.change.unseen.clone(),
            reason: decision.reason.clone(),
            place: site.place,
        })
    };
    by_type.into_values().filter_map(entry).collect()
}

/// Decision about one version in a file.
struct Decision {
    outcome: UpgradeOutcome,
    to: Option<String>,
    fits: Option<String>,
    change: VersionChange,
    reason: Option<String>,
}

impl Decision {
    fn of(site: &VersionSite, types: &[&str], options: &UpgradeOptions, sources: &Sources) -> Self {
        let new = |outcome, reason: Option<String>| Self {
            outcome,
            to: None,
            fits: None,
            change: VersionChange::default(),
            reason,
        };
        let versions: Vec<Vec<ApiVersion>> = types.iter().map(|name| schema::api_versions(name)).collect();
        if versions.iter().any(Vec::is_empty) {
            return new(UpgradeOutcome::Skipped, Some("its type is not known".to_owned()));
        }
        let newer = newer(&versions, &site.from, options);
        let stable: Vec<ApiVersion> = newer.iter().copied().filter(|version| !version.is_preview).collect();
        let candidates: Vec<ApiVersion> = match &options.target {
            UpgradeTarget::Version(wanted) => {
                let all = common(&versions).into_iter().filter(|version| version.name.eq_ignore_ascii_case(wanted));
                all.filter(|version| !version.name.eq_ignore_ascii_case(&site.from)).collect()
            }
            _ if options.takes_previews => newer,
            _ => stable.clone(),
        };
        let Some(first) = candidates.first() else { return new(UpgradeOutcome::Current, None) };
        if let Some(reason) = &site.blocked {
            let decision = new(UpgradeOutcome::Skipped, Some(reason.clone()));
            return Self { to: Some(first.name.to_owned()), ..decision };
        }
        let mut trial = Trial { site, sources, left: MAX_COMPARISONS, known: BTreeMap::new() };
        let from_preview = schema::is_preview(&site.from);
        let tried = match options.target {
            // A preview does not have to stay because the newest version does not fit.
            UpgradeTarget::Newest if !from_preview => candidates.get(..1).unwrap_or_default(),
            _ => candidates.as_slice(),
        };
        let chosen = tried.iter().find(|version| trial.fits(version.name)).copied();
        let fits = stable.iter().find(|version| trial.fits(version.name)).map(|version| version.name.to_owned());
        let (outcome, to) = match chosen {
            Some(chosen) => (UpgradeOutcome::Safe, chosen),
            None => (UpgradeOutcome::Stays, *first),
        };
        let Some(attempt) = trial.attempt(to.name) else {
            return new(UpgradeOutcome::Skipped, Some("there are too many resources to compare".to_owned()));
        };
        Self { outcome, to: Some(to.name.to_owned()), fits, change: attempt.change.clone(), reason: None }
    }
}

/// Returns the versions that all types have, newest first.
fn common(versions: &[Vec<ApiVersion>]) -> Vec<ApiVersion> {
    let Some((first, others)) = versions.split_first() else { return Vec::new() };
    let has = |all: &Vec<ApiVersion>, name: &str| all.iter().any(|version| version.name.eq_ignore_ascii_case(name));
    let of_all = first.iter().rev().filter(|version| others.iter().all(|all| has(all, version.name)));
    of_all.copied().collect()
}

/// Returns the versions after `from` that all types have, and that are old enough, newest first.
fn newer(versions: &[Vec<ApiVersion>], from: &str, options: &UpgradeOptions) -> Vec<ApiVersion> {
    let is_old_enough =
        |version: &ApiVersion| options.until.as_ref().is_none_or(|until| version.day() <= until.as_str());
    let mut newer = common(versions);
    newer.retain(|version| version.is_later_than(from) && is_old_enough(version));
    newer.sort_by(|a, b| (b.day(), !b.is_preview, b.name).cmp(&(a.day(), !a.is_preview, a.name)));
    newer
}
