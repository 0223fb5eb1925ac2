//! Bicep files and their modules, each read once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bicep::reader::{self, File};
use crate::bicep::source_map::{ModuleFile, Modules};
use crate::diagnostic::Diagnostic;
use crate::files::{display_name, normalize, read_bytes, register};
use crate::model::Limits;
use crate::syntax;
use crate::text::{FileId, Sources};

/// Reads Bicep files, and finds the modules that they name.
#[derive(Debug)]
pub struct BicepFiles<'a> {
    working: &'a Path,
    sources: &'a Sources,
    limits: &'a Limits,
    paths: HashMap<FileId, PathBuf>,
    ids: HashMap<PathBuf, FileId>,
    modules: HashMap<PathBuf, Option<ModuleFile>>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> BicepFiles<'a> {
    /// Nothing is read yet. `working` is the current folder, absolute.
    pub fn new(working: &'a Path, sources: &'a Sources, limits: &'a Limits) -> Self {
        let (paths, ids, modules) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { working, sources, limits, paths, ids, modules, diagnostics: Vec::new() }
    }

    /// Reads a `.bicep` or `.bicepparam` file. What cannot be read of it is among the diagnostics.
    pub fn read(&mut self, path: &Path) -> Option<Arc<File>> {
        let path = normalize(self.working, path);
        match self.modules.get(&path) {
            Some(Some(ModuleFile::Bicep(file))) => return Some(Arc::clone(file)),
            Some(_) => return None,
            None => {}
        }
        let Some(id) = self.register(&path) else {
            self.modules.insert(path, None);
            return None;
        };
        let (file, problems) = reader::read(id, self.sources.get(id).text());
        self.diagnostics.extend(problems);
        let file = Arc::new(file);
        self.modules.insert(path, Some(ModuleFile::Bicep(Arc::clone(&file))));
        Some(file)
    }

    /// What was wrong with all that was read.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    /// The text of a file, for what somebody else has to say of it. One that cannot be read is an empty text.
    pub(super) fn text_of(&mut self, path: &Path) -> FileId {
        let path = normalize(self.working, path);
        if let Some(&id) = self.ids.get(&path) {
            return id;
        }
        let known = self.diagnostics.len();
        let id = self.register(&path).unwrap_or_else(|| self.sources.add(display_name(self.working, &path), ""));
        self.diagnostics.truncate(known);
        self.ids.insert(path, id);
        id
    }

    fn register(&mut self, path: &Path) -> Option<FileId> {
        let name = display_name(self.working, path);
        let file = read_bytes(path, self.limits.file_bytes)
            .map_err(|problem| problem.into_diagnostic(&name, self.sources))
            .and_then(|bytes| register(&name, bytes, self.sources));
        match file {
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
        if path.extension().is_some_and(|it| it.eq_ignore_ascii_case("bicep")) {
            return self.read(path).map(ModuleFile::Bicep);
        }
        let id = self.register(path)?;
        let parsed = syntax::json::parse(id, self.sources.get(id).text(), self.limits.nesting);
        self.diagnostics.extend(parsed.diagnostics);
        parsed.value.map(ModuleFile::Template)
    }
}

impl Modules for BicepFiles<'_> {
    fn open(&mut self, from: FileId, path: &str) -> Option<ModuleFile> {
        let folder = self.paths.get(&from)?.parent()?;
        let path = normalize(folder, Path::new(path));
        // The compiler has seen the module. Where it is gone since, there is only the statement to point at.
        if !self.modules.contains_key(&path) && !path.is_file() {
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
