//! Converts byte offsets to lines and columns.

use std::ops::Range;

/// A position in a text, as readers and protocols count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line number, from 1.
    pub line: u32,
    /// Column in UTF-16 code units, from 1, as in SARIF, GitHub, and editors.
    pub column: u32,
}

/// The positions of the lines of a text. A line ends at `\n`. A preceding `\r` is part of the line.
///
/// The index contains only the line at every [`STRIDE`] bytes, and searches the text from there, because few
/// positions are requested. A minified template is one line of megabytes, so the search must not scan the whole line.
#[derive(Debug)]
pub(super) struct LineIndex {
    marks: Vec<StrideStart>,
    line_count: u32,
    /// Number of UTF-16 code units before each multiple of [`STRIDE`] bytes. Empty for ASCII, where columns are byte
    /// offsets.
    units: Vec<u32>,
}

/// The line at a multiple of [`STRIDE`] bytes.
#[derive(Clone, Copy, Debug)]
struct StrideStart {
    /// Number of lines before this line.
    before: u32,
    /// The offset of the start of this line.
    start: u32,
}

impl LineIndex {
    pub(super) fn new(text: &str) -> Self {
        let mut marks = Vec::with_capacity(text.len() / STRIDE + 1);
        let mut mark = StrideStart { before: 0, start: 0 };
        for (at, stride) in (0..).step_by(STRIDE).zip(text.as_bytes().chunks(STRIDE)) {
            marks.push(mark);
            mark.before = mark.before.saturating_add(narrow(memchr::memchr_iter(b'\n', stride).count()));
            if let Some(last) = memchr::memrchr(b'\n', stride) {
                mark.start = narrow(at + last + 1);
            }
        }
        // The end of a text may be at the start of another stride.
        marks.push(mark);
        let units = if text.is_ascii() { Vec::new() } else { unit_index(text) };
        Self { marks, line_count: mark.before.saturating_add(1), units }
    }

    pub(super) fn line_count(&self) -> usize {
        self.line_count as usize
    }

    /// Returns the byte range of a line (from 1), without its line ending.
    pub(super) fn line_range(&self, text: &str, line: u32) -> Option<Range<usize>> {
        let line = self.line(text, line)?;
        let whole = text.get(line.clone())?;
        Some(line.start..line.start + whole.strip_suffix('\r').unwrap_or(whole).len())
    }

    pub(super) fn position(&self, text: &str, offset: usize) -> Position {
        self.located(text, offset).0
    }

    /// Returns the position of an offset, and its column in bytes, from 1.
    pub(super) fn located(&self, text: &str, offset: usize) -> (Position, u32) {
        let offset = text.floor_char_boundary(offset.min(text.len()));
        let stride = offset / STRIDE;
        let mark = self.marks.get(stride).copied().unwrap_or(StrideStart { before: 0, start: 0 });
        let passed = text.as_bytes().get(stride * STRIDE..offset).unwrap_or_default();
        let line = mark.before.saturating_add(narrow(memchr::memchr_iter(b'\n', passed).count()));
        let start = memchr::memrchr(b'\n', passed).map_or(mark.start as usize, |last| stride * STRIDE + last + 1);
        let bytes = offset.saturating_sub(start);
        let column = if self.units.is_empty() {
            bytes
        } else {
            self.units_before(text, offset).saturating_sub(self.units_before(text, start))
        };
        let position = Position { line: line.saturating_add(1), column: narrow(column).saturating_add(1) };
        (position, narrow(bytes).saturating_add(1))
    }

    /// Returns the byte offset of a position. `None` if the text does not contain the position.
    pub(super) fn offset(&self, text: &str, position: Position) -> Option<usize> {
        let line = self.line(text, position.line)?;
        let column = (position.column as usize).checked_sub(1)?;
        if self.units.is_empty() {
            return Some(line.start + column).filter(|offset| *offset <= line.end);
        }
        let wanted = self.units_before(text, line.start) + column;
        let stride = self.units.partition_point(|&units| units as usize <= wanted).saturating_sub(1);
        let stride = stride.min(text.len() / STRIDE);
        let (mut offset, mut units) = (stride * STRIDE, self.units.get(stride).map_or(0, |&units| units as usize));
        while units < wanted || !text.is_char_boundary(offset) {
            units += utf16_length(text.as_bytes().get(offset..=offset)?);
            offset += 1;
        }
        (units == wanted && (line.start..=line.end).contains(&offset)).then_some(offset)
    }

    /// Returns the byte range of a line (from 1), without the `\n` at its end.
    fn line(&self, text: &str, line: u32) -> Option<Range<usize>> {
        let before = line.checked_sub(1).filter(|&before| before < self.line_count)?;
        let start = if before == 0 { 0 } else { self.end(text, before - 1) + 1 };
        Some(start..self.end(text, before))
    }

    /// Returns the end of the line after `before` other lines.
    fn end(&self, text: &str, before: u32) -> usize {
        // The end is in the last stride that does not begin in a later line.
        let stride = self.marks.partition_point(|mark| mark.before <= before).saturating_sub(1);
        let passed = self.marks.get(stride).map_or(0, |mark| before.saturating_sub(mark.before) as usize);
        let rest = text.as_bytes().get(stride * STRIDE..).unwrap_or_default();
        memchr::memchr_iter(b'\n', rest).nth(passed).map_or(text.len(), |at| stride * STRIDE + at)
    }

    /// Returns the number of UTF-16 code units before an offset between two characters.
    fn units_before(&self, text: &str, offset: usize) -> usize {
        let stride = offset / STRIDE;
        let known = self.units.get(stride).map_or(0, |&units| units as usize);
        known + utf16_length(text.as_bytes().get(stride * STRIDE..offset).unwrap_or_default())
    }
}

/// Maximum number of bytes that are counted for one position.
const STRIDE: usize = 1024;

/// Converts an offset. Texts are shorter than 4 GiB.
fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

fn unit_index(text: &str) -> Vec<u32> {
    let mut total = 0;
    let mut index = Vec::with_capacity(text.len() / STRIDE + 2);
    for stride in text.as_bytes().chunks(STRIDE) {
        index.push(total);
        total += narrow(utf16_length(stride));
    }
    // The end of a text may be at the start of another stride.
    index.push(total);
    index
}

/// Returns the length in UTF-16 code units: one for each character, and two for characters of four bytes. A character
/// counts at its first byte.
fn utf16_length(bytes: &[u8]) -> usize {
    if bytes.is_ascii() {
        return bytes.len();
    }
    bytes.iter().map(|byte| usize::from(byte & 0xC0 != 0x80) + usize::from(*byte >= 0xF0)).sum()
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
        let long = "\né𐍈x".repeat(1000);
        check(&long, long.len(), 1001, 5);
        let long = "é𐍈x".repeat(1000);
        check(&long, long.len(), 1, 4001);
        check(&long, long.len() - 1, 1, 4000);
        check(&"a".repeat(STRIDE * 2), STRIDE * 2, 1, 2049);
        let exact = "é".repeat(STRIDE);
        check(&exact, exact.len(), 1, 1025);
    }

    #[test]
    fn an_offset_past_the_end_or_inside_a_character_is_clamped() {
        check("ab", 99, 1, 3);
        check("é", 1, 1, 1);
    }

    #[test]
    fn a_position_leads_back_to_its_offset() {
        for text in ["", "ab\ncd", "ab\r\ncd\n", "\né𐍈x\n𐍈", &"é𐍈x\n".repeat(1000), &"é𐍈x".repeat(1000)]
        {
            let index = LineIndex::new(text);
            for offset in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                assert_eq!(index.offset(text, index.position(text, offset)), Some(offset), "{offset}");
            }
        }
        let index = LineIndex::new("a𐍈\nb");
        for (line, column) in [(0, 1), (1, 0), (1, 3), (1, 5), (2, 3), (3, 1)] {
            assert_eq!(index.offset("a𐍈\nb", Position { line, column }), None, "{line}:{column}");
        }
    }

    /// Line starts agree with a scan of the text from its beginning.
    #[test]
    fn lines_are_found_wherever_they_begin_and_end() {
        for width in [0, 1, 2, 3, 100, STRIDE - 2, STRIDE - 1, STRIDE, STRIDE + 1, 3 * STRIDE] {
            let text = format!("{}\n", "x".repeat(width)).repeat(10) + "end";
            let index = LineIndex::new(&text);
            assert_eq!(index.line_count(), 11, "{width}");
            let mut start = 0;
            for (line, expected) in (1..).zip(text.split('\n')) {
                let end = start + expected.len();
                assert_eq!(index.line_range(&text, line), Some(start..end), "{width}, {line}");
                assert_eq!(index.position(&text, start), Position { line, column: 1 }, "{width}, {line}");
                assert_eq!(index.position(&text, end), Position { line, column: narrow(expected.len()) + 1 });
                start = end + 1;
            }
            assert_eq!(index.line_range(&text, 12), None);
        }
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
