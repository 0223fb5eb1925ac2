//! The texts that a run reads.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use arcstr::ArcStr;

use crate::text::line_index::LineIndex;
use crate::text::{FileId, KnownSecret, Position, Span, known_secrets};

/// A text, with its name in reports.
#[derive(Debug)]
pub struct Source {
    name: Arc<str>,
    text: ArcStr,
    lines: OnceLock<LineIndex>,
    is_utf8: bool,
    is_listed: AtomicBool,
    /// Byte ranges of secrets.
    hidden: RwLock<Vec<Range<usize>>>,
    /// Cache: the tokens and keys of known formats.
    known_secrets: OnceLock<Box<[KnownSecret]>>,
}

/// Replaces each byte of a secret in an excerpt, so that later columns do not change.
const HIDDEN: char = '*';

impl Source {
    /// Returns the name in reports: a path with `/`, relative to the current folder if the file is below it.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the decoded text.
    pub fn text(&self) -> &ArcStr {
        &self.text
    }

    /// Returns whether the file has the same bytes as the text, except a byte order mark.
    pub fn is_utf8(&self) -> bool {
        self.is_utf8
    }

    /// Returns the byte offset of a line and column. `None` if the text does not contain them.
    pub fn offset(&self, position: Position) -> Option<u32> {
        self.lines().offset(&self.text, position).and_then(|offset| u32::try_from(offset).ok())
    }

    /// Returns the line and column of a byte offset. An offset after the end is treated as the end.
    pub fn position(&self, offset: u32) -> Position {
        self.lines().position(&self.text, offset as usize)
    }

    /// Returns the line and column of a byte offset, and the column in bytes, from 1.
    pub fn located(&self, offset: u32) -> (Position, u32) {
        self.lines().located(&self.text, offset as usize)
    }

    /// Returns the number of lines. An empty text has one.
    pub fn line_count(&self) -> usize {
        self.lines().line_count()
    }

    /// Returns the byte range of a line (from 1) without its line ending.
    pub fn line_range(&self, line: u32) -> Option<Range<usize>> {
        self.lines().line_range(&self.text, line)
    }

    /// Returns the text of a line (from 1) without its line ending.
    pub fn line(&self, line: u32) -> Option<&str> {
        self.text.get(self.line_range(line)?)
    }

    /// Returns a range of the text with secrets masked. `None` if its ends are not between characters.
    pub fn shown(&self, range: Range<usize>) -> Option<Cow<'_, str>> {
        let text = self.text.get(range.clone())?;
        let hidden = self.hidden.read().unwrap_or_else(PoisonError::into_inner);
        let known = self.known_secrets().iter().map(|secret| &secret.range);
        let is_inside = |secret: &&Range<usize>| secret.start < range.end && range.start < secret.end;
        let secrets: Vec<&Range<usize>> = hidden.iter().chain(known).filter(is_inside).collect();
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

    /// Returns whether a range of the text contains a part of a secret.
    pub fn has_secret(&self, range: Range<usize>) -> bool {
        let hidden = self.hidden.read().unwrap_or_else(PoisonError::into_inner);
        let known = self.known_secrets().iter().map(|secret| &secret.range);
        hidden.iter().chain(known).any(|secret| secret.start < range.end && range.start < secret.end)
    }

    /// Returns the tokens and keys of known formats in the text. Excerpts do not show them.
    pub fn known_secrets(&self) -> &[KnownSecret] {
        self.known_secrets.get_or_init(|| known_secrets(&self.text).into())
    }

    /// Returns the same text with this name.
    fn renamed(&self, name: Arc<str>) -> Self {
        Self {
            name,
            text: self.text.clone(),
            lines: OnceLock::new(),
            is_utf8: self.is_utf8,
            is_listed: AtomicBool::new(self.is_listed.load(Ordering::Relaxed)),
            hidden: RwLock::new(self.hidden.read().unwrap_or_else(PoisonError::into_inner).clone()),
            known_secrets: self.known_secrets.clone(),
        }
    }

    fn hide(&self, range: Range<usize>) {
        // The quotes of a string are not masked.
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

/// Contains all texts of a run. Several threads can add texts, and texts are never removed.
#[derive(Debug, Default)]
pub struct Sources {
    files: RwLock<Vec<Arc<Source>>>,
}

/// Clones the list. Texts added to one list are not in the other, but their properties are shared.
impl Clone for Sources {
    fn clone(&self) -> Self {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        Self { files: RwLock::new(files.clone()) }
    }
}

impl Sources {
    /// Creates a list without texts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text with its name in reports. A file that could not be read is added with an empty text, so that
    /// diagnostics can refer to it.
    pub fn add(&self, name: impl Into<Arc<str>>, text: impl Into<ArcStr>) -> FileId {
        self.insert(name.into(), text.into(), true)
    }

    /// Adds a text that was not UTF-8, like [`Sources::add`].
    pub fn add_recoded(&self, name: impl Into<Arc<str>>, text: impl Into<ArcStr>) -> FileId {
        self.insert(name.into(), text.into(), false)
    }

    fn insert(&self, name: Arc<str>, text: ArcStr, is_utf8: bool) -> FileId {
        let (lines, is_listed, hidden) = (OnceLock::new(), AtomicBool::new(true), RwLock::default());
        let source = Source { name, text, lines, is_utf8, is_listed, hidden, known_secrets: OnceLock::new() };
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        files.push(Arc::new(source));
        FileId::from_index(files.len() - 1)
    }

    /// Clones the list for one of several runs, so that listing, hiding, or adding texts does not affect the others.
    /// IDs do not change.
    #[must_use]
    pub fn fork(&self) -> Self {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let files = files.iter().map(|source| Arc::new(source.renamed(Arc::clone(&source.name)))).collect();
        Self { files: RwLock::new(files) }
    }

    /// Returns the number of texts, listed or not.
    pub fn count(&self) -> usize {
        self.files.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Returns the text with an ID of [`Sources::add`].
    #[expect(clippy::indexing_slicing, reason = "ids come from these sources, and no text is ever removed")]
    pub fn get(&self, file: FileId) -> Arc<Source> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&files[file.index()])
    }

    /// Returns the IDs of all listed texts, in the order in which they were added.
    pub fn ids(&self) -> impl Iterator<Item = FileId> + use<> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let listed = files.iter().enumerate().filter(|(_, source)| source.is_listed.load(Ordering::Relaxed));
        let listed: Vec<usize> = listed.map(|(at, _)| at).collect();
        listed.into_iter().map(FileId::from_index)
    }

    /// Lists a text again that was unlisted.
    pub fn list(&self, file: FileId) {
        self.get(file).is_listed.store(true, Ordering::Relaxed);
    }

    /// Makes [`Sources::ids`] skip a text that may not belong to the run.
    pub fn unlist(&self, file: FileId) {
        self.get(file).is_listed.store(false, Ordering::Relaxed);
    }

    /// Drops the content of a text without further uses. Its ID is not reused.
    pub fn forget(&self, file: FileId) {
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(source) = files.get_mut(file.index()) {
            let (lines, is_listed, hidden) = (OnceLock::new(), AtomicBool::new(false), RwLock::default());
            let name = Arc::clone(&source.name);
            *source = Arc::new(Source {
                name,
                text: ArcStr::new(),
                lines,
                is_utf8: true,
                is_listed,
                hidden,
                known_secrets: OnceLock::new(),
            });
        }
    }

    /// Renames the texts for which `name` returns a new name.
    pub fn rename(&mut self, name: impl Fn(&str) -> Option<Arc<str>>) {
        let files = self.files.get_mut().unwrap_or_else(PoisonError::into_inner);
        for source in files {
            if let Some(name) = name(&source.name) {
                *source = Arc::new(source.renamed(name));
            }
        }
    }

    /// Masks a secret in all excerpts of its text.
    pub fn hide(&self, span: Span) {
        self.get(span.file).hide(span.start as usize..span.end as usize);
    }

    /// Returns the first and last position of a span, which is extended to whole characters.
    pub fn range(&self, span: Span) -> (Position, Position) {
        let source = self.get(span.file);
        let end = source.text.ceil_char_boundary(span.end as usize);
        (source.position(span.start), source.position(u32::try_from(end).unwrap_or(u32::MAX)))
    }
}
