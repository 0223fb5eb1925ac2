//! Open documents of a client, and their edits.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use arcstr::ArcStr;
use gen_lsp_types::{Position, TextDocumentContentChangeEvent};

use crate::buffer::Buffer;
use crate::text::{Encoding, Text};

/// Maximum number of edits of one message that are tracked separately. Items follow each of them.
const MAX_EDITS: usize = 100;

/// An open document. Documents are identified by the path of their file, because clients write a URI in several ways.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) version: i32,
    pub(crate) text: Text,
    /// URI as the client writes it.
    pub(crate) uri: String,
    /// Folder in which it is checked.
    pub(crate) root: PathBuf,
    /// Version that was checked last.
    pub(crate) checked: Option<i32>,
    /// Number of the edit at which it was opened.
    pub(crate) opened: u64,
    /// Number of its last edit, counting edits of all documents.
    pub(crate) changed: u64,
    /// True if it was edited since it was opened.
    pub(crate) is_edited: bool,
}

/// Parameters of an opened document.
#[derive(Debug)]
pub(crate) struct Opening {
    pub(crate) uri: String,
    pub(crate) root: PathBuf,
    pub(crate) version: i32,
    pub(crate) text: ArcStr,
}

/// Replacement of a byte range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) removed: Range<usize>,
    pub(crate) inserted: usize,
}

/// All open documents, by path.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: BTreeMap<PathBuf, Document>,
    /// Edits of the documents, numbered over all documents.
    log: Vec<(u64, PathBuf, Edit)>,
    clock: u64,
}

impl Edit {
    /// Returns a range after the edit, or `None` if the edit changed its content.
    pub(crate) fn moved(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let Range { start, end } = self.removed;
        match () {
            () if range.end < start || (range.end == start && range.start < start) => Some(range.clone()),
            () if range.start >= end => {
                let removed = end - start;
                Some(range.start - removed + self.inserted..range.end - removed + self.inserted)
            }
            // An insertion in the middle, or another change of the content.
            () => None,
        }
    }
}

impl Documents {
    pub(crate) fn get(&self, path: &Path) -> Option<&Document> {
        self.open.get(path)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Path, &Document)> {
        self.open.iter().map(|(path, document)| (path.as_path(), document))
    }

    /// Returns the number of the last edit.
    pub(crate) fn now(&self) -> u64 {
        self.clock
    }

    /// Opens a document, and returns this as an edit: the text may differ from everything known about the file.
    pub(crate) fn open(&mut self, path: PathBuf, opening: Opening) -> Edit {
        self.clock += 1;
        let Opening { uri, root, version, text } = opening;
        let text = Text::new(text);
        let everything = Edit { removed: 0..usize::MAX, inserted: text.text().len() };
        self.log.push((self.clock, path.clone(), everything.clone()));
        let document = Document {
            version,
            text,
            uri,
            root,
            checked: None,
            opened: self.clock,
            changed: self.clock,
            is_edited: false,
        };
        self.open.insert(path, document);
        everything
    }

    /// Updates the folder in which each document is checked.
    pub(crate) fn place(&mut self, root: impl Fn(&Path) -> PathBuf) {
        for (path, document) in &mut self.open {
            document.root = root(path);
        }
    }

    pub(crate) fn close(&mut self, path: &Path) -> Option<Document> {
        self.clock += 1;
        self.open.remove(path)
    }

    /// Applies changes in their order. Returns the edits, or `None` if the document is not open.
    pub(crate) fn change(
        &mut self,
        path: &Path,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> Option<Vec<Edit>> {
        let document = self.open.get_mut(path)?;
        self.clock += 1;
        (document.version, document.changed, document.is_edited) = (version, self.clock, true);
        let mut edits = Vec::new();
        let mut buffer = Buffer::from_text(&document.text);
        for change in changes {
            let (removed, inserted) = match &change {
                TextDocumentContentChangeEvent::TextDocumentContentChangePartial(change) => {
                    let ends = [change.range.start, change.range.end];
                    let [one, other] = ends.map(|end: Position| buffer.offset(end, encoding));
                    (one.min(other)..one.max(other), change.text.as_str())
                }
                TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(change) => {
                    differing(buffer.body(), &change.text)
                }
            };
            buffer.replace(removed.clone(), inserted);
            edits.push(Edit { removed, inserted: inserted.len() });
        }
        let text = buffer.into_text();
        if edits.len() > MAX_EDITS {
            let (removed, inserted) = differing(document.text.text(), text.text());
            edits = vec![Edit { removed, inserted: inserted.len() }];
        }
        document.text = text;
        let logged = edits.iter().map(|edit| (self.clock, path.to_path_buf(), edit.clone()));
        self.log.extend(logged);
        Some(edits)
    }

    /// Marks versions as checked by a check that started after the edit `since`.
    pub(crate) fn note(&mut self, versions: &BTreeMap<PathBuf, i32>, since: u64) {
        for (path, version) in versions {
            // A reopened document has other versions.
            if let Some(document) = self.open.get_mut(path).filter(|document| document.opened <= since) {
                document.checked = Some(*version);
            }
        }
    }

    /// Returns the edits of a document after the edit `since`.
    pub(crate) fn edits<'a>(&'a self, path: &'a Path, since: u64) -> impl Iterator<Item = &'a Edit> {
        let newer = self.log.iter().filter(move |(at, edited, _)| *at > since && edited == path);
        newer.map(|(_, _, edit)| edit)
    }

    /// Drops edits up to `until`, which are no longer needed.
    pub(crate) fn forget(&mut self, until: u64) {
        self.log.retain(|(at, _, _)| *at > until);
    }
}

/// Returns the range of the old text that differs, and its replacement. A client may send the whole text for each
/// key, and items outside of the change should stay.
fn differing<'t>(old: &str, new: &'t str) -> (Range<usize>, &'t str) {
    let start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - start;
    let end = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count().min(most);
    let start = old.floor_char_boundary(new.floor_char_boundary(start));
    let (old_end, new_end) = (old.ceil_char_boundary(old.len() - end), new.ceil_char_boundary(new.len() - end));
    // Both texts have the same end, so the boundaries agree in both.
    let behind = (old.len() - old_end).min(new.len() - new_end);
    (start..old.len() - behind, new.get(start..new.len() - behind).unwrap_or(new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_moves_with_what_is_before_it() {
        let edit = |removed: Range<usize>, inserted| Edit { removed, inserted };
        for (edit, range, expected) in [
            (edit(0..0, 3), 4..6, Some(7..9)),
            (edit(0..2, 0), 4..6, Some(2..4)),
            (edit(4..4, 1), 4..6, Some(5..7)),
            (edit(6..6, 1), 4..6, Some(4..6)),
            (edit(6..9, 1), 4..6, Some(4..6)),
            (edit(5..5, 1), 4..6, None),
            (edit(3..5, 2), 4..6, None),
            (edit(0..9, 0), 4..6, None),
            (edit(4..4, 2), 4..4, Some(6..6)),
        ] {
            assert_eq!(edit.moved(&range), expected, "{edit:?} {range:?}");
        }
    }

    fn open(documents: &mut Documents, path: &Path, text: &str) {
        let opening = Opening { uri: String::new(), root: PathBuf::new(), version: 1, text: text.into() };
        documents.open(path.to_path_buf(), opening);
    }

    /// As an editor sends what is replaced everywhere: the time must not grow with the square of the text.
    #[test]
    fn thousands_of_changes_are_one_edit_of_what_is_between_them() {
        let path = Path::new("/a");
        let mut documents = Documents::default();
        let lines = 10_000;
        open(&mut documents, path, &"first\n".repeat(lines));
        let change = |line: usize| {
            let start = Position::new(u32::try_from(line).unwrap(), 0);
            let end = Position::new(start.line, 5);
            let range = gen_lsp_types::Range::new(start, end);
            serde_json::from_value(serde_json::json!({"range": range, "text": "é"})).unwrap()
        };
        let edits = documents.change(path, 2, (1..lines).map(change).collect(), Encoding::Utf16).unwrap();
        let end = lines * "first\n".len() - 1;
        assert_eq!(edits, [Edit { removed: 6..end, inserted: "é\n".len() * (lines - 1) - 1 }]);
        assert_eq!(documents.get(path).unwrap().text.text().as_str(), ["first\n", &"é\n".repeat(lines - 1)].concat());
    }

    #[test]
    fn nothing_stays_where_it_was_when_a_document_is_opened_again() {
        let path = Path::new("/a");
        let mut documents = Documents::default();
        open(&mut documents, path, "abc");
        let before = documents.now();
        documents.close(path);
        open(&mut documents, path, "abcd");
        let moved: Vec<_> = documents.edits(path, before).map(|edit| edit.moved(&(1..2))).collect();
        assert_eq!(moved, [None]);
        // A check that began before has seen other versions.
        let versions = BTreeMap::from([(path.to_path_buf(), 1)]);
        documents.note(&versions, before);
        assert_eq!(documents.get(path).unwrap().checked, None);
        documents.note(&versions, documents.now());
        assert_eq!(documents.get(path).unwrap().checked, Some(1));
    }

    #[test]
    fn a_whole_text_counts_as_the_edit_that_it_is() {
        for (old, new, removed, inserted) in [
            ("abc", "abXc", 2..2, "X"),
            ("aaa", "aa", 2..3, ""),
            ("é", "è", 0..2, "è"),
            ("xé", "é", 0..1, ""),
            ("a", "a", 1..1, ""),
            ("", "ab", 0..0, "ab"),
            ("é😀", "😀é", 0..6, "😀é"),
        ] {
            let (range, text) = differing(old, new);
            assert_eq!([old.get(..range.start).unwrap(), text, old.get(range.end..).unwrap()].concat(), new);
            assert_eq!((range, text), (removed, inserted), "{old} {new}");
        }
    }
}
