//! Which folder a file is checked in.

use std::path::{Path, PathBuf};

/// The names that make a folder the root of its files, if the client has no folder open.
const MARKERS: [&str; 2] = ["formwork.yaml", ".git"];

/// The innermost of the client's folders that has the file; otherwise the nearest folder above it with a marker; otherwise its
/// own.
pub(crate) fn of(path: &Path, folders: &[PathBuf]) -> PathBuf {
    if let Some(folder) = innermost(path, folders) {
        return folder.to_path_buf();
    }
    let own = path.parent().unwrap_or(path);
    let is_root = |folder: &&Path| MARKERS.iter().any(|marker| folder.join(marker).exists());
    own.ancestors().find(is_root).unwrap_or(own).to_path_buf()
}

/// The innermost of the folders that has a file.
pub(crate) fn innermost<'a>(path: &Path, folders: &'a [PathBuf]) -> Option<&'a Path> {
    let around = folders.iter().filter(|folder| path.starts_with(folder));
    around.max_by_key(|folder| folder.components().count()).map(PathBuf::as_path)
}
