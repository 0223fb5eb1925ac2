//! The file system as the built-in compiler may see it: the files of the repository, and the module cache.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use arcstr::ArcStr;
use foldhash::HashMap;

use crate::bicep::Options;
use crate::bicep::compiler::{Artifact, Host, Missing};
use crate::bicep::language::SyntaxTree;
use crate::bicep::modules::{FoundModule, ModuleSource};
use crate::engine::inputs::Store;
use crate::files::{Bounds, Contents, display_name, is_local, register};
use crate::path::normalize;
use crate::text::FileId;

/// Reads files for the built-in compiler.
pub(super) struct Files<'s, 'a> {
    store: &'s Store<'a>,
    /// Bounds of the files that other files may name.
    bounds: Bounds<'a>,
    /// The settings files that are not read from the disk, as in [`Options::settings`].
    settings: &'s BTreeMap<PathBuf, Option<Vec<u8>>>,
    modules: &'s dyn ModuleSource,
    /// The modules of registries that were looked up, and the texts of those that are in no file.
    found: HashMap<PathBuf, Option<Arc<[u8]>>>,
    paths: HashMap<FileId, PathBuf>,
}

impl<'s, 'a> Files<'s, 'a> {
    /// Prepares for the compilation of `entry`, an absolute path.
    pub(super) fn new(store: &'s Store<'a>, entry: &Path, options: &'s Options) -> Self {
        let (bounds, settings) = (Bounds::around_file(store.working, entry, &store.folders), &options.settings);
        let (found, paths) = (HashMap::default(), HashMap::default());
        Self { store, bounds, settings, modules: &*options.modules, found, paths }
    }

    /// Returns the path of a file that was opened. The name in reports if it was not.
    pub(super) fn path_of(&self, file: FileId) -> PathBuf {
        self.paths.get(&file).cloned().unwrap_or_else(|| PathBuf::from(&**self.store.sources.get(file).name()))
    }
}

impl Files<'_, '_> {
    /// Returns `true` if the text of `cacheRootDirectory` allows looking for modules there.
    fn may_be_cache(&self, root: &Path) -> bool {
        let is_plain = !root.components().any(|part| part == Component::ParentDir);
        let is_of_repository = || self.bounds.fence().admit(&normalize(self.store.working, root)).is_some();
        is_local(&root.to_string_lossy()) && (is_plain || is_of_repository())
    }
}

impl Host for Files<'_, '_> {
    fn open(&mut self, path: &Path) -> Result<(FileId, ArcStr), String> {
        let kept = |bytes| register(&display_name(self.store.working, path), bytes, self.store.sources);
        let file = match (self.settings.get(path), self.found.get(path)) {
            (Some(replaced), _) => kept(replaced.clone().ok_or_else(|| "there is no such file".to_owned())?),
            (None, Some(Some(text))) => kept(text.to_vec()),
            (None, Some(None)) => self.store.text_of_module(path),
            (None, None) => self.store.text(path),
        };
        let file = file.map_err(|problem| problem.message)?;
        self.paths.insert(file, path.to_owned());
        Ok((file, self.store.sources.get(file).text().clone()))
    }

    fn parse(&mut self, path: &Path) -> Result<Arc<SyntaxTree>, String> {
        self.open(path)?;
        self.store.bicep(path).ok_or_else(|| "the file cannot be read".to_owned())
    }

    fn bytes(&mut self, path: &Path) -> Result<Vec<u8>, String> {
        let read = self.store.fence.read(path, self.store.limits.file_bytes);
        read.map(Contents::into_bytes)
            .map_err(|problem| problem.into_diagnostic(&path.to_string_lossy(), self.store.sources).message)
    }

    fn files_in(&mut self, folder: &Path) -> Result<Vec<PathBuf>, String> {
        let fence = &self.store.fence;
        let paths = fence.list(folder).map_err(|error| format!("the folder cannot be read: {error}"))?;
        Ok(paths.filter(|path| fence.is_file(path)).collect())
    }

    fn is_file(&mut self, path: &Path) -> bool {
        self.settings.get(path).map_or_else(|| self.store.fence.is_file(path), Option::is_some)
    }

    fn is_inside(&mut self, path: &Path) -> bool {
        self.bounds.hold(path)
    }

    fn module(&mut self, artifact: &Artifact, root: Option<&Path>) -> Result<PathBuf, Missing> {
        if root.is_some_and(|root| !self.may_be_cache(root)) {
            let why = "`cacheRootDirectory` of `bicepconfig.json` leads to a share, or out of the repository by `..`";
            return Err(Missing::because(
                why,
                "name a folder of the repository, of the home folder, or an absolute path",
            ));
        }
        let FoundModule { path, text } = self.modules.find(artifact, root, self.store.limits.file_bytes)?;
        let path = normalize(self.store.working, &path);
        self.found.insert(path.clone(), text);
        Ok(path)
    }
}
