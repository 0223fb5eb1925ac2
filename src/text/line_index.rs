//! From byte offsets to lines and columns.

/// A position in a text as people and protocols count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Number of the line, from 1.
    pub line: u32,
    /// Column in UTF-16 code units, from 1: what SARIF, GitHub and editors count.
    pub column: u32,
}

/// Where the lines of a text begin. A line ends at `\n`; `\r\n` and a lone `\r` before it belong to the line.
#[derive(Debug)]
pub(super) struct LineIndex {
    starts: Vec<u32>,
    /// In ASCII, columns are byte offsets and need no counting. A minified template is one line of megabytes.
    is_ascii: bool,
}

impl LineIndex {
    pub(super) fn new(text: &str) -> Self {
        let newlines = memchr::memchr_iter(b'\n', text.as_bytes());
        let starts = std::iter::once(0).chain(newlines.map(|at| u32::try_from(at + 1).unwrap_or(u32::MAX)));
        Self { starts: starts.collect(), is_ascii: text.is_ascii() }
    }

    pub(super) fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// The byte range of a line (from 1), without its line ending.
    pub(super) fn line_range(&self, text: &str, line: u32) -> Option<std::ops::Range<usize>> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.starts.get(index)? as usize;
        let end = self.starts.get(index + 1).map_or(text.len(), |&next| next as usize - 1);
        let line = text.get(start..end)?;
        Some(start..start + line.strip_suffix('\r').unwrap_or(line).len())
    }

    pub(super) fn position(&self, text: &str, offset: usize) -> Position {
        let offset = text.floor_char_boundary(offset.min(text.len()));
        let line = self.starts.partition_point(|&start| start as usize <= offset);
        let start = line.checked_sub(1).and_then(|index| self.starts.get(index)).map_or(0, |&start| start as usize);
        let before = text.get(start..offset).unwrap_or_default();
        let column = if self.is_ascii { before.len() } else { utf16_length(before) } + 1;
        Position { line: u32::try_from(line).unwrap_or(u32::MAX), column: u32::try_from(column).unwrap_or(u32::MAX) }
    }
}

/// Length in UTF-16 code units: one for each character, and one more for those of four bytes.
fn utf16_length(text: &str) -> usize {
    let units = |byte: u8| usize::from(byte & 0xC0 != 0x80) + usize::from(byte >= 0xF0);
    text.bytes().map(units).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, offset: usize, line: u32, column: u32) {
        assert_eq!(LineIndex::new(text).position(text, offset), Position { line, column });
    }

    #[test]
    fn lines_and_columns_count_from_one() {
        check("", 0, 1, 1);
        check("ab\ncd", 1, 1, 2);
        check("ab\ncd", 3, 2, 1);
        check("ab\r\ncd", 4, 2, 1);
    }

    #[test]
    fn columns_count_utf16_code_units() {
        check("é𐍈x", "é𐍈".len(), 1, 4);
    }

    #[test]
    fn an_offset_past_the_end_or_inside_a_character_is_clamped() {
        check("ab", 99, 1, 3);
        check("é", 1, 1, 1);
    }

    #[test]
    fn a_line_is_given_without_its_ending() {
        let text = "a\r\nbc\n";
        let index = LineIndex::new(text);
        assert_eq!(index.line_range(text, 1), Some(0..1));
        assert_eq!(index.line_range(text, 2), Some(3..5));
        assert_eq!(index.line_range(text, 3), Some(6..6));
        assert_eq!(index.line_range(text, 4), None);
    }
}
