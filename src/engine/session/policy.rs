//! Where a check takes its settings from: what is checked out, or the base of the change.
//!
//! Whoever may open a pull request may write into it what weakens its own check. The settings of the base were reviewed.
//! Where those of the change count, one diagnostic lists what it weakened, for its reviewers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::config::{self, Settings, settings_places, weakened};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::baseline::Baseline;
use crate::engine::changes::{Changes, CommitTree, Detail, Event};
use crate::engine::session::change::ChangeScope;
use crate::engine::session::{CheckOptions, ConfigFrom, Error};
use crate::files::{Disk, Entry, Tree, display_name, normalize};
use crate::text::Sources;
use crate::text::escape::file_name;

/// The settings of the Bicep compiler, which it looks for beside and above the files that it compiles.
const BICEP_SETTINGS: &str = "bicepconfig.json";

/// How many weakened things are listed.
const MAX_LISTED: usize = 20;

/// How many characters of the id of a commit are shown.
const SHORT: usize = 10;

/// Where settings, rules and the baseline are read from.
#[derive(Debug)]
pub(super) struct Policy {
    /// The base of the change, if one is known.
    base: Option<CommitTree>,
    /// Whether the base decides, and not what is checked out.
    is_base: bool,
    /// The files of settings that the change touches.
    edited: BTreeMap<PathBuf, Event>,
}

impl Policy {
    /// Finds the base and what the change does to files of settings.
    pub(super) fn find(options: &CheckOptions, change: &ChangeScope) -> Result<Self, Error> {
        let own;
        let mut changes = change.changes();
        let mut is_base = false;
        if let ConfigFrom::Base(query) = &options.config_from {
            is_base = true;
            if changes.is_none() {
                own = Changes::find(&options.working, query, Detail::Files)?;
                changes = Some(&own);
            }
        }
        let Some(changes) = changes else { return Ok(Self { base: None, is_base, edited: BTreeMap::new() }) };
        let Some(tip) = &changes.tip else {
            let why = changes.notice.as_ref().map_or_else(String::new, |notice| format!(": {notice}"));
            return if is_base && has_settings(options, change) {
                Err(Error::NoBase { why })
            } else {
                Ok(Self { base: None, is_base: false, edited: BTreeMap::new() })
            };
        };
        let edited = edited(options, change, changes);
        // Most changes touch no settings, and then those of both sides are the same.
        let base = if is_base || !edited.is_empty() {
            Some(CommitTree::open(&changes.repository, &changes.root, tip)?)
        } else {
            None
        };
        Ok(Self { base, is_base, edited })
    }

    /// Where files of settings are read from.
    pub(super) fn tree(&self) -> &dyn Tree {
        self.deciding().map_or(&Disk, |base| base)
    }

    /// Whether the settings of the base count.
    pub(super) fn is_of_base(&self) -> bool {
        self.deciding().is_some()
    }

    fn deciding(&self) -> Option<&CommitTree> {
        self.base.as_ref().filter(|_| self.is_base)
    }

    /// The path, unless the base decides and does not have what is there: a file that the change adds counts once it is
    /// merged.
    pub(super) fn present(&self, working: &Path, path: &Path) -> bool {
        let (tree, path) = (self.tree(), normalize(working, path));
        let is_there = match tree.entry(&path) {
            Some(Entry::Folder) => Disk.files(&path).is_empty() || !tree.files(&path).is_empty(),
            Some(Entry::File) => true,
            None => Disk.entry(&path).is_none(),
        };
        !self.is_of_base() || is_there
    }

    /// The settings of the Bicep compiler that replace those on the disk.
    pub(super) fn bicep_settings(&self) -> Result<BTreeMap<PathBuf, Option<Vec<u8>>>, Error> {
        Ok(self.deciding().map(|base| base.other_contents(BICEP_SETTINGS)).transpose()?.unwrap_or_default())
    }

    /// What the user should know: which edits of settings do not count yet, or what they weaken.
    pub(super) fn notes(
        &self,
        options: &CheckOptions,
        change: &ChangeScope,
        settings: &Settings,
        sources: &Sources,
    ) -> Vec<Diagnostic> {
        let Some(base) = &self.base else { return Vec::new() };
        let rules: Vec<PathBuf> = settings.rules.paths.iter().map(|(path, _)| path.clone()).collect();
        let place = Place { base, root: &change.changes_root(), working: change.working() };
        let (code, message, first) = if self.is_base {
            let mut touched: BTreeMap<PathBuf, Event> = self.edited.clone();
            touched.extend(place.below(change.changes(), &rules));
            if let (Some(files), Some((path, _))) = (change.files(), &settings.baseline)
                && let Some((path, event)) = files.get_key_value(path)
            {
                touched.insert(path.clone(), event.clone());
            }
            let names: Vec<String> = touched.keys().map(|path| format!("`{}`", place.name(path))).collect();
            let Some(first) = touched.into_keys().next() else { return Vec::new() };
            let message = format!(
                "the settings are those of the base {}; what the change does to {} counts once it is merged",
                base.commit.get(..SHORT).unwrap_or(&base.commit),
                listed(&names)
            );
            (Code::ConfigBase, message, first)
        } else {
            let found = self.weakened(options, change, settings, &place);
            let Some(first) = self.edited.keys().next().cloned().filter(|_| !found.is_empty()) else {
                return Vec::new();
            };
            (Code::ConfigWeakened, format!("the change weakens its own check: {}", listed(&found)), first)
        };
        let file = sources.add(display_name(change.working(), &first), "");
        vec![Diagnostic::of_file(code, file, message)]
    }

    /// What the change weakens, where its settings count.
    fn weakened(
        &self,
        options: &CheckOptions,
        change: &ChangeScope,
        settings: &Settings,
        place: &Place<'_>,
    ) -> Vec<String> {
        let config = options.config.as_deref().map(|path| change.locate(path));
        // They are only compared: their own texts are no part of the run.
        let aside = Sources::new();
        let origin = config::Origin {
            working: change.working(),
            file: config.as_deref(),
            tree: place.base,
            environment: &options.variables,
            limits: &Settings::default().limits,
        };
        let (before, _) = config::load(&origin, &aside);
        let mut found = weakened(&before, settings, place.root);
        let named = |settings: &Settings| match &options.baseline {
            Some(path) => Some(normalize(change.working(), &change.locate(path))),
            None => settings.baseline.as_ref().map(|(path, _)| path.clone()),
        };
        found.extend(place.accepted(named(&before), named(settings), settings));
        let rules = before.rules.paths.iter().chain(&settings.rules.paths).map(|(path, _)| path.clone());
        let rules =
            rules.chain(change.locate_all(&options.rules).into_iter().map(|path| normalize(place.working, &path)));
        let rules: Vec<PathBuf> = rules.collect();
        let of_bicep = self.edited.iter().filter(|(path, _)| path.ends_with(BICEP_SETTINGS));
        let of_bicep: Vec<String> = of_bicep.map(|(path, event)| place.told(path, event)).collect();
        found.extend(of_bicep);
        // A new rule only adds to what is found.
        let below = place.below(change.changes(), &rules);
        found.extend(
            below.iter().filter(|(_, event)| **event != Event::Added).map(|(path, event)| place.told(path, event)),
        );
        found
    }
}

/// Names files for messages.
struct Place<'a> {
    base: &'a CommitTree,
    /// The root of the repository.
    root: &'a Path,
    working: &'a Path,
}

impl Place<'_> {
    fn name(&self, path: &Path) -> String {
        file_name(&display_name(self.root, path)).into_owned()
    }

    fn told(&self, path: &Path, event: &Event) -> String {
        let happened = match event {
            Event::Added | Event::RenamedFrom(_) => "is new",
            Event::Deleted | Event::RenamedTo(_) => "is deleted",
            Event::Modified | Event::Named => "is changed",
        };
        format!("`{}` {happened}", self.name(path))
    }

    /// The changed files among `rules` and in folders among them.
    fn below(&self, changes: Option<&Changes>, rules: &[PathBuf]) -> BTreeMap<PathBuf, Event> {
        let files = changes.and_then(|changes| changes.files.as_ref()).into_iter().flatten();
        let is_rule = |path: &Path| rules.iter().any(|rules| path.starts_with(rules));
        files.filter(|(path, _)| is_rule(path)).map(|(path, event)| (path.clone(), event.clone())).collect()
    }

    /// How much more the baseline accepts.
    fn accepted(&self, before: Option<PathBuf>, after: Option<PathBuf>, settings: &Settings) -> Option<String> {
        let after = after?;
        let open = |tree: &dyn Tree, path: &Path| {
            Baseline::open(path, None, (tree, self.working), &settings.limits, &Sources::new()).0
        };
        let old = before.and_then(|path| open(self.base, &path)).unwrap_or_default();
        let new = open(&Disk, &after)?;
        let more = new.beyond(&old);
        let rules: BTreeSet<&str> = more.iter().copied().collect();
        let rules: Vec<String> = rules.into_iter().map(|rule| format!("`{rule}`")).collect();
        let count = more.len();
        let noun = if count == 1 { "finding" } else { "findings" };
        (count > 0).then(|| format!("`{}` accepts {count} more {noun} of {}", self.name(&after), listed(&rules)))
    }
}

/// The changed files that are settings by their place and name, or because the options name them.
fn edited(options: &CheckOptions, change: &ChangeScope, changes: &Changes) -> BTreeMap<PathBuf, Event> {
    let working = change.working();
    let absolute = |path: &Path| normalize(working, &change.locate(path));
    let config = options.config.as_deref().map(absolute);
    let mut places: BTreeSet<PathBuf> = settings_places(&Disk, working).into_iter().collect();
    if let Some(config) = config {
        places.extend(settings_places(&Disk, &config));
        places.insert(config);
    }
    let given: Vec<PathBuf> = options.baseline.iter().chain(&options.rules).map(|path| absolute(path)).collect();
    let is_policy = |path: &Path| {
        path.ends_with(BICEP_SETTINGS) || places.contains(path) || given.iter().any(|given| path.starts_with(given))
    };
    let files = changes.files.iter().flatten();
    files.filter(|(path, _)| is_policy(path)).map(|(path, event)| (path.clone(), event.clone())).collect()
}

/// Whether anything that is checked out would change how the check is done.
fn has_settings(options: &CheckOptions, change: &ChangeScope) -> bool {
    let working = change.working();
    let given = options.config.iter().chain(&options.baseline).chain(&options.rules);
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
