//! The files of a repository, at the places of its copy.

use std::path::{Path, PathBuf};

use crate::files::{Contents, Entry, Tree, Unreadable};

/// Lets settings be read as if they were in a copy of a repository: both sides of a comparison have the same settings,
/// and the globs in them hold for the copy.
#[derive(Debug)]
pub struct Relocated<'a> {
    /// Tree with the files of the repository.
    pub tree: &'a dyn Tree,
    /// The root of the copy.
    pub copy: PathBuf,
    /// The root of the repository.
    pub original: PathBuf,
}

impl Relocated<'_> {
    fn original(&self, path: &Path) -> PathBuf {
        moved(path, &self.copy, &self.original)
    }
}

impl Tree for Relocated<'_> {
    fn entry(&self, path: &Path) -> Option<Entry> {
        self.tree.entry(&self.original(path))
    }

    fn read(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        self.tree.read(&self.original(path), limit)
    }

    fn files(&self, folder: &Path) -> Vec<PathBuf> {
        let files = self.tree.files(&self.original(folder)).into_iter();
        files.map(|path| moved(&path, &self.original, &self.copy)).collect()
    }

    fn real(&self, path: &Path) -> PathBuf {
        let real = self.tree.real(&self.original(path));
        moved(&real, &self.tree.real(&self.original), &self.copy)
    }

    fn top(&self, folder: &Path) -> PathBuf {
        if folder.starts_with(&self.copy) { self.copy.clone() } else { self.tree.top(folder) }
    }
}

fn moved(path: &Path, from: &Path, to: &Path) -> PathBuf {
    path.strip_prefix(from).map_or_else(|_| path.to_path_buf(), |inside| to.join(inside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::changes::sample::write;
    use crate::files::Disk;

    #[test]
    fn what_is_in_the_repository_seems_to_be_in_the_copy() {
        let folder = tempfile::tempdir().unwrap();
        let original = folder.path().canonicalize().unwrap();
        write(&original, &[("rules/a.json", "a"), ("rules/b/c.json", "c"), ("settings", "text")]);
        let copy = PathBuf::from("/a/copy");
        let relocated = Relocated { tree: &Disk, copy: copy.clone(), original: original.clone() };
        assert_eq!(relocated.entry(&copy.join("rules")), Some(Entry::Folder));
        assert_eq!(relocated.entry(&copy.join("gone")), None);
        assert_eq!(&*relocated.read(&copy.join("settings"), 10).unwrap(), b"text");
        assert_eq!(relocated.files(&copy), ["rules/a.json", "rules/b/c.json", "settings"].map(|name| copy.join(name)));
        assert_eq!(relocated.real(&copy.join("settings")), copy.join("settings"));
        assert_eq!(relocated.top(&copy.join("rules/b")), copy);
        assert_eq!(relocated.entry(&original.join("settings")), Some(Entry::File), "others stay where they are");
    }
}
