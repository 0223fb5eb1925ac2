//! Reads Bicep files and their modules for builds and for source maps.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::HashMap;

use crate::bicep::language::SyntaxTree;
use crate::bicep::source_map::{ModuleFile, Modules};
use crate::diagnostic::Diagnostic;
use crate::engine::bicep::{is_bicep, is_template};
use crate::engine::inputs::Store;
use crate::files::{Host, display_name};
use crate::model::Limits;
use crate::path::normalize;
use crate::text::{FileId, Sources};

/// Finds the modules that Bicep files name, and collects the problems with them.
#[derive(Debug)]
pub struct BicepFiles<'a> {
    store: Arc<Store<'a>>,
    paths: HashMap<FileId, PathBuf>,
    ids: HashMap<PathBuf, FileId>,
    modules: HashMap<PathBuf, Option<ModuleFile>>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> BicepFiles<'a> {
    /// Reads nothing yet. `working` is the current folder of the host, absolute, and `file` the one that the
    /// user named.
    pub fn new(
        (working, host): (&'a Path, &'a dyn Host),
        file: &Path,
        sources: &'a Sources,
        limits: &'a Limits,
    ) -> Self {
        Self::from_store(Arc::new(Store::of_file((working, host), file, sources, limits)))
    }

    /// Takes the sources from the store of a run.
    pub(super) fn from_store(store: Arc<Store<'a>>) -> Self {
        let (paths, ids, modules) = (HashMap::default(), HashMap::default(), HashMap::default());
        Self { store, paths, ids, modules, diagnostics: Vec::new() }
    }

    /// Reads a `.bicep` or `.bicepparam` file. Anything that cannot be read becomes a diagnostic.
    pub fn read(&mut self, path: &Path) -> Option<Arc<SyntaxTree>> {
        let path = normalize(self.store.working, path);
        match self.modules.get(&path) {
            Some(Some(ModuleFile::Bicep(tree))) => return Some(Arc::clone(tree)),
            Some(_) => return None,
            None => {}
        }
        let Some(tree) = self.register(&path).and_then(|_| self.store.bicep(&path)) else {
            self.modules.insert(path, None);
            return None;
        };
        self.diagnostics.extend(tree.problems.iter().cloned());
        self.modules.insert(path, Some(ModuleFile::Bicep(Arc::clone(&tree))));
        Some(tree)
    }

    /// Returns the problems with all files that were read.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    /// Returns `true` if the file may be read.
    pub(super) fn may_read(&self, path: &Path) -> bool {
        self.store.may_read(path)
    }

    /// Returns `true` if the text of a file, and the messages of the compiler about it, may be shown: a module may be
    /// any file of the machine.
    pub(super) fn may_quote(&self, path: &Path) -> bool {
        let path = normalize(self.store.working, path);
        let is_known =
            path.extension().is_some_and(|name| ["json", "jsonc"].iter().any(|known| name.eq_ignore_ascii_case(known)));
        self.store.may_read(&path) && (is_bicep(&path) || is_known)
    }

    /// Returns the source of a file that a message of the compiler is about; an empty source if the file cannot be
    /// read.
    pub(super) fn text_of(&mut self, path: &Path) -> FileId {
        let Store { working, sources, .. } = *self.store;
        let path = normalize(working, path);
        if let Some(&id) = self.ids.get(&path) {
            return id;
        }
        let known = self.diagnostics.len();
        let readable = Some(&path).filter(|path| self.may_quote(path)).and_then(|path| self.register(path));
        let id = readable.unwrap_or_else(|| sources.add(display_name(working, &path), ""));
        self.diagnostics.truncate(known);
        self.ids.insert(path, id);
        id
    }

    fn register(&mut self, path: &Path) -> Option<FileId> {
        match self.store.text(path) {
            Ok(id) => {
                self.paths.insert(id, path.to_owned());
                self.ids.insert(path.to_owned(), id);
                Some(id)
            }
            Err(problem) => {
                self.diagnostics.push(problem);
                None
            }
        }
    }

    fn read_module(&mut self, path: &Path) -> Option<ModuleFile> {
        if is_template(path) {
            return self.read(path).map(ModuleFile::Bicep);
        }
        let id = self.register(path)?;
        let (value, problems) = self.store.json(path, id);
        self.diagnostics.extend(problems);
        value.map(ModuleFile::Template)
    }
}

impl Modules for BicepFiles<'_> {
    fn open(&mut self, from: FileId, path: &str) -> Option<ModuleFile> {
        let folder = self.paths.get(&from)?.parent()?;
        let path = normalize(folder, Path::new(path));
        // The compiler has read the module. If it was deleted since, only the statement is left to point at.
        if !self.modules.contains_key(&path) && !self.store.fence.is_file(&path) {
            return None;
        }
        if let Some(known) = self.modules.get(&path) {
            return known.clone();
        }
        let module = self.read_module(&path);
        self.modules.insert(path, module.clone());
        module
    }
}
