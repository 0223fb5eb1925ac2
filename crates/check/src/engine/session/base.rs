//! The base of a change, and what a run on it reports.
//!
//! The base is copied from the objects of git, and checked by a session of its own: with the options of this run, and
//! with the settings, exclusions, suppressions, and the baseline that the base has. What it would not report, it does
//! not have.
//!
//! # Invariant
//!
//! The base has only the findings that a run on the base would report. If it cannot be checked, it has none.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::Given;
use crate::diagnostic::{Analysed, DeploymentKey, Finding, NoLongerDeployed, Outcome, Run};
use crate::engine::Observer;
use crate::engine::changes::{Changes, Event, Notice, Revisions, Snapshot};
use crate::engine::narrowing::{Cause, Narrowing};
use crate::engine::session::change::ChangeScope;
use crate::engine::session::deployed::DeployedResources;
use crate::engine::session::news::{BaseFindings, deployments};
use crate::engine::session::{CheckOptions, ConfigFrom, Error, NewOnly, Session};
use crate::engine::stable_paths::StablePaths;
use crate::files::{Disk, repository_of};
use crate::model::Limits;
use crate::path::normalize;
use crate::text::with_causes;

/// A state of the repository that findings are compared with.
pub(super) struct Base {
    /// The root of the repository.
    repository: PathBuf,
    /// The root of the files of this run, which may be a copy.
    root: PathBuf,
    /// The ID of its commit or tree.
    commit: String,
    /// The old path of renamed files by their new one, relative to the root.
    renamed: BTreeMap<PathBuf, PathBuf>,
    /// Notice about how the base was determined, unless the change has it.
    notice: Option<Notice>,
}

impl Base {
    /// Returns the base of the change. `None` if no change is known, or no base.
    pub(super) fn of_change(change: &ChangeScope) -> Option<Self> {
        let changes = change.changes()?;
        let (repository, root) = (changes.repository.clone(), changes.root.clone());
        Some(Self { commit: changes.base.clone()?, renamed: renamed(changes), repository, root, notice: None })
    }

    /// Returns the state that `--new-only` compares with. `None` if the change has no base that is known.
    ///
    /// # Errors
    ///
    /// Fails if git does not know the commit that the user named.
    pub(super) fn of_news(
        wanted: &NewOnly,
        options: &CheckOptions,
        change: &ChangeScope,
    ) -> Result<Option<Self>, Error> {
        let name = match wanted {
            NewOnly::OfChange if change.changes().is_some() => return Ok(Self::of_change(change)),
            NewOnly::OfChange => None,
            NewOnly::Since(name) => Some(name.as_str()),
        };
        let revisions = Revisions::find(&options.working, name, change.is_staged(), options.programs()?)?;
        let renamed = revisions.renamed();
        let Revisions { root, old, notice, .. } = revisions;
        let own = change.changes().map_or_else(|| root.clone(), |changes| changes.root.clone());
        Ok(Some(Self { repository: root, root: own, commit: old, renamed, notice }))
    }
}

fn renamed(changes: &Changes) -> BTreeMap<PathBuf, PathBuf> {
    let inside = |path: &Path| path.strip_prefix(&changes.root).map(Path::to_path_buf).ok();
    let events = changes.files.iter().flatten();
    let pairs = events.filter_map(|(new, event)| match event {
        Event::RenamedFrom(old) => Some((inside(new)?, inside(old)?)),
        _ => None,
    });
    pairs.collect()
}

/// A run of which nobody is told.
struct Silent;

impl Observer for Silent {}

impl Session<'_> {
    /// Drops the findings that the base has, if the options ask for it, and returns how many of them failed.
    ///
    /// # Errors
    ///
    /// Fails if git does not know the base that the user named.
    pub(super) fn leave_new(&self, run: &mut Run) -> Result<usize, Error> {
        let Some(wanted) = &self.options.new_only else {
            let base = Base::of_change(&self.change).filter(|_| self.options.lists_no_longer_deployed);
            if let Some(base) = base {
                let known = self.known_at(&base, run, None);
                run.no_longer_deployed = self.no_longer_deployed(&known.deployed, run);
            }
            return Ok(0);
        };
        let known = match Base::of_news(wanted, self.options, &self.change)? {
            Some(base) => self.known_at(&base, run, None),
            None => BaseFindings::nothing("no base is known, so every finding counts as new".to_owned()),
        };
        run.no_longer_deployed = self.no_longer_deployed(&known.deployed, run);
        Ok(known.hide(run, self.change.working()))
    }

    /// Returns the resources that the base deploys and a run does not.
    fn no_longer_deployed(&self, before: &DeployedResources, run: &Run) -> Vec<NoLongerDeployed> {
        if !self.options.lists_no_longer_deployed {
            return Vec::new();
        }
        let working = self.change.working();
        let paths = StablePaths::new(working, &Disk);
        let root = repository_of(working).unwrap_or_else(|| working.to_path_buf());
        before.without(&DeployedResources::of_run(run, |name| paths.stable_path(name)), |name| root.join(name).exists())
    }

    /// Sets `in_change` of each finding: true if the change touches its lines, or if the options compare findings and
    /// the base does not have it. The base is checked only if that decides about a finding.
    pub(super) fn mark(&self, run: &mut Run) {
        self.change.mark(run);
        if !self.change.compares() {
            return;
        }
        let lists_unknown = run.lists_unknown;
        // What is said of a suppression holds for no deployment, and only a run on everything can tell it.
        let is_open = |finding: &Finding| {
            let counts = finding.outcome == Outcome::Failed || (lists_unknown && finding.outcome == Outcome::Unknown);
            finding.in_change == Some(false) && counts && !finding.holds.is_empty()
        };
        if self.options.new_only == Some(NewOnly::OfChange) {
            // The others are gone by now.
            for finding in run.findings.iter_mut().filter(|finding| is_open(finding)) {
                finding.in_change = Some(true);
            }
            return;
        }
        let open = run.findings.iter().filter(|finding| is_open(finding));
        let wanted: BTreeSet<DeploymentKey> =
            open.flat_map(|finding| finding.holds.iter().map(|held| held.deployment)).collect();
        let base = Base::of_change(&self.change).filter(|_| !wanted.is_empty());
        if let Some(base) = base {
            self.known_at(&base, run, Some(&wanted)).mark(run, self.change.working(), is_open);
        }
    }

    /// Returns the findings that a run on the base reports about these deployments of `run`, or, without any, about
    /// everything that this run checks. If the base cannot be checked, there are none, and a notice has the reason.
    fn known_at(&self, base: &Base, run: &Run, wanted: Option<&BTreeSet<DeploymentKey>>) -> BaseFindings {
        let is_part = self.change.narrows() || self.options.dependents || self.options.shard.is_some();
        let names = (is_part || wanted.is_some()).then(|| {
            let mut names = names_of(run, wanted);
            // A template that is gone is in no run, and its resources are gone as well.
            if self.options.lists_no_longer_deployed && wanted.is_none() {
                names.extend(self.deleted_files());
            }
            names
        });
        self.reported_at(base, names.as_ref()).unwrap_or_else(|error| {
            let why = match error {
                Error::Unusable => "its settings, its rules, or its baseline are invalid".to_owned(),
                other => with_causes(&other),
            };
            BaseFindings::nothing(format!("the base cannot be checked, so every finding counts as new: {why}"))
        })
    }

    /// Returns the absolute paths of the files that the change deletes.
    fn deleted_files(&self) -> impl Iterator<Item = Arc<str>> {
        let files = self.change.changes().and_then(|changes| changes.files.as_ref()).into_iter().flatten();
        files.filter(|(_, event)| **event == Event::Deleted).map(|(path, _)| path.to_string_lossy().into())
    }

    /// Runs on the base and returns its findings: about the files with these names and the files that belong to them,
    /// or about everything.
    fn reported_at(&self, base: &Base, names: Option<&BTreeSet<Arc<str>>>) -> Result<BaseFindings, Error> {
        let copy =
            Snapshot::of_commit(&base.repository, &base.commit, Limits::MAX_FILE_BYTES, self.options.programs()?)?;
        let root = copy.root().to_owned();
        let at_base = |name: &Arc<str>| {
            let path = normalize(self.change.working(), Path::new(&**name));
            let inside = path.strip_prefix(&base.root).ok()?;
            Some(root.join(base.renamed.get(inside).map_or(inside, PathBuf::as_path)))
        };
        let only = names.map(|names| names.iter().filter_map(at_base).collect());
        let working = copy.folder(&self.options.working)?;
        let options = self.options_at(base, &root);
        let policy = self.policy.of_copy(&root)?;
        let mut session = Session::open_under_policy(
            &options,
            ChangeScope::of_copy(&self.options.working, &working, copy),
            policy,
            &Silent,
        )?;
        // What the user named and the base does not have is not read from anywhere else.
        session.paths.retain(|path| normalize(&working, path).starts_with(&root));
        let run = session.reported(only)?;
        let known = BaseFindings::from_run(&run, &working, &base.renamed);
        Ok(known.or_notice(base.notice.as_ref().map(ToString::to_string)))
    }

    /// Returns the options of a run on a copy of the base at `root`. The settings that they name are those of the base.
    fn options_at(&self, base: &Base, root: &Path) -> CheckOptions {
        let options = self.options;
        let place = |path: &PathBuf| {
            let path = normalize(&options.working, path);
            path.strip_prefix(&base.repository).map_or_else(|_| path.clone(), |inside| root.join(inside))
        };
        // What counts of a file that the checkout lacks, the policy knows.
        let is_there = |path: &PathBuf| self.policy.is_of_base() || path.exists();
        let rule = |path: &PathBuf| Some(place(path)).filter(is_there).unwrap_or_else(|| path.clone());
        let given = Given {
            baseline: options.given.baseline.as_ref().map(place).filter(is_there),
            rules: options.given.rules.iter().map(rule).collect(),
            ..options.given.clone()
        };
        CheckOptions {
            config: options.config.as_ref().map(place).filter(is_there),
            // It is about the files of another folder.
            cache: None,
            given,
            deleted: None,
            change: None,
            config_from: ConfigFrom::Head,
            new_only: None,
            shard: None,
            write_baseline: None,
            fix: false,
            keep_passed: false,
            keep_trees: options.lists_no_longer_deployed,
            describes_rules: false,
            ..options.clone()
        }
    }

    /// Returns the findings that a run of this session would report: of the files in `only` and what depends on them,
    /// or of all.
    fn reported(&mut self, only: Option<Vec<PathBuf>>) -> Result<Run, Error> {
        if self.paths.is_empty() {
            return Ok(Run::default());
        }
        let (rules, _) = self.load_rules(&Silent)?;
        let baseline = self.open_baseline(&Silent)?;
        let narrowing = only.map(|only| Narrowing { cause: Cause::Named(only), basis: Vec::new() });
        let sources = std::mem::take(&mut self.sources);
        let run = self.analyze_narrowed(sources, narrowing.as_ref(), &rules, &Silent)?;
        Ok(run.accept(baseline.previous(false)).into_reported(self.choices.least_reported()))
    }
}

/// Returns the names of the templates of a run and of their parameter files; with `wanted`, of those that these
/// deployments have.
fn names_of(run: &Run, wanted: Option<&BTreeSet<DeploymentKey>>) -> BTreeSet<Arc<str>> {
    let is_wanted = |key: &DeploymentKey| wanted.is_none_or(|wanted| wanted.contains(key));
    let of_run = run.analysed.iter().filter(|analysed| deployments(analysed).any(|(key, _)| is_wanted(&key)));
    of_run.flat_map(Analysed::files).cloned().collect()
}
