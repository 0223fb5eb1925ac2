//! Files that the user names, in the place of a change.

use std::path::{Path, PathBuf};

use crate::engine::changes::{Changes, Event};
use crate::engine::discover::discover;
use crate::files::{PathFilter, normalize};
use crate::text::Sources;

impl Changes {
    /// As if the files that `paths` lead to had changed, so that what hangs on them is found. A path that leads nowhere
    /// stands for a file that is gone.
    pub(crate) fn named(working: &Path, paths: &[PathBuf], filter: &PathFilter) -> Self {
        let paths = paths.iter().map(|path| normalize(working, path));
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = paths.partition(|path| path.is_dir());
        // What cannot be walked is reported when it is checked.
        let (found, _) = discover(working, &folders, filter, &Sources::new());
        let event = |path: PathBuf| {
            let event = if path.exists() { Event::Named } else { Event::Deleted };
            (path, event)
        };
        let files = files.into_iter().chain(found.into_iter().map(|input| input.path)).map(event).collect();
        Self { root: working.to_owned(), files: Some(files), ..Self::default() }
    }
}
