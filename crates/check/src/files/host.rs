//! Where the files of a run are: on the disk, or in memory.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::files::{Contents, Unreadable};

/// What a run asks of the place where its files are. Paths are absolute, without `.` and `..`.
pub trait Host: fmt::Debug + Sync {
    /// What is at a path. Links are followed.
    ///
    /// # Errors
    ///
    /// Fails if nothing is there.
    fn stat(&self, path: &Path) -> io::Result<Stat>;

    /// Whether there is a link at a path, whether or not it leads anywhere.
    ///
    /// # Errors
    ///
    /// Fails if nothing is there.
    fn is_link(&self, path: &Path) -> io::Result<bool>;

    /// The path without links, as [`Path::canonicalize`] gives it.
    ///
    /// # Errors
    ///
    /// Fails if nothing is there.
    fn real_path(&self, path: &Path) -> io::Result<PathBuf>;

    /// The paths of what is directly in a folder, in any order.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be read.
    fn list(&self, folder: &Path) -> io::Result<Listing<'_>>;

    /// The bytes of a file of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// Fails for anything else.
    fn read(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable>;

    /// As [`Host::read`], for a path that the user named, which may also be that of a pipe or a device.
    ///
    /// # Errors
    ///
    /// Fails for anything else.
    fn read_given(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        self.read(path, limit)
    }

    /// The first bytes of a file, at most `length` of them.
    ///
    /// # Errors
    ///
    /// Fails if there is no file.
    fn read_start(&self, path: &Path, length: u64) -> io::Result<Vec<u8>>;

    /// Whether there is a file at a path, or a link to one.
    fn is_file(&self, path: &Path) -> bool {
        self.stat(path).is_ok_and(|found| found.kind == FileKind::File)
    }

    /// Whether there is a folder at a path, or a link to one.
    fn is_folder(&self, path: &Path) -> bool {
        self.stat(path).is_ok_and(|found| found.kind == FileKind::Folder)
    }

    /// Whether there is anything at a path.
    fn exists(&self, path: &Path) -> bool {
        self.stat(path).is_ok()
    }
}

/// The paths in a folder.
pub(crate) type Listing<'a> = Box<dyn Iterator<Item = PathBuf> + 'a>;

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    pub kind: FileKind,
    /// The length of a file, in bytes.
    pub length: u64,
}

/// What can be at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    File,
    Folder,
    /// A pipe, a socket, or a device.
    Special,
}
