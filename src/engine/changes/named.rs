//! Treats the files that the user names as a change.

use std::path::{Path, PathBuf};

use crate::engine::changes::{Changes, Event};
use crate::files::{PathGlobs, glob_of, normalize};

impl Changes {
    /// The change in which the files at `paths` changed, to find their dependents. For a folder or a glob, these are the
    /// files of `found` inside it. A path without a file counts as a deleted file.
    pub(in crate::engine) fn named<'a>(
        working: &Path,
        paths: &[PathBuf],
        found: impl Iterator<Item = &'a Path>,
    ) -> Self {
        let (globs, paths): (Vec<&PathBuf>, Vec<&PathBuf>) =
            paths.iter().partition(|path| glob_of(working, path).is_some());
        let globs: Vec<PathGlobs> = globs.iter().filter_map(|path| Some(glob_of(working, path)?.1)).collect();
        let paths = paths.into_iter().map(|path| normalize(working, path));
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = paths.partition(|path| path.is_dir());
        let is_inside = |path: &&Path| {
            folders.iter().any(|folder| path.starts_with(folder)) || globs.iter().any(|globs| globs.matches(path))
        };
        let found: Vec<PathBuf> = found.filter(is_inside).map(Path::to_path_buf).collect();
        let event = |path: PathBuf| {
            let event = if path.exists() { Event::Named } else { Event::Deleted };
            (path, event)
        };
        let files = files.into_iter().chain(found).map(event).collect();
        Self::of_files(working, files)
    }
}
