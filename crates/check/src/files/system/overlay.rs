//! The files on the disk, under texts that an editor has not saved.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
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
    /// Absolute paths of files on the disk that count as deleted.
    deleted: Arc<BTreeSet<PathBuf>>,
    /// The folders that everything is in. `None` for any place.
    roots: Option<Arc<[PathBuf]>>,
    programs: Option<Programs>,
}

impl Overlay {
    /// Returns the files of an editor, which starts no programs.
    pub fn new(texts: Arc<BTreeMap<PathBuf, ArcStr>>) -> Self {
        Self { texts, ..Self::default() }
    }

    /// Returns the files of the disk for a command, which may start programs.
    pub fn of_command_line(programs: Programs) -> Self {
        Self { programs: Some(programs), ..Self::default() }
    }

    /// Makes files of the disk count as deleted.
    #[must_use]
    pub fn without(self, deleted: Arc<BTreeSet<PathBuf>>) -> Self {
        Self { deleted, ..self }
    }

    /// Leaves only what is in these folders, also after links are followed.
    #[must_use]
    pub fn confined(self, roots: impl IntoIterator<Item = PathBuf>) -> Self {
        let real = |root: PathBuf| [root.canonicalize().ok(), Some(root)];
        Self { roots: Some(roots.into_iter().flat_map(real).flatten().collect()), ..self }
    }

    /// Returns `true` if a path may be looked at.
    fn has(&self, path: &Path) -> bool {
        if self.deleted.contains(path) {
            return false;
        }
        let Some(roots) = &self.roots else { return true };
        let is_inside = |path: &Path| roots.iter().any(|root| path.starts_with(root));
        is_inside(path) && path.canonicalize().map_or(true, |real| is_inside(&real))
    }

    /// Fails for a path that may not be looked at.
    fn admit(&self, path: &Path) -> io::Result<()> {
        if self.has(path) { Ok(()) } else { Err(io::Error::new(ErrorKind::NotFound, "it is outside the workspace")) }
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
        self.admit(path.path()).and_then(|()| Disk.stat(path)).or_else(|error| match self.below(path.path()).next() {
            Some(_) => Ok(Stat { kind: FileKind::Folder, length: 0 }),
            None => Err(error),
        })
    }

    fn is_link(&self, path: Admitted<'_>) -> io::Result<bool> {
        self.admit(path.path()).and_then(|()| Disk.is_link(path)).or_else(|_| self.stat(path).map(|_| false))
    }

    fn real_path(&self, path: Admitted<'_>) -> io::Result<PathBuf> {
        let real = self.admit(path.path()).and_then(|()| Disk.real_path(path));
        real.or_else(|_| self.stat(path).map(|_| path.path().to_path_buf()))
    }

    fn list(&self, folder: Admitted<'_>) -> io::Result<Listing<'_>> {
        let path = folder.path();
        let child = |own: &PathBuf| Some(path.join(own.strip_prefix(path).ok()?.components().next()?));
        let mut own: Vec<PathBuf> = self.below(path).filter_map(child).collect();
        own.sort();
        own.dedup();
        match self.admit(path).and_then(|()| Disk.list(folder)) {
            Ok(listing) => {
                own.retain(|path| Disk.entry(path).is_none());
                Ok(Box::new(listing.filter(|path| !self.deleted.contains(path)).chain(own)))
            }
            Err(error) if own.is_empty() => Err(error),
            Err(_) => Ok(Box::new(own.into_iter())),
        }
    }

    fn read(&self, path: Admitted<'_>, limit: u64) -> Result<Contents, Unreadable> {
        match self.text(path.path(), limit) {
            Some(text) => text,
            None if !self.has(path.path()) => Err(Unreadable::Outside),
            None => Host::read(&Disk, path, limit),
        }
    }

    fn read_given(&self, path: Admitted<'_>, limit: u64) -> Result<Contents, Unreadable> {
        match self.text(path.path(), limit) {
            Some(text) => text,
            None if !self.has(path.path()) => Err(Unreadable::Outside),
            // Nobody chose a pipe or a device if the reader is confined.
            None if self.roots.is_some() => Host::read(&Disk, path, limit),
            None => Disk.read_given(path, limit),
        }
    }

    fn read_start(&self, path: Admitted<'_>, length: u64) -> io::Result<Vec<u8>> {
        let Some(text) = self.texts.get(path.path()) else {
            return self.admit(path.path()).and_then(|()| Disk.read_start(path, length));
        };
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        Ok(text.as_bytes().iter().take(length).copied().collect())
    }
}

impl Tree for Overlay {
    fn entry(&self, path: &Path) -> Option<Entry> {
        if self.texts.contains_key(path) {
            return Some(Entry::File);
        }
        Disk.entry(path).filter(|_| self.has(path))
    }

    fn read(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        match self.text(path, limit) {
            Some(text) => text,
            None if !self.has(path) => Err(Unreadable::Outside),
            None => Tree::read(&Disk, path, limit),
        }
    }

    fn files(&self, folder: &Path) -> Vec<PathBuf> {
        let mut files = Disk.files(folder);
        files.retain(|path| self.has(path));
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

    #[test]
    fn a_deleted_file_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a.json"), "1").unwrap();
        fs::write(path("b.json"), "2").unwrap();
        let overlay = Overlay::default().without(Arc::new([path("a.json")].into()));
        let fence = Fence::of_user(&overlay);
        assert!(!fence.exists(&path("a.json")) && fence.read(&path("a.json"), 9).is_err());
        assert_eq!(fence.list(folder.path()).unwrap().collect::<Vec<_>>(), [path("b.json")]);
        assert_eq!((overlay.entry(&path("a.json")), overlay.files(folder.path())), (None, vec![path("b.json")]));
    }

    #[cfg(unix)]
    #[test]
    fn what_leaves_the_roots_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["root/a.json", "other/b.json"] {
            fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            fs::write(path(name), "1").unwrap();
        }
        std::os::unix::fs::symlink(path("other"), path("root/link")).unwrap();
        std::os::unix::fs::symlink(path("root/a.json"), path("root/same.json")).unwrap();
        let overlay = Overlay::default().confined([path("root")]);
        let fence = Fence::of_user(&overlay);
        for name in ["root/a.json", "root/same.json"] {
            assert!(fence.exists(&path(name)) && fence.read(&path(name), 9).is_ok(), "{name}");
        }
        for name in ["other/b.json", "root/link/b.json", "root/../other/b.json", "root/link"] {
            assert!(!fence.exists(&path(name)) && fence.read(&path(name), 9).is_err(), "{name}");
            assert!(fence.read_given(&path(name), 9).is_err() && overlay.entry(&path(name)).is_none(), "{name}");
        }
    }
}
