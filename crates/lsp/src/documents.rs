//! The documents that a client has open, and how they were edited.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use arcstr::ArcStr;
use gen_lsp_types::{Position, TextDocumentContentChangeEvent};

use crate::text::{Encoding, Text};

/// An open document. Documents are known by the paths of their files, since clients write one URI in several ways.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) version: i32,
    pub(crate) text: Text,
    /// Counts the edits of all documents: what this one had seen when it was last changed.
    pub(crate) changed: u64,
    /// Whether it was edited since it was opened.
    pub(crate) is_edited: bool,
}

/// The replacement of a range of bytes by so many others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) removed: Range<usize>,
    pub(crate) inserted: usize,
}

/// All open documents, by the paths of their files.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: BTreeMap<PathBuf, Document>,
    /// What was done to each, with the number that it has among all edits.
    log: Vec<(u64, PathBuf, Edit)>,
    clock: u64,
}

impl Edit {
    /// Where a range is after the edit. `None` if the edit changed what is in it.
    pub(crate) fn moved(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let Range { start, end } = self.removed;
        let shifted = |at: usize| at - (end - start) + self.inserted;
        match () {
            () if range.end < start || (range.end == start && range.start < start) => Some(range.clone()),
            () if range.start >= end => Some(shifted(range.start)..shifted(range.end)),
            // An insertion in the middle, or any other change of what is there.
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

    /// The number of the last edit.
    pub(crate) fn now(&self) -> u64 {
        self.clock
    }

    /// Opens a document. Whatever was known of the file may differ from its text.
    pub(crate) fn open(&mut self, path: PathBuf, version: i32, text: ArcStr) {
        self.clock += 1;
        let document = Document { version, text: Text::new(text), changed: self.clock, is_edited: false };
        self.open.insert(path, document);
    }

    pub(crate) fn close(&mut self, path: &Path) -> Option<Document> {
        self.clock += 1;
        self.open.remove(path)
    }

    /// Applies changes in their order. Returns what was edited; `None` if the document is not open.
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
        for change in changes {
            let (removed, inserted) = match &change {
                TextDocumentContentChangeEvent::TextDocumentContentChangePartial(change) => {
                    let ends = [change.range.start, change.range.end];
                    let [one, other] = ends.map(|end: Position| document.text.offset(end, encoding));
                    (one.min(other)..one.max(other), change.text.as_str())
                }
                TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(change) => {
                    differing(document.text.text(), &change.text)
                }
            };
            let old = document.text.text();
            let (before, after) = (old.get(..removed.start), old.get(removed.end..));
            let text = [before.unwrap_or_default(), inserted, after.unwrap_or_default()].concat();
            edits.push(Edit { removed, inserted: inserted.len() });
            document.text = Text::new(text.into());
        }
        let logged = edits.iter().map(|edit| (self.clock, path.to_path_buf(), edit.clone()));
        self.log.extend(logged);
        Some(edits)
    }

    /// The edits of a document after a point in time.
    pub(crate) fn edits<'a>(&'a self, path: &'a Path, since: u64) -> impl Iterator<Item = &'a Edit> {
        let is_newer = move |(at, edited, _): &&(u64, PathBuf, Edit)| *at > since && edited == path;
        self.log.iter().filter(is_newer).map(|(_, _, edit)| edit)
    }

    /// Forgets the edits up to a point in time, of which nobody will ask any more.
    pub(crate) fn forget(&mut self, until: u64) {
        self.log.retain(|(at, _, _)| *at > until);
    }
}

/// The range of the old text that differs from the new one, and what is there now: a client may send the whole text for every
/// key, and what is shown behind the change should stay.
fn differing<'t>(old: &str, new: &'t str) -> (Range<usize>, &'t str) {
    let same = |(a, b): &(u8, u8)| a == b;
    let start = old.bytes().zip(new.bytes()).take_while(same).count();
    let most = old.len().min(new.len()) - start;
    let end = old.bytes().rev().zip(new.bytes().rev()).take_while(same).count().min(most);
    let start = old.floor_char_boundary(new.floor_char_boundary(start));
    let (old_end, new_end) = (old.ceil_char_boundary(old.len() - end), new.ceil_char_boundary(new.len() - end));
    // Both texts are equal behind it, so one character more or less of the end is one in both.
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
