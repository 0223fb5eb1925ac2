//! Ignore files that a walk would not get past.

use std::fs;
use std::path::{Path, PathBuf};

/// The files from which a walk takes what git ignores, in a folder.
const IGNORE_FILES: [&str; 2] = [".gitignore", ".git/info/exclude"];

/// Returns an ignore file of a folder that is a pipe, a socket, or a device. A walk opens it like a file, which may
/// never end.
pub fn endless_ignore_file(folder: &Path) -> Option<PathBuf> {
    let files = IGNORE_FILES.iter().map(|name| folder.join(name));
    let mut endless = files.filter(|path| fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()));
    endless.next()
}
