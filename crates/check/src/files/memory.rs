//! Files that are held in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::ops::Bound;
use std::path::{Path, PathBuf};

use arcstr::ArcStr;

use crate::files::admitted::Admitted;
use crate::files::host::{FileKind, Host, Listing, Stat};
use crate::files::{Contents, Entry, Tree, Unreadable};
use crate::path::normalize;

/// Texts by their names, which are paths below a root folder that has nothing else.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: BTreeMap<PathBuf, ArcStr>,
}

impl Memory {
    /// The folder in which the files are.
    pub const ROOT: &'static str = "/";

    /// Adds a file, in place of one with the same name.
    pub fn insert(&mut self, name: &str, text: impl Into<ArcStr>) {
        self.files.insert(Self::path(name), text.into());
    }

    /// Returns the path of the file with this name.
    pub fn path(name: &str) -> PathBuf {
        normalize(Path::new(Self::ROOT), Path::new(name))
    }

    /// Returns the paths and the texts of all files, ordered by path.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, &ArcStr)> {
        self.files.iter().map(|(path, text)| (path.as_path(), text))
    }

    /// Returns the paths of all files, in their order.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    fn text(&self, path: &Path) -> io::Result<&ArcStr> {
        self.files.get(path).ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn stat_of(&self, path: &Path) -> io::Result<Stat> {
        match self.text(path) {
            Ok(text) => Ok(Stat { kind: FileKind::File, length: text.len() as u64 }),
            Err(_) if path == Path::new(Self::ROOT) || self.below(path).next().is_some() => {
                Ok(Stat { kind: FileKind::Folder, length: 0 })
            }
            Err(error) => Err(error),
        }
    }

    fn contents(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        match self.text(path) {
            Ok(text) if text.len() as u64 > limit => Err(Unreadable::TooLarge { limit }),
            Ok(text) => Ok(Contents::Text(text.clone())),
            Err(_) if self.stat_of(path).is_ok() => Err(Unreadable::Folder),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the files in a folder at any depth.
    fn below<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = &'a Path> {
        let after =
            self.files.range::<Path, _>((Bound::Included(folder), Bound::Unbounded)).map(|(path, _)| path.as_path());
        after.take_while(move |path| path.starts_with(folder)).filter(move |path| *path != folder)
    }
}

impl Host for Memory {
    fn stat(&self, path: Admitted<'_>) -> io::Result<Stat> {
        self.stat_of(path.path())
    }

    fn is_link(&self, path: Admitted<'_>) -> io::Result<bool> {
        self.stat_of(path.path()).map(|_| false)
    }

    fn real_path(&self, path: Admitted<'_>) -> io::Result<PathBuf> {
        self.stat_of(path.path()).map(|_| path.path().to_path_buf())
    }

    fn list(&self, folder: Admitted<'_>) -> io::Result<Listing<'_>> {
        let folder = folder.path();
        if self.stat_of(folder)?.kind != FileKind::Folder {
            return Err(ErrorKind::NotADirectory.into());
        }
        let child = |path: &Path| Some(folder.join(path.strip_prefix(folder).ok()?.components().next()?));
        let children: BTreeSet<PathBuf> = self.below(folder).filter_map(child).collect();
        Ok(Box::new(children.into_iter()))
    }

    fn read(&self, path: Admitted<'_>, limit: u64) -> Result<Contents, Unreadable> {
        self.contents(path.path(), limit)
    }

    fn read_start(&self, path: Admitted<'_>, length: u64) -> io::Result<Vec<u8>> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        Ok(self.text(path.path())?.as_bytes().iter().take(length).copied().collect())
    }
}

impl Tree for Memory {
    fn entry(&self, path: &Path) -> Option<Entry> {
        let found = self.stat_of(path).ok()?;
        Some(if found.kind == FileKind::Folder { Entry::Folder } else { Entry::File })
    }

    fn read(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        self.contents(path, limit)
    }

    fn files(&self, folder: &Path) -> Vec<PathBuf> {
        self.below(folder).map(Path::to_path_buf).collect()
    }

    fn real(&self, path: &Path) -> PathBuf {
        path.to_path_buf()
    }

    fn top(&self, _: &Path) -> PathBuf {
        PathBuf::from(Self::ROOT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Fence;

    fn memory() -> Memory {
        let mut memory = Memory::default();
        for name in ["a.json", "a/b.json", "a/c/d.json", "./e/../f.json", "a-b/x.json"] {
            memory.insert(name, name);
        }
        memory
    }

    #[test]
    fn a_folder_is_what_has_files() {
        let memory = memory();
        let children = |folder: &str| {
            let children = Fence::of_user(&memory).list(Path::new(folder)).unwrap();
            children.map(|path| path.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(children("/"), ["/a", "/a-b", "/a.json", "/f.json"]);
        assert_eq!(children("/a"), ["/a/b.json", "/a/c"]);
        let fence = Fence::of_user(&memory);
        assert!(fence.is_folder(Path::new("/a/c")) && !fence.exists(Path::new("/a/x")));
        assert_eq!(fence.list(Path::new("/a.json")).err().unwrap().kind(), ErrorKind::NotADirectory);
        assert!(Fence::of_user(&Memory::default()).is_folder(Path::new("/")));
    }

    #[test]
    fn a_file_is_read_up_to_a_limit() {
        let memory = memory();
        let read = |path: &str, limit| Fence::of_user(&memory).read(Path::new(path), limit);
        assert_eq!(&*read("/f.json", 13).unwrap(), b"./e/../f.json");
        assert!(matches!(read("/f.json", 12), Err(Unreadable::TooLarge { limit: 12 })));
        assert!(matches!(read("/a", 12), Err(Unreadable::Folder)));
        assert!(matches!(read("/x", 12), Err(Unreadable::Io(_))));
        assert_eq!(Fence::of_user(&memory).read_start(Path::new("/a.json"), 3).unwrap(), b"a.j");
    }
}
