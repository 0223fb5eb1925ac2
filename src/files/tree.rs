//! Where settings, rules and baselines are read from: the disk, or a commit.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::files::{Contents, Disk, Unreadable, read_named, repository_of};

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A file, or a link to one.
    File,
    /// A folder, or a link to one.
    Folder,
}

/// Files by their absolute paths, which are those of the disk whatever the files are read from.
pub(crate) trait Tree: fmt::Debug + Sync {
    /// What is at a path; `None` if there is nothing.
    fn entry(&self, path: &Path) -> Option<Entry>;
    /// The bytes of a file of at most `limit` bytes.
    fn read(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable>;
    /// The files in a folder at any depth, sorted.
    fn files(&self, folder: &Path) -> Vec<PathBuf>;
    /// A path without links that somebody may have disguised a file with.
    fn real(&self, path: &Path) -> PathBuf;
    /// The last folder in which a search from `folder` upwards looks. A stray file far above must not change a run.
    fn top(&self, folder: &Path) -> PathBuf;
}

impl Tree for Disk {
    fn entry(&self, path: &Path) -> Option<Entry> {
        match fs::metadata(path).ok()? {
            kind if kind.is_dir() => Some(Entry::Folder),
            _ => Some(Entry::File),
        }
    }

    fn read(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        read_named(path, limit)
    }

    fn files(&self, folder: &Path) -> Vec<PathBuf> {
        let mut files = Vec::new();
        collect(folder, &mut files);
        files.sort();
        files
    }

    fn real(&self, path: &Path) -> PathBuf {
        path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
    }

    fn top(&self, folder: &Path) -> PathBuf {
        repository_of(folder).unwrap_or_else(|| folder.to_path_buf())
    }
}

/// Links to folders are not followed, so this ends.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&entry.path(), files),
            // A link that leads nowhere is reported when it is read. Pipes and devices are no files.
            Ok(_) if fs::metadata(entry.path()).map_or(true, |found| found.is_file() || found.is_dir()) => {
                files.push(entry.path());
            }
            _ => {}
        }
    }
}
