//! Checks of all templates in the folders of a client, after those of the open files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::documents::Documents;
use crate::folder::Folder;
use crate::items::Item;
use crate::results::Results;

/// Results for templates without open documents.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// Folders that have to be checked again as a whole.
    due: BTreeSet<PathBuf>,
    known: BTreeMap<PathBuf, Folder>,
}

impl Workspace {
    /// Requests a new check of these folders, and drops all other folders.
    pub(crate) fn want(&mut self, folders: &[PathBuf]) {
        self.known.retain(|folder, _| folders.contains(folder));
        self.due = folders.iter().cloned().collect();
    }

    /// Returns the next folder to check. It stays due until there is a result.
    pub(crate) fn next(&self) -> Option<&PathBuf> {
        self.due.first()
    }

    /// Stores the results of a check that started at the edit `since`.
    pub(crate) fn take(&mut self, folder: &Path, results: Results, documents: &Documents, since: u64) {
        self.due.remove(folder);
        self.known.entry(folder.to_path_buf()).or_default().take(results, documents, since, Duration::ZERO);
    }

    /// Skips a folder until something changes in it.
    pub(crate) fn give_up(&mut self, folder: &Path) {
        self.due.remove(folder);
    }

    pub(crate) fn folders(&self) -> impl Iterator<Item = &Folder> {
        self.known.values()
    }

    pub(crate) fn folders_mut(&mut self) -> impl Iterator<Item = &mut Folder> {
        self.known.values_mut()
    }

    /// Returns the items that are not covered by the newer results for open files. `is_of` returns `true` if a file
    /// is checked in a folder.
    pub(crate) fn beyond<'a>(
        &'a self,
        open: &'a BTreeMap<PathBuf, Folder>,
        is_of: &'a dyn Fn(&Path, &Path) -> bool,
    ) -> impl Iterator<Item = &'a Arc<Item>> {
        self.known.iter().flat_map(move |(path, known)| {
            let newer = open.get(path);
            let covered: BTreeSet<&Arc<str>> = newer.into_iter().flat_map(Folder::covered).collect();
            let keys = newer.map(Folder::item_keys).unwrap_or_default();
            known.items().iter().filter(move |item| {
                let site = &item.site;
                let is_covered = if item.templates.is_empty() {
                    newer.is_some_and(|newer| newer.text(&site.file).is_some())
                } else {
                    item.templates.iter().all(|template| covered.contains(template))
                };
                let key = (site.file.as_path(), site.range.start, item.code.as_str());
                !is_covered && !keys.contains(&key) && is_of(&site.file, path)
            })
        })
    }
}
