//! The paths of files for fingerprints and baselines.

use std::path::Path;

use crate::files::{Fence, Folders, Host, display_name};
use crate::path::normalize;

/// The paths of files in their repositories: the same wherever a repository lies and from wherever formwork is called.
#[derive(Debug)]
pub(super) struct StablePaths<'a> {
    working: &'a Path,
    folders: Folders<'a>,
}

impl<'a> StablePaths<'a> {
    /// Creates paths for names that are relative to the current folder, `working`.
    pub(super) fn new(working: &'a Path, host: &'a dyn Host) -> Self {
        Self { working, folders: Folders::new(Fence::of_user(host)) }
    }

    /// Returns the path of the file that has this name in reports.
    pub(super) fn stable_path(&self, name: &str) -> String {
        let path = normalize(self.working, Path::new(name));
        match path.parent().and_then(|folder| self.folders.repository_of(folder)) {
            Some(repository) => display_name(&repository, &path),
            None if path.starts_with(self.working) => display_name(self.working, &path),
            None => path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::files::Disk;

    use super::*;

    #[test]
    fn a_path_is_the_same_from_every_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("repo/.git")).unwrap();
        fs::create_dir_all(root.join("repo/a/b")).unwrap();
        let from = |working: &str, name: &str| StablePaths::new(&root.join(working), &Disk).stable_path(name);
        assert_eq!(from("repo", "a/b/c.json"), "a/b/c.json");
        assert_eq!(from("repo/a", "b/c.json"), "a/b/c.json");
        assert_eq!(from("repo/a/b", &root.join("repo/a/b/c.json").to_string_lossy()), "a/b/c.json");
        assert_eq!(from(".", "repo/a/b/c.json"), "a/b/c.json");
        assert_eq!(from(".", "d/e.json"), "d/e.json");
        assert_eq!(from("repo", &root.join("d/e.json").to_string_lossy()), "e.json");
    }
}
