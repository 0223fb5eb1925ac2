//! Cache of files that were parsed in earlier runs.
//!
//! An editor checks the same files again and again, and few of them change in between. Spans carry the ID of a text, so
//! a parsed file counts in other runs only if its text has the same ID there. The cache gives each text its ID, and
//! each run gets a fork of its sources.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arcstr::ArcStr;
use foldhash::{HashMap, HashSet};

use crate::bicep::language::SyntaxTree;
use crate::engine::parse::Reading;
use crate::files::display_name;
use crate::text::{FileId, Sources};

/// Minimum number of stale IDs, of texts that no file has anymore, that are kept. An ID cannot be taken out of sources.
const MAX_STALE: usize = 1_000;

/// Parsed files, by the IDs of their texts.
#[derive(Debug)]
pub struct ParseCache {
    /// The current folder of the runs.
    working: PathBuf,
    /// The texts of the rules, with which each run begins.
    rules: Sources,
    /// Sources of the rules and the files.
    sources: Sources,
    ids: HashMap<PathBuf, FileId>,
    /// The files that runs have read and whose texts the cache does not have.
    wanted: Mutex<BTreeSet<PathBuf>>,
    readings: Mutex<HashMap<FileId, Arc<Reading>>>,
    trees: Mutex<HashMap<FileId, Arc<SyntaxTree>>>,
    /// Selection of the last narrowed run, in a type that only the selecting stage knows.
    selected: Mutex<Option<Box<dyn Any + Send>>>,
    /// Files whose text has changed since the last narrowed run.
    changed: Mutex<BTreeSet<PathBuf>>,
}

impl ParseCache {
    /// Creates a cache for runs in a folder whose first texts are those of `rules`.
    pub fn new(working: &Path, rules: &Sources) -> Self {
        Self {
            working: working.to_path_buf(),
            wanted: Mutex::default(),
            rules: rules.fork(),
            sources: rules.fork(),
            ids: HashMap::default(),
            readings: Mutex::default(),
            trees: Mutex::default(),
            selected: Mutex::default(),
            changed: Mutex::default(),
        }
    }

    /// Updates the cache to the current files. Entries of changed and deleted files are removed, and so is the last
    /// selection: there may be new files.
    pub fn update<'f>(&mut self, files: impl IntoIterator<Item = (&'f Path, &'f ArcStr)>) {
        locked(&self.selected).take();
        self.take(files);
    }

    /// Updates the texts of some files. Files in `changed` have another text than in the last run; all other files are
    /// unchanged.
    pub fn edit<'f>(
        &mut self,
        files: impl IntoIterator<Item = (&'f Path, &'f ArcStr)>,
        changed: impl IntoIterator<Item = PathBuf>,
    ) {
        locked(&self.changed).extend(changed);
        let known = self.ids.iter().map(|(path, id)| (path.clone(), self.sources.get(*id).text().clone()));
        let mut texts: BTreeMap<PathBuf, ArcStr> = known.collect();
        texts.extend(files.into_iter().map(|(path, text)| (path.to_path_buf(), text.clone())));
        self.take(texts.iter().map(|(path, text)| (path.as_path(), text)));
    }

    fn take<'f>(&mut self, files: impl IntoIterator<Item = (&'f Path, &'f ArcStr)>) {
        if self.sources.count() > self.rules.count() + 2 * self.ids.len() + MAX_STALE {
            let empty = Self::new(&self.working, &self.rules);
            let before = std::mem::replace(self, empty);
            self.selected = before.selected;
            self.changed = before.changed;
        }
        // Those that are wanted have come, if they can.
        locked(&self.wanted).clear();
        let mut ids = HashMap::default();
        for (path, text) in files {
            let known = self.ids.get(path).filter(|id| self.sources.get(**id).text() == text);
            let id = known.copied().unwrap_or_else(|| {
                let id = self.sources.add(display_name(&self.working, path), text.clone());
                // A run lists it if it uses it.
                self.sources.unlist(id);
                id
            });
            ids.insert(path.to_path_buf(), id);
        }
        let current: HashSet<FileId> = ids.values().copied().collect();
        for stale in self.ids.values().filter(|id| !current.contains(id)) {
            self.sources.forget(*stale);
        }
        self.ids = ids;
        locked(&self.readings).retain(|id, _| current.contains(id));
        locked(&self.trees).retain(|id, _| current.contains(id));
    }

    /// Returns the files that a run will probably read: those of earlier runs.
    pub fn paths(&self) -> BTreeSet<PathBuf> {
        self.ids.keys().cloned().chain(self.wanted()).collect()
    }

    /// Returns the files that runs have read and whose texts the cache does not have.
    pub fn wanted(&self) -> BTreeSet<PathBuf> {
        locked(&self.wanted).clone()
    }

    /// Takes the selection of the last narrowed run out of the cache, and the files whose text has changed since.
    pub(super) fn take_selected<T: 'static>(&self) -> (Option<T>, BTreeSet<PathBuf>) {
        let selected = locked(&self.selected).take().and_then(|selected| selected.downcast().ok());
        (selected.map(|selected| *selected), std::mem::take(&mut *locked(&self.changed)))
    }

    /// Stores the selection of a run.
    pub(super) fn keep_selected<T: Send + 'static>(&self, selected: T) {
        *locked(&self.selected) = Some(Box::new(selected));
    }

    /// Returns the sources for a run.
    pub(super) fn sources(&self) -> Sources {
        self.sources.fork()
    }

    /// Returns the ID of the text of a file, if it is this one.
    pub(super) fn id(&self, path: &Path, text: &[u8]) -> Option<FileId> {
        let known = self.ids.get(path).copied().filter(|id| self.sources.get(*id).text().as_bytes() == text);
        if known.is_none() {
            locked(&self.wanted).insert(path.to_path_buf());
        }
        known
    }

    /// Returns the cached result of parsing a file as JSON or YAML. If there is none, calls `parse`.
    pub(super) fn reading(&self, path: &Path, file: FileId, parse: impl FnOnce() -> Reading) -> Arc<Reading> {
        self.parsed(&self.readings, path, file, || Arc::new(parse()))
    }

    /// Returns the syntax tree of a Bicep file. `parse` makes it if it is not known.
    pub(super) fn tree(&self, path: &Path, file: FileId, parse: impl FnOnce() -> Arc<SyntaxTree>) -> Arc<SyntaxTree> {
        self.parsed(&self.trees, path, file, parse)
    }

    fn parsed<T>(
        &self,
        known: &Mutex<HashMap<FileId, Arc<T>>>,
        path: &Path,
        file: FileId,
        parse: impl FnOnce() -> Arc<T>,
    ) -> Arc<T> {
        let found = locked(known).get(&file).cloned();
        found.unwrap_or_else(|| {
            let parsed = parse();
            // Other texts are those of one run, such as a template that Bicep was compiled to.
            if self.ids.get(path) == Some(&file) {
                locked(known).insert(file, Arc::clone(&parsed));
            }
            parsed
        })
    }
}

fn locked<T>(known: &Mutex<T>) -> MutexGuard<'_, T> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use crate::engine::{InMemory, MemoryRules};
    use crate::files::Memory;
    use crate::model::Limits;

    use super::*;

    const MAIN: &str = "module m 'm.bicep' = { name: 'm' }\nvar t = loadJsonContent('t.json')\n";

    fn files(module: &str) -> Memory {
        let mut files = Memory::default();
        for (name, text) in [("main.bicep", MAIN), ("m.bicep", module), ("t.json", "{}"), ("s.json", STACK)] {
            files.insert(name, text);
        }
        files
    }

    const STACK: &str = r#"{"Resources": {"A": {"Type": "AWS::SQS::Queue"}}}"#;

    #[test]
    fn only_what_changed_is_parsed_again() {
        let (rules, _) = MemoryRules::new(false, &Memory::default());
        let mut cache = ParseCache::new(Path::new(Memory::ROOT), &rules.sources);
        let mut parsed = |files: &Memory| {
            let limits = Limits::default();
            let check =
                InMemory { files, template: None, parameters: &[], keep_passed: false, threads: 1, limits: &limits };
            let run = check.check_again(&rules, &mut cache);
            assert_eq!(run.summary.templates, 2, "{:?}", run.diagnostics);
            let id = |name: &str| cache.ids[&Memory::path(name)];
            let trees = ["main.bicep", "m.bicep"].map(|name| Arc::clone(&locked(&cache.trees)[&id(name)]));
            (trees, Arc::clone(&locked(&cache.readings)[&id("s.json")]))
        };
        let ([main, module], stack) = parsed(&files("param a string = ''"));
        let ([same_main, other_module], same_stack) = parsed(&files("param b string = ''"));
        assert!(Arc::ptr_eq(&main, &same_main) && Arc::ptr_eq(&stack, &same_stack));
        assert!(!Arc::ptr_eq(&module, &other_module));
    }

    #[test]
    fn texts_that_no_file_has_are_forgotten_at_last() {
        let mut cache = ParseCache::new(Path::new(Memory::ROOT), &Sources::new());
        for at in 0..2 * MAX_STALE {
            cache.update(files(&at.to_string()).iter());
        }
        assert!(cache.sources.count() < MAX_STALE + 20);
        assert_eq!(cache.ids.len(), 4);
    }
}
