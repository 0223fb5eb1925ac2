//! Where a check takes its settings from: what is checked out, or the base of the change.
//!
//! Whoever may open a pull request may write into it what weakens its own check. The settings of the base were reviewed.
//! Where those of the change count, one diagnostic lists what it weakened, for its reviewers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::{self, Settings, settings_places, weakened};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::baseline::Baseline;
use crate::engine::changes::{Changes, CommitTree, Detail, Event};
use crate::engine::session::change::ChangeScope;
use crate::engine::session::{CheckOptions, ConfigFrom, Error};
use crate::files::{Disk, Entry, Overlay, Programs, Tree, display_name};
use crate::path::normalize;
use crate::text::Sources;
use crate::text::escape::file_name;

/// The settings of the Bicep compiler, which it looks for beside and above the files that it compiles.
const BICEP_SETTINGS: &str = "bicepconfig.json";

/// How many weakened things are listed.
const MAX_LISTED: usize = 20;

/// How many characters of the id of a commit are shown.
const SHORT: usize = 10;

/// Where settings, rules and the baseline are read from.
#[derive(Debug, Default)]
pub struct Policy {
    /// What is checked out.
    files: Arc<Overlay>,
    /// The base, if its settings count.
    base: Option<CommitTree>,
    /// Where the base is, if one is known.
    known: Option<Known>,
    /// The files that the change touches.
    changed: BTreeMap<PathBuf, Event>,
}

/// A base that is known.
#[derive(Debug)]
struct Known {
    repository: PathBuf,
    /// The repository, or a copy of it.
    root: PathBuf,
    commit: String,
    programs: Programs,
}

impl Known {
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
        let known = Known { repository, root, commit: tip.clone(), programs: options.programs()? };
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

    /// What counts for a copy of the base at `root`: the same settings, if they are those of the base, or its own.
    pub(super) fn of_copy(&self, root: &Path) -> Result<Self, Error> {
        let Some(known) = self.known.as_ref().filter(|_| self.is_of_base()) else { return Ok(Self::default()) };
        let of_copy = Known {
            repository: known.repository.clone(),
            root: root.to_owned(),
            commit: known.commit.clone(),
            programs: known.programs,
        };
        Ok(Self { base: Some(of_copy.open()?), ..Self::default() })
    }

    /// Where files of settings are read from.
    pub fn tree(&self) -> &dyn Tree {
        self.base.as_ref().map_or(&*self.files, |base| base)
    }

    /// Whether the settings of the base count.
    pub fn is_of_base(&self) -> bool {
        self.base.is_some()
    }

    /// Whether what is at a path counts. A file that the change adds counts once it is merged.
    pub fn present(&self, working: &Path, path: &Path) -> bool {
        let Some(base) = &self.base else { return true };
        let path = normalize(working, path);
        match base.entry(&path) {
            Some(Entry::Folder) => !base.files(&path).is_empty() || Disk.files(&path).is_empty(),
            Some(Entry::File) => true,
            None => Disk.entry(&path).is_none(),
        }
    }

    /// The settings of the Bicep compiler that replace those on the disk.
    pub fn bicep_settings(&self) -> Result<BTreeMap<PathBuf, Option<Vec<u8>>>, Error> {
        let contents = self.base.as_ref().map(|base| base.other_contents(BICEP_SETTINGS));
        Ok(contents.transpose()?.unwrap_or_default())
    }

    /// What the user should know: which edits of settings do not count yet, or what they weaken.
    pub(super) fn notes(
        &self,
        options: &CheckOptions,
        change: &ChangeScope,
        settings: &Settings,
        sources: &Sources,
    ) -> Result<Vec<Diagnostic>, Error> {
        let Some(known) = &self.known else { return Ok(Vec::new()) };
        let mut edited = self.edited(options, change, settings);
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
            let comparison = Comparison { base: &base, root: &known.root, options, change, changed: &self.changed };
            let found = comparison.weakened(settings);
            if found.is_empty() {
                return Ok(Vec::new());
            }
            (Code::ConfigWeakened, format!("the change weakens its own check: {}", listed(&found)))
        };
        let file = sources.add(display_name(change.working(), first), "");
        Ok(vec![Diagnostic::of_file(code, file, message)])
    }

    /// The changed files that are settings by their place and name, or because the options or `settings` name them.
    fn edited(&self, options: &CheckOptions, change: &ChangeScope, settings: &Settings) -> BTreeMap<PathBuf, Event> {
        let working = change.working();
        let absolute = |path: &Path| normalize(working, &change.locate(path));
        let mut places: BTreeSet<PathBuf> = settings_places(&Disk, working).into_iter().collect();
        if let Some(config) = options.config.as_deref().map(absolute) {
            if Disk.entry(&config) == Some(Entry::Folder) {
                places.extend(settings_places(&Disk, &config));
            }
            places.insert(config);
        }
        let given = options.given.baseline.iter().chain(&options.given.rules).map(|path| absolute(path));
        let of_settings = settings.rules.paths.iter().chain(&settings.baseline).map(|(path, _)| path.clone());
        let given: Vec<PathBuf> = given.chain(of_settings).collect();
        let is_policy = |path: &Path| {
            path.ends_with(BICEP_SETTINGS) || places.contains(path) || given.iter().any(|given| path.starts_with(given))
        };
        let edited = self.changed.iter().filter(|(path, _)| is_policy(path));
        edited.map(|(path, event)| (path.clone(), event.clone())).collect()
    }
}

/// Compares the settings of a change with those of its base.
struct Comparison<'a> {
    base: &'a CommitTree,
    /// The root of the repository.
    root: &'a Path,
    options: &'a CheckOptions,
    change: &'a ChangeScope,
    changed: &'a BTreeMap<PathBuf, Event>,
}

impl Comparison<'_> {
    /// What the change weakens.
    fn weakened(&self, settings: &Settings) -> Vec<String> {
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
        let given = change.locate_all(&options.given.rules).into_iter().map(|path| normalize(change.working(), &path));
        let named = before.rules.paths.iter().chain(&settings.rules.paths).map(|(path, _)| path.clone());
        let rules: Vec<PathBuf> = named.chain(given).collect();
        for (path, event) in self.changed {
            let is_rule = rules.iter().any(|rules| path.starts_with(rules));
            // A new rule only adds to what is found.
            if path.ends_with(BICEP_SETTINGS) || (is_rule && *event != Event::Added) {
                found.push(format!("`{}` {}", named_as(self.root, path), happened(event)));
            }
        }
        found
    }

    /// How much more the baseline accepts.
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

/// The name of a file in messages.
fn named_as(root: &Path, path: &Path) -> String {
    file_name(&display_name(root, path)).into_owned()
}

/// Whether anything that is checked out would change how the check is done.
fn has_settings(options: &CheckOptions, change: &ChangeScope) -> bool {
    let working = change.working();
    let given = options.config.iter().chain(&options.given.baseline).chain(&options.given.rules);
    let mut places: Vec<PathBuf> = settings_places(&Disk, working);
    places.extend(given.map(|path| normalize(working, &change.locate(path))));
    places.iter().any(|path| Disk.entry(path) == Some(Entry::File))
}

/// The items of a sentence, up to a number of them.
fn listed(items: &[String]) -> String {
    let shown = items.get(..MAX_LISTED).unwrap_or(items);
    let more = items.len() - shown.len();
    let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}
