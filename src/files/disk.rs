//! The files of the operating system.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::files::host::{FileKind, Host, Listing, Stat};
use crate::files::{Contents, Unreadable, open, read_contents, read_given};

/// The files on the disk.
#[derive(Debug)]
pub(crate) struct Disk;

impl Host for Disk {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let found = fs::metadata(path)?;
        let kind = match (found.is_file(), found.is_dir()) {
            (true, _) => FileKind::File,
            (false, true) => FileKind::Folder,
            (false, false) => FileKind::Special,
        };
        Ok(Stat { kind, length: found.len() })
    }

    fn is_link(&self, path: &Path) -> io::Result<bool> {
        Ok(fs::symlink_metadata(path)?.is_symlink())
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        path.canonicalize()
    }

    fn list(&self, folder: &Path) -> io::Result<Listing<'_>> {
        Ok(Box::new(fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()))))
    }

    fn read(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        read_contents(path, limit)
    }

    fn read_given(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        read_given(path, limit)
    }

    fn read_start(&self, path: &Path, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        open(path)?.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
