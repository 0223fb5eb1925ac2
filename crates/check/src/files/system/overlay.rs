//! The files on the disk, under texts that an editor has not saved.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arcstr::ArcStr;

use crate::files::admitted::Admitted;
use crate::files::host::{FileKind, Host, Listing, Stat};
use crate::files::system::disk::Disk;
use crate::files::{Contents, Entry, Programs, Tree, Unreadable};

/// The files on the disk, some of which have another text. Without texts, it is the disk.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    /// Texts by the absolute paths of their files, which need not be on the disk.
    texts: Arc<BTreeMap<PathBuf, ArcStr>>,
    programs: Option<Programs>,
}

impl Overlay {
    /// Returns the files of an editor, which starts no programs.
    pub fn new(texts: Arc<BTreeMap<PathBuf, ArcStr>>) -> Self {
        Self { texts, programs: None }
    }

    /// Returns the files of the disk for a command, which may start programs.
    pub fn of_command_line(programs: Programs) -> Self {
        Self { texts: Arc::default(), programs: Some(programs) }
    }

    /// Returns the files with a text of their own that are below a folder.
    fn below<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = &'a PathBuf> {
        self.texts.keys().filter(move |path| path.starts_with(folder) && path.as_path() != folder)
    }

    /// Returns the text of an open file, up to a limit; `None` for any other file.
    fn text(&self, path: &Path, limit: u64) -> Option<Result<Contents, Unreadable>> {
        let text = self.texts.get(path)?;
        let is_long = text.len() as u64 > limit;
        Some(if is_long { Err(Unreadable::TooLarge { limit }) } else { Ok(Contents::Text(text.clone())) })
    }
}

impl Host for Overlay {
    fn programs(&self) -> Option<Programs> {
        self.programs
    }

    fn stat(&self, path: Admitted<'_>) -> io::Result<Stat> {
        if let Some(text) = self.texts.get(path.path()) {
            return Ok(Stat { kind: FileKind::File, length: text.len() as u64 });
        }
        Disk.stat(path).or_else(|error| match self.below(path.path()).next() {
            Some(_) => Ok(Stat { kind: FileKind::Folder, length: 0 }),
            None => Err(error),
        })
    }

    fn is_link(&self, path: Admitted<'_>) -> io::Result<bool> {
        Disk.is_link(path).or_else(|_| self.stat(path).map(|_| false))
    }

    fn real_path(&self, path: Admitted<'_>) -> io::Result<PathBuf> {
        Disk.real_path(path).or_else(|_| self.stat(path).map(|_| path.path().to_path_buf()))
    }

    fn list(&self, folder: Admitted<'_>) -> io::Result<Listing<'_>> {
        let path = folder.path();
        let child = |own: &PathBuf| Some(path.join(own.strip_prefix(path).ok()?.components().next()?));
        let mut own: Vec<PathBuf> = self.below(path).filter_map(child).collect();
        own.sort();
        own.dedup();
        match Disk.list(folder) {
            Ok(listing) => {
                own.retain(|path| Disk.entry(path).is_none());
                Ok(Box::new(listing.chain(own)))
            }
            Err(error) if own.is_empty() => Err(error),
            Err(_) => Ok(Box::new(own.into_iter())),
        }
    }

    fn read(&self, path: Admitted<'_>, limit: u64) -> Result<Contents, Unreadable> {
        match self.text(path.path(), limit) {
            Some(text) => text,
            None => Host::read(&Disk, path, limit),
        }
    }

    fn read_given(&self, path: Admitted<'_>, limit: u64) -> Result<Contents, Unreadable> {
        match self.text(path.path(), limit) {
            Some(text) => text,
            None => Disk.read_given(path, limit),
        }
    }

    fn read_start(&self, path: Admitted<'_>, length: u64) -> io::Result<Vec<u8>> {
        let Some(text) = self.texts.get(path.path()) else { return Disk.read_start(path, length) };
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        Ok(text.as_bytes().iter().take(length).copied().collect())
    }
}

impl Tree for Overlay {
    fn entry(&self, path: &Path) -> Option<Entry> {
        if self.texts.contains_key(path) { Some(Entry::File) } else { Disk.entry(path) }
    }

    fn read(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        self.text(path, limit).unwrap_or_else(|| Tree::read(&Disk, path, limit))
    }

    fn files(&self, folder: &Path) -> Vec<PathBuf> {
        let mut files = Disk.files(folder);
        files.extend(self.below(folder).cloned());
        files.sort();
        files.dedup();
        files
    }

    fn real(&self, path: &Path) -> PathBuf {
        Disk.real(path)
    }

    fn top(&self, folder: &Path) -> PathBuf {
        Disk.top(folder)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::files::Fence;

    #[test]
    fn texts_lie_over_the_files_of_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a.json"), "1").unwrap();
        fs::write(path("b.json"), "2").unwrap();
        let texts = [(path("a.json"), "changed".into()), (path("new/c.json"), "3".into())];
        let overlay = Overlay::new(Arc::new(texts.into()));
        let fence = Fence::of_user(&overlay);
        let read = |name: &str| fence.read(&path(name), 100).unwrap().to_vec();
        assert_eq!((read("a.json"), read("b.json"), read("new/c.json")), (b"changed".into(), b"2".into(), b"3".into()));
        let mut children: Vec<PathBuf> = fence.list(folder.path()).unwrap().collect();
        children.sort();
        assert_eq!(children, [path("a.json"), path("b.json"), path("new")]);
        assert_eq!(overlay.files(folder.path()), [path("a.json"), path("b.json"), path("new/c.json")]);
        assert!(fence.is_folder(&path("new")) && fence.is_file(&path("new/c.json")) && !fence.exists(&path("x")));
        assert!(matches!(fence.read(&path("a.json"), 6), Err(Unreadable::TooLarge { limit: 6 })));
    }
}
