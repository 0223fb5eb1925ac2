//! Finds the files of settings.

use std::path::{Path, PathBuf};

use crate::files::repository_of;

/// The names of our file, in the order of precedence.
pub(crate) const FORMWORK: [&str; 3] = ["formwork.yaml", "formwork.yml", "formwork.json"];

/// The names that `PSRule` gives its file.
const PS_RULE: [&str; 4] = ["ps-rule.yaml", "ps-rule.yml", "psrule.yaml", "psrule.yml"];

/// All places at which settings are looked for from a folder, whether or not there is a file.
pub(crate) fn settings_places(working: &Path) -> Vec<PathBuf> {
    let names = || FORMWORK.iter().chain(&PS_RULE);
    folders(working).flat_map(|folder| names().map(move |name| folder.join(name))).collect()
}

/// Our file, from the current folder up to the root of the repository.
pub(super) fn formwork(working: &Path) -> Option<PathBuf> {
    upwards(working, &FORMWORK)
}

/// The file of `PSRule`, looked for in the same folders.
pub(super) fn ps_rule(working: &Path) -> Option<PathBuf> {
    upwards(working, &PS_RULE)
}

/// Whether a file of settings is a link to something else: to a file of another name, which need not be settings.
pub(super) fn is_disguised(path: &Path) -> bool {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    !FORMWORK.iter().chain(&PS_RULE).any(|name| real.file_name().is_some_and(|other| other == *name))
}

/// The folders to search, nearest first. Outside a repository it is the current folder alone: a stray file far above
/// must not change a run.
fn folders(working: &Path) -> impl Iterator<Item = &Path> {
    let top = repository_of(working).unwrap_or_else(|| working.to_path_buf());
    working.ancestors().take_while(move |folder| folder.starts_with(&top))
}

fn upwards(working: &Path, names: &[&str]) -> Option<PathBuf> {
    folders(working).flat_map(|folder| names.iter().map(|name| folder.join(name))).find(|path| path.is_file())
}
