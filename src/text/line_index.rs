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
    /// The UTF-16 code units before each multiple of [`STRIDE`] bytes. Empty in ASCII, where columns are byte offsets. A
    /// minified template is one line of megabytes, of which no position may count all.
    units: Vec<u32>,
}

impl LineIndex {
    pub(super) fn new(text: &str) -> Self {
        let newlines = memchr::memchr_iter(b'\n', text.as_bytes());
        let starts = std::iter::once(0).chain(newlines.map(|at| u32::try_from(at + 1).unwrap_or(u32::MAX)));
        Self { starts: starts.collect(), units: if text.is_ascii() { Vec::new() } else { unit_index(text) } }
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
        let column = if self.units.is_empty() {
            offset.saturating_sub(start)
        } else {
            self.units_before(text, offset).saturating_sub(self.units_before(text, start))
        } + 1;
        Position { line: u32::try_from(line).unwrap_or(u32::MAX), column: u32::try_from(column).unwrap_or(u32::MAX) }
    }

    /// The byte offset of a position. `None` if the text does not have the position.
    pub(super) fn offset(&self, text: &str, position: Position) -> Option<usize> {
        let index = (position.line as usize).checked_sub(1)?;
        let start = *self.starts.get(index)? as usize;
        let end = self.starts.get(index + 1).map_or(text.len(), |&next| next as usize - 1);
        let column = (position.column as usize).checked_sub(1)?;
        if self.units.is_empty() {
            return Some(start + column).filter(|offset| *offset <= end);
        }
        let wanted = self.units_before(text, start) + column;
        let stride = self.units.partition_point(|&units| units as usize <= wanted).saturating_sub(1);
        let stride = stride.min(text.len() / STRIDE);
        let (mut offset, mut units) = (stride * STRIDE, self.units.get(stride).map_or(0, |&units| units as usize));
        while units < wanted || !text.is_char_boundary(offset) {
            units += utf16_length(text.as_bytes().get(offset..=offset)?);
            offset += 1;
        }
        (units == wanted && (start..=end).contains(&offset)).then_some(offset)
    }

    /// The UTF-16 code units before an offset between two characters.
    fn units_before(&self, text: &str, offset: usize) -> usize {
        let stride = offset / STRIDE;
        let known = self.units.get(stride).map_or(0, |&units| units as usize);
        known + utf16_length(text.as_bytes().get(stride * STRIDE..offset).unwrap_or_default())
    }
}

/// How many bytes are counted at most for one position.
const STRIDE: usize = 1024;

fn unit_index(text: &str) -> Vec<u32> {
    let mut total = 0;
    let before = |stride: &[u8]| {
        let before = total;
        total += u32::try_from(utf16_length(stride)).unwrap_or(u32::MAX);
        before
    };
    let mut index: Vec<u32> = text.as_bytes().chunks(STRIDE).map(before).collect();
    // The end of a text may be at the start of another stride.
    index.push(total);
    index
}

/// Length in UTF-16 code units: one for each character, and one more for those of four bytes. A character counts where
/// it begins.
fn utf16_length(bytes: &[u8]) -> usize {
    if bytes.is_ascii() {
        return bytes.len();
    }
    let units = |byte: &u8| usize::from(byte & 0xC0 != 0x80) + usize::from(*byte >= 0xF0);
    bytes.iter().map(units).sum()
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
