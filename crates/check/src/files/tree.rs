//! Source of settings, rules and baselines: the disk, a commit, or memory.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::files::{Contents, Unreadable};

/// Kind of an entry at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A file, or a link to one.
    File,
    /// A folder, or a link to one.
    Folder,
}

/// Files by their absolute paths, which are those of the disk whatever the files are read from.
pub trait Tree: fmt::Debug + Sync {
    /// Returns the kind of the entry at a path; `None` if there is nothing.
    fn entry(&self, path: &Path) -> Option<Entry>;
    /// Returns the bytes of a file of at most `limit` bytes.
    fn read(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable>;
    /// Returns the files in a folder at any depth, sorted.
    fn files(&self, folder: &Path) -> Vec<PathBuf>;
    /// Returns the path without links, which shows if a link disguises a file.
    fn real(&self, path: &Path) -> PathBuf;
    /// Returns the last folder in which a search from `folder` upwards looks. A stray file far above must not change a
    /// run.
    fn top(&self, folder: &Path) -> PathBuf;
}
