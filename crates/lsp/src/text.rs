//! Texts, and the positions of the protocol in them.

use std::ops::Range;
use std::sync::Arc;

use arcstr::ArcStr;
use gen_lsp_types as lsp;

/// Unit of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Bytes in UTF-8.
    Utf8,
    /// UTF-16 code units, the default of the protocol.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

/// A text and its line starts. As in the protocol, a line ends at `\n`, `\r\n`, or `\r`. Clones share everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    body: ArcStr,
    index: Arc<Index>,
}

/// Index that is computed once for a text.
#[derive(Debug, Default)]
struct Index {
    /// Byte offsets of line starts.
    starts: Vec<usize>,
    /// Starts of lines in reports, which end only at `\n`.
    reported: Vec<usize>,
    /// Marks every [`STEP`] bytes, so that a position in a long line is found without reading all of it. Empty if
    /// every encoding counts bytes.
    marks: Vec<Mark>,
}

/// Maximum number of bytes that are read to count a column.
const STEP: usize = 1 << 10;

/// Length of the text before a position, in the units of each encoding.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    utf8: usize,
    utf16: usize,
    utf32: usize,
}

impl Mark {
    fn in_units_of(self, encoding: Encoding) -> usize {
        match encoding {
            Encoding::Utf8 => self.utf8,
            Encoding::Utf16 => self.utf16,
            Encoding::Utf32 => self.utf32,
        }
    }

    fn add(&mut self, c: char) {
        self.utf8 += c.len_utf8();
        self.utf16 += c.len_utf16();
        self.utf32 += 1;
    }
}

impl Index {
    fn new(text: &str) -> Self {
        let starts: Vec<usize> = std::iter::once(0).chain(line_starts(text, 0..text.len())).collect();
        let reported = starts.iter().copied();
        let reported =
            reported.filter(|start| start.checked_sub(1).is_none_or(|end| text.as_bytes().get(end) == Some(&b'\n')));
        let reported = reported.collect();
        Self { starts, reported, marks: if text.is_ascii() { Vec::new() } else { marks(text) } }
    }
}

/// Returns the starts of lines whose previous line ends with a byte in the range.
pub(crate) fn line_starts(text: &str, range: Range<usize>) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let ends = range.filter(move |at| match bytes.get(*at) {
        Some(b'\n') => true,
        Some(b'\r') => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    ends.map(|at| at + 1)
}

/// Returns the bytes of a line (from 0) without its line end, in a text whose lines start at `starts`.
pub(crate) fn content(text: &str, starts: &[usize], line: usize) -> Option<Range<usize>> {
    let start = *starts.get(line)?;
    let end = starts.get(line + 1).copied().unwrap_or(text.len());
    let content = text.get(start..end)?;
    Some(start..start + content.trim_end_matches(['\r', '\n']).len())
}

/// Returns the length in bytes of the first units of a text, at most the whole text. A unit inside a character counts
/// as its start.
pub(crate) fn bytes_of(text: &str, units: usize, encoding: Encoding) -> usize {
    if text.is_ascii() {
        return units.min(text.len());
    }
    let mut left = units;
    for (at, c) in text.char_indices() {
        let width = encoding.width(c);
        if width > left {
            return at;
        }
        left -= width;
    }
    text.len()
}

fn marks(text: &str) -> Vec<Mark> {
    let (mut marks, mut here) = (vec![Mark::default()], Mark::default());
    for c in text.chars() {
        here.add(c);
        if here.utf8 >= marks.len() * STEP {
            marks.push(here);
        }
    }
    marks
}

impl Text {
    pub(crate) fn new(text: ArcStr) -> Self {
        Self { index: Arc::new(Index::new(&text)), body: text }
    }

    pub(crate) fn text(&self) -> &ArcStr {
        &self.body
    }

    /// Returns the byte offset of a position. A column after the end of its line is that end, and a line after the
    /// last one is the end of the text. A column inside a character is its start.
    pub(crate) fn offset(&self, position: lsp::Position, encoding: Encoding) -> usize {
        let line = usize::try_from(position.line).unwrap_or(usize::MAX);
        let Some(content) = self.content(line) else { return self.body.len() };
        let column = usize::try_from(position.character).unwrap_or(usize::MAX);
        let units = self.units_before(content.start, encoding).saturating_add(column);
        self.offset_of(units, encoding).clamp(content.start, content.end)
    }

    /// Returns the position of a byte offset. Inside a character, it is the position of that character.
    pub(crate) fn position(&self, offset: usize, encoding: Encoding) -> lsp::Position {
        let offset = self.body.floor_char_boundary(offset);
        let line = self.line(offset);
        let content = self.content(line).unwrap_or_default();
        let end = self.units_before(offset.min(content.end), encoding);
        let character = end.saturating_sub(self.units_before(content.start, encoding));
        lsp::Position::new(number(line), number(character))
    }

    /// Returns the number of units before a byte offset, which is at a character boundary.
    fn units_before(&self, offset: usize, encoding: Encoding) -> usize {
        let after = self.index.marks.partition_point(|mark| mark.utf8 <= offset);
        let Some(mark) = after.checked_sub(1).and_then(|at| self.index.marks.get(at)) else { return offset };
        let rest = self.body.get(mark.utf8..offset).unwrap_or_default();
        mark.in_units_of(encoding) + rest.chars().map(|c| encoding.width(c)).sum::<usize>()
    }

    /// Returns the byte offset of the character that contains a unit.
    fn offset_of(&self, units: usize, encoding: Encoding) -> usize {
        let after = self.index.marks.partition_point(|mark| mark.in_units_of(encoding) <= units);
        let Some(mark) = after.checked_sub(1).and_then(|at| self.index.marks.get(at)) else { return units };
        let rest = self.body.get(mark.utf8..).unwrap_or_default();
        // Only a few characters after the next mark are needed.
        let rest = rest.get(..rest.floor_char_boundary(2 * STEP)).unwrap_or(rest);
        mark.utf8 + bytes_of(rest, units - mark.in_units_of(encoding), encoding)
    }

    pub(crate) fn range(&self, range: &Range<usize>, encoding: Encoding) -> lsp::Range {
        lsp::Range::new(self.position(range.start, encoding), self.position(range.end.max(range.start), encoding))
    }

    /// Returns the line (from 0) of a byte offset.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.index.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// Returns the bytes of a line (from 0) without its line end.
    pub(crate) fn content(&self, line: usize) -> Option<Range<usize>> {
        content(&self.body, &self.index.starts, line)
    }

    /// Returns the byte offsets of line starts.
    pub(crate) fn starts(&self) -> &[usize] {
        &self.index.starts
    }

    /// Returns the byte offset of a line, which ends only at `\n`, and a column in bytes. Both count from 1, as in
    /// reports.
    pub(crate) fn reported(&self, line: u32, byte_column: u32) -> usize {
        let line = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
        let start = self.index.reported.get(line).copied().unwrap_or(self.body.len());
        (start + usize::try_from(byte_column.saturating_sub(1)).unwrap_or(0)).min(self.body.len())
    }
}

impl Encoding {
    /// Chooses the best encoding that a client offers.
    pub(crate) fn choose(offered: &[lsp::PositionEncodingKind]) -> Self {
        if offered.contains(&lsp::PositionEncodingKind::UTF8) {
            Self::Utf8
        } else if offered.contains(&lsp::PositionEncodingKind::UTF32) {
            Self::Utf32
        } else {
            Self::Utf16
        }
    }

    pub(crate) fn kind(self) -> lsp::PositionEncodingKind {
        match self {
            Self::Utf8 => lsp::PositionEncodingKind::UTF8,
            Self::Utf16 => lsp::PositionEncodingKind::UTF16,
            Self::Utf32 => lsp::PositionEncodingKind::UTF32,
        }
    }

    fn width(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

fn number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, encoding: Encoding, positions: &[(usize, u32, u32)]) {
        let text = Text::new(text.into());
        for &(offset, line, character) in positions {
            let position = lsp::Position::new(line, character);
            assert_eq!(text.position(offset, encoding), position);
            assert_eq!(text.offset(position, encoding), offset);
        }
    }

    #[test]
    fn lines_end_at_all_three_line_endings() {
        check("a\r\nb\rc\n", Encoding::Utf16, &[(1, 0, 1), (3, 1, 0), (5, 2, 0), (6, 2, 1), (7, 3, 0)]);
    }

    #[test]
    fn columns_count_what_was_agreed() {
        let text = "é😀x";
        check(text, Encoding::Utf8, &[(2, 0, 2), (6, 0, 6), (7, 0, 7)]);
        check(text, Encoding::Utf16, &[(2, 0, 1), (6, 0, 3), (7, 0, 4)]);
        check(text, Encoding::Utf32, &[(2, 0, 1), (6, 0, 2), (7, 0, 3)]);
    }

    #[test]
    fn positions_outside_of_the_text_are_moved_into_it() {
        let text = Text::new("é\nab".into());
        let at = |line, character| text.offset(lsp::Position::new(line, character), Encoding::Utf8);
        assert_eq!((at(0, 1), at(0, 9), at(1, u32::MAX), at(u32::MAX, 0)), (0, 2, 5, 5));
        assert_eq!(text.position(99, Encoding::Utf8), lsp::Position::new(1, 2));
    }

    #[test]
    fn reports_count_other_lines() {
        let text = Text::new("a\rb\ncd".into());
        assert_eq!((text.reported(1, 3), text.reported(2, 2), text.reported(3, 1)), (2, 5, 6));
    }

    /// A file in one line, as programs write JSON: a column must not be counted from its beginning.
    #[test]
    fn columns_of_a_long_line_are_found() {
        let text = Text::new("ab\u{e9}\u{1f600}".repeat(2_000).into());
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            let mut units = 0;
            for (offset, c) in text.text().char_indices() {
                let position = lsp::Position::new(0, units);
                assert_eq!(text.position(offset, encoding), position);
                assert_eq!(text.offset(position, encoding), offset);
                units += number(encoding.width(c));
            }
            assert_eq!(text.offset(lsp::Position::new(0, units + 1), encoding), text.text().len());
        }
        assert_eq!(text.index.marks.len(), 1 + text.text().len() / STEP);
    }
}
