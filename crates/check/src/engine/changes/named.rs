//! Treats the files that the user names as a change.

use std::path::{Path, PathBuf};

use crate::engine::changes::{Changes, Event};
use crate::files::{Fence, PathGlobs, glob_of};
use crate::path::normalize;

impl Changes {
    /// Returns the change in which the files at `paths` changed, to find their dependents. For a folder or a glob,
    /// these are the files of `found` inside it. A path without a file counts as a deleted file.
    pub(in crate::engine) fn named<'a>(
        working: &Path,
        paths: &[PathBuf],
        fence: &Fence<'_>,
        found: impl Iterator<Item = &'a Path>,
    ) -> Self {
        let (globs, paths): (Vec<&PathBuf>, Vec<&PathBuf>) =
            paths.iter().partition(|path| glob_of(working, path, fence).is_some());
        let globs: Vec<PathGlobs> = globs.iter().filter_map(|path| Some(glob_of(working, path, fence)?.1)).collect();
        let paths = paths.into_iter().map(|path| normalize(working, path));
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = paths.partition(|path| fence.is_folder(path));
        let is_inside = |path: &&Path| {
            folders.iter().any(|folder| path.starts_with(folder)) || globs.iter().any(|globs| globs.matches(path))
        };
        let found: Vec<PathBuf> = found.filter(is_inside).map(Path::to_path_buf).collect();
        let event = |path: PathBuf| {
            let event = if fence.exists(&path) { Event::Named } else { Event::Deleted };
            (path, event)
        };
        let named = Self::of_files(working, files.into_iter().chain(found).map(event).collect());
        // Other files may refer to what a path leads to, or get there through other links.
        let real: Vec<_> =
            named.files.iter().flatten().map(|(path, event)| (named.real(path), event.clone())).collect();
        Self::of_files(working, named.files.into_iter().flatten().chain(real).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Disk;

    #[test]
    fn what_is_named_is_what_changed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let found = ["src/engine/changes/list.rs", "src/engine/changes/hunks.rs", "Cargo.toml", "docs/Cargo.toml"];
        let found: Vec<PathBuf> = found.iter().map(|name| root.join(name)).collect();
        let events = |names: &[&str]| -> Vec<(String, Event)> {
            let paths: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
            let changes = Changes::named(root, &paths, &Fence::of_user(&Disk), found.iter().map(PathBuf::as_path));
            assert_eq!(changes.root, root);
            let files = changes.files.into_iter().flatten();
            let shown = |path: PathBuf| path.strip_prefix(root).map(|path| path.display().to_string());
            files.filter_map(|(path, event)| Some((shown(path).ok()?, event))).collect()
        };
        let list = || ("src/engine/changes/list.rs".to_owned(), Event::Named);
        let hunks = || ("src/engine/changes/hunks.rs".to_owned(), Event::Named);
        assert_eq!(events(&["Cargo.toml"]), [("Cargo.toml".to_owned(), Event::Named)]);
        assert_eq!(events(&["src/engine/changes"]), [hunks(), list()]);
        assert_eq!(events(&["src/**/l*.rs"]), [list()]);
        assert_eq!(events(&["gone.json"]), [("gone.json".to_owned(), Event::Deleted)]);
    }
}
