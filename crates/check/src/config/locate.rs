//! Finds the files of settings.

use std::path::{Path, PathBuf};

use crate::files::{Entry, Tree};

/// The names of our file, in the order of precedence.
pub const FORMWORK: [&str; 3] = ["formwork.yaml", "formwork.yml", "formwork.json"];

/// The names that `PSRule` gives its file.
const PS_RULE: [&str; 4] = ["ps-rule.yaml", "ps-rule.yml", "psrule.yaml", "psrule.yml"];

/// Returns all places at which settings are looked for from a folder, whether or not there is a file.
pub fn settings_places(tree: &dyn Tree, working: &Path) -> Vec<PathBuf> {
    let names = || FORMWORK.iter().chain(&PS_RULE);
    folders(tree, working, working).flat_map(|folder| names().map(move |name| folder.join(name))).collect()
}

/// Returns the path of `formwork.yaml`, searched for from `folder` up to the root of the repository.
pub(super) fn formwork(tree: &dyn Tree, folder: &Path, working: &Path) -> Option<PathBuf> {
    upwards(tree, folder, working, &FORMWORK)
}

/// Returns the path of the file of `PSRule`, searched for in the same folders.
pub(super) fn ps_rule(tree: &dyn Tree, folder: &Path, working: &Path) -> Option<PathBuf> {
    upwards(tree, folder, working, &PS_RULE)
}

/// Returns `true` if a settings file is a link to a file of another name, which need not be settings.
pub(super) fn is_disguised(tree: &dyn Tree, path: &Path) -> bool {
    let real = tree.real(path);
    !FORMWORK.iter().chain(&PS_RULE).any(|name| real.file_name().is_some_and(|other| other == *name))
}

/// Returns the folders to search, nearest first. Outside a repository, the current folder `working` is the last one.
fn folders<'a>(tree: &dyn Tree, folder: &'a Path, working: &Path) -> impl Iterator<Item = &'a Path> {
    let mut top = tree.top(folder);
    if top.starts_with(working) && folder.starts_with(working) {
        top = working.to_path_buf();
    }
    folder.ancestors().take_while(move |folder| folder.starts_with(&top))
}

fn upwards(tree: &dyn Tree, folder: &Path, working: &Path, names: &[&str]) -> Option<PathBuf> {
    let folders = folders(tree, folder, working);
    let mut places = folders.flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    places.find(|path| tree.entry(path) == Some(Entry::File))
}
