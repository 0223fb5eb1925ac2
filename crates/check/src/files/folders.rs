//! Cache of folders: a run asks for the real path of a file, and for the repository around it, in several places.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::HashMap;

use crate::files::Fence;

/// The folders as they were when the run first asked.
#[derive(Debug)]
pub struct Folders<'h> {
    fence: Fence<'h>,
    /// Cache: paths without links on the way; `None` for those that cannot be resolved.
    real: Mutex<HashMap<PathBuf, Option<PathBuf>>>,
    /// The roots of the repositories around folders, each of which is known for all folders between.
    repositories: Mutex<HashMap<PathBuf, Option<PathBuf>>>,
}

/// True if names that differ only in case are different files. Otherwise, only the system knows the name of a file.
const IS_CASE_KEPT: bool = !cfg!(any(windows, target_vendor = "apple"));

impl<'h> Folders<'h> {
    /// Creates an empty cache.
    pub fn new(fence: Fence<'h>) -> Self {
        Self { fence, real: Mutex::default(), repositories: Mutex::default() }
    }

    /// Returns the files that may be asked for.
    pub fn fence(&self) -> &Fence<'h> {
        &self.fence
    }

    /// Returns the absolute path of a file or folder, without links, like [`Fence::real_path`].
    ///
    /// # Errors
    ///
    /// Fails if nothing is there.
    pub fn real(&self, path: &Path) -> io::Result<PathBuf> {
        let (Some(folder), Some(name)) = (path.parent().filter(|_| IS_CASE_KEPT), path.file_name()) else {
            return self.fence.real_path(path);
        };
        if self.fence.is_link(path)? {
            return self.fence.real_path(path);
        }
        self.real_folder(folder).map_or_else(|| self.fence.real_path(path), |folder| Ok(folder.join(name)))
    }

    fn real_folder(&self, folder: &Path) -> Option<PathBuf> {
        if let Some(known) = locked(&self.real).get(folder) {
            return known.clone();
        }
        let real = self.fence.real_path(folder).ok();
        locked(&self.real).insert(folder.to_path_buf(), real.clone());
        real
    }

    /// Returns the root of the repository around a folder. `None` outside a repository.
    pub fn repository_of(&self, folder: &Path) -> Option<PathBuf> {
        let (mut between, mut root) = (Vec::new(), None);
        for above in folder.ancestors() {
            if let Some(known) = locked(&self.repositories).get(above) {
                root.clone_from(known);
                break;
            }
            between.push(above);
            if self.fence.has(above, ".git") {
                root = Some(above.to_path_buf());
                break;
            }
        }
        locked(&self.repositories).extend(between.into_iter().map(|above| (above.to_path_buf(), root.clone())));
        root
    }
}

fn locked<T>(known: &Mutex<T>) -> MutexGuard<'_, T> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::files::Disk;

    use super::*;

    #[test]
    fn the_repository_is_the_nearest_folder_that_git_knows() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("a/.git")).unwrap();
        fs::create_dir_all(root.join("a/b/c")).unwrap();
        let folders = Folders::new(Fence::of_user(&Disk));
        for place in ["a", "a/b/c", "a/b", "a/gone"] {
            assert_eq!(folders.repository_of(&root.join(place)), Some(root.join("a")), "{place}");
        }
        assert_eq!(folders.repository_of(Path::new("/")), None);
    }

    #[cfg(unix)]
    #[test]
    fn paths_are_those_of_the_system() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/c.json"), "").unwrap();
        symlink(root.join("a"), root.join("also")).unwrap();
        symlink("c.json", root.join("a/b/d.json")).unwrap();
        symlink("gone.json", root.join("a/b/e.json")).unwrap();
        let folders = Folders::new(Fence::of_user(&Disk));
        let names =
            ["a/b/c.json", "also/b/c.json", "a/b/d.json", "also/b/d.json", "a/b", "also", "a/b/..", "a/./b/c.json"];
        for path in names.map(|name| root.join(name)).into_iter().chain([PathBuf::from("/")]) {
            assert_eq!(folders.real(&path).unwrap(), path.canonicalize().unwrap(), "{}", path.display());
        }
        for gone in ["a/b/e.json", "a/gone.json", "gone/c.json", "a/b/c.json/d"] {
            assert!(folders.real(&root.join(gone)).is_err(), "{gone}");
        }
    }
}
