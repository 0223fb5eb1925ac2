//! Reads files, each at most once in a run, and parses them. What was parsed is kept until it is released.
//!
//! Most JSON and YAML files of a repository are not templates. Their contents are dropped, so the memory of a run
//! depends on the templates that it finds and not on the size of the repository. If a template links to such a file, it
//! is read again.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use arcstr::ArcStr;
use foldhash::{HashMap, HashSet};

use crate::bicep::language::{self, SyntaxTree};
use crate::diagnostic::Diagnostic;
use crate::engine::bicep::names::is_bicep;
use crate::engine::detect;
use crate::engine::inputs::urls::Urls;
use crate::engine::isolation::{Failure, Isolation, Work};
use crate::engine::parse::Reading;
use crate::engine::parse_cache::ParseCache;
use crate::files::{Bounds, Contents, Fence, Folders, Host, PathFilter, Unreadable, display_name, register};
use crate::model::Limits;
use crate::path::normalize;
use crate::text::{FileId, Sources};
use crate::value::Value;

/// The files that a run has read so far. Paths are absolute, without `.` and `..`.
pub(in crate::engine) struct Store<'a> {
    pub(in crate::engine) working: &'a Path,
    pub(in crate::engine) sources: &'a Sources,
    pub(in crate::engine) limits: &'a Limits,
    /// The files that may be asked for.
    pub(in crate::engine) fence: Fence<'a>,
    pub(super) urls: Urls<'a>,
    pub(in crate::engine) folders: Arc<Folders<'a>>,
    isolation: &'a Isolation,
    /// Filter of files from the settings. `None` where it is not applied.
    filter: Option<&'a PathFilter>,
    cache: Option<&'a ParseCache>,
    /// The files that the user named. They are kept even if they are not templates, since that is reported.
    named: HashSet<PathBuf>,
    /// The files that it reads; all of them if there are no bounds.
    bounds: Option<Bounds<'a>>,
    /// The other paths that lead to files of the run, by the path that it has.
    pub(super) aliases: HashMap<PathBuf, Vec<PathBuf>>,
    slots: Mutex<HashMap<PathBuf, Arc<Slot>>>,
}

/// The state and the parsed forms of one file.
#[derive(Default)]
struct Slot {
    /// Locked while the file is read, so that no other thread reads it too.
    state: Mutex<State>,
    /// Result of parsing, shared to keep slots small: a repository may have a million files that are not templates, and
    /// each has a slot.
    reading: Mutex<Option<Arc<Reading>>>,
    bicep: OnceLock<Arc<SyntaxTree>>,
}

#[derive(Default)]
enum State {
    #[default]
    Unread,
    /// Neither a template nor a parameter file; the content was dropped.
    Dropped,
    Kept(Kept),
}

/// The source of a file, or why there is none.
pub(super) type Kept = Result<Text, Arc<NoSource>>;

/// A registered source. It is listed in reports only after the run uses it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text {
    pub(super) file: FileId,
    /// True if the file may be a template or a parameter file.
    pub(super) may_be_ours: bool,
}

/// Reason why a file has no source.
#[derive(Debug)]
pub(super) enum NoSource {
    Unreadable(Unreadable),
    Undecodable {
        problem: Diagnostic,
        /// True if the bytes look like a template or a parameter file.
        may_be_ours: bool,
    },
}

impl fmt::Debug for Store<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("working", &self.working).finish_non_exhaustive()
    }
}

impl<'a> Store<'a> {
    /// Creates an empty store. Files in `named` are kept whatever they contain.
    pub(in crate::engine) fn new(
        working: &'a Path,
        sources: &'a Sources,
        limits: &'a Limits,
        fence: Fence<'a>,
        named: HashSet<PathBuf>,
    ) -> Self {
        let (urls, folders) = (Urls::new(fence.clone()), Arc::new(Folders::new(fence.clone())));
        let (isolation, slots) = (Isolation::alone(), Mutex::default());
        let (filter, cache, bounds, aliases) = (None, None, None, HashMap::default());
        Self { working, sources, limits, fence, urls, folders, isolation, filter, cache, named, bounds, aliases, slots }
    }

    /// Creates an empty store for a file that the user named, which reads only what is in the repository around it.
    pub(in crate::engine) fn of_file(
        (working, host): (&'a Path, &'a dyn Host),
        file: &Path,
        sources: &'a Sources,
        limits: &'a Limits,
    ) -> Self {
        let folders = Arc::new(Folders::new(Fence::of_user(host)));
        let bounds = Bounds::around(working, [normalize(working, file).as_path()], &folders);
        Self::new(working, sources, limits, bounds.fence(), HashSet::default()).within(bounds)
    }

    /// Reads only files within bounds, whatever other files name.
    #[must_use]
    pub(super) fn within(self, bounds: Bounds<'a>) -> Self {
        Self { bounds: Some(bounds), ..self }
    }

    /// Sets the filter of files from the settings.
    #[must_use]
    pub(super) fn filtered(self, filter: &'a PathFilter) -> Self {
        Self { filter: Some(filter), ..self }
    }

    /// Returns the template that the settings name for a parameter file.
    pub(super) fn template_of(&self, parameters: &Path) -> Option<&Path> {
        self.filter.and_then(|filter| filter.template_of(parameters))
    }

    /// Returns `true` if a file may be read. The compiler quotes what it does not understand, so a link to a Bicep file
    /// has to lead to one.
    pub(in crate::engine) fn may_read(&self, path: &Path) -> bool {
        let is_disguised = || is_bicep(path) && self.folders.real(path).is_ok_and(|real| !is_bicep(&real));
        self.bounds.as_ref().is_none_or(|bounds| bounds.hold(path) && !is_disguised())
    }

    /// Returns the real path of a file, so that two links to one template share a job; the path itself if it leads
    /// nowhere.
    pub(super) fn identity(&self, path: &Path) -> PathBuf {
        self.folders.real(path).unwrap_or_else(|_| path.to_path_buf())
    }

    /// Sets the other paths that lead to files.
    #[must_use]
    pub(super) fn aliased(self, aliases: HashMap<PathBuf, Vec<PathBuf>>) -> Self {
        Self { aliases, ..self }
    }

    /// Sets the cache of earlier runs.
    #[must_use]
    pub(super) fn cached(self, cache: Option<&'a ParseCache>) -> Self {
        Self { cache, ..self }
    }

    /// Sets the isolation of the work on files.
    #[must_use]
    pub(super) fn isolated(self, isolation: &'a Isolation) -> Self {
        Self { isolation, ..self }
    }

    /// Returns the number of bytes of a template or a parameter file, the same for all line endings; 0 for any other
    /// file.
    pub(super) fn size(&self, path: &Path) -> u64 {
        let Some(Ok(Text { file, .. })) = self.ours(path) else { return 0 };
        let source = self.sources.get(file);
        source.text().bytes().filter(|byte| *byte != b'\r').count() as u64
    }

    /// Returns the source of a file, which is listed as a part of the run from now on.
    pub(in crate::engine) fn text(&self, path: &Path) -> Result<FileId, Diagnostic> {
        self.listed(path, self.kept(path))
    }

    /// Reads a module in the cache of the compiler, as [`Self::text`] does for other files. The cache is outside the
    /// repository, but the cache chooses the path, and not the file that names the module.
    pub(in crate::engine) fn text_of_module(&self, path: &Path) -> Result<FileId, Diagnostic> {
        self.listed(path, self.kept_as(path, |path| self.read_of_cache(path)))
    }

    fn listed(&self, path: &Path, kept: Kept) -> Result<FileId, Diagnostic> {
        match kept {
            Ok(Text { file, .. }) => {
                self.sources.list(file);
                Ok(file)
            }
            Err(fault) => Err(self.diagnostic(path, &fault)),
        }
    }

    /// Returns the source of a file, even if it is not a template.
    pub(super) fn kept(&self, path: &Path) -> Kept {
        self.kept_as(path, |path| self.read(path))
    }

    fn kept_as(&self, path: &Path, read: impl FnOnce(&Path) -> Result<Contents, Arc<NoSource>>) -> Kept {
        let slot = self.slot(path);
        let mut state = locked(&slot.state);
        if let State::Kept(kept) = &*state {
            return kept.clone();
        }
        let kept = read(path).and_then(|bytes| self.keep(path, bytes));
        *state = State::Kept(kept.clone());
        kept
    }

    /// Returns the source of a file; `None` if it is neither a template nor a parameter file and was not needed
    /// otherwise.
    pub(super) fn ours(&self, path: &Path) -> Option<Kept> {
        let slot = self.slot(path);
        let mut state = locked(&slot.state);
        self.visit(path, &mut state);
        match &*state {
            State::Kept(kept) => Some(kept.clone()),
            State::Unread | State::Dropped => None,
        }
    }

    /// Calls `look` with the text of a file, and with its id if the source is kept. `None` if the file cannot be read.
    pub(super) fn peek<T>(&self, path: &Path, look: impl FnOnce(Option<(&ArcStr, Option<FileId>)>) -> T) -> T {
        let slot = self.slot(path);
        let mut state = locked(&slot.state);
        let bytes = self.visit(path, &mut state);
        let kept = match &*state {
            State::Kept(kept) => Some(kept.clone()),
            State::Unread | State::Dropped => None,
        };
        // `look` may ask for the parsed text.
        drop(state);
        match kept {
            Some(Ok(Text { file, .. })) => look(Some((self.sources.get(file).text(), Some(file)))),
            Some(Err(_)) => look(None),
            None => {
                let bytes = bytes.or_else(|| self.read(path).ok());
                let text = bytes.and_then(|bytes| bytes.decode().ok());
                look(text.as_ref().map(|text| (text, None)))
            }
        }
    }

    /// Calls `choose` with the parsed content of a file of the store.
    pub(super) fn reading<T>(&self, path: &Path, file: FileId, choose: impl FnOnce(&Reading) -> T) -> T {
        let slot = self.slot(path);
        let parse = || self.parse(path, file);
        let reading = || self.cache.map_or_else(|| Arc::new(parse()), |cache| cache.reading(path, file, parse));
        let reading = Arc::clone(locked(&slot.reading).get_or_insert_with(reading));
        choose(&reading)
    }

    /// Frees the parsed content of a file. Whatever wants it once more parses the file again. Whether there was any.
    pub(super) fn release(&self, path: &Path) -> bool {
        locked(&self.slot(path).reading).take().is_some()
    }

    /// Parses the text of a file as JSON, YAML, or TOML.
    pub(super) fn parse(&self, path: &Path, file: FileId) -> Reading {
        self.parse_text(path, file, self.sources.get(file).text())
    }

    /// Parses a text of the same length instead of the file's own, as [`Self::parse`] does.
    pub(super) fn parse_text(&self, path: &Path, file: FileId, text: &ArcStr) -> Reading {
        let reading = || Reading::parse(path, file, text, self.limits.nesting);
        let reading = self.isolation.run(Work::Read, self.sources.get(file).name(), reading);
        reading.unwrap_or_else(|failure| Reading::failed(failure.diagnostic(file)))
    }

    /// Returns the value of a JSON file of the store, and its syntax errors.
    pub(in crate::engine) fn json(&self, path: &Path, file: FileId) -> (Option<Value>, Vec<Diagnostic>) {
        self.reading(path, file, |Reading { first, .. }| (first.value.clone(), first.diagnostics.clone()))
    }

    /// Returns the syntax tree of a Bicep file. `None` if it cannot be read; [`Store::text`] returns the reason.
    pub(in crate::engine) fn bicep(&self, path: &Path) -> Option<Arc<SyntaxTree>> {
        let Text { file, .. } = self.kept(path).ok()?;
        let slot = self.slot(path);
        let source = self.sources.get(file);
        let parse = || {
            let tree = self.isolation.run(Work::Read, source.name(), || language::parse(file, source.text()));
            let unparsed =
                |failure: Failure| SyntaxTree::unparsed(file, source.text().clone(), failure.diagnostic(file));
            Arc::new(tree.unwrap_or_else(unparsed))
        };
        let tree = || self.cache.map_or_else(parse, |cache| cache.tree(path, file, parse));
        Some(Arc::clone(slot.bicep.get_or_init(tree)))
    }

    /// Returns the diagnostic for a file that cannot be used.
    pub(super) fn diagnostic(&self, path: &Path, fault: &NoSource) -> Diagnostic {
        match fault {
            NoSource::Unreadable(problem) => problem.diagnostic(&display_name(self.working, path), self.sources),
            NoSource::Undecodable { problem, .. } => {
                self.sources.list(problem.primary.span.file);
                problem.clone()
            }
        }
    }

    fn slot(&self, path: &Path) -> Arc<Slot> {
        let mut slots = locked(&self.slots);
        if let Some(slot) = slots.get(path) {
            return Arc::clone(slot);
        }
        Arc::clone(slots.entry(path.to_owned()).or_default())
    }

    /// Reads a file unless it was read before. Returns its bytes if they are not kept.
    fn visit(&self, path: &Path, state: &mut State) -> Option<Contents> {
        if !matches!(state, State::Unread) {
            return None;
        }
        let bytes = match self.read(path) {
            Ok(bytes) => bytes,
            Err(fault) => {
                *state = State::Kept(Err(fault));
                return None;
            }
        };
        if detect::may_be_ours(&bytes) || is_bicep(path) || self.named.contains(path) {
            *state = State::Kept(self.keep(path, bytes));
            None
        } else {
            *state = State::Dropped;
            Some(bytes)
        }
    }

    fn read(&self, path: &Path) -> Result<Contents, Arc<NoSource>> {
        if self.may_read(path) {
            self.read_unbounded(path)
        } else {
            Err(Arc::new(NoSource::Unreadable(Unreadable::Outside)))
        }
    }

    fn read_of_cache(&self, path: &Path) -> Result<Contents, Arc<NoSource>> {
        let read = self.fence.read_kept(path, self.limits.file_bytes);
        read.map_err(|problem| Arc::new(NoSource::Unreadable(problem)))
    }

    fn read_unbounded(&self, path: &Path) -> Result<Contents, Arc<NoSource>> {
        let limit = self.limits.file_bytes;
        let is_given = self.named.contains(path);
        let read = if is_given { self.fence.read_given(path, limit) } else { self.fence.read(path, limit) };
        read.map_err(|problem| Arc::new(NoSource::Unreadable(problem)))
    }

    fn keep(&self, path: &Path, bytes: Contents) -> Kept {
        let may_be_ours = detect::may_be_ours(&bytes);
        if let Some(file) = self.cache.and_then(|cache| cache.id(path, &bytes)) {
            return Ok(Text { file, may_be_ours });
        }
        match register(&display_name(self.working, path), bytes, self.sources) {
            Ok(file) => {
                self.sources.unlist(file);
                Ok(Text { file, may_be_ours })
            }
            Err(problem) => {
                self.sources.unlist(problem.primary.span.file);
                Err(Arc::new(NoSource::Undecodable { problem, may_be_ours }))
            }
        }
    }
}

/// Locks a mutex even if another thread panicked: each operation leaves the data consistent.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
