//! The file system as the built-in compiler may see it: the files of the repository, and the module cache.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::bicep::compiler::{Artifact, Host};
use crate::engine::inputs::Store;
use crate::files::{Bounds, normalize, read_bytes};
use crate::text::FileId;

/// Reads files for the built-in compiler.
pub(super) struct Files<'s, 'a> {
    store: &'s Store<'a>,
    /// Where the files that other files name have to be.
    bounds: Bounds,
    /// The folder in which the Bicep CLI caches modules. `None` if the environment does not say.
    modules: Option<PathBuf>,
    paths: FxHashMap<FileId, PathBuf>,
}

impl<'s, 'a> Files<'s, 'a> {
    /// For the compilation of `entry`, an absolute path.
    pub(super) fn new(store: &'s Store<'a>, entry: &Path, variables: &BTreeMap<String, String>) -> Self {
        let home = ["HOME", "USERPROFILE"].into_iter().find_map(|name| variables.get(name));
        let modules = home.filter(|home| !home.is_empty()).map(|home| Path::new(home).join(".bicep"));
        Self { store, bounds: Bounds::around_file(store.working, entry), modules, paths: FxHashMap::default() }
    }

    /// The path of a file that was opened. The name in reports if it was not.
    pub(super) fn path_of(&self, file: FileId) -> PathBuf {
        self.paths.get(&file).cloned().unwrap_or_else(|| PathBuf::from(&**self.store.sources.get(file).name()))
    }
}

impl Host for Files<'_, '_> {
    fn open(&mut self, path: &Path) -> Result<(FileId, Arc<str>), String> {
        let file = self.store.text(path).map_err(|problem| problem.message)?;
        self.paths.insert(file, path.to_owned());
        Ok((file, Arc::clone(self.store.sources.get(file).text())))
    }

    fn bytes(&mut self, path: &Path) -> Result<Vec<u8>, String> {
        read_bytes(path, self.store.limits.file_bytes)
            .map_err(|problem| problem.into_diagnostic(&path.to_string_lossy(), self.store.sources).message)
    }

    fn files_in(&mut self, folder: &Path) -> Result<Vec<PathBuf>, String> {
        let entries = std::fs::read_dir(folder).map_err(|error| format!("the folder cannot be read: {error}"))?;
        let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        Ok(paths.filter(|path| path.is_file()).collect())
    }

    fn is_file(&mut self, path: &Path) -> bool {
        path.is_file()
    }

    fn is_inside(&mut self, path: &Path) -> bool {
        self.bounds.hold(path)
    }

    fn module(&mut self, artifact: &Artifact) -> Option<PathBuf> {
        let modules = self.modules.as_ref()?.join("br");
        let path = artifact.folders().iter().fold(modules, |path, folder| path.join(folder)).join("main.json");
        path.is_file().then(|| normalize(self.store.working, &path))
    }
}
