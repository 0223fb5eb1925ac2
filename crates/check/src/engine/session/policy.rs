//! Source of the settings of a check: the checked-out files, or the base of the change.
//!
//! Whoever may open a pull request may write into it what weakens its own check. The settings of the base were
//! reviewed. If the settings of the change count, one diagnostic lists the settings and rules that it weakened, for its
//! reviewers.
//!
//! # Invariant
//!
//! With the settings of the base, no file that the change tracks is read as a setting, a rule, a policy, or a baseline.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::{self, Role, Settings, named_by_flags, named_files, settings_places, weakened};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::baseline::Baseline;
use crate::engine::changes::{Changes, CommitTree, Detail, Event, ReadFrom, tracked_of_name};
use crate::engine::narrowing::Basis;
use crate::engine::session::change::ChangeScope;
use crate::engine::session::{CheckOptions, ConfigFrom, Error};
use crate::files::{Disk, Entry, Overlay, Programs, Tree, display_name, repository_of};
use crate::path::normalize;
use crate::text::Sources;
use crate::text::escape::file_name;

/// The settings of the Bicep compiler, which it looks for beside and above the files that it compiles.
const BICEP_SETTINGS: &str = "bicepconfig.json";

/// Maximum number of weakened settings and rules that are listed.
const MAX_LISTED: usize = 20;

/// Number of characters of a commit's ID that are shown.
const SHORT: usize = 10;

/// Source of the settings, the rules and the baseline.
#[derive(Debug, Default)]
pub struct Policy {
    /// Checked-out files.
    files: Arc<Overlay>,
    /// The base, if its settings count.
    base: Option<CommitTree>,
    /// Location of the base, if it is known.
    known: Option<KnownBase>,
    /// The files that the change touches.
    changed: BTreeMap<PathBuf, Event>,
}

/// A base that is known.
#[derive(Debug)]
struct KnownBase {
    repository: PathBuf,
    /// The repository, or a copy of it.
    root: PathBuf,
    commit: String,
    programs: Programs,
}

impl KnownBase {
    fn open(&self) -> Result<CommitTree, Error> {
        Ok(CommitTree::open(&self.repository, &self.root, &self.commit, self.programs)?)
    }
}

impl Policy {
    /// Finds the base, and lists its files if its settings count.
    pub(super) fn find(options: &CheckOptions, change: &ChangeScope) -> Result<Self, Error> {
        let own;
        let changes = match (change.changes(), &options.config_from) {
            (Some(changes), _) => changes,
            (None, ConfigFrom::Head) => {
                return Ok(Self { files: Arc::clone(&options.files), ..Self::default() });
            }
            (None, ConfigFrom::Base(query)) => {
                own = Changes::find(&options.working, query, Detail::Files, options.programs()?)?;
                &own
            }
        };
        let is_base = options.config_from != ConfigFrom::Head;
        let Some(tip) = &changes.tip else {
            if is_base && has_settings(options, change) {
                let why = changes.notice.as_ref().map_or_else(String::new, |notice| format!(": {notice}"));
                return Err(Error::NoBase { why });
            }
            return Ok(Self::default());
        };
        let (repository, root) = (changes.repository.clone(), changes.root.clone());
        let known = KnownBase { repository, root, commit: tip.clone(), programs: options.programs()? };
        let base = if is_base { Some(known.open()?) } else { None };
        let (files, changed) = (Arc::clone(&options.files), changes.files.clone().unwrap_or_default());
        Ok(Self { files, base, known: Some(known), changed })
    }

    /// Finds the base for a command that is not a check: only where its settings are from counts.
    ///
    /// # Errors
    ///
    /// Fails if the settings of the base are wanted and no base is known.
    pub fn of_command(options: &CheckOptions) -> Result<Self, Error> {
        Self::find(options, &ChangeScope::find(options)?)
    }

    /// Returns the policy for a copy of the base at `root`: the settings of the base, if they are those in use, or the
    /// settings of the copy.
    pub(super) fn of_copy(&self, root: &Path) -> Result<Self, Error> {
        let Some(known) = self.known.as_ref().filter(|_| self.is_of_base()) else { return Ok(Self::default()) };
        let of_copy = KnownBase {
            repository: known.repository.clone(),
            root: root.to_owned(),
            commit: known.commit.clone(),
            programs: known.programs,
        };
        Ok(Self { base: Some(of_copy.open()?), ..Self::default() })
    }

    /// Returns the files that the change touches.
    pub(super) fn changed(&self) -> &BTreeMap<PathBuf, Event> {
        &self.changed
    }

    /// Returns the base, if one is known.
    pub(super) fn open_base(&self) -> Result<Option<CommitTree>, Error> {
        self.known.as_ref().map(KnownBase::open).transpose()
    }

    /// Returns the tree that files of settings are read from.
    pub fn tree(&self) -> &dyn Tree {
        self.base.as_ref().map_or(&*self.files, |base| base)
    }

    /// Returns `true` if the settings of the base are in use.
    pub fn is_of_base(&self) -> bool {
        self.base.is_some()
    }

    /// Returns the source of a file or folder that `by`, a flag or a setting, names. `path` is absolute.
    ///
    /// # Errors
    ///
    /// Fails if the settings of the base count, and the change put something there.
    pub fn source(&self, working: &Path, path: &Path, by: &str) -> Result<ReadFrom, Error> {
        let Some(base) = &self.base else { return Ok(ReadFrom::Disk) };
        base.source(path).map_err(|why| Error::NotRead {
            name: named_as(working, path),
            by: by.to_owned(),
            why: why.to_string(),
        })
    }

    /// Returns the file of `--config`, if there is one.
    ///
    /// # Errors
    ///
    /// Fails if the settings of the base count, and the change put something there (see [`Policy::source`]).
    pub fn config(&self, working: &Path, path: Option<PathBuf>) -> Result<Option<PathBuf>, Error> {
        if let Some(path) = &path {
            self.source(working, &normalize(working, path), "--config")?;
        }
        Ok(path)
    }

    /// Returns everything that a check under `settings` depends on besides its inputs.
    ///
    /// # Errors
    ///
    /// Fails if the settings of the base count, and the change put something there (see [`Policy::source`]).
    pub(super) fn basis(
        &self,
        options: &CheckOptions,
        change: &ChangeScope,
        settings: &Settings,
    ) -> Result<Vec<Basis>, Error> {
        let working = change.working();
        let absolute = |path: &Path| normalize(working, &change.locate(path));
        let mut basis = Vec::new();
        let mut add = |role, path: PathBuf, from| {
            let linked = self.linked(working, &path);
            basis.push(Basis { role, path, linked, from });
        };
        for file in named_files(settings, &options.given) {
            let path = if file.span.is_some() { file.path.to_owned() } else { absolute(file.path) };
            let from = self.source(working, &path, &file.by)?;
            add(file.role, path, from);
        }
        let mut places = settings_places(&Disk, working);
        if let Some(config) = options.config.as_deref().map(absolute) {
            if Disk.entry(&config) == Some(Entry::Folder) {
                places.extend(settings_places(&Disk, &config));
            }
            let from = self.source(working, &config, "--config")?;
            add(Role::Settings, config, from);
        }
        let from = if self.is_of_base() { ReadFrom::Base } else { ReadFrom::Disk };
        for path in places {
            add(Role::Settings, path, from);
        }
        // They are inputs, but of every template.
        for path in &options.parameters {
            add(Role::Parameters, absolute(path), ReadFrom::Disk);
        }
        for path in self.bicep_basis() {
            add(Role::BicepSettings, path, from);
        }
        Ok(basis)
    }

    /// Returns the settings of the Bicep compiler that the change touches, and all files that those of the base extend.
    fn bicep_basis(&self) -> Vec<PathBuf> {
        if self.changed.is_empty() {
            return Vec::new();
        }
        let mut files: Vec<PathBuf> =
            self.changed.keys().filter(|path| path.ends_with(BICEP_SETTINGS)).cloned().collect();
        let is_used = |known: &KnownBase| {
            let tracked = tracked_of_name(&known.repository, BICEP_SETTINGS, known.programs);
            tracked.is_ok_and(|settings| !settings.is_empty())
        };
        let extended = match (&self.base, &self.known) {
            (Some(base), _) => base.extended_by(BICEP_SETTINGS).ok(),
            (None, Some(known)) if is_used(known) => {
                known.open().ok().and_then(|base| base.extended_by(BICEP_SETTINGS).ok())
            }
            _ => None,
        };
        files.extend(extended.into_iter().flatten());
        files
    }

    /// Returns the links on the way to a path and in it, and their targets.
    fn linked(&self, working: &Path, path: &Path) -> Vec<PathBuf> {
        let Some(known) = &self.known else { return Vec::new() };
        let root = if path.starts_with(&known.root) { known.root.as_path() } else { working };
        let is_link = |path: &PathBuf| path.is_symlink();
        let inner = Disk.files(path).into_iter().filter(is_link);
        let mut linked: Vec<PathBuf> =
            inner.chain([path.to_owned()]).flat_map(|link| Changes::way(root, &link)).collect();
        linked.retain(|spot| spot != path);
        linked.sort();
        linked.dedup();
        linked
    }

    /// Returns the settings of the Bicep compiler that replace those on the disk.
    pub fn bicep_settings(&self) -> Result<BTreeMap<PathBuf, Option<Vec<u8>>>, Error> {
        let contents = self.base.as_ref().map(|base| base.bicep_settings(BICEP_SETTINGS));
        Ok(contents.transpose()?.unwrap_or_default())
    }

    /// Returns the notes for the user: which edits of settings do not count yet, or which settings and rules they
    /// weaken.
    pub(super) fn notes(
        &self,
        options: &CheckOptions,
        change: &ChangeScope,
        (settings, basis): (&Settings, &[Basis]),
        sources: &Sources,
    ) -> Result<Vec<Diagnostic>, Error> {
        let Some(known) = &self.known else { return Ok(Vec::new()) };
        let mut edited = self.edited(basis);
        if let Some(base) = &self.base {
            // A file that git does not track is not part of the change.
            edited.retain(|path, event| *event != Event::Added || base.entry(path).is_none());
        }
        let Some(first) = edited.keys().next() else { return Ok(Vec::new()) };
        let (code, message) = if self.is_of_base() {
            let names: Vec<String> = edited.keys().map(|path| format!("`{}`", named_as(&known.root, path))).collect();
            let commit = known.commit.get(..SHORT).unwrap_or(&known.commit);
            let message = format!(
                "the settings are those of the base {commit}; what the change does to {} counts once it is merged",
                listed(&names)
            );
            (Code::ConfigBase, message)
        } else {
            let base = known.open()?;
            let comparison = SettingsComparison { base: &base, root: &known.root, options, change, policy: self };
            let found = comparison.weakened(settings, basis)?;
            if found.is_empty() {
                return Ok(Vec::new());
            }
            (Code::ConfigWeakened, format!("the change weakens its own check: {}", listed(&found)))
        };
        let file = sources.add(display_name(change.working(), first), "");
        Ok(vec![Diagnostic::of_file(code, file, message)])
    }

    /// Returns the changed files that are a part of the basis. Parameter files are inputs, and the change may edit
    /// them.
    fn edited(&self, basis: &[Basis]) -> BTreeMap<PathBuf, Event> {
        let own: Vec<&Basis> = basis.iter().filter(|basis| basis.role != Role::Parameters).collect();
        let edited = self.changed.iter().filter(|(path, _)| own.iter().any(|basis| basis.depends_on(path)));
        edited.map(|(path, event)| (path.clone(), event.clone())).collect()
    }
}

/// Compares the settings of a change with those of its base.
struct SettingsComparison<'a> {
    base: &'a CommitTree,
    /// The root of the repository.
    root: &'a Path,
    options: &'a CheckOptions,
    change: &'a ChangeScope,
    policy: &'a Policy,
}

impl SettingsComparison<'_> {
    /// Lists the settings and rules that the change weakens.
    fn weakened(&self, settings: &Settings, basis: &[Basis]) -> Result<Vec<String>, Error> {
        let (options, change) = (self.options, self.change);
        let config = options.config.as_deref().map(|path| change.locate(path));
        // They are only compared: their own texts are no part of the run.
        let aside = Sources::new();
        let origin = config::Origin {
            working: change.working(),
            file: config.as_deref(),
            tree: self.base,
            host: &Disk,
            environment: &options.variables,
            limits: &Settings::default().limits,
        };
        let (before, _) = config::load(&origin, &aside);
        let mut found = weakened(&before, settings, self.root);
        found.extend(self.accepted(&before, settings));
        let basis: Vec<Basis> = basis.iter().cloned().chain(self.policy.basis(options, change, &before)?).collect();
        for (path, event) in &self.policy.changed {
            let weakens = |basis: &Basis| match basis.role {
                // A new rule only adds to what is found.
                Role::Rules => *event != Event::Added,
                // A new assignment or exemption may change what all others do.
                Role::Policies | Role::PolicyParameters | Role::BicepSettings => true,
                // They are compared by what they say.
                Role::Settings | Role::Baseline | Role::Parameters => false,
            };
            if basis.iter().any(|basis| weakens(basis) && basis.depends_on(path)) {
                found.push(format!("`{}` {}", named_as(self.root, path), happened(event)));
            }
        }
        Ok(found)
    }

    /// Describes the findings that the baseline accepts in addition.
    fn accepted(&self, before: &Settings, after: &Settings) -> Option<String> {
        let working = self.change.working();
        let file = |settings: &Settings| match &self.options.given.baseline {
            Some(path) => Some(normalize(working, &self.change.locate(path))),
            None => settings.baseline.as_ref().map(|(path, _)| path.clone()),
        };
        let open = |tree: &dyn Tree, path: &Path| {
            Baseline::open(path, None, (tree, working), &after.limits, &Sources::new()).0
        };
        let path = file(after)?;
        let old = file(before).and_then(|path| open(self.base, &path)).unwrap_or_default();
        let new = open(&Disk, &path)?;
        let more = new.beyond(&old);
        let rules: BTreeSet<&str> = more.iter().copied().collect();
        let rules: Vec<String> = rules.into_iter().map(|rule| format!("`{rule}`")).collect();
        let noun = if more.len() == 1 { "finding" } else { "findings" };
        let name = named_as(self.root, &path);
        (!more.is_empty()).then(|| format!("`{name}` accepts {} more {noun} of {}", more.len(), listed(&rules)))
    }
}

fn happened(event: &Event) -> &'static str {
    match event {
        Event::Added | Event::RenamedFrom(_) => "is new",
        Event::Deleted | Event::RenamedTo(_) => "is deleted",
        Event::Modified | Event::Named => "is changed",
    }
}

/// Returns the name of a file in messages.
fn named_as(root: &Path, path: &Path) -> String {
    file_name(&display_name(root, path)).into_owned()
}

/// True if anything in the checkout would change how the check is done.
fn has_settings(options: &CheckOptions, change: &ChangeScope) -> bool {
    let working = change.working();
    let root = repository_of(working);
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let top = real(root.as_deref().unwrap_or(working));
    // What the user keeps elsewhere is no part of a change.
    let is_in_checkout = |path: &Path| real(path).starts_with(&top);
    let named = named_by_flags(&options.given).into_iter().map(|file| file.path.to_owned());
    let mut named = named.chain(options.config.clone()).map(|path| normalize(working, &change.locate(&path)));
    let is_found = |path: &PathBuf| Disk.entry(path) == Some(Entry::File);
    named.any(|path| Disk.entry(&path).is_some() && is_in_checkout(&path))
        || settings_places(&Disk, working).iter().any(is_found)
        || has_bicep_settings(root.as_deref(), working, options.programs().ok())
}

fn has_bicep_settings(root: Option<&Path>, working: &Path, programs: Option<Programs>) -> bool {
    match root.zip(programs).map(|(root, programs)| tracked_of_name(root, BICEP_SETTINGS, programs)) {
        Some(Ok(files)) => !files.is_empty(),
        _ => Disk.files(working).iter().any(|path| path.ends_with(BICEP_SETTINGS)),
    }
}

/// Returns the items of a sentence, up to a number of them.
fn listed(items: &[String]) -> String {
    let shown = items.get(..MAX_LISTED).unwrap_or(items);
    let more = items.len() - shown.len();
    let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}
