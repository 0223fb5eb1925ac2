//! Folders in which files are checked.

use std::path::{Path, PathBuf};

/// Names that make a folder the root of its files, if the client has no folder open.
const MARKERS: [&str; 2] = ["formwork.yaml", ".git"];

/// Returns the innermost of the client's folders that contains the file, otherwise the nearest ancestor with a
/// marker, otherwise the file's own folder.
pub(crate) fn find_root(path: &Path, folders: &[PathBuf]) -> PathBuf {
    if let Some(folder) = innermost(path, folders) {
        return folder.to_path_buf();
    }
    let own = path.parent().unwrap_or(path);
    let root = own.ancestors().find(|folder| MARKERS.iter().any(|marker| folder.join(marker).exists()));
    root.unwrap_or(own).to_path_buf()
}

/// Returns the innermost folder that contains a file.
pub(crate) fn innermost<'a>(path: &Path, folders: &'a [PathBuf]) -> Option<&'a Path> {
    let around = folders.iter().filter(|folder| path.starts_with(folder));
    around.max_by_key(|folder| folder.components().count()).map(PathBuf::as_path)
}
