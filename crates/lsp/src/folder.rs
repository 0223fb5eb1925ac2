//! The latest results of a folder, which stay while a text is broken.

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

/// For how long new syntax errors are held back after a key: most texts are broken while they are written.
pub(crate) const PATIENCE: Duration = Duration::from_millis(400);

/// What is known of a folder.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    /// The items of the last check, and those of earlier ones for templates that the last one could not read.
    items: Vec<Arc<Item>>,
    /// The texts of the files in which something is, as they are now.
    texts: BTreeMap<PathBuf, Text>,
    /// The names of these files in reports.
    names: BTreeMap<PathBuf, Arc<str>>,
    /// What the last check knew that could read everything.
    facts: Facts,
    /// Since when items of earlier checks stay.
    kept_since: Option<Instant>,
    /// The templates whose items are of an earlier check.
    kept: BTreeSet<Arc<str>>,
}

impl Folder {
    /// Takes the results of a check that began at the edit `since`. What it could not read keeps its items for at most `keep`.
    pub(crate) fn take(&mut self, results: Results, documents: &Documents, since: u64, keep: Duration) {
        let Results { mut items, mut texts, names, analysed, has_errors, is_usable, facts } = results;
        for (path, document) in documents.iter() {
            documents.edits(path, since).for_each(|edit| follow(&mut items, path, edit));
            if let Some(text) = texts.get_mut(path) {
                *text = document.text.clone();
            }
        }
        // What is said of a template that is closed or gone, goes.
        let read: BTreeSet<&Arc<str>> = names.values().collect();
        let is_unread = |template: &Arc<str>| !analysed.contains(template) && read.contains(template);
        let stays = |item: &Item| !is_usable || item.templates.iter().any(is_unread);
        let old = std::mem::take(&mut self.items).into_iter().filter(|item| item.is_finding);
        let mut stale: Vec<Arc<Item>> = Vec::new();
        if has_errors && !keep.is_zero() {
            let began = *self.kept_since.get_or_insert_with(Instant::now);
            if began.elapsed() < keep {
                // Some are found again, such as what is wrong with a comment.
                let found: BTreeSet<_> = items.iter().map(|item| item.said()).collect();
                stale = old.filter(|item| stays(item) && !found.contains(&item.said())).collect();
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

    /// Lets the places of resources and values follow an edit of a file.
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

    /// Takes the text of a document that is opened, of which `edit` makes another text. What is said of another text than that of
    /// the disk is known after the next check.
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

    /// The names of the files that the last check has read.
    pub(crate) fn covered(&self) -> impl Iterator<Item = &Arc<str>> {
        self.texts.keys().filter_map(|path| self.names.get(path))
    }

    /// Where what is said: the file, where it begins there, and the code.
    pub(crate) fn said(&self) -> BTreeSet<(&Path, usize, &str)> {
        let said = self.items.iter().map(|item| (item.site.file.as_path(), item.site.range.start, item.code.as_str()));
        said.collect()
    }

    /// The text of a file as it is now, if anything is in it.
    pub(crate) fn text(&self, path: &Path) -> Option<&Text> {
        self.texts.get(path)
    }

    /// The texts of all files in which something is.
    pub(crate) fn texts(&self) -> &BTreeMap<PathBuf, Text> {
        &self.texts
    }

    pub(crate) fn items(&self) -> &[Arc<Item>] {
        &self.items
    }

    /// The items of a file that are shown. `is_typing` says whether its text is being written.
    pub(crate) fn shown<'a>(&'a self, is_typing: &'a dyn Fn(&Path) -> bool) -> impl Iterator<Item = &'a Arc<Item>> {
        self.items.iter().filter(move |item| !is_held_back(item) || !is_typing(&item.site.file))
    }

    /// Whether an error waits for the text of its file to be written.
    pub(crate) fn holds_back(&self) -> bool {
        self.items.iter().any(|item| is_held_back(item))
    }

    /// When the items of earlier checks go.
    pub(crate) fn expires(&self, keep: Duration) -> Option<Instant> {
        self.kept_since?.checked_add(keep)
    }

    /// Drops the items of earlier checks.
    pub(crate) fn let_go(&mut self) {
        self.items.retain(|item| !item.is_kept);
        self.kept_since = None;
        self.kept.clear();
    }

    /// The name of a file in reports.
    pub(crate) fn name(&self, path: &Path) -> Option<&Arc<str>> {
        self.names.get(path)
    }

    /// The file that has a name in reports.
    pub(crate) fn path(&self, name: &str) -> Option<&Path> {
        self.names.iter().find(|(_, known)| &***known == name).map(|(path, _)| path.as_path())
    }

    /// All files by their names in reports.
    pub(crate) fn paths(&self) -> BTreeMap<&str, &Path> {
        self.names.iter().map(|(path, name)| (&**name, path.as_path())).collect()
    }

    /// The resources with a name of one deployment of each template, by the files that declare them.
    pub(crate) fn resources(&self) -> &BTreeMap<PathBuf, Vec<Resource>> {
        &self.facts.resources
    }

    /// What the deployments would create.
    pub(crate) fn trees(&self) -> &[ResourceTree] {
        &self.facts.trees
    }

    /// The baseline that the settings name.
    pub(crate) fn baseline(&self) -> Option<&Baseline> {
        self.facts.baseline.as_ref()
    }

    /// The values in a file, by their places.
    pub(crate) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Shown> {
        self.facts.values.iter().filter(move |value| &*value.file == name)
    }

    /// The IDs of the rules with findings.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.facts.rules.iter().map(|rule| &**rule)
    }
}

/// Lets items follow an edit of a file. Those whose own text was edited go.
fn follow(items: &mut Vec<Arc<Item>>, path: &Path, edit: &Edit) {
    // A copy is made only of an item that moves while it is drawn.
    items.retain_mut(|item| !item.mentions(path) || Arc::make_mut(item).follow(path, edit));
}

/// Whether an item is shown only when its text has come to rest.
fn is_held_back(item: &Item) -> bool {
    !item.is_finding && item.level == Level::Error
}
