//! The texts that a run reads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use crate::text::line_index::LineIndex;
use crate::text::{FileId, Position, Span};

/// One text and the name that reports give it.
#[derive(Debug)]
pub struct Source {
    name: Arc<str>,
    text: Arc<str>,
    lines: OnceLock<LineIndex>,
    is_utf8: bool,
    is_listed: AtomicBool,
}

impl Source {
    /// The name for people: a path with `/`, relative to the current folder if the file lies below it.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The text, decoded from whatever encoding the file has.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Whether the file has the same bytes as the text, apart from a byte order mark.
    pub fn is_utf8(&self) -> bool {
        self.is_utf8
    }

    /// Line and column of a byte offset. An offset past the end is the end.
    pub fn position(&self, offset: u32) -> Position {
        self.lines().position(&self.text, offset as usize)
    }

    /// How many lines the text has; an empty text has one.
    pub fn line_count(&self) -> usize {
        self.lines().line_count()
    }

    /// The byte range of a line (from 1) without its line ending.
    pub fn line_range(&self, line: u32) -> Option<std::ops::Range<usize>> {
        self.lines().line_range(&self.text, line)
    }

    /// The text of a line (from 1) without its line ending.
    pub fn line(&self, line: u32) -> Option<&str> {
        self.text.get(self.line_range(line)?)
    }

    fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.text))
    }
}

/// Owns every text of a run. Texts are added from many threads and never removed.
#[derive(Debug, Default)]
pub struct Sources {
    files: RwLock<Vec<Arc<Source>>>,
}

impl Sources {
    /// A collection that holds no text yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a text under the name that reports will show. A file that could not be read is registered with an
    /// empty text, so that diagnostics can refer to it.
    pub fn add(&self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> FileId {
        self.insert(name.into(), text.into(), true)
    }

    /// Like [`Sources::add`], for a file that is not UTF-8.
    pub fn add_recoded(&self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> FileId {
        self.insert(name.into(), text.into(), false)
    }

    fn insert(&self, name: Arc<str>, text: Arc<str>, is_utf8: bool) -> FileId {
        let source = Source { name, text, lines: OnceLock::new(), is_utf8, is_listed: AtomicBool::new(true) };
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        files.push(Arc::new(source));
        FileId::from_index(files.len() - 1)
    }

    /// The text with an ID that [`Sources::add`] gave.
    #[expect(clippy::indexing_slicing, reason = "ids come from these sources, and no text is ever removed")]
    pub fn get(&self, file: FileId) -> Arc<Source> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&files[file.index()])
    }

    /// The IDs of all listed texts, in the order of registration.
    pub fn ids(&self) -> impl Iterator<Item = FileId> + use<> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let is_listed = |&at: &usize| files.get(at).is_some_and(|source| source.is_listed.load(Ordering::Relaxed));
        let listed: Vec<usize> = (0..files.len()).filter(is_listed).collect();
        listed.into_iter().map(FileId::from_index)
    }

    /// Lists a text again that was unlisted.
    pub fn list(&self, file: FileId) {
        self.get(file).is_listed.store(true, Ordering::Relaxed);
    }

    /// Makes [`Sources::ids`] skip a text that may turn out to have nothing to do with the run.
    pub fn unlist(&self, file: FileId) {
        self.get(file).is_listed.store(false, Ordering::Relaxed);
    }

    /// Renames the texts for which `name` gives a new name.
    pub fn rename(&mut self, name: impl Fn(&str) -> Option<Arc<str>>) {
        let files = self.files.get_mut().unwrap_or_else(PoisonError::into_inner);
        for source in files {
            if let Some(name) = name(&source.name) {
                let (text, is_utf8) = (Arc::clone(&source.text), source.is_utf8);
                let is_listed = AtomicBool::new(source.is_listed.load(Ordering::Relaxed));
                *source = Arc::new(Source { name, text, lines: OnceLock::new(), is_utf8, is_listed });
            }
        }
    }

    /// First and last position of a span, which is widened to whole characters.
    pub fn range(&self, span: Span) -> (Position, Position) {
        let source = self.get(span.file);
        let end = source.text.ceil_char_boundary(span.end as usize);
        (source.position(span.start), source.position(u32::try_from(end).unwrap_or(u32::MAX)))
    }
}
