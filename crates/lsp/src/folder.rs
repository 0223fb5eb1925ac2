//! The latest results of a folder, which stay while a text is broken.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use formwork_model::diagnostic::Level;
use formwork_report::model::{ResourceTree, Rule};

use crate::checks::{Checked, Shown, Written};
use crate::documents::{Documents, Edit};
use crate::items::{self, Item};
use crate::text::Text;

/// For how long new syntax errors are held back after a key: most texts are broken while they are written.
pub(crate) const PATIENCE: Duration = Duration::from_millis(400);

/// What is known of a folder.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    /// The items of the last check, and those of earlier ones for templates that the last one could not read.
    items: Vec<Item>,
    /// The texts of the files in which something is, as they are now.
    texts: BTreeMap<PathBuf, Text>,
    /// The names of these files in reports.
    names: BTreeMap<PathBuf, Arc<str>>,
    /// The last check that could read everything, without its texts.
    checked: Checked,
    /// Since when items of earlier checks stay.
    kept_since: Option<Instant>,
    /// The templates whose items are of an earlier check.
    kept: BTreeSet<Arc<str>>,
}

impl Folder {
    /// Takes the result of a check that began at the edit `since`. What it could not read keeps its items for at most `keep`.
    pub(crate) fn take(&mut self, mut checked: Checked, documents: &Documents, since: u64, keep: Duration) {
        let mut texts: BTreeMap<PathBuf, Text> = BTreeMap::new();
        let mut paths: BTreeMap<Arc<str>, PathBuf> = BTreeMap::new();
        for (name, file) in std::mem::take(&mut checked.texts) {
            texts.insert(file.path.clone(), Text::new(file.text));
            paths.insert(name, file.path);
        }
        let text = |name: &str| {
            let path = paths.get(name)?;
            Some((path.clone(), texts.get(path)?))
        };
        let mut items = items::of_check(&checked, &text);
        for (path, document) in documents.iter() {
            for edit in documents.edits(path, since) {
                items.retain_mut(|item| item.follow(path, edit));
            }
            if texts.contains_key(path) {
                texts.insert(path.to_path_buf(), document.text.clone());
            }
        }
        let stays = |item: &Item| !checked.is_usable || is_unread(item, &checked.analysed);
        let old: Vec<Item> = std::mem::take(&mut self.items).into_iter().filter(|item| item.is_finding).collect();
        let mut stale: Vec<Item> = Vec::new();
        if items::has_errors(&checked.report) && !keep.is_zero() {
            let began = *self.kept_since.get_or_insert_with(Instant::now);
            if began.elapsed() < keep {
                stale = old.into_iter().filter(stays).collect();
            }
        }
        if stale.is_empty() {
            self.kept_since = None;
        }
        self.kept = stale.iter().flat_map(|item| item.templates.iter().cloned()).collect();
        for item in &stale {
            let sites = std::iter::once(&item.site).chain(item.related.iter().map(|related| &related.site));
            for site in sites {
                if let Some(text) = self.texts.remove(&site.file) {
                    texts.entry(site.file.clone()).or_insert(text);
                }
            }
        }
        items.extend(stale);
        (self.items, self.texts) = (items, texts);
        self.names.extend(paths.into_iter().map(|(name, path)| (path, name)));
        if checked.is_usable && self.kept.is_empty() {
            self.checked = checked;
            for (path, _) in documents.iter() {
                documents.edits(path, since).for_each(|edit| self.move_values(path, edit));
            }
        }
    }

    /// Lets the places of values follow an edit of a file.
    fn move_values(&mut self, path: &Path, edit: &Edit) {
        let Some(name) = self.names.get(path).cloned() else { return };
        self.checked.values.retain_mut(|value| match &mut value.of {
            Written::Property { start, end } if value.file == name => match edit.moved(&(*start..*end)) {
                Some(range) => {
                    (*start, *end) = (range.start, range.end);
                    true
                }
                None => false,
            },
            _ => true,
        });
    }

    /// Follows the edits of an open document.
    pub(crate) fn follow(&mut self, path: &Path, edits: &[Edit], text: &Text) {
        for edit in edits {
            self.items.retain_mut(|item| item.follow(path, edit));
            self.move_values(path, edit);
        }
        if let Some(known) = self.texts.get_mut(path) {
            *known = text.clone();
        }
    }

    /// The text of a file as it is now, if anything is in it.
    pub(crate) fn text(&self, path: &Path) -> Option<&Text> {
        self.texts.get(path)
    }

    pub(crate) fn items(&self) -> &[Item] {
        &self.items
    }

    /// The items of a file that are shown. `is_typing` says whether its text is being written.
    pub(crate) fn shown<'a>(&'a self, is_typing: &'a dyn Fn(&Path) -> bool) -> impl Iterator<Item = &'a Item> {
        self.items.iter().filter(move |item| !is_held_back(item) || !is_typing(&item.site.file))
    }

    /// Whether an error waits for the text of its file to be written.
    pub(crate) fn holds_back(&self) -> bool {
        self.items.iter().any(is_held_back)
    }

    /// When the items of earlier checks go.
    pub(crate) fn expires(&self, keep: Duration) -> Option<Instant> {
        self.kept_since?.checked_add(keep)
    }

    /// The name of a file in reports.
    pub(crate) fn name(&self, path: &Path) -> Option<&Arc<str>> {
        self.names.get(path)
    }

    /// What the deployments would create.
    pub(crate) fn trees(&self) -> &[ResourceTree] {
        &self.checked.report.trees
    }

    /// The values in a file, by their places.
    pub(crate) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Shown> {
        self.checked.values.iter().filter(move |value| &*value.file == name)
    }

    /// The IDs of the rules with findings.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.checked.report.rules.iter().map(|rule| &**rule)
    }
}

/// Whether an item is about templates that a check could not read.
fn is_unread(item: &Item, analysed: &BTreeSet<Arc<str>>) -> bool {
    item.templates.iter().any(|template| !analysed.contains(template))
}

/// Whether an item is shown only when its text has come to rest.
fn is_held_back(item: &Item) -> bool {
    !item.is_finding && item.level == Level::Error
}
