//! Texts, and the positions of the protocol in them.

use std::ops::Range;

use arcstr::ArcStr;
use gen_lsp_types as lsp;

/// What a column counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Bytes of the text in UTF-8.
    Utf8,
    /// UTF-16 code units, which a client counts that says nothing.
    #[default]
    Utf16,
    /// Characters: the scalar values of Unicode.
    Utf32,
}

/// A text and where its lines begin. As the protocol has it, a line ends at `\n`, `\r\n`, or `\r`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    body: ArcStr,
    starts: Vec<usize>,
    /// Where the lines of reports begin, which end at `\n` alone.
    reported: Vec<usize>,
    /// Whether every encoding counts bytes, so that a column in a long line is not counted.
    is_ascii: bool,
}

impl Text {
    pub(crate) fn new(text: ArcStr) -> Self {
        let bytes = text.as_bytes();
        let ends_line = |at: &usize| match bytes.get(*at) {
            Some(b'\n') => true,
            Some(b'\r') => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let starts: Vec<usize> =
            std::iter::once(0).chain((0..bytes.len()).filter(ends_line).map(|at| at + 1)).collect();
        let is_reported = |start: &usize| start.checked_sub(1).is_none_or(|end| bytes.get(end) == Some(&b'\n'));
        let reported = starts.iter().copied().filter(is_reported).collect();
        Self { is_ascii: text.is_ascii(), body: text, starts, reported }
    }

    pub(crate) fn text(&self) -> &ArcStr {
        &self.body
    }

    /// The byte offset of a position. A column behind the end of its line is this end, and a line behind the last one is the
    /// end of the text. A column inside a character is its beginning.
    pub(crate) fn offset(&self, position: lsp::Position, encoding: Encoding) -> usize {
        let line = usize::try_from(position.line).unwrap_or(usize::MAX);
        let Some(content) = self.content(line) else { return self.body.len() };
        let text = self.body.get(content.clone()).unwrap_or_default();
        let mut left = usize::try_from(position.character).unwrap_or(usize::MAX);
        for (at, c) in text.char_indices() {
            let width = encoding.width(c);
            if width > left {
                return content.start + at;
            }
            left -= width;
        }
        content.end
    }

    /// The position of a byte offset, which is that of the character in which it is.
    pub(crate) fn position(&self, offset: usize, encoding: Encoding) -> lsp::Position {
        let offset = self.body.floor_char_boundary(offset);
        let line = self.line(offset);
        let content = self.content(line).unwrap_or_default();
        let before = self.body.get(content.start..offset.min(content.end)).unwrap_or_default();
        let character =
            if self.is_ascii { before.len() } else { before.chars().map(|c| encoding.width(c)).sum::<usize>() };
        lsp::Position::new(number(line), number(character))
    }

    pub(crate) fn range(&self, range: &Range<usize>, encoding: Encoding) -> lsp::Range {
        lsp::Range::new(self.position(range.start, encoding), self.position(range.end.max(range.start), encoding))
    }

    /// The line (from 0) of a byte offset.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The bytes of a line (from 0) without its line ending.
    pub(crate) fn content(&self, line: usize) -> Option<Range<usize>> {
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(self.body.len());
        let text = self.body.get(start..end)?;
        Some(start..start + text.trim_end_matches(['\r', '\n']).len())
    }

    /// The byte offset of a line, which ends at `\n` alone, and a column in bytes; both count from 1, as in reports.
    pub(crate) fn reported(&self, line: u32, byte_column: u32) -> usize {
        let line = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
        let start = self.reported.get(line).copied().unwrap_or(self.body.len());
        (start + usize::try_from(byte_column.saturating_sub(1)).unwrap_or(0)).min(self.body.len())
    }
}

impl Encoding {
    /// The best of those that a client offers.
    pub(crate) fn of(offered: &[lsp::PositionEncodingKind]) -> Self {
        let has = |kind: &lsp::PositionEncodingKind| offered.contains(kind);
        match () {
            () if has(&lsp::PositionEncodingKind::UTF8) => Self::Utf8,
            () if has(&lsp::PositionEncodingKind::UTF32) => Self::Utf32,
            () => Self::Utf16,
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
}
