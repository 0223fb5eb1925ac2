//! Latest results of a folder, which stay while a text is broken.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use formwork_model::diagnostic::Level;
use formwork_report::model::{ResourceTree, Rule};

use crate::checks::{Baseline, Shown, Written};
use crate::documents::{Documents, Edit};
use crate::items::Item;
use crate::results::{Facts, Resource, Results};
use crate::text::Text;

/// Time for which new syntax errors are held back after a key, because most texts are broken while they are typed.
pub(crate) const PATIENCE: Duration = Duration::from_millis(400);

/// Latest results of a folder.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    /// Items of the last check, and of earlier ones for templates that the last check could not read.
    items: Vec<Arc<Item>>,
    /// Current texts of the files with items.
    texts: BTreeMap<PathBuf, Text>,
    /// Names of these files in reports.
    names: BTreeMap<PathBuf, Arc<str>>,
    /// Facts from the last check that could read everything.
    facts: Facts,
    /// Time since when items of earlier checks are kept.
    kept_since: Option<Instant>,
    /// Templates whose items are from an earlier check.
    kept: BTreeSet<Arc<str>>,
}

impl Folder {
    /// Stores the results of a check that started at the edit `since`. Templates that it could not read keep their
    /// items for at most `keep`.
    pub(crate) fn take(&mut self, results: Results, documents: &Documents, since: u64, keep: Duration) {
        let Results { mut items, mut texts, names, analysed, has_errors, is_usable, facts } = results;
        for (path, document) in documents.iter() {
            documents.edits(path, since).for_each(|edit| follow(&mut items, path, edit));
            if let Some(text) = texts.get_mut(path) {
                *text = document.text.clone();
            }
        }
        // Items of templates that are closed or gone are dropped.
        let read: BTreeSet<&Arc<str>> = names.values().collect();
        let old = std::mem::take(&mut self.items).into_iter().filter(|item| item.is_finding);
        let mut stale: Vec<Arc<Item>> = Vec::new();
        if has_errors && !keep.is_zero() {
            let began = *self.kept_since.get_or_insert_with(Instant::now);
            if began.elapsed() < keep {
                // Some were found again, such as problems of comments.
                let found: BTreeSet<_> = items.iter().map(|item| item.visible_part()).collect();
                stale = old
                    .filter(|item| {
                        let is_unread =
                            item.templates.iter().any(|name| !analysed.contains(name) && read.contains(name));
                        (!is_usable || is_unread) && !found.contains(&item.visible_part())
                    })
                    .collect();
            }
        }
        if stale.is_empty() {
            self.kept_since = None;
        }
        self.kept = stale.iter().flat_map(|item| item.templates.iter().cloned()).collect();
        for item in &mut stale {
            Arc::make_mut(item).is_kept = true;
            let sites = std::iter::once(&item.site).chain(item.related.iter().map(|related| &related.site));
            for site in sites {
                if let Some(text) = self.texts.remove(&site.file) {
                    texts.entry(site.file.clone()).or_insert(text);
                }
            }
        }
        items.extend(stale);
        (self.items, self.texts) = (items, texts);
        self.names.extend(names);
        if is_usable && self.kept.is_empty() {
            self.facts = facts;
            for (path, _) in documents.iter() {
                documents.edits(path, since).for_each(|edit| self.move_facts(path, edit));
            }
        }
    }

    /// Moves the locations of resources and values along with an edit of a file.
    fn move_facts(&mut self, path: &Path, edit: &Edit) {
        if let Some(resources) = self.facts.resources.get_mut(path) {
            resources.retain_mut(|resource| resource.follow(edit));
        }
        let Some(name) = self.names.get(path).cloned() else { return };
        self.facts.values.retain_mut(|value| match &mut value.of {
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

    /// Handles an opened document. `edit` replaces the known text by another one. Items of an unsaved text are known
    /// after the next check.
    pub(crate) fn open(&mut self, path: &Path, edit: &Edit, text: &Text) {
        if self.texts.get(path).is_some_and(|known| known.text() != text.text()) {
            self.follow(path, std::slice::from_ref(edit), text);
        }
    }

    /// Follows the edits of an open document.
    pub(crate) fn follow(&mut self, path: &Path, edits: &[Edit], text: &Text) {
        for edit in edits {
            follow(&mut self.items, path, edit);
            self.move_facts(path, edit);
        }
        if let Some(known) = self.texts.get_mut(path) {
            *known = text.clone();
        }
    }

    /// Returns the names of the files that the last check read.
    pub(crate) fn covered(&self) -> impl Iterator<Item = &Arc<str>> {
        self.texts.keys().filter_map(|path| self.names.get(path))
    }

    /// Returns the file, start, and code of each item.
    pub(crate) fn item_keys(&self) -> BTreeSet<(&Path, usize, &str)> {
        let keys = self.items.iter().map(|item| (item.site.file.as_path(), item.site.range.start, item.code.as_str()));
        keys.collect()
    }

    /// Returns the current text of a file with items.
    pub(crate) fn text(&self, path: &Path) -> Option<&Text> {
        self.texts.get(path)
    }

    /// Returns the current texts of all files with items.
    pub(crate) fn texts(&self) -> &BTreeMap<PathBuf, Text> {
        &self.texts
    }

    pub(crate) fn items(&self) -> &[Arc<Item>] {
        &self.items
    }

    /// Iterates over the items that are shown. `is_typing` returns `true` if a file is being edited.
    pub(crate) fn shown<'a>(&'a self, is_typing: &'a dyn Fn(&Path) -> bool) -> impl Iterator<Item = &'a Arc<Item>> {
        self.items.iter().filter(move |item| !is_held_back(item) || !is_typing(&item.site.file))
    }

    /// True if an error is held back while its file is being edited.
    pub(crate) fn holds_back(&self) -> bool {
        self.items.iter().any(|item| is_held_back(item))
    }

    /// Returns the time when the items of earlier checks are dropped.
    pub(crate) fn expires(&self, keep: Duration) -> Option<Instant> {
        self.kept_since?.checked_add(keep)
    }

    /// Drops the items of earlier checks.
    pub(crate) fn let_go(&mut self) {
        self.items.retain(|item| !item.is_kept);
        self.kept_since = None;
        self.kept.clear();
    }

    /// Returns the name of a file in reports.
    pub(crate) fn name(&self, path: &Path) -> Option<&Arc<str>> {
        self.names.get(path)
    }

    /// Returns the file with a name in reports.
    pub(crate) fn path(&self, name: &str) -> Option<&Path> {
        self.names.iter().find(|(_, known)| &***known == name).map(|(path, _)| path.as_path())
    }

    /// Returns all files by their names in reports.
    pub(crate) fn paths(&self) -> BTreeMap<&str, &Path> {
        self.names.iter().map(|(path, name)| (&**name, path.as_path())).collect()
    }

    /// Returns the named resources of one deployment of each template, by the files that declare them.
    pub(crate) fn resources(&self) -> &BTreeMap<PathBuf, Vec<Resource>> {
        &self.facts.resources
    }

    /// Returns the resource trees of the deployments.
    pub(crate) fn trees(&self) -> &[ResourceTree] {
        &self.facts.trees
    }

    /// Returns the baseline that the settings name.
    pub(crate) fn baseline(&self) -> Option<&Baseline> {
        self.facts.baseline.as_ref()
    }

    /// Iterates over the values in a file.
    pub(crate) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Shown> {
        self.facts.values.iter().filter(move |value| &*value.file == name)
    }

    /// Iterates over the rules with findings.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.facts.rules.iter().map(|rule| &**rule)
    }
}

/// Moves items along with an edit of a file. Items whose own text was edited are dropped.
fn follow(items: &mut Vec<Arc<Item>>, path: &Path, edit: &Edit) {
    // An item is copied only if it moves while it is being published.
    items.retain_mut(|item| !item.mentions(path) || Arc::make_mut(item).follow(path, edit));
}

/// True if an item is shown only when its file is no longer being edited.
fn is_held_back(item: &Item) -> bool {
    !item.is_finding && item.level == Level::Error
}
