//! The texts that a run reads.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use arcstr::ArcStr;

use crate::text::line_index::LineIndex;
use crate::text::{FileId, Position, Span};

/// One text and the name that reports give it.
#[derive(Debug)]
pub struct Source {
    name: Arc<str>,
    text: ArcStr,
    lines: OnceLock<LineIndex>,
    is_utf8: bool,
    is_listed: AtomicBool,
    /// The byte ranges of secrets.
    hidden: RwLock<Vec<Range<usize>>>,
}

/// What replaces each byte of a secret in an excerpt, so that the columns of what follows stay the same.
const HIDDEN: char = '*';

impl Source {
    /// The name for people: a path with `/`, relative to the current folder if the file lies below it.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The text, decoded from whatever encoding the file has.
    pub fn text(&self) -> &ArcStr {
        &self.text
    }

    /// Whether the file has the same bytes as the text, apart from a byte order mark.
    pub fn is_utf8(&self) -> bool {
        self.is_utf8
    }

    /// The byte offset of a line and a column. `None` if the text does not have them.
    pub fn offset(&self, position: Position) -> Option<u32> {
        self.lines().offset(&self.text, position).and_then(|offset| u32::try_from(offset).ok())
    }

    /// Line and column of a byte offset. An offset past the end is the end.
    pub fn position(&self, offset: u32) -> Position {
        self.lines().position(&self.text, offset as usize)
    }

    /// Line and column of a byte offset, and the column in bytes, from 1.
    pub fn located(&self, offset: u32) -> (Position, u32) {
        self.lines().located(&self.text, offset as usize)
    }

    /// How many lines the text has; an empty text has one.
    pub fn line_count(&self) -> usize {
        self.lines().line_count()
    }

    /// The byte range of a line (from 1) without its line ending.
    pub fn line_range(&self, line: u32) -> Option<Range<usize>> {
        self.lines().line_range(&self.text, line)
    }

    /// The text of a line (from 1) without its line ending.
    pub fn line(&self, line: u32) -> Option<&str> {
        self.text.get(self.line_range(line)?)
    }

    /// A range of the text as it may be shown: with secrets masked. `None` if it does not begin and end between
    /// characters.
    pub fn shown(&self, range: Range<usize>) -> Option<Cow<'_, str>> {
        let text = self.text.get(range.clone())?;
        let hidden = self.hidden.read().unwrap_or_else(PoisonError::into_inner);
        let overlaps = |secret: &&Range<usize>| secret.start < range.end && range.start < secret.end;
        let secrets: Vec<&Range<usize>> = hidden.iter().filter(overlaps).collect();
        if secrets.is_empty() {
            return Some(Cow::Borrowed(text));
        }
        let mut shown = String::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            let at = at + range.start;
            let is_secret = !matches!(c, '\r' | '\n') && secrets.iter().any(|secret| secret.contains(&at));
            if is_secret { shown.extend(std::iter::repeat_n(HIDDEN, c.len_utf8())) } else { shown.push(c) }
        }
        Some(Cow::Owned(shown))
    }

    /// Whether a range of the text contains a part of a secret.
    pub fn has_secret(&self, range: Range<usize>) -> bool {
        let hidden = self.hidden.read().unwrap_or_else(PoisonError::into_inner);
        hidden.iter().any(|secret| secret.start < range.end && range.start < secret.end)
    }

    /// The same text with this name.
    fn renamed(&self, name: Arc<str>) -> Self {
        Self {
            name,
            text: self.text.clone(),
            lines: OnceLock::new(),
            is_utf8: self.is_utf8,
            is_listed: AtomicBool::new(self.is_listed.load(Ordering::Relaxed)),
            hidden: RwLock::new(self.hidden.read().unwrap_or_else(PoisonError::into_inner).clone()),
        }
    }

    fn hide(&self, range: Range<usize>) {
        // The quotes around a string show that there is one.
        let is_quoted = self.text.get(range.clone()).is_some_and(|text| {
            text.len() > 2 && ['"', '\''].iter().any(|&quote| text.starts_with(quote) && text.ends_with(quote))
        });
        let range = if is_quoted { range.start + 1..range.end - 1 } else { range };
        let mut hidden = self.hidden.write().unwrap_or_else(PoisonError::into_inner);
        if !range.is_empty() && !hidden.contains(&range) {
            hidden.push(range);
        }
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

/// The same texts with the same IDs. What is added to one is not in the other.
impl Clone for Sources {
    fn clone(&self) -> Self {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        Self { files: RwLock::new(files.clone()) }
    }
}

impl Sources {
    /// A collection that holds no text yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a text under the name that reports will show. A file that could not be read is registered with an
    /// empty text, so that diagnostics can refer to it.
    pub fn add(&self, name: impl Into<Arc<str>>, text: impl Into<ArcStr>) -> FileId {
        self.insert(name.into(), text.into(), true)
    }

    /// Like [`Sources::add`], for a file that is not UTF-8.
    pub fn add_recoded(&self, name: impl Into<Arc<str>>, text: impl Into<ArcStr>) -> FileId {
        self.insert(name.into(), text.into(), false)
    }

    fn insert(&self, name: Arc<str>, text: ArcStr, is_utf8: bool) -> FileId {
        let (lines, is_listed, hidden) = (OnceLock::new(), AtomicBool::new(true), RwLock::default());
        let source = Source { name, text, lines, is_utf8, is_listed, hidden };
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        files.push(Arc::new(source));
        FileId::from_index(files.len() - 1)
    }

    /// The same texts with the same IDs, for one of several runs. What a run lists, hides, or adds is not seen by the others.
    #[must_use]
    pub fn fork(&self) -> Self {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let files = files.iter().map(|source| Arc::new(source.renamed(Arc::clone(&source.name)))).collect();
        Self { files: RwLock::new(files) }
    }

    /// How many texts there are, listed or not.
    pub fn count(&self) -> usize {
        self.files.read().unwrap_or_else(PoisonError::into_inner).len()
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

    /// Drops a text that nothing refers to any more. Its ID stays taken.
    pub fn forget(&self, file: FileId) {
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(source) = files.get_mut(file.index()) {
            let (lines, is_listed, hidden) = (OnceLock::new(), AtomicBool::new(false), RwLock::default());
            let name = Arc::clone(&source.name);
            *source = Arc::new(Source { name, text: ArcStr::new(), lines, is_utf8: true, is_listed, hidden });
        }
    }

    /// Renames the texts for which `name` gives a new name.
    pub fn rename(&mut self, name: impl Fn(&str) -> Option<Arc<str>>) {
        let files = self.files.get_mut().unwrap_or_else(PoisonError::into_inner);
        for source in files {
            if let Some(name) = name(&source.name) {
                *source = Arc::new(source.renamed(name));
            }
        }
    }

    /// Keeps a secret out of all excerpts of its text.
    pub fn hide(&self, span: Span) {
        self.get(span.file).hide(span.start as usize..span.end as usize);
    }

    /// First and last position of a span, which is widened to whole characters.
    pub fn range(&self, span: Span) -> (Position, Position) {
        let source = self.get(span.file);
        let end = source.text.ceil_char_boundary(span.end as usize);
        (source.position(span.start), source.position(u32::try_from(end).unwrap_or(u32::MAX)))
    }
}
