//! Access to the files of a run, on the disk or in memory.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::files::admitted::Admitted;
use crate::files::{Contents, Unreadable};

/// The right to start programs: git, and the Bicep CLI. The command line has it, and passes it on. A run without it, as
/// in an editor, has no way to look for a program.
#[derive(Clone, Copy, Debug)]
pub struct Programs(());

impl Programs {
    /// Returns the right of a command that a user or a workflow has started.
    pub const fn of_command_line() -> Self {
        Self(())
    }
}

/// Access to the files of a run. Each path was admitted by its text, by a [`Fence`](crate::files::Fence).
pub trait Host: fmt::Debug + Sync {
    /// Returns the kind and the length of the file at a path. Links are followed.
    ///
    /// # Errors
    ///
    /// Fails if nothing is there.
    fn stat(&self, path: Admitted<'_>) -> io::Result<Stat>;

    /// Returns `true` if there is a link at a path, even one that leads nowhere.
    ///
    /// # Errors
    ///
    /// Fails if nothing is there.
    fn is_link(&self, path: Admitted<'_>) -> io::Result<bool>;

    /// Returns the path without links, as [`std::path::Path::canonicalize`] gives it.
    ///
    /// # Errors
    ///
    /// Fails if nothing is there.
    fn real_path(&self, path: Admitted<'_>) -> io::Result<PathBuf>;

    /// Returns the paths of the entries of a folder, in any order.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be read.
    fn list(&self, folder: Admitted<'_>) -> io::Result<Listing<'_>>;

    /// Returns the bytes of a file of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// Fails for anything else.
    fn read(&self, path: Admitted<'_>, limit: u64) -> Result<Contents, Unreadable>;

    /// Reads a file like [`Host::read`]. The user named the path, which may also be that of a pipe or a device.
    ///
    /// # Errors
    ///
    /// Fails for anything else.
    fn read_given(&self, path: Admitted<'_>, limit: u64) -> Result<Contents, Unreadable> {
        self.read(path, limit)
    }

    /// Returns the right to start programs. Only the command line gives a host one: then git lists the files that it
    /// tracks, and otherwise the [index](crate::files::tracked_by_index) does.
    fn programs(&self) -> Option<Programs> {
        None
    }

    /// Returns the first bytes of a file, at most `length` of them.
    ///
    /// # Errors
    ///
    /// Fails if there is no file.
    fn read_start(&self, path: Admitted<'_>, length: u64) -> io::Result<Vec<u8>>;
}

/// The paths in a folder.
pub(crate) type Listing<'a> = Box<dyn Iterator<Item = PathBuf> + 'a>;

/// Kind and length of the file at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    pub kind: FileKind,
    /// The length of a file, in bytes.
    pub length: u64,
}

/// Kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    File,
    Folder,
    /// A pipe, a socket, or a device.
    Special,
}
